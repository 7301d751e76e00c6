#!/usr/bin/env python3
"""The launches whose time is known of an H200, and what they are made of.

    launches.py FOLDER [--cubins]

writes for each a description and, with --cubins, what ptxas makes of its PTX
(-arch=sm_90a): what on_gpu.py wants. Launches are those of testdata, and the
products and attentions of them at larger sizes: Triton's kernels take their
sizes as parameters, so that the PTX is the same.
"""
import argparse
import copy
import json
import pathlib
import subprocess

DATA = pathlib.Path(__file__).resolve().parent.parent / "testdata"
SMS = 132
PRODUCTS = {  # of rows and columns, by launch: the tile of a CTA; persistent
    "recorded/0000_mm_cp": (128, 128, 0),
    "recorded/0001_mm_tma": (128, 128, 0),
    "recorded/0002_mm_tma": (128, 128, 0),
    "recorded/0003_mm_persist": (128, 128, SMS),
    "kernels/0004_mm_k": (128, 128, 0),
    "kernels/0005_mm_k": (128, 256, 0),
}
SIZES = (1024, 2048, 4096)
ATTENTIONS = ("recorded/0005_attn", "recorded/0006_attn",
              "kernels/0009_attn_k", "kernels/0010_attn_k")
LENGTH = 4096
UNKNOWN = {"kernels/0011_group_k"}  # reads pointers that were not recorded


RECORDED = json.loads(
    (DATA.parent / "values" / "h200.json").read_text())


def read(name):
    described = json.loads((DATA / f"{name}.json").read_text())
    domains = RECORDED.get(f"{name}.json", {}).get("domain", {})
    for b in described["buffers"]:
        if b["name"] in domains:
            b["domain"] = domains[b["name"]]
    return described


def grown(described, factors):
    """With buffers of more bytes, none of them over another."""
    out = copy.deepcopy(described)
    at = 0x7f0000000000
    for b in out["buffers"]:
        b["bytes"] = b["bytes"] * factors.get(b["name"], 1)
        b.pop("shape", None)
        if "address" in b:
            b["address"] = hex(at)
        at += (b["bytes"] + 0x1fffff) // 0x200000 * 0x200000
    return out


def product(name, size):
    rows, columns, most = PRODUCTS[name]
    described = read(name)
    launch = described["launches"][0]
    tiles = -(-size // rows) * -(-size // columns)
    ctas = min(tiles, most) if most else tiles
    more = (size // 512) ** 2
    factors = {b["name"]: more for b in described["buffers"]}
    scratch = -(-ctas // launch["grid"][0])
    factors["global_scratch"] = scratch
    out = grown(described, factors)
    launch = out["launches"][0]
    launch["grid"] = [ctas, 1, 1]
    for p in launch["params"]:
        if p.get("s32") == 512:
            p["s32"] = size
    return out


def attention(name):
    described = read(name)
    more = LENGTH // 512
    factors = {b["name"]: more for b in described["buffers"]}
    out = grown(described, factors)
    launch = out["launches"][0]
    launch["grid"][0] *= more
    for p in launch["params"]:
        if p.get("s32") == 512:
            p["s32"] = LENGTH
    return out


def all_launches():
    """Name, folder of its PTX, description."""
    for part in ("kernels", "recorded"):
        for path in sorted((DATA / part).glob("*.json")):
            name = f"{part}/{path.stem}"
            if name not in UNKNOWN:
                yield name, DATA / part, read(name)
    for name in PRODUCTS:
        for size in SIZES:
            yield f"{name}.{size}", DATA / name.split("/")[0], product(
                name, size)
    for name in ATTENTIONS:
        yield f"{name}.{LENGTH}", DATA / name.split("/")[0], attention(name)


def ptx_of(described, folder):
    return folder / described["launches"][0]["ptx"]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("folder", type=pathlib.Path)
    p.add_argument("--cubins", action="store_true")
    o = p.parse_args()
    o.folder.mkdir(parents=True, exist_ok=True)
    for name, folder, described in all_launches():
        stem = name.replace("/", "__")
        (o.folder / f"{stem}.json").write_text(json.dumps(described))
        cubin = o.folder / described["launches"][0]["ptx"].replace(
            ".ptx", ".cubin")
        if o.cubins and not cubin.exists():
            subprocess.run(["ptxas", "-arch=sm_90a",
                            str(ptx_of(described, folder)), "-o", str(cubin)],
                           check=True)


if __name__ == "__main__":
    main()
