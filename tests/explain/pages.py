#!/usr/bin/env python3
"""Every page of checkers/explain is true, and every code has one.

    pages.py BINARY       # e.g. build/tilesim
    pages.py --self-test  # shows that each check can fail

The failing program of a page reports the page's code, its repair is clean. The
codes are those that the sources name in quotes. no_program.txt lists the codes
that no program of a page can show, with the reason.
"""
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[1]
PAGES = ROOT / "checkers/explain"
SOURCES = ("checkers", "cli", "frontend", "hwtests", "ir", "sim")
FAMILIES = {
    "arrival-count", "barrier", "bounds", "clc", "cluster", "dataflow",
    "deadlock", "exit", "group", "hw", "init", "layout", "lower", "name",
    "parity", "pdl",
    "proxy-fence", "race", "registers", "result", "scope", "shape", "syntax",
    "target", "tcgen05", "tmem", "tx-count", "type", "uninit", "wgmma"}
QUOTED = re.compile(r'"([a-z0-9-]+)/([a-z0-9-]+)"')
PAGE = re.compile(r"# (?P<code>\S+): (?P<summary>[^\n]+)\n\n(?P<why>(?:(?!```).)+)"
                  r"(?:```diff (?P<by>check|run)\n(?P<diff>.+?)```\n)?"
                  r"(?P<after>.*)", re.S)
LONGEST_SUMMARY = 72
SECONDS = 120


def codes_of_sources(root):
    out = set()
    for folder in SOURCES:
        for path in (root / folder).rglob("*"):
            if path.suffix not in (".cc", ".h") or "_test" in path.name:
                continue
            for family, kind in QUOTED.findall(
                    path.read_text(encoding="utf-8")):
                if family in FAMILIES:
                    out.add(f"{family}/{kind}")
    return out


def listed(text):
    """Code -> why no program of a page can show it."""
    lines = [line.split(None, 1) for line in text.splitlines()
             if line.strip() and not line.startswith("#")]
    return {words[0]: words[1] if len(words) > 1 else "" for words in lines}


def program(diff, without):
    return "".join(line[1:] + "\n" for line in diff.splitlines()
                   if not line.startswith(without))


def form_problems(name, text, exempt):
    page = PAGE.fullmatch(text)
    if page is None:
        yield "it is not `# code: summary`, prose and one ```diff program"
        return
    if name != page["code"].replace("/", ".", 1) + ".md":
        yield f"its name does not fit its code {page['code']}"
    if len(page["summary"]) > LONGEST_SUMMARY or page["summary"][-1] == ".":
        yield "its summary is long, or ends with a full stop"
    if len(page["why"].split()) < 10:
        yield "it hardly says why"
    if page["after"].strip():
        yield "something follows the program"
    if (page["diff"] is None) != (page["code"] in exempt):
        yield "it has no program, or is listed in no_program.txt and has one"


def told(binary, by, text):
    """(exit code, codes) of a program."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "x.tile"
        path.write_text(text, encoding="utf-8")
        command = [binary, by, str(path), "--format", "json"]
        done = subprocess.run(command + (["--values", "all"] if by == "run"
                                         else []),
                              capture_output=True, text=True, check=False,
                              timeout=SECONDS)
    codes = set(re.findall(r"(?:error|warning)\[([^\]]+)\]", done.stderr))
    if done.stdout:
        for file in json.loads(done.stdout)["files"]:
            codes |= {f["code"] for f in file["findings"] +
                      file.get("errors", []) + file.get("warnings", [])}
    return done.returncode, codes


def program_problems(page, tell):
    _, codes = tell(page["by"], program(page["diff"], "+"))
    if page["code"] not in codes:
        yield f"{page['by']} reports {sorted(codes)} instead"
    code, codes = tell(page["by"], program(page["diff"], "-"))
    if code != 0 or codes:
        yield f"its repair ends with {code}, {sorted(codes)}"


def problems(pages, codes, exempt, tell):
    """(page, what is wrong) for {name: text}."""
    known = {name[:-3].replace(".", "/", 1) for name in pages}
    for code in sorted(codes - known):
        yield code, "the sources name this code, and it has no page"
    for code in sorted(known - codes):
        yield code, "no source names this code"
    for code in sorted(set(exempt) - codes):
        yield code, "no_program.txt lists it, and no source names it"
    for code, why in exempt.items():
        if not why:
            yield code, "no_program.txt gives no reason"
    judged = {}
    with concurrent.futures.ThreadPoolExecutor() as pool:
        for name, text in sorted(pages.items()):
            bad = list(form_problems(name, text, exempt))
            yield from ((name, what) for what in bad)
            page = PAGE.fullmatch(text)
            if not bad and page["diff"]:
                judged[name] = pool.submit(
                    lambda p=page: list(program_problems(p, tell)))
        for name, answer in judged.items():
            yield from ((name, what) for what in answer.result())


def self_test():
    good = ("# race/war: bytes overwritten\n\nwhy " + "word " * 10 +
            "\n\n```diff check\n a\n-b\n+c\n```\n")

    def tell(_, text):
        return (1, {"race/war"}) if "b" in text else (0, set())

    def rejects(text, words, name="race.war.md", codes=("race/war",),
                exempt=None, say=tell):
        found = list(problems({name: text}, set(codes), exempt or {}, say))
        assert any(words in what for _, what in found), (words, found)

    assert not list(problems({"race.war.md": good}, {"race/war"}, {}, tell))
    assert program(" a\n-b\n+c\n", "+") == "a\nb\n"
    rejects(good, "no page", codes=("race/war", "race/raw"))
    rejects(good, "no source", codes=())
    rejects(good, "does not fit", name="race.raw.md")
    rejects(good.replace("word ", ""), "hardly")
    rejects(good.replace("overwritten", "overwritten."), "full stop")
    rejects(good + "more\n", "follows")
    rejects(good.split("```")[0], "no program")
    rejects(good, "gives no reason", exempt={"race/war": ""})
    rejects(good, "listed", exempt={"race/war": "why"})
    rejects(good.replace("-b", "-d"), "instead")
    rejects(good.replace("+c", "+b"), "repair ends")
    rejects("#" + good, "it is not")
    assert listed("# x\na/b  why so\n") == {"a/b": "why so"}


def main(argument):
    if argument == "--self-test":
        self_test()
        return 0
    pages = {path.name: path.read_text(encoding="utf-8")
             for path in PAGES.glob("*.md") if path.name != "README.md"}
    exempt = listed((HERE / "no_program.txt").read_text(encoding="utf-8"))
    found = list(problems(
        pages, codes_of_sources(ROOT), exempt,
        lambda by, text: told(argument, by, text)))
    for where, what in found:
        print(f"{where}: {what}")
    print(f"{len(pages)} pages, {len(exempt)} without a program")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
