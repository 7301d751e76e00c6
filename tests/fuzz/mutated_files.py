#!/usr/bin/env python3
"""Damaged programs through the command: it answers, soon and in little memory.

    mutated_files.py TILESIM [COUNT [SEED]]

Takes programs of the tree, changes each once to four times (a line, word, number
or byte; a piece of another program), and runs `fmt`, `check`, `run` and `lower` on
it. Fails if one ends by a signal or with an exit code that is not documented,
needs more than SECONDS of CPU or more than MEGABYTES. Prints what took longest.
"""
import collections
import os
import pathlib
import random
import re
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("tests/verify", "tests/peers", "tests/catalogue", "tests/forms")
SECONDS = 10
MEGABYTES = 1024
CODES = (0, 1, 2, 3)  # README: clean, findings, bad input, incomplete
COMMANDS = (["fmt"], ["check"], ["run", "--max-cycles", "20000"],
            ["lower", "-o", "/dev/null"])
NUMBERS = ("0", "-1", "1", "7", "31", "33", "65536", "2147483647",
           "-9223372036854775808", "18446744073709551616", "1e9", "0x10")


def change_line(draw, text, other):
    lines = text.split("\n")
    i, j = draw.randrange(len(lines)), draw.randrange(len(lines))
    how = draw.randrange(5)
    if how == 0:
        del lines[i]
    elif how == 1:
        lines.insert(j, lines[i])
    elif how == 2:
        lines[i], lines[j] = lines[j], lines[i]
    elif how == 3:
        del lines[min(i, j):max(i, j)]
    else:
        pieces = other.split("\n")
        k = draw.randrange(len(pieces))
        lines[i:i] = pieces[k:k + draw.randrange(1, 6)]
    return "\n".join(lines)


def change_word(draw, text, other):
    words = list(re.finditer(r"\w[\w.]*|[^\w\s]", text))
    others = re.findall(r"\w[\w.]*|[^\w\s]", other)
    if not words or not others:
        return text
    at = draw.choice(words)
    new = draw.choice(("", at.group() + " " + at.group(),
                       draw.choice(others), draw.choice(words).group()))
    return text[:at.start()] + new + text[at.end():]


def change_number(draw, text, _):
    numbers = list(re.finditer(r"\b\d+\b", text))
    if not numbers:
        return text
    at = draw.choice(numbers)
    near = int(at.group()) + draw.choice((-1, 1, 2, 64))
    new = draw.choice((str(near), draw.choice(NUMBERS)))
    return text[:at.start()] + new + text[at.end():]


def change_byte(draw, text, _):
    i = draw.randrange(len(text) + 1)
    new = draw.choice(("", chr(draw.randrange(256)), "\0", "}", "{", "(", "\ud800"))
    return text[:i] + new + text[i + draw.randrange(2):]


CHANGES = (change_line,) * 4 + (change_number,) * 4 + (change_word, change_byte)


def mutant(draw, programs):
    text = draw.choice(programs)
    for _ in range(draw.choice((1, 1, 1, 2, 4))):
        text = draw.choice(CHANGES)(draw, text, draw.choice(programs)) or "\n"
    return text


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS + 2, SECONDS + 2))


def run(command, words, path):
    """Exit code, CPU seconds, megabytes, stderr."""
    with tempfile.TemporaryFile() as err:
        child = subprocess.Popen(
            [command, *words, path], stdout=subprocess.DEVNULL, stderr=err,
            stdin=subprocess.DEVNULL, preexec_fn=limit)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        err.seek(0)
        return (child.returncode, usage.ru_utime + usage.ru_stime,
                usage.ru_maxrss / 1024, err.read())


def main(command, count=100, seed=1):
    draw = random.Random(int(seed))
    programs = [p.read_text() for folder in FOLDERS
                for p in sorted((ROOT / folder).rglob("*.tile"))]
    codes = collections.Counter()
    failed, slowest, largest = 0, (0, ""), (0, "")
    with tempfile.TemporaryDirectory() as folder:
        for i in range(int(count)):
            path = pathlib.Path(folder) / f"{seed}_{i}.tile"
            path.write_bytes(
                mutant(draw, programs).encode(errors="surrogatepass"))
            for words in COMMANDS:
                code, seconds, megabytes, err = run(command, words, str(path))
                what = f"{words[0]} of mutant {i} of seed {seed}"
                codes[words[0], code] += 1
                slowest = max(slowest, (seconds, what))
                largest = max(largest, (megabytes, what))
                if (code in CODES and seconds <= SECONDS
                        and megabytes <= MEGABYTES):
                    continue
                failed += 1
                kept = pathlib.Path(tempfile.gettempdir()) / path.name
                kept.write_bytes(path.read_bytes())
                print(f"{what}: exit {code}, {seconds:.1f} s, {megabytes:.0f} "
                      f"MB; kept as {kept}\n{err[-500:].decode(errors='replace')}",
                      flush=True)
            path.unlink()
    for (word, code), times in sorted(codes.items()):
        print(f"{word}: {times} times exit {code}")
    print(f"slowest: {slowest[0]:.2f} s of CPU, {slowest[1]}")
    print(f"largest: {largest[0]:.0f} MB, {largest[1]}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
