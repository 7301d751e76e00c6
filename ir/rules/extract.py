#!/usr/bin/env python3
"""Finds the sentences of the PTX ISA that rules are made of.

    extract.py TEXT > sentences.tsv     ids, sections, words
    extract.py --show TEXT              the same with the sentences, to read

TEXT is the folder of the PTX ISA in Markdown that SOURCE names. Its sentences
are not ours to copy: a row has an id, its section and the words found, and the
id has the first 8 digits of the SHA-1 of the sentence, so that a text that says
it otherwise is noticed.
"""
import argparse
import hashlib
import pathlib
import re
import sys

SOURCE = ("PTX ISA 9.1, github.com/technillogue/ptx-isa-markdown, commit "
          "64cfba5fca8c54335218a60f43f7909507071c64, folder "
          "cuda_skill/references/ptx-docs")

# Words of a rule. `.aligned` and `.noComplete` are names, not words.
WORDS = [
    ("must", r"\bmust\b"),
    ("undefined", r"\bundefined\b"),
    ("not guaranteed", r"\b(?:not|no) guaranteed?\b|\bdo(?:es)? not guarantee\b"),
    ("only if", r"\bonly (?:if|when)\b|\bif and only if\b"),
    ("aligned", r"(?<![.\w])(?:un|mis)?aligned\b"),
    # rules are said with these as well
    ("illegal", r"\billegal\b|\binvalid\b"),
    ("should", r"\bshould\b|\bshall\b"),
    ("required", r"\brequired? (?:to|that)\b|\bneeds? to\b"),
    ("not allowed",
     r"\bnot (?:be )?(?:allowed|permitted|legal|valid|supported)\b|"
     r"\b(?:can|may) only\b|\bonly (?:supported|valid|allowed)\b"),
]

# Sections that concern ops, modifiers, scopes, spaces and lifetimes of the
# language, by number; a section stands for those below it.
SECTIONS = """
5.1.1 5.1.4 5.1.7 5.4.5 5.5
8
9.5
9.7.3.3 9.7.3.4 9.7.3.5 9.7.3.6 9.7.3.10 9.7.3.11 9.7.3.12 9.7.3.13 9.7.3.20
9.7.3.21
9.7.4 9.7.9.3 9.7.9.4 9.7.9.8 9.7.9.11 9.7.9.12 9.7.9.15 9.7.9.21 9.7.9.23 9.7.9.25
9.7.9.27
9.7.13.1 9.7.13.2 9.7.13.3 9.7.13.4 9.7.13.5 9.7.13.6 9.7.13.13 9.7.13.14
9.7.13.15 9.7.13.17 9.7.13.18
9.7.14.1 9.7.14.2 9.7.14.5
9.7.15
9.7.16
9.7.19.5
11.4.1 11.7
""".split()

# Below those: what the language has no op for.
LEFT_OUT = {
    "5.5.3.4": "gather and scatter",
    "5.5.4": "im2col",
    "5.5.5": "im2col",
    "9.7.9.25.4.2": "cp.reduce.async.bulk without a tensor map",
    "9.7.9.25.4.3": "cp.async.bulk.prefetch without a tensor map",
    "9.7.13.15.17": "mbarrier.pending_count",
    "9.7.14.5.17": "movmatrix",
    "9.7.15.6": "sparse wgmma",
    "9.7.16.10.8": "sparse tcgen05.mma",
    "9.7.16.10.9.2": "tcgen05.mma.sp",
    "9.7.16.10.9.3": "tcgen05.mma.ws",
    "9.7.16.10.9.4": "tcgen05.mma.ws.sp",
    "9.7.16.4.3": "zero-column masks of tcgen05.mma.ws",
}


def number_key(section):
    return [int(n) for n in section.split(".")]


def is_below(section, root):
    return section == root or section.startswith(root + ".")


def is_read(section):
    return (any(is_below(section, s) for s in SECTIONS) and
            not any(is_below(section, s) for s in LEFT_OUT))


def plain(text):
    """The words of a piece of Markdown, without its marks."""
    text = re.sub(r"\[([^\]]*)\]\((?:<[^>]*>|[^)]*)\)", r"\1", text)
    text = re.sub(r"(?<!\w)_+|_+(?!\w)|[`*\\]", "", text)
    return re.sub(r"\s+", " ", text).strip()


def sentences(paragraph):
    ends = r"(?<=[.:;!?])\s+(?=[A-Z`(\".]|[a-z]+[.:{][.a-z])"
    return [s for s in re.split(ends, paragraph) if s]


def found(text):
    lower = text.lower()
    return [name for name, pattern in WORDS if re.search(pattern, lower)]


class Paragraphs:
    """Paragraphs, list items and table rows of a file, each with its section.

    What is indented by four and no list is code. An item of a list whose
    introduction has a word of a rule belongs to that rule: it gets the words
    of the introduction, in brackets.
    """

    HEADING = re.compile(r"^#+\s+(\d+(?:\.\d+)*)\.?\s")
    ITEM = re.compile(r"^\s*(?:[*+-]|\d+\.)\s+(.*)")

    def __init__(self, lines):
        self.out = []          # (section, text, words of the introduction)
        self.section = None
        self.text = []
        self.intro = []
        self.in_list = False
        for line in lines:
            self.take(line.rstrip("\n"))
        self.end()

    def end(self):
        text = plain(" ".join(self.text))
        self.text = []
        if not text:
            return
        self.out.append((self.section, text, self.intro if self.in_list else []))
        if not self.in_list:
            last = sentences(text)[-1]
            self.intro = found(last) if last[-1] in ":,-" else []

    def take(self, line):
        heading = self.HEADING.match(line)
        item = self.ITEM.match(line)
        if heading:
            self.end()
            self.section, self.in_list, self.intro = heading.group(1), False, []
        elif not line.strip():
            self.end()
        elif item and (self.in_list or not line.startswith("    ")):
            self.end()
            self.in_list = True
            self.text = [item.group(1)]
        elif line.startswith("    ") and not self.text and not self.in_list:
            pass                                            # code
        elif line.startswith("|") or " | " in line:
            self.end()
            self.text = [line.replace("|", " ")]
            self.end()
        else:
            if not line.startswith(" ") and not self.text:
                self.in_list = False
            self.text.append(line)


def rows(folder):
    files = sorted(folder.rglob("*.md"))
    everything = []
    for path in files:
        with open(path, encoding="utf-8") as lines:
            body = re.sub(r"\A---\n.*?\n---\n", "", lines.read(), flags=re.S)
        everything += Paragraphs(body.splitlines()).out
    count = {}
    result = []
    for section, text, intro in everything:
        if section is None or not is_read(section):
            continue
        for sentence in sentences(text):
            words = found(sentence)
            words += ["(%s)" % w for w in intro if w not in words]
            if not words:
                continue
            count[section] = count.get(section, 0) + 1
            digest = hashlib.sha1(sentence.lower().encode()).hexdigest()[:8]
            name = "%s/%d-%s" % (section, count[section], digest)
            result.append((name, section, ", ".join(words), sentence))
    result.sort(key=lambda r: (number_key(r[1]),
                               int(r[0].split("/")[1].split("-")[0])))
    return result


def digest_of(folder):
    total = hashlib.sha256()
    for path in sorted(folder.rglob("*.md")):
        total.update(path.relative_to(folder).as_posix().encode() + b"\n")
        total.update(path.read_bytes())
    return total.hexdigest()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("text", type=pathlib.Path)
    parser.add_argument("--show", action="store_true",
                        help="with the sentences")
    args = parser.parse_args()
    if not args.text.is_dir():
        sys.exit("%s is no folder: give the folder of %s" % (args.text, SOURCE))
    print("# Made by extract.py from %s" % SOURCE)
    print("# SHA-256 of its files, in order: %s" % digest_of(args.text))
    print("# id\tsection\twords")
    for name, section, words, sentence in rows(args.text):
        line = [name, section, words] + ([sentence] if args.show else [])
        print("\t".join(line))


if __name__ == "__main__":
    main()
