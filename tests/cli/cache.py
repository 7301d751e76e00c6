"""`check --cache`: the same answer again, and never a wrong one."""
import concurrent.futures
import json
import pathlib
import shutil

import harness
from harness import Case

BUG = "tests/catalogue/P17_rendezvous_parity_starts_anew_each_tile.tile"
CLEAN = "tests/catalogue/P17_rendezvous_parity_starts_anew_each_tile.fixed.tile"


def fnv(text):
    value = 0xcbf29ce484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001b3 % 2**64
    return f"{value:016x}"


def dumped(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


class Cache(Case):
    def setUp(self):
        super().setUp()
        self.cache = self.folder / "cache"

    def check(self, *args):
        done = self.run_it("check", *args, "--cache", self.cache)
        return done.returncode, done.stdout, done.stderr

    def entries(self):
        return sorted(self.cache.glob("*.json"))

    def test_the_same_answer_in_every_format(self):
        for form in "text", "json", "sarif":
            plain = self.run_it("check", BUG, CLEAN, "--format", form)
            for _ in range(2):
                self.assertEqual(
                    self.check(BUG, CLEAN, "--format", form),
                    (plain.returncode, plain.stdout, plain.stderr))
        self.assertEqual(len(self.entries()), 6)

    def test_it_is_not_checked_again(self):
        self.check(CLEAN)
        [path] = self.entries()
        entry = json.loads(path.read_text())
        entry["answer"]["shown"]["stdout"] = "as it was kept\n"
        entry["sum"] = fnv(dumped(entry["answer"]))
        path.write_text(dumped(entry))
        self.assertEqual(self.check(CLEAN), (0, "as it was kept\n", ""))

    def test_options_and_text_tell_answers_apart(self):
        path = self.file(pathlib.Path(CLEAN).read_text())
        self.check(path)
        self.check(path, "-D", "K=2")
        self.check(path, "--max-states", "7")
        self.check(path, "--strict", "scope")
        pathlib.Path(path).write_text("// more\n" + pathlib.Path(path).read_text())
        self.check(path)
        self.assertEqual(len(self.entries()), 5)

    def test_what_is_included_counts(self):
        self.file("fn meet() {\n  bar.sync 0\n}\n", "meet.inc")
        path = self.file('include "meet.inc"\n' + harness.kernel("  meet()"))
        self.assertEqual(self.check(path)[0], 0)
        self.file("fn meet() {\n  warp 0 {\n    bar.sync 0\n  }\n  bar.sync 1\n}\n",
                  "meet.inc")
        plain = self.run_it("check", path)
        self.assertEqual(self.check(path)[:2], (plain.returncode, plain.stdout))

    def test_a_spoilt_entry_is_none(self):
        whole = self.check(BUG)
        [path] = self.entries()
        good = path.read_bytes()
        for spoilt in (b"", good[:len(good) // 2], b"\0" * 40, b"[1, 2]",
                       good.replace(b"parity", b"purity"),
                       good.replace(b'"exit":1', b'"exit":0'),
                       good.replace(b'"key":"1', b'"key":"2')):
            self.assertNotEqual(spoilt, good)
            path.write_bytes(spoilt)
            self.assertEqual(self.check(BUG), whole)
            self.assertEqual(path.read_bytes(), good)

    def test_many_at_once(self):
        files = [self.file(pathlib.Path(source).read_text(), f"{n}.tile")
                 for n, source in enumerate([BUG, CLEAN] * 4)]
        plain = self.run_it("check", *files)
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            for answer in pool.map(lambda _: self.check(*files), range(6)):
                self.assertEqual(answer, (plain.returncode, plain.stdout, ""))
        self.assertEqual(len(self.entries()), len(files))
        self.assertEqual(list(self.cache.glob("*.tmp")), [])

    def test_a_folder_that_cannot_be(self):
        self.refuses("check", CLEAN, "--cache", self.file("x", "file"),
                     says="--cache")

    def test_a_folder_that_goes_away_is_made_again(self):
        self.check(CLEAN)
        shutil.rmtree(self.cache)
        self.assertEqual(self.check(CLEAN)[0], 0)
        self.assertEqual(len(self.entries()), 1)

    def test_what_is_no_program_is_not_kept(self):
        path = self.file("kernel {")
        self.assertEqual(self.check(path)[0], 2)
        self.assertEqual(self.check(path)[0], 2)
        self.assertEqual(self.entries(), [])


if __name__ == "__main__":
    harness.main()
