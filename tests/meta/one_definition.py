#!/usr/bin/env python3
"""No two types of the product have the same name in the same namespace.

They need not meet in any file: the linker takes the inline functions of one
for those of both. What lies in an anonymous namespace, or in another type or
function, is its file's own. Tests are programs of their own, and left out.
"""

import re

import functions
import repo

PARTS = {"ir", "frontend", "sim", "checkers", "traces", "hwtests", "cli"}
NAMESPACE = re.compile(r"\bnamespace\s*([\w:]*)\s*$")
TYPE = re.compile(r"(?<!enum )\b(?:struct|class|union|enum(?:\s+(?:class|struct))?)"
                  r"\s+(\w+)\s*(?:final\s*)?(?::[^;(]*)?$")


def types(text):
    """Yields the qualified name and the line of each type of a namespace."""
    text = functions.blank(text)
    scopes, start = [], 0  # names; None: its file's own
    for at, char in enumerate(text):
        if char == "{":
            prefix = text[start:at]
            space = NAMESPACE.search(prefix)
            found = TYPE.search(prefix)
            if space:
                scopes.append(space.group(1) or None)
            else:
                # A specialization is no new name.
                if found and None not in scopes and "template <>" not in prefix:
                    line = text.count("\n", 0, at) + 1
                    yield "::".join([*scopes, found.group(1)]), line
                scopes.append(None)
        elif char == "}" and scopes:
            scopes.pop()
        if char in "{};":
            start = at + 1


def check(root):
    first = {}
    for path in repo.files(root, *repo.CPP):
        if path.parts[0] not in PARTS or re.search("_(test|bench)$", path.stem):
            continue
        for name, line in types(repo.read(root, path)):
            other = first.setdefault(name, path)
            if other != path:
                yield f"{path}:{line}", f"{name} is defined in {other} as well"


def self_test(tree):
    one = "namespace a::b {\nstruct X final : Y {\n struct Z {};\n};\n}\n"
    tree.accepts({"ir/x.h": one, "sim/x.h": one.replace("a::b", "a::c"),
                  "ir/y.h": "namespace a::b {\nclass X;\nstruct Z {};\n}\n",
                  "ir/z.cc": "namespace a::b {\nnamespace {\nclass X {};\n}\n}",
                  "ir/f.cc": "namespace a::b {\nint F() {\n  struct X {};\n}\n}",
                  "ir/x_test.cc": one})
    for kind in ("struct X", "class X", "enum class X : int"):
        again = "namespace a {\nnamespace b {\n" + kind + " {};\n}\n}\n"
        tree.rejects({"ir/x.h": one, "sim/x.cc": again},
                     "sim/x.cc:3: a::b::X is defined in ir/x.h as well")


if __name__ == "__main__":
    repo.main(__doc__, check, self_test)
