#!/usr/bin/env python3
"""A lambda uses a structured binding only if it captures it by name.

g++ takes `auto [a, b] = f(); [&] { a; }`, clang before 16 does not: write
`[&, a = a]` or `[&, &a = a]`. Each parse is a guess by braces, good for code
that is laid out as ours is.
"""

import re

import repo

BINDING = re.compile(r"\bauto(?: const)?&?&? \[([\w,\s]+)\]\s*([=:])")
LAMBDA = re.compile(r"\[([^\[\]]*)\]\s*(\([^(){}]*\))?\s*(?:->[^{;]*)?\{")


def end_of(text, start, depth):
    """Where the block closes that is `depth` braces deep at `start`."""
    for at in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0 and text[at] == "}":
            return at
    return len(text)


def uses(name, text):
    return re.search(rf"(?<![.\w>:]){name}\b", text)


def scope_of(text, binding):
    """Where the names end: of a loop its body, else the block around."""
    if binding[2] == "=":
        return end_of(text, binding.end(), 1)
    closing = binding.end()
    depth = 1
    while depth and closing < len(text):
        depth += {"(": 1, ")": -1}.get(text[closing], 0)
        closing += 1
    body = closing + len(text[closing:]) - len(text[closing:].lstrip())
    if text[body:body + 1] == "{":
        return end_of(text, body + 1, 1)
    return text.find(";", body)


def uncaptured(text, binding):
    """(where, name) of lambdas that use a name which they do not capture."""
    end = scope_of(text, binding)
    for name in (n.strip() for n in binding[1].split(",")):
        captured = 0  # up to there: in a lambda that has it by name
        for found in LAMBDA.finditer(text, binding.end(), end):
            close = end_of(text, found.end(), 1)
            own = re.search(rf"\b{name}\b", found[1] + (found[2] or ""))
            if own:
                captured = max(captured, close)
            elif (found.start() >= captured and re.match(r"[&=]", found[1])
                  and uses(name, text[found.end():close])):
                yield found.start(), name


def check(root):
    for path in repo.files(root, *repo.CPP):
        text = repo.read(root, path)
        for binding in BINDING.finditer(text):
            for at, name in uncaptured(text, binding):
                line = text.count("\n", 0, at) + 1
                yield (f"{path}:{line}", f"uses the structured binding `{name}`: "
                       f"write [&, {name} = {name}]")


def self_test(tree):
    head = "void F() {\n  const auto& [a, b] = G();\n"
    tree.accepts({"a.cc": head + "  H([&, a = a] { return a; });\n  b++;\n}\n"})
    tree.accepts({"a.cc": head + "  H([&](int a) { return a + c.b; });\n}\n"})
    tree.accepts({"a.cc": head + "}\nvoid I() { H([&] { return a; }); }\n"})
    tree.accepts({"a.cc": head + "  H([&, &a = a] { I([&] { a(); }); });\n}\n"})
    tree.accepts({"a.cc": "void F() {\n  for (auto [k, v] : m) G(k, v);\n"
                          "  H([&] { v(); });\n}\n"})
    tree.rejects({"a.cc": head + "  H([&] { return a; });\n}\n"},
                 "a.cc:3: uses the structured binding `a`")
    tree.rejects({"a.h": "void F() {\n  for (auto [k, v] : m) {\n"
                         "    H([=] { return v; });\n  }\n}\n"}, "`v`")
    tree.accepts({"a.h": "void F() {\n  for (auto [k, v] : m) {\n    v();\n"
                         "  }\n  H([=] { return v; });\n}\n"})


if __name__ == "__main__":
    repo.main(__doc__, check, self_test)
