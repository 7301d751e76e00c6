"""What all repository checks share: the files, the report, the self-test.

A check is a module with `check(root)` that yields (where, what is wrong), and
`self_test(tree)` that shows on small made-up trees that it can fail. It ends
in `repo.main(__doc__, check, self_test)` and runs as

    python3 tests/meta/CHECK.py              # judge this repository
    python3 tests/meta/CHECK.py --root DIR   # judge another tree
    python3 tests/meta/CHECK.py --self-test

Exit status: 0 nothing found, 1 findings (one a line).
"""

import argparse
import contextlib
import fnmatch
import io
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
CPP = (".cc", ".h")


def files(root, *suffixes):
    """Tracked and new files under root, never ignored ones, sorted.

    Without git (an unpacked archive) all but hidden and build folders.
    """
    listed = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others",
         "--exclude-standard"], capture_output=True, check=False) \
        if (root / ".git").exists() else None
    if listed is not None and listed.returncode == 0:
        names = listed.stdout.decode().split("\0")
        found = [pathlib.PurePath(name) for name in names if name]
    else:
        found = [path.relative_to(root) for path in root.rglob("*")]
        found = [path for path in found
                 if path.parts[0] not in (".git", "build")
                 and not path.parts[0].startswith("build-")]
    return sorted({path for path in found
                   if (root / path).is_file() and not (root / path).is_symlink()
                   and (not suffixes or path.suffix in suffixes)})


def read(root, path):
    return (root / path).read_text(encoding="utf-8", errors="replace")


class Exemptions:
    """A list file: `PATTERN  reason` a line, `#` for comments.

    A line without a reason, or that exempts nothing, is a finding itself, so
    that the list only shrinks.
    """

    def __init__(self, root, name):
        self.path = pathlib.PurePath("tests/meta") / name
        self.lines = {}
        self.used = set()
        if (root / self.path).is_file():
            for line in read(root, self.path).splitlines():
                if line.strip() and not line.startswith("#"):
                    pattern, _, reason = line.strip().partition(" ")
                    self.lines[pattern] = reason.strip()

    def covers(self, path):
        hits = [p for p in self.lines if fnmatch.fnmatch(str(path), p)]
        self.used.update(hits)
        return bool(hits)

    def findings(self):
        for pattern, reason in self.lines.items():
            if not reason:
                yield self.path, f"`{pattern}` is exempted without a reason"
            if pattern not in self.used:
                yield self.path, f"`{pattern}` exempts nothing; remove it"


class Tree:
    """Small trees for self-tests."""

    def __init__(self, check):
        self.check = check

    def findings(self, contents):
        """The findings, as text, on a tree of {path: text}."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in contents.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text, encoding="utf-8")
            with contextlib.redirect_stdout(io.StringIO()):
                return [f"{where}: {what}"
                        for where, what in self.check(root)]

    def accepts(self, contents):
        found = self.findings(contents)
        assert not found, f"{contents} should be clean, but: {found}"

    def rejects(self, contents, words):
        found = self.findings(contents)
        assert len(found) == 1 and words in found[0], \
            f"{contents} should earn one `{words}`, but: {found}"


def main(doc, check, self_test):
    parser = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=HERE.parents[1])
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    if arguments.self_test:
        self_test(Tree(check))
        print("self-test passed")
        return
    found = [f"{where}: {what}"
             for where, what in check(arguments.root.resolve())]
    print("\n".join(found) if found else "nothing found")
    sys.exit(1 if found else 0)
