#!/usr/bin/env python3
"""Every page of checkers/explain is true, and every code is named somewhere.

    pages.py BINARY       # e.g. build/tilesim
    pages.py --self-test  # shows that each check can fail

The failing program of a page reports the page's code, its repair is clean.
Each code that the command lists is named in quotes by some source. (That none
has no page, and no page no code, the compiler sees.) no_program.txt lists the
codes that no program of a page can show, with the reason.
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
SOURCES = ("checkers", "cli", "frontend", "hwtests", "ir", "ptx",
           "sim")
QUOTED = re.compile(r'"([a-z0-9-]+/[a-z0-9-]+)"')
PAGE = re.compile(r"# (?P<code>\S+)\n\n(?P<why>(?:(?!```).)+)"
                  r"(?:```diff (?P<by>check|run)\n(?P<diff>.+?)```\n)?"
                  r"(?P<after>.*)", re.S)
SECONDS = 120


def codes_of_registry(binary):
    done = subprocess.run([binary, "explain", "code", "--format", "json"],
                          capture_output=True, text=True, check=True,
                          timeout=SECONDS)
    return {row["code"] for row in json.loads(done.stdout)["codes"]}


def named_by_sources(root):
    out = set()
    for folder in SOURCES:
        for path in (root / folder).rglob("*"):
            if path.suffix not in (".cc", ".h") or "_test" in path.name:
                continue
            out |= set(QUOTED.findall(path.read_text(encoding="utf-8")))
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
        yield "it is not `# code`, prose and one ```diff program"
        return
    if name != page["code"].replace("/", ".", 1) + ".md":
        yield f"its name does not fit its code {page['code']}"
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
            told = file["findings"] + file.get("errors", []) + \
                file.get("warnings", [])
            codes |= {f["code"] for f in told}
            codes |= {x["code"] for f in told for x in f.get("follows", [])}
    return done.returncode, codes


def program_problems(page, tell):
    _, codes = tell(page["by"], program(page["diff"], "+"))
    if page["code"] not in codes:
        yield f"{page['by']} reports {sorted(codes)} instead"
    code, codes = tell(page["by"], program(page["diff"], "-"))
    if not page["code"].startswith("lint/"):
        # Programs of pages are short, and do not use all that they declare.
        codes = {c for c in codes if not c.startswith("lint/")}
    if code != 0 or codes:
        yield f"its repair ends with {code}, {sorted(codes)}"


def problems(pages, codes, named, exempt, tell):
    """(page, what is wrong) for {name: text}."""
    for code in sorted(codes - named):
        yield code, "ir/codes.def lists this code, and no source names it"
    for code in sorted(set(exempt) - codes):
        yield code, "no_program.txt lists it, and ir/codes.def does not"
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
    good = ("# race/war\n\nwhy " + "word " * 10 +
            "\n\n```diff check\n a\n-b\n+c\n```\n")

    def tell(_, text):
        return (1, {"race/war"}) if "b" in text else (0, set())

    def rejects(text, words, name="race.war.md", codes=("race/war",),
                exempt=None, say=tell):
        found = list(problems({name: text}, set(codes), {"race/war"},
                              exempt or {}, say))
        assert any(words in what for _, what in found), (words, found)

    assert not list(problems({"race.war.md": good}, {"race/war"},
                             {"race/war"}, {}, tell))
    assert program(" a\n-b\n+c\n", "+") == "a\nb\n"
    rejects(good, "no source", codes=("race/war", "race/raw"))
    rejects(good, "does not fit", name="race.raw.md")
    rejects(good.replace("word ", ""), "hardly")
    rejects(good + "more\n", "follows")
    rejects(good.split("```")[0], "no program")
    rejects(good, "gives no reason", exempt={"race/war": ""})
    rejects(good, "listed", exempt={"race/war": "why"})
    rejects(good, "ir/codes.def does not", exempt={"race/rwa": "why"})
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
        pages, codes_of_registry(argument), named_by_sources(ROOT), exempt,
        lambda by, text: told(argument, by, text)))
    for where, what in found:
        print(f"{where}: {what}")
    print(f"{len(pages)} pages, {len(exempt)} without a program")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
