#!/usr/bin/env python3
"""Values that `run` computes of Triton's kernels, against those of an H200.

    recorded.py TILESIM

h200.json has, for each launch in testdata, the SHA-256 of every buffer that an
H200 left (on_gpu.py), from the same start. `not_compared` says which buffers
have other bits there, and why.
"""
import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE.parent / "testdata"


def bytes_of(npy):
    data = npy.read_bytes()
    return data[10 + int.from_bytes(data[8:10], "little"):]


def differing(tilesim, launch, recorded, folder):
    """What is not as recorded, by buffer."""
    described = json.loads((DATA / launch).read_text())
    ptx = (DATA / launch).parent / described["launches"][0]["ptx"]
    for b in described["buffers"]:
        if b["name"] in recorded.get("domain", {}):
            b["domain"] = recorded["domain"][b["name"]]
    path = folder / "launch.json"
    path.write_text(json.dumps(described))
    outs = {n: folder / f"{n}.npy" for n in recorded["buffers"]}
    done = subprocess.run(
        [tilesim, "run", str(ptx), "--launch", str(path), "--values", "all",
         *[w for n, f in outs.items() for w in ("--out", f"{n}={f}")]],
        capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return {"run": done.stderr.strip()[:300]}
    return {n: "other bits" for n, f in outs.items()
            if hashlib.sha256(bytes_of(f)).hexdigest() !=
            recorded["buffers"][n]}


def main():
    tilesim = str(pathlib.Path(sys.argv[1]).resolve())
    wrong = same = 0
    for launch, recorded in json.loads((HERE / "h200.json").read_text()).items():
        with tempfile.TemporaryDirectory() as folder:
            found = differing(tilesim, launch, recorded, pathlib.Path(folder))
        for name, what in found.items():
            print(f"{launch}: {name}: {what}")
        wrong += len(found)
        same += len(recorded["buffers"]) - len(found)
    print(f"{same} buffers have the same bits as on an H200, {wrong} do not")
    return 0 if wrong == 0 and same > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
