#!/usr/bin/env python3
"""Each part knows only the parts it may know (README.md, "The parts").

Judges #include lines and what CMake links. Test, benchmark and fuzz sources,
and all of tests/, may know everything. A part that the table lacks is a
finding.
"""

import re

import repo

# The folders of checkers/, lowest first: each may know ir, sim/machine, those
# named here, and what those know. No folder is named before its own row, so
# there is no circle.
CHECKERS = {
    "proof": [],
    "run": ["proof"],
    "report": ["run"],
    "footprint": ["run"],
    "plan": ["run"],
    "solver": ["proof"],
    "grid": ["solver"],
    "launch": ["grid"],
    "order": ["proof", "report", "footprint"],
    "explore": ["report"],
    "pairwise": ["order"],
    "program": ["order"],
    "cause": ["pairwise"],
    "judge": ["explore", "pairwise"],
    "sizes/algebra": ["proof"],
    "sizes/state": ["run", "sizes/algebra"],
    "sizes/protocol": ["sizes/state"],
    "sizes/induction": ["footprint", "sizes/protocol"],
    "sizes/partition": ["plan", "sizes/induction"],
    "witness": ["explore", "pairwise"],
    "pipeline": ["sizes/partition", "cause", "judge", "witness", "program", "launch"],
    "explain": [],
}


def folders_of_checkers():
    """Row of MAY_KNOW -> what it may know, for each row of CHECKERS."""
    rows = {}
    for name, below in CHECKERS.items():
        rows[f"checkers/{name}"] = {"ir", "sim/machine"}.union(
            *({f"checkers/{other}", *rows[f"checkers/{other}"]}
              for other in below))
    return rows


# part -> the parts it may know besides itself.
MAY_KNOW = {
    "ir": set(),
    "frontend": {"ir"},
    "ptx": {"ir"},
    "ptx/machine": {"ir", "ptx", "sim/machine"},
    "ptx/values": {"ir", "ptx", "ptx/machine", "sim/machine"},
    "sim/machine": {"ir"},
    "sim/timing": {"ir", "sim/machine", "sim/arch"},
    "sim/arch": {"ir", "sim/machine", "sim/timing"},
    "checkers": {"ir", "sim/machine", *folders_of_checkers()},
    "traces": {"ir"},
    "hwtests": {"ir", "traces"},
    "cli": {"ir", "frontend", "ptx", "ptx/machine", "ptx/values", "sim/machine", "sim/timing", "sim/arch",
            "checkers", *folders_of_checkers(), "traces", "hwtests"},
    **folders_of_checkers(),
}
FREE = re.compile(r"(^tests/|_(test|bench|fuzz)\.(cc|h)$)")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">]', re.M)
COMMAND = re.compile(r"\b(\w+)\s*\(([^()]*)\)")
KEYWORDS = {"SRCS", "DEPS", "PUBLIC", "PRIVATE", "INTERFACE", "STATIC",
            "OBJECT", "SHARED"}


def part_of(path):
    """The part that a path lies in: its longest prefix in the table.

    None for what is not ours. What lies in sim/ or in a folder of checkers/ and
    in no part is in one of that name, which is none.
    """
    parts = path.split("/")
    for length in range(len(parts) - 1, 0, -1):
        prefix = "/".join(parts[:length])
        if prefix in MAY_KNOW and not (prefix == "checkers" and length == 1
                                       and len(parts) > 2):
            return prefix
    return "/".join(parts[:-1]) if parts[0] in ("sim", "checkers") else None


def allowed(part, other):
    return other is None or other == part or other in MAY_KNOW[part]


def check_includes(root):
    for path in repo.files(root, *repo.CPP):
        name = path.as_posix()
        part = part_of(name)
        if FREE.search(name):
            continue
        if part not in MAY_KNOW:
            yield name, "lies in no part that the table of parts names"
            continue
        for included in INCLUDE.findall(repo.read(root, path)):
            other = part_of(included)
            if included.startswith("tests/"):
                yield name, f"includes {included}; only tests may"
            elif not allowed(part, other):
                yield name, f"includes {included}, but {part} may not know " \
                            f"{other}"


def cmake_commands(text):
    """(command, words) for each command; comments stripped."""
    text = re.sub(r"#[^\n]*", "", text)
    for command, arguments in COMMAND.findall(text):
        yield command, arguments.split()


def libraries(root):
    """Library target -> the part in whose CMakeLists.txt it is declared."""
    owners = {}
    for path in cmake_files(root):
        part = part_of(path.as_posix())
        for command, words in cmake_commands(repo.read(root, path)):
            if command in ("tilesim_library", "add_library") and words:
                if part in MAY_KNOW:
                    owners[words[0]] = part
    return owners


def cmake_files(root):
    return [path for path in repo.files(root) if path.name == "CMakeLists.txt"]


def check_links(root):
    owners = libraries(root)
    for path in cmake_files(root):
        for command, words in cmake_commands(repo.read(root, path)):
            if command not in ("tilesim_library", "add_library",
                               "target_link_libraries"):
                continue
            target = words[0] if words else ""
            part = owners.get(target)
            for word in words[1:]:
                other = owners.get(word.removeprefix("tilesim::"))
                if part and word not in KEYWORDS and not allowed(part, other):
                    yield path.as_posix(), f"{target} links {word}, but " \
                        f"{part} may not know {other}"


def check(root):
    yield from check_includes(root)
    yield from check_links(root)


def self_test(tree):
    link = "tilesim_library({} SRCS a.cc DEPS {})\n"
    tree.accepts({
        "ir/a.h": '#include "ir/b.h"\n#include "absl/x.h"\n#include <ir/c.h>',
        "sim/timing/a.cc": '#include "sim/machine/state.h"\n',
        "hwtests/emit/a.cc": '#include "traces/timeline.h"\n',
        "cli/a.cc": '#include "checkers/all.h"\n#include "checkers/run/x.h"',
        "checkers/order/a.cc": '#include "checkers/run/log.h"\n',
        "checkers/check.cc": '#include "checkers/order/a.h"\n',
        "ir/a_test.cc": '#include "frontend/parser.h"\n',
        "tests/a.h": '#include "cli/b.h"\n',
        "ir/CMakeLists.txt": link.format("ir", "absl::strings"),
        "frontend/CMakeLists.txt": link.format("frontend", "tilesim::ir"),
        "tests/CMakeLists.txt": "tilesim_test(t SRCS t.cc DEPS frontend ir)",
    })
    tree.rejects({"ir/a.cc": '#include "frontend/parser.h"'}, "may not know")
    tree.rejects({"ir/a.cc": "#  include <checkers/x.h>"}, "may not know")
    tree.rejects({"sim/machine/a.h": '#include "sim/timing/b.h"'}, "sim/timing")
    tree.rejects({"hwtests/a.cc": '#include "sim/machine/b.h"'}, "sim/machine")
    tree.rejects({"cli/a.cc": '#include "tests/b.h"'}, "only tests may")
    tree.rejects({"cli/a.cc": '#include "sim/x.h"'}, "may not know sim")
    tree.rejects({"checkers/run/a.cc": '#include "checkers/order/b.h"'},
                 "may not know checkers/order")
    tree.rejects({"checkers/run/a.cc": '#include "checkers/check.h"'},
                 "may not know checkers")
    tree.rejects({"checkers/new/a.cc": ""}, "lies in no part")
    tree.rejects({"checkers/run/CMakeLists.txt": link.format("run", "z"),
                  "checkers/plan/CMakeLists.txt": link.format("plan", "x"),
                  "checkers/order/CMakeLists.txt": link.format("order",
                                                               "plan")},
                 "order links plan")
    tree.rejects({"checkers/sizes/algebra/a.h":
                  '#include "checkers/sizes/state/b.h"'},
                 "may not know checkers/sizes/state")
    tree.rejects({"checkers/sizes/a.cc": ""}, "lies in no part")
    tree.rejects({"plugins/a.cc": ""}, "lies in no part")
    tree.rejects({"sim/a.cc": ""}, "lies in no part")
    tree.rejects({"ir/CMakeLists.txt": link.format("ir", "zlib traces"),
                  "traces/CMakeLists.txt": link.format("traces", "ir")},
                 "ir links traces")
    tree.rejects({"sim/machine/CMakeLists.txt": link.format("machine", "x"),
                  "hwtests/CMakeLists.txt": link.format("hwtests", "y") +
                  "target_link_libraries(hwtests PRIVATE tilesim::machine)"},
                 "hwtests links tilesim::machine")


if __name__ == "__main__":
    repo.main(__doc__, check, self_test)
