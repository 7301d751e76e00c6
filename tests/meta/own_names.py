#!/usr/bin/env python3
"""What files of one library keep to themselves has names of its own.

Ten of them at a time are one translation unit (cmake/TilesimLibrary.cmake), so
two unnamed namespaces of one namespace may not declare one name twice: a type,
a constant, or a function of the same parameters, or like a type; nor a type that a header of
the library has, whether or not the file includes it. Aliases of one type may.
Files after ALONE are compiled by themselves and may. Each parse is a guess by
lines, good for code that is laid out as ours is; what it misses the compiler
finds.
"""

import collections
import re

import repo

LIBRARY = re.compile(
    r"tilesim_library\((\w+)(?: COLD)?\s+SRCS\s([^)]*?)(?:\sALONE\s[^)]*?)?"
    r"(?:\sDEPS\s[^)]*)?\)", re.S)
NAMESPACE = re.compile(r"^namespace ([\w:]+) \{", re.M)
TYPE = re.compile(r"(?:struct|class|enum class|enum|union) (\w+)(?! *;)")
ALIAS = re.compile(r"using (\w+) = (.*)")
CONSTANT = re.compile(r".*?\b(k[A-Z]\w*)(?:\[[^\]]*\])?(?:\s*=|\{|$)")
FUNCTION = re.compile(r".*?\b([A-Z]\w*)\((.*)")


def own(text):
    """(namespace, name, what it is) in unnamed namespaces of a file."""
    namespace = NAMESPACE.search(text)
    inside = False
    lines = text.split("\n")
    for at, line in enumerate(lines):
        if line == "namespace {":
            inside = True
        elif line == "}  // namespace":
            inside = False
        if not inside or not line or line[0] in " }#/)":
            continue
        where = namespace[1] if namespace else ""
        if found := ALIAS.match(line):
            yield where, found[1], "alias of " + found[2]
        elif found := TYPE.match(line) or CONSTANT.match(line):
            yield where, found[1], f"own {id(text)}"
        elif found := FUNCTION.match(line):
            yield where, found[1], "function"
            rest = found[2] + " ".join(lines[at + 1:at + 6])
            types = re.sub(r"\s*\w+\s*([,)])", r"\1", rest.split(")")[0] + ")")
            yield where, f"{found[1]}({' '.join(types.split())}", \
                f"own {id(text)}"


def public_types(root):
    """By namespace and name: what headers declare, and where."""
    out = collections.defaultdict(dict)
    for path in repo.files(root, ".h"):
        text = repo.read(root, path)
        namespace = NAMESPACE.search(text)
        for line in text.split("\n") if namespace else []:
            if found := ALIAS.match(line) or TYPE.match(line):
                what = "alias of " + found[2] if ALIAS.match(line) else "own"
                out[namespace[1], found[1]][path] = what
    return out


def home(root, path):
    """The folder of the library that a file belongs to."""
    return next((folder for folder in path.parents
                 if (root / folder / "CMakeLists.txt").exists()), None)


def check(root):
    public = public_types(root)
    for path in repo.files(root, ".txt"):
        if path.name != "CMakeLists.txt":
            continue
        for library in LIBRARY.finditer(repo.read(root, path)):
            taken = collections.defaultdict(dict)
            texts = {}
            for name in re.findall(r"[\w/]+\.cc", library[2]):
                source = path.parent / name
                if not (root / source).exists():
                    continue  # generated
                texts[source] = repo.read(root, source)
                for namespace, own_name, what in own(texts[source]):
                    for header, its in public[namespace, own_name].items():
                        if home(root, header) == path.parent and its != what:
                            yield (str(source), f"`{own_name}` is declared in "
                                   f"{header} too")
                    before = taken[namespace, own_name]
                    for other, what_else in before.items():
                        if other != source and what_else != what:
                            yield (str(source), f"`{own_name.split('(')[0]}` "
                                   f"is also declared in {other}: give it one "
                                   "home or two names")
                            break
                    before[source] = what


def self_test(tree):
    def library(a, b, rest=""):
        inside = "namespace x {{\nnamespace {{\n\n{}\n\n}}  // namespace\n}}\n"
        return {"CMakeLists.txt":
                f"tilesim_library(l\n  SRCS\n    a.cc\n{rest}    b.cc\n"
                "  DEPS ir)\n",
                "a.cc": inside.format(a), "b.cc": inside.format(b)}
    tree.accepts(library("struct A {};", "struct B {};"))
    tree.accepts(library("using A = int;", "using A = int;"))
    tree.accepts(library("int F(int a) {", "int F(bool a) {"))
    tree.accepts(library("struct A {};", "struct A {};", "  ALONE\n"))
    tree.rejects(library("struct A {};", "struct A {};"),
                 "b.cc: `A` is also declared in a.cc")
    tree.rejects(library("int F(int a) {", "int F(int b) {"), "`F`")
    tree.rejects(library("constexpr int kA = 1;", "constexpr int kA = 1;"),
                 "`kA`")
    tree.rejects(library("using A = int;", "using A = bool;"), "`A`")
    tree.rejects(library("struct A {};", "int A(int a) {"), "`A`")
    tree.rejects({**library("struct A {};", "struct B {};"),
                  "c.h": "namespace x {\nusing B = int;\n}\n"},
                 "b.cc: `B` is declared in c.h too")


if __name__ == "__main__":
    repo.main(__doc__, check, self_test)
