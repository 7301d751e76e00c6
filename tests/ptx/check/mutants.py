#!/usr/bin/env python3
"""Small kernels of PTX with one thing wrong in each: is it found?

mutants.py TILESIM. mutants.json says what is cut from the text, what is put in
its place (`every`: wherever it stands), and which codes are errors then (`any`: at
least those); `says` is in what is told of them or of what was not judged;
`findings` counts them; `verdict`: where that is none of clean and findings.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent


def errors_of(tilesim, mutant, folder):
    """The codes of errors, and the verdict, of one mutant."""
    text = (HERE / f"{mutant['of']}.ptx").read_text()
    cut = mutant.get("cut", "")
    if cut and cut not in text:
        raise SystemExit(f"{mutant['what']}: its text is not there")
    if cut:
        times = -1 if mutant.get("every") else 1
        text = text.replace(cut, mutant.get("put", ""), times)
    path = folder / f"{mutant['of']}.ptx"
    path.write_text(text)
    command = [tilesim, "check", path, "--format", "json", "--launch",
               HERE / f"{mutant['of']}.json"]
    if mutant.get("strict"):
        command += ["--strict", "ptx"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60,
                         check=False)
    if run.returncode == 2 and mutant.get("verdict") == "rejected":
        file = json.loads(run.stdout)["files"][0]
        return {e["code"] for e in file["errors"]}, file["verdict"]
    if run.returncode not in (0, 1, 3):
        raise SystemExit(f"{mutant['what']}: {run.stderr}")
    file = json.loads(run.stdout)["files"][0]
    if not file["not_judged"]:
        raise SystemExit(f"{mutant['what']}: its limits are not told")
    told = json.dumps([file["findings"], file["not_judged"], file["open"]])
    if mutant.get("says", "") not in told:
        raise SystemExit(f"{mutant['what']}: nothing says {mutant['says']}")
    count = len(file["findings"])
    if mutant.get("findings", count) != count:
        raise SystemExit(f"{mutant['what']}: {count} findings")
    codes = {f["code"] for f in file["findings"] if f["severity"] == "error"}
    return codes, file["verdict"]


def main():
    wrong = 0
    mutants = json.loads((HERE / "mutants.json").read_text())
    with tempfile.TemporaryDirectory() as folder:
        for mutant in mutants:
            codes, verdict = errors_of(sys.argv[1], mutant,
                                       pathlib.Path(folder))
            wanted = set(mutant["codes"])
            found = wanted <= codes if mutant.get("any") else wanted == codes
            fits = verdict == mutant.get(
                "verdict", "findings" if wanted else "clean")
            if found and fits:
                continue
            wrong += 1
            print(f"{mutant['of']}: {mutant['what']}: {verdict}, "
                  f"{sorted(codes)}; expected {sorted(wanted)}")
    print(f"{len(mutants)} kernels, {wrong} not as expected")
    return 1 if wrong or not mutants else 0


if __name__ == "__main__":
    sys.exit(main())
