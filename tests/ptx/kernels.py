#!/usr/bin/env python3
"""What `check` says of kernels that were launched on an H200, as kernels.txt has it.

    kernels.py TILESIM              each launch of testdata: verdict and codes
    kernels.py TILESIM --write      writes kernels.txt

A line is a launch description, the verdict, and the codes of findings, those of
warnings in brackets. Each is to be explained: in docs/triton.md 3, or in a comment.
"""
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
LIST = HERE / "kernels.txt"


def launches():
    for path in sorted((HERE / "testdata").rglob("*.json")):
        data = json.loads(path.read_text())
        if "launches" not in data:
            continue
        name = data["launches"][0].get("ptx") or \
            path.name.replace(".launch.json", ".ptx")
        if (path.parent / name).exists():
            yield path, path.parent / name


def said(tilesim, launch, ptx):
    done = subprocess.run([tilesim, "check", str(ptx), "--launch", str(launch),
                           "--format", "json"], capture_output=True, text=True,
                          timeout=300, check=False)
    answer = json.loads(done.stdout)["files"][0]
    codes = {f["code"] if f["severity"] == "error" else f"({f['code']})"
             for f in answer.get("findings", [])}
    return " ".join([str(launch.relative_to(HERE / "testdata")),
                     answer["verdict"], *sorted(codes)])


def main():
    now = [said(sys.argv[1], *pair) for pair in launches()]
    if "--write" in sys.argv:
        comments = [line for line in LIST.read_text().splitlines()
                    if line.startswith("#")] if LIST.exists() else []
        LIST.write_text("\n".join(comments + now) + "\n")
        return 0
    before = [line for line in LIST.read_text().splitlines()
              if line and not line.startswith("#")]
    for line in sorted(set(before) - set(now)):
        print(f"- {line}")
    for line in sorted(set(now) - set(before)):
        print(f"+ {line}")
    return 1 if before != now or not now else 0


if __name__ == "__main__":
    sys.exit(main())
