#!/usr/bin/env python3
"""Every checker and every whole-program check is on its list.

A class that is one and that the list does not make is code that never runs,
which no compiler reports.
"""

import re

import repo

# folder of checkers/ -> the base class, the file with the list.
LISTS = {
    "pairwise": ("Checker", "all_checkers.cc"),
    "program": ("Check", "all_checks.cc"),
}


def check(root):
    headers = repo.files(root, ".h")
    for folder, (base, name) in LISTS.items():
        place = f"checkers/{folder}"
        path = root / place / name
        made = path.read_text() if path.exists() else ""
        found = False
        derived = re.compile(rf"\bclass (\w+)[^;{{]*: public {base}\b")
        for header in headers:
            if header.parent.as_posix() != place:
                continue
            for one in derived.findall(repo.read(root, header)):
                found = True
                if not re.search(rf"\bmake_unique<{one}>", made):
                    yield header.as_posix(), \
                        f"{one} is not in the list of {place}/{name}"
        if not found:
            yield place, f"no class there is a {base}"


def self_test(tree):
    listed = {
        "checkers/pairwise/race.h": "class Race : public Checker {};",
        "checkers/pairwise/all_checkers.cc": "std::make_unique<Race>()",
        "checkers/program/grid.h": "class Grid final : public Check {};",
        "checkers/program/all_checks.cc": "std::make_unique<Grid>(program)",
    }
    tree.accepts(listed)
    tree.rejects({**listed, "checkers/pairwise/more.h":
                  "class More : public Checker {};"}, "More is not in the list")
    tree.rejects({**listed, "checkers/program/all_checks.cc": ""},
                 "Grid is not in the list")
    del listed["checkers/pairwise/race.h"]
    tree.rejects(listed, "no class there is a Checker")


if __name__ == "__main__":
    repo.main(__doc__, check, self_test)
