#!/usr/bin/env python3
"""Each step of a proof is named where the code rests on it, and has a test.

The conditions of `docs/certificate.md` and the lemmas of `docs/all_sizes.md` are
numbered sections. Of each, a comment of checkers/ cites the section directly
above a function, and the page (of a condition its table) names a test that is
there. So where a condition is proved and tested is found by its number:

    grep -rn "certificate.md 3.3" checkers docs tests
"""

import re

import repo

# page -> chapters whose numbered sections are conditions or lemmas
CHAPTERS = {"certificate": (3, 5), "all_sizes": (3, 5, 6)}
COMMENT = re.compile(r"(?:^[ \t]*//[^\n]*\n)+", re.M)
CITES = re.compile(r"docs/(\w+)\.md(?=[ \n])((?:[^.;:]|\.\d)*)")
NUMBER = re.compile(r"\b\d\.\d+\b")
# Of a table: a name in the code, and the functions that judge it.
ROW = re.compile(r"^\| (\d(?:\.\d+)?) `k\w+` \|([^|]*)\|(.*)\|$", re.M)
NAME = re.compile(r"`(?:\w+::)?(\w+)`")
# A definition, a class, or the statement that judges it.
CODE = re.compile(r"[ \t]*(?!//|#|namespace|using)\S")


def cited(root):
    """page -> sections that a comment right above code cites."""
    found = {page: set() for page in CHAPTERS}
    for path in repo.files(root, ".cc", ".h"):
        if path.parts[0] != "checkers":
            continue
        text = repo.read(root, path)
        for comment in COMMENT.finditer(text):
            if not CODE.match(text, comment.end()):
                continue
            words = re.sub(r"\n[ \t]*//", "\n", comment[0])
            for page, rest in CITES.findall(words):
                if page in found:
                    found[page].update(NUMBER.findall(rest))
    return found


def steps_of(text, page):
    """The numbered sections of its chapters."""
    chapters = "".join(str(c) for c in CHAPTERS[page])
    return re.findall(rf"^##[ \t]+([{chapters}]\.\d+)\b", text, re.M)


def defined(root):
    """Names of functions and classes of checkers/."""
    names = set()
    for path in repo.files(root, ".cc", ".h"):
        if path.parts[0] == "checkers":
            names.update(re.findall(r"\b(\w+)\(|class (\w+)",
                                    repo.read(root, path)))
    return {n for pair in names for n in pair if n}


def check(root):
    found, names = cited(root), defined(root)
    for page in CHAPTERS:
        path = root / "docs" / f"{page}.md"
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        steps = steps_of(text, page)
        if not steps:
            yield f"docs/{page}.md", "has no numbered steps"
        for step in steps:
            if step not in found[page]:
                yield f"docs/{page}.md", \
                    f"no comment above a function of checkers/ cites {step}"
        rows = ROW.findall(text)
        for step, judges, tests in rows:
            for name in NAME.findall(judges):
                if name not in names:
                    yield f"docs/{page}.md", f"{step} is judged by {name}, " \
                        "which checkers/ does not have"
            if "tests/" not in tests and "_test.cc" not in tests:
                yield f"docs/{page}.md", f"{step} names no test"
        if page != "certificate":
            continue
        for step in steps:
            if step[0] == "3" and step not in {row[0] for row in rows}:
                yield f"docs/{page}.md", f"{step} has no row with a test"


def self_test(tree):
    steps = {"certificate": ["3.0", "3.3", "3.5", "5.1"],
             "all_sizes": ["3.1", "3.10", "6.7"]}
    row = "| {} `kA` | `A::Judge` | [a](../tests/a.tile) |\n"
    rows = "".join(row.format(s) for s in steps["certificate"][:3])
    pages = {
        f"docs/{page}.md": "# t\n\n" + "".join(f"## {s} a\n" for s in all)
        + (rows if page == "certificate" else "")
        for page, all in steps.items()}
    code = "".join(f"// docs/{page}.md {s}: so.\nvoid Judge() {{}}\n\n"
                   for page, all in steps.items() for s in all)
    tree.accepts({**pages, "checkers/a.cc": code})
    for page, step in [("certificate", "3.3"), ("all_sizes", "3.10")]:
        less = code.replace(f"// docs/{page}.md {step}: so.\n", "")
        tree.rejects({**pages, "checkers/a.cc": less}, f"cites {step}")
    apart = code.replace("// docs/all_sizes.md 6.7: so.\n",
                         "// docs/all_sizes.md 6.7: so.\n\n")
    tree.rejects({**pages, "checkers/a.cc": apart}, "cites 6.7")
    certificate = pages["docs/certificate.md"]
    for old, new, why in [
            (row.format("3.5"), "", "3.5 has no row"),
            ("A::Judge", "A::Hold", "judged by Hold"),
            ("../tests/a.tile", "a.md", "names no test")]:
        page = certificate.replace(old, new, 1)
        tree.rejects({**pages, "checkers/a.cc": code,
                      "docs/certificate.md": page}, why)


if __name__ == "__main__":
    repo.main(__doc__, check, self_test)
