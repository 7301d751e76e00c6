#!/usr/bin/env python3
"""Links in Markdown files lead somewhere.

Relative targets must exist in the tree, with the heading that an #anchor
names. Links to the web are not followed. Code blocks are not read.
"""

import os.path
import pathlib
import re
import urllib.parse

import repo

LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*<?([^)\s>]+)>?[^)]*\)")
REFERENCE = re.compile(r"^\s{0,3}\[[^\]]+\]:\s*<?(\S+?)>?(?:\s|$)", re.M)
CODE = re.compile(r"^([ \t]*)(```+|~~~+).*?^[ \t]*\2|``.+?``|`[^`\n]+`",
                  re.S | re.M)
ELSEWHERE = re.compile(r"^[a-z][a-z0-9+.-]*:", re.I)
HEADING = re.compile(r"^#{1,6}[ \t]+(.+?)[ \t]*#*$", re.M)
FENCE = re.compile(r"^([ \t]*)(```+|~~~+).*?^[ \t]*\2", re.S | re.M)


def anchors(text):
    """The anchors of a page, as GitHub makes them from its headings."""
    seen, out = {}, set()
    for heading in HEADING.findall(FENCE.sub("", text)):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        count = seen.get(slug, 0)
        seen[slug] = count + 1
        out.add(f"{slug}-{count}" if count else slug)
    return out


def problem(root, page, target, known):
    path, _, anchor = urllib.parse.unquote(target).partition("#")
    if path.startswith("/"):
        return "leads out of the tree"
    goal = pathlib.PurePath(os.path.normpath(page.parent / path)) \
        if path else page
    if goal.parts[:1] == ("..",):
        return "leads out of the tree"
    if goal not in known and not (root / goal).is_dir():
        return "leads nowhere"
    if anchor and goal.suffix == ".md" and \
            anchor not in anchors(repo.read(root, goal)):
        return "names a heading that is not there"
    return None


def check(root):
    known = set(repo.files(root))
    for page in repo.files(root, ".md"):
        text = CODE.sub("", repo.read(root, page))
        for target in LINK.findall(text) + REFERENCE.findall(text):
            if ELSEWHERE.match(target):
                continue
            wrong = problem(root, page, target, known)
            if wrong:
                yield page, f"[...]({target}) {wrong}"


def self_test(tree):
    tree.accepts({"a.md": "# The `x` y\n[b](d/b.md#z-1) [s](#the-x-y) [d](d)\n"
                          "[w](https://x.org/y) `[c](no.md)`\n"
                          "```\n[c](no.md)\n# no\n```\n[r]: d/b.md\n",
                  "d/b.md": "# Z\n# Z\n[up](../a.md)\n"})
    tree.rejects({"a.md": "[b](b.md)"}, "leads nowhere")
    tree.rejects({"a.md": "![b](b.png)"}, "leads nowhere")
    tree.rejects({"a.md": "[b]: b.md\n"}, "leads nowhere")
    tree.rejects({"a.md": "[b](../x.md)"}, "out of the tree")
    tree.rejects({"a.md": "[b](/x.md)"}, "out of the tree")
    tree.rejects({"a.md": "# A\n[b](#b)"}, "a heading that is not there")
    tree.rejects({"a.md": "```\n# b\n```\n[b](#b)"}, "a heading")


if __name__ == "__main__":
    repo.main(__doc__, check, self_test)
