"""Runs one .tile file and judges what the run finds.

    //! run [NAME=VALUE ...]        options of the one run, which works out all
                                    values; `--timing-only` works out none
    //! clean                       it must find nothing (exit 0), or
    //! error[code]                 a finding of this code on the next line that
                                    is not a comment; `error[code] anywhere` for
                                    one without a place
    //! warning[code]               the same, and exit 0
    //! stops text                  or it must stop without an answer (exit 3),
                                    and stderr says this

Findings that no line expects, and expectations without a finding, both fail;
so do unknown directives and a file that expects nothing.
"""
import json
import re
import subprocess
import sys
import tempfile


def directives(path):
    options, expected, clean, waiting, fails = [], [], False, [], False
    stops = ""
    with open(path, encoding="utf-8") as text:
        for number, line in enumerate(text, 1):
            line = line.strip()
            if line.startswith("//!"):
                words = line[3:].split()
                error = re.fullmatch(r"(?:error|warning)\[([\w/-]+)\]",
                                     words[0])
                fails |= words[0].startswith("error")
                if words[0] == "run":
                    options = words[1:]
                elif words == ["clean"]:
                    clean = True
                elif words[0] == "stops" and len(words) > 1:
                    stops = " ".join(words[1:])
                elif error and words[1:] == ["anywhere"]:
                    expected.append((error.group(1), None))
                elif error and len(words) == 1:
                    waiting.append(error.group(1))
                else:
                    raise SystemExit(f"{path}:{number}: unknown: {line}")
            elif line and not line.startswith("//"):
                expected += [(code, number) for code in waiting]
                waiting = []
    if clean + bool(expected) + bool(stops) != 1:
        raise SystemExit(f"{path}: expects neither `clean` nor an error")
    return options, expected, fails, stops


def check(command, path):
    options, expected, fails, stops = directives(path)
    args = [command, "run", path, "--format", "json"]
    if not any(option.startswith("--") for option in options):
        args += ["--values", "all"]
    for option in options:
        args += [option] if option.startswith("--") else ["-D", option]
    done = subprocess.run(args, capture_output=True, text=True, timeout=120)
    if stops:
        right = done.returncode == 3 and stops in done.stderr
        return "" if right else f"exit {done.returncode}\n{done.stderr}"
    if done.returncode not in (0, 1):
        return f"exit {done.returncode}\n{done.stderr}"
    found = [(f["code"], f["location"]["line"] if "location" in f else f["line"])
             for f in json.loads(done.stdout)["files"][0]["findings"]]
    problems = []
    for code, line in expected:
        hit = [f for f in found if f[0] == code and line in (None, f[1])]
        if hit:
            found.remove(hit[0])
        else:
            problems.append(f"expected {code} on line {line}")
    problems += [f"unexpected {code} on line {line}" for code, line in found]
    if done.returncode != (1 if fails else 0):
        problems.append(f"exit {done.returncode}")
    return "\n".join(problems) and "\n".join(problems + [done.stderr])


def self_test(command):
    head = "kernel k target sm_90a {\n  grid (1)\n  block 32\n"
    body = "  mbarrier b\n  lane 0 {\n    mbarrier.arrive b\n  }\n}\n"
    for text, want in ((head + "//! clean\n" + body, "unexpected init/missing"),
                       (head + "//! error[init/twice] anywhere\n" + body,
                        "expected init/twice")):
        with tempfile.NamedTemporaryFile("w", suffix=".tile") as file:
            file.write(text)
            file.flush()
            problem = check(command, file.name)
            assert want in problem, (want, problem)


def main():
    command, path = sys.argv[1:]
    if path == "--self-test":
        return self_test(command)
    problem = check(command, path)
    if problem:
        sys.exit(f"{path}:\n{problem}")


if __name__ == "__main__":
    main()
