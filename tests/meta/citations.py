#!/usr/bin/env python3
"""What code, tables and pages cite is there.

* A page of docs/ that is cited by name (`hardware.md A.5`, `h200-readings 2.2`,
  `bug-catalogue N26`) has each section that is named after it. A section is a
  heading whose first word is its name (`A.5`, `2.1`, `N26`), given once a page.
  Outside Markdown a citation names a section.
* A lone `A.5` in C++ or an architecture file is a section of hardware.md. The
  id that the name of a program of tests/catalogue begins with is an entry of
  bug-catalogue.md.
* A file name between backticks in a page, in a comment of C++, and in ./dev is
  that of a file: seen from the page's folder or one above it, or the end of a
  path in its part (`ir`, `checkers` ...) or in docs/.

Exemptions, with reasons: tests/meta/citation_exemptions.txt, by the name cited.
"""

import collections
import os.path
import pathlib
import re

import repo

DOCS = pathlib.PurePath("docs")
SOURCES = (".cc", ".h", ".py", ".def", ".toml", ".md", ".tile", ".txt",
           ".cmake")
DATA = {"corpus", "golden", "testdata"}
HEADING = re.compile(r"^(#+)[ \t]+(\S+)", re.M)
FENCE = re.compile(r"^([ \t]*)(```+|~~~+).*?^[ \t]*\2", re.S | re.M)
LINK = re.compile(r"\]\([^)]*\)")
GAP = r"(?:[ \t]|\n[ \t]*(?://|\*|#)?[ \t]*)+"
SECTION = r"(?:[A-F]\.\d+(?:\.\d+)?|[A-F]\b(?![.\w])|[A-Z]\d\d|\d+(?:\.\d+)?)"
SECTIONS = re.compile(
    rf"{GAP}(?:sections?{GAP}|conditions?{GAP})?"
    rf"({SECTION}(?:(?:,|{GAP}(?:and|to)){GAP}{SECTION})*)")
ONE = re.compile(rf"(?<![\w.]){SECTION}")
LONE = re.compile(r"(?<![\w.])[A-E]\.[1-9]\d?(?![\w.]*\w)")
ENTRY = re.compile(r"([A-Z]\d\d)_")
FILE = re.compile(r"(?<![\w./<{*$-])(?:\.\./)*[\w][\w./-]*"
                  r"\.(?:h|cc|py|def|md|toml|cmake)(?![\w*-])")
PROGRAM = re.compile(r"(?<![\w./<{*$-])(?:\.\./)*[\w-]+/[\w./-]*"
                     r"\.tile(?![\w*-])")
TICKS = re.compile(r"`([^`\n]+)`")
COMMENT = re.compile(r"(?<![:\"])//[^\n]*")


def sections(text):
    """The names of a page's sections, in order; not the title's."""
    return [name for _, name in HEADING.findall(FENCE.sub("", text))[1:]]


def cited(text, names):
    """(start, end, page, whether as a file, sections) of each citation."""
    page = re.compile(rf"(?<![\w/.-])(?:docs/|evidence/)?({names})"
                      r"(\.md)?(?![\w-]|\.\w|/)")
    for match in page.finditer(text):
        follows = SECTIONS.match(text, match.end())
        yield (match.start(), match.end(), match[1], bool(match[2]),
               ONE.findall(follows[1]) if follows else [])


def line(text, offset):
    return text.count("\n", 0, offset) + 1


def citations(path, text, known):
    names = "|".join(sorted(map(re.escape, known), key=len, reverse=True))
    plain = LINK.sub("]", text) if path.suffix == ".md" else text
    for at, end, page, by_file, some in cited(plain, names):
        if not by_file and "-" not in page:  # a word like any other
            continue
        where = f"{path}:{line(plain, at)}"
        # Any section, or a file to open.
        kind = re.match(r""" sections?\b|["'`]""", plain[end:])
        if not some and not kind and path.suffix != ".md":
            yield where, f"cites {page}.md without a section"
        for one in some:
            if one not in known[page]:
                yield where, f"docs/{page}.md has no section {one}"
    if path.suffix in (".cc", ".h", ".toml") and "hardware" in known:
        for match in LONE.finditer(text):
            if match[0] not in known["hardware"]:
                yield (f"{path}:{line(text, match.start())}",
                       f"docs/hardware.md has no section {match[0]}")
    if path.parts[:2] == ("tests", "catalogue") and path.suffix == ".tile":
        entry = ENTRY.match(path.name)
        if entry is None or entry[1] not in known.get("bug-catalogue", ()):
            yield path, "is of no entry of docs/bug-catalogue.md"


def named_files(path, text):
    """(offset, name) of what should be files."""
    if path.suffix == ".md":
        text = FENCE.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
        text = re.sub(r"^    .*$", lambda m: " " * len(m[0]), text, flags=re.M)
        places = [(m.start(1), m[1]) for m in TICKS.finditer(text)]
    elif path.name == "dev":
        places = [(0, text)]
    else:
        places = [(m.start(), m[0]) for m in COMMENT.finditer(text)]
    for start, words in places:
        if path.suffix == ".md" and re.search(r"[\s{}*]", words):
            words = words.split()[0] if words.split() else ""
        for match in [*FILE.finditer(words), *PROGRAM.finditer(words)]:
            yield start + match.start(), match[0].rstrip(".")


def is_file(path, name, ends):
    folders = [path.parent, *path.parent.parents]
    if name.startswith("../"):
        return os.path.normpath(path.parent / name) in ends[""]
    return name in ends[str(DOCS)] or \
        name in ends[path.parts[0] if len(path.parts) > 1 else ""] or \
        any(str(folder / name) in ends[""] for folder in folders)


def check(root):
    exempt = repo.Exemptions(root, "citation_exemptions.txt")
    files = repo.files(root)
    # By part, the ends of its files' paths; by "", the paths.
    ends = collections.defaultdict(set)
    for file in files:
        ends[""].add(str(file))
        for n in range(1, len(file.parts)):
            ends[file.parts[0]].add("/".join(file.parts[n:]))
    known = {}
    for path in files:
        if path.parent == DOCS and path.suffix == ".md" and \
                path.name != "README.md":
            names = sections(repo.read(root, path))
            known[path.stem] = names
            for name in names:
                if not ONE.fullmatch(name):
                    yield path, f"has a heading without a name: {name}"
            for name in {n for n in names if names.count(n) > 1}:
                yield path, f"has two sections {name}"
    for path in files:
        if path.suffix not in SOURCES and path.name != "dev" or \
                DATA.intersection(path.parts) or path.name == "citations.py":
            continue
        text = repo.read(root, path)
        if known:
            yield from sorted(set(citations(path, text, known)), key=str)
        if path.suffix not in ("", ".md", ".h", ".cc"):
            continue
        for at, name in named_files(path, text):
            if not is_file(path, name, ends) and \
                    not exempt.covers(name):
                yield f"{path}:{line(text, at)}", f"names {name}, no file"
    yield from exempt.findings()


def self_test(tree):
    page = {"docs/hardware.md": "# H\n# A S\n## A.5 Copies\n## A.6 Fences\n",
            "docs/bug-catalogue.md": "# B\n### N26 twice\n```\n# C01 no\n```\n",
            "docs/guide.md": "# G\n## 1 One\n"}
    for text in ("// hardware.md A.5, A.6", "// hardware.md A.5 and\n// A.6.",
                 "// (bug-catalogue\n// N26)", "// A.5 (PTX 9.7.9)", "a guide",
                 "// guide.md section 1, a.cc", '"PTX 8.6; hardware.md A.6"'):
        tree.accepts({**page, "a.cc": text})
    tree.accepts({**page, "tests/catalogue/N26_x.tile": ""})
    tree.accepts({**page, "b/a.md": "See `a.cc`, `b/a.cc`, `x y.cc`, `no.tile`,"
                  " [h](../docs/hardware.md).\n\n    no.cc\n", "b/a.cc": ""})
    tree.rejects({**page, "a.cc": "// hardware.md A.7"}, "no section A.7")
    tree.rejects({**page, "a.py": "# hardware.md A.5,\n# A.7"},
                 "a.py:1: docs/hardware.md has no section A.7")
    tree.rejects({**page, "a.h": "\n// rules of B.2"}, "a.h:2: docs/hardware")
    tree.rejects({**page, "a.py": "# bug-catalogue N25"}, "no section N25")
    tree.rejects({**page, "a.py": "# bug-catalogue C01"}, "no section C01")
    tree.rejects({**page, "a.toml": '"in hardware.md, too"'},
                 "without a section")
    tree.rejects({**page, "a.md": "guide.md 2"}, "no section 2")
    tree.rejects({**page, "tests/catalogue/C01_x.tile": ""}, "of no entry")
    tree.rejects({"docs/a.md": "# T\n## 1 a\n## 1 b\n"}, "two sections 1")
    tree.rejects({"docs/a.md": "# T\n## One\n"}, "without a name: One")
    tree.rejects({"a.md": "`work.cc`"}, "names work.cc, no file")
    tree.rejects({"a/README.md": "`b.cc`", "c/b.cc": ""}, "names b.cc, no")
    tree.rejects({"dev": "dev run examples/x.tile"}, "names examples/x.tile")
    tree.rejects({"a.h": "// see b.h\n"}, "a.h:1: names b.h, no file")
    tree.rejects({"a.md": "`b/x.tile`"}, "names b/x.tile")
    tree.accepts({"a.md": "`b.cc`", "tests/meta/citation_exemptions.txt":
                  "b.cc  of another project\n"})
    tree.rejects({"tests/meta/citation_exemptions.txt": "b.cc  gone\n"},
                 "exempts nothing")


if __name__ == "__main__":
    repo.main(__doc__, check, self_test)
