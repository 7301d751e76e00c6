#!/usr/bin/env python3
"""What must be listed is on its list.

* A checker or whole-program check that its list does not make is code that
  never runs, which no compiler reports.
* An architecture (`sim/arch/*.toml`) is named where the command embeds it and
  where its help names it; a page of docs/ in docs/README.md; a target, in the
  op table's sets, has a row in ir/target.h.
"""

import re

import repo

# folder of checkers/ -> the base class, the file with the list.
LISTS = {
    "pairwise": ("Checker", "all_checkers.cc"),
    "program": ("Check", "all_checks.cc"),
}


# folder, suffix -> files that each of its files is named in.
NAMED = {
    ("sim/arch", ".toml"): ["sim/arch/CMakeLists.txt", "cli/command.h"],
    ("docs", ".md"): ["docs/README.md"],
}


def named(root):
    for (folder, suffix), places in NAMED.items():
        for path in repo.files(root, suffix):
            if path.parent.as_posix() != folder or path.name == "README.md":
                continue
            for place in places:
                text = (root / place).read_text(encoding="utf-8") \
                    if (root / place).exists() else ""
                if not re.search(rf"\b{path.stem}\b", text):
                    yield path, f"is not named in {place}"


def targets(root):
    path = root / "ir/target.h"
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    declared = re.search(r"enum class Target[^{]*\{([^}]*)\}", text)
    for name in re.findall(r"\bk\w+", declared[1] if declared else ""):
        if not re.search(rf"\{{Target::{name},", text):
            yield "ir/target.h", f"{name} has no row in kTargets"
        if not re.search(rf"\bkOn{name[1:]} = BitOf\(Target::{name}\)", text):
            yield "ir/target.h", f"{name} has no set kOn{name[1:]}"


def check(root):
    yield from named(root)
    yield from targets(root)
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
    arch = {**listed, "sim/arch/a1.toml": "", "sim/arch/CMakeLists.txt": "a1",
            "cli/command.h": '"a1"'}
    tree.accepts(arch)
    tree.rejects({**arch, "sim/arch/CMakeLists.txt": "a10"},
                 "a1.toml: is not named in sim/arch/CMakeLists.txt")
    tree.rejects({**arch, "cli/command.h": ""}, "not named in cli/command.h")
    tree.rejects({**listed, "docs/x.md": "", "docs/README.md": "y.md"},
                 "docs/x.md: is not named in docs/README.md")
    target = "enum class Target : uint8_t { kA, kB };\n" \
        "{Target::kA, 1}, {Target::kB, 2},\n" \
        "kOnA = BitOf(Target::kA); kOnB = BitOf(Target::kB);\n"
    tree.accepts({**listed, "ir/target.h": target})
    tree.rejects({**listed, "ir/target.h": target.replace(
        "{Target::kB, 2},", "")}, "kB has no row in kTargets")
    tree.rejects({**listed, "ir/target.h": target.replace("kOnB", "kOnC")},
                 "kB has no set kOnB")
    del listed["checkers/pairwise/race.h"]
    tree.rejects(listed, "no class there is a Checker")


if __name__ == "__main__":
    repo.main(__doc__, check, self_test)
