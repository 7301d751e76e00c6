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

# page -> sections that are conditions or lemmas
STEPS = {
    "certificate": ["3.0", "3.1", "3.2", "3.3", "3.4", "3.5", "3.6"],
    "all_sizes": ["3.1", "3.2", "3.3", "3.4", "3.5", "3.6", "3.7", "3.8",
                  "3.9", "5.1", "5.2",
                  "5.3", "5.4", "6.1", "6.2", "6.3", "6.4", "6.5", "6.6",
                  "6.7", "6.9"],
}
COMMENT = re.compile(r"(?:^[ \t]*//[^\n]*\n)+", re.M)
CITES = re.compile(r"docs/(\w+)\.md(?=[ \n])((?:[^.;:]|\.\d)*)")
NUMBER = re.compile(r"\b\d\.\d\b")
# A definition, a class, or the statement that judges it.
CODE = re.compile(r"[ \t]*(?!//|#|namespace|using)\S")


def cited(root):
    """page -> sections that a comment right above code cites."""
    found = {page: set() for page in STEPS}
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


def check(root):
    found = cited(root)
    for page, steps in STEPS.items():
        path = root / "docs" / f"{page}.md"
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        for step in steps:
            if not re.search(rf"^#+[ \t]+{re.escape(step)}\b", text, re.M):
                yield f"docs/{page}.md", f"has no section {step}"
            if step not in found[page]:
                yield f"docs/{page}.md", \
                    f"no comment above a function of checkers/ cites {step}"
        if page != "certificate":
            continue
        for step in steps:
            row = re.search(rf"^\| {re.escape(step)} .*tests/", text, re.M)
            if not row:
                yield f"docs/{page}.md", f"{step} has no row with a test"


def self_test(tree):
    rows = "".join(f"| {s} | [a](../tests/a.tile) |\n"
                   for s in STEPS["certificate"])
    pages = {
        f"docs/{page}.md": "# t\n\n" + "".join(f"## {s} a\n" for s in steps)
        + (rows if page == "certificate" else "")
        for page, steps in STEPS.items()}
    code = "".join(f"// docs/{page}.md {s}: so.\nvoid F() {{}}\n\n"
                   for page, steps in STEPS.items() for s in steps)
    tree.accepts({**pages, "checkers/a.cc": code})
    less = code.replace("// docs/certificate.md 3.3: so.\n", "")
    tree.rejects({**pages, "checkers/a.cc": less}, "cites 3.3")
    apart = code.replace("// docs/all_sizes.md 6.7: so.\n",
                         "// docs/all_sizes.md 6.7: so.\n\n")
    tree.rejects({**pages, "checkers/a.cc": apart}, "cites 6.7")
    page = pages["docs/certificate.md"].replace(
        "| 3.5 | [a](../tests/a.tile) |\n", "")
    tree.rejects({**pages, "checkers/a.cc": code, "docs/certificate.md": page},
                 "3.5 has no row")


if __name__ == "__main__":
    repo.main(__doc__, check, self_test)
