#!/usr/bin/env python3
"""Launches kernels on a GPU as their descriptions say, and hashes what they leave.

    on_gpu.py FOLDER OUT.json [--keep NAME,...]

FOLDER has triples: NAME.json, a launch description; NAME.cubin and
NAME.nofma.cubin, what ptxas makes of its PTX, with products and sums fused and
without (ptxas -fmad). Buffers start as `tilesim run` starts them, with seed 0
(ir/values/seeded.h). OUT.json gets the SHA-256 of each buffer at the end; --keep
writes the bytes, too, beside it. Needs PyTorch for memory, libcuda for the rest.
"""
import argparse
import ctypes
import hashlib
import json
import pathlib

import numpy as np
import torch

MASK = (1 << 64) - 1
GOLDEN = 0x9e3779b97f4a7c15


def mix(x):
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xbf58476d1ce4e5b9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94d049bb133111eb)
    return x ^ (x >> np.uint64(31))


def tensor_id(name):
    h = 0xcbf29ce484222325
    for c in name.encode():
        h = ((h ^ c) * 0x100000001b3) & MASK
    return h


def words(name, seed, numbers):
    one = np.array([(tensor_id(name) + GOLDEN) & MASK], dtype=np.uint64)
    key = mix(np.array([seed], dtype=np.uint64) + mix(one))
    return mix(key + (numbers + np.uint64(1)) * np.uint64(GOLDEN))


INTEGERS = {"u8": (0, 255), "s8": (-128, 127), "s32": (-1024, 1024),
            "u32": (0, 1024), "s64": (-1024, 1024), "u64": (0, 1024)}
TYPES = {"u8": np.uint8, "s8": np.int8, "s32": np.int32, "u32": np.uint32,
         "s64": np.int64, "u64": np.uint64, "f16": np.float16,
         "f32": np.float32}


def seeded(buffer):
    dtype = buffer.get("dtype", "u8")
    if dtype not in TYPES and dtype != "bf16":
        dtype = "u8"
    size = 2 if dtype == "bf16" else np.dtype(TYPES[dtype]).itemsize
    count = buffer["bytes"] // size
    index = np.arange(count, dtype=np.uint64)
    with np.errstate(over="ignore"):
        domain = buffer.get("domain") or INTEGERS.get(dtype)
        if domain:
            low, high = domain
            draw = (words(buffer["name"], 0, index) >> np.uint64(32)) * \
                np.uint64(high - low + 1) >> np.uint64(32)
            return (draw.astype(np.int64) + low).astype(
                TYPES[dtype]).tobytes()
        total = np.zeros(count, dtype=np.int64)
        for j in range(3):
            w = words(buffer["name"], 0, index * np.uint64(3) + np.uint64(j))
            for q in range(4):
                total += ((w >> np.uint64(16 * q)) &
                          np.uint64(0xffff)).astype(np.int64)
    x = (total - 393210).astype(np.float64) * 2.0 ** -16
    if dtype == "bf16":
        return torch.from_numpy(x).to(torch.bfloat16).view(
            torch.int16).numpy().tobytes()
    return x.astype(TYPES[dtype]).tobytes()


def start_of(buffer):
    start = buffer.get("start", "seeded")
    if start == "zero":
        return bytes(buffer["bytes"])
    if start == "undefined":
        return b"\xff" * buffer["bytes"]
    return seeded(buffer)


cuda = ctypes.CDLL("libcuda.so.1")


def call(name, *args):
    status = getattr(cuda, name)(*args)
    if status != 0:
        raise RuntimeError(f"{name}: {status}")


MAP_TYPES = {"u8": 0, "u16": 1, "u32": 2, "s32": 3, "u64": 4, "s64": 5,
             "f16": 6, "f32": 7, "f64": 8, "bf16": 9, "f32.ftz": 10,
             "tf32": 11, "tf32.ftz": 12}
SWIZZLES = {"none": 0, "32B": 1, "64B": 2, "128B": 3}


def tensor_map(m, address):
    n = len(m["dims"])
    made = (ctypes.c_uint64 * 24)()
    at = (ctypes.addressof(made) + 63) // 64 * 64
    call("cuTensorMapEncodeTiled", ctypes.c_void_p(at),
         ctypes.c_int(MAP_TYPES[m["dtype"]]), ctypes.c_uint32(n),
         ctypes.c_void_p(address + m.get("offset", 0)),
         (ctypes.c_uint64 * n)(*m["dims"]),
         (ctypes.c_uint64 * max(1, n - 1))(*m["strides"]),
         (ctypes.c_uint32 * n)(*m["box"]),
         (ctypes.c_uint32 * n)(*(m.get("element_strides") or [1] * n)),
         ctypes.c_int(0), ctypes.c_int(SWIZZLES[m["swizzle"]]),
         ctypes.c_int(2), ctypes.c_int(m.get("oob") == "nan"))
    return ctypes.string_at(at, 128)


def number(value):
    return int(value, 0) if isinstance(value, str) else int(value)


class Config(ctypes.Structure):
    _fields_ = [("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3),
                ("shared", ctypes.c_uint), ("stream", ctypes.c_void_p),
                ("attributes", ctypes.c_void_p), ("count", ctypes.c_uint)]


def parameters(launch, described, memory):
    """Bytes of each parameter, aligned as a tensor map must be."""
    out = []
    for p in launch["params"]:
        (kind, value), = [(k, v) for k, v in p.items()
                          if k not in ("name", "offset")]
        if kind == "buffer":
            data = (memory[value].data_ptr() + p.get("offset", 0)).to_bytes(
                8, "little")
        elif kind == "tensormap":
            m = described["tensormaps"][value]
            data = tensor_map(m, memory[m["buffer"]].data_ptr())
        else:
            size = int(kind[1:]) // 8
            if kind[0] == "f" and not isinstance(value, str):
                data = np.array([value], dtype=f"f{size}").tobytes()
            else:
                data = (number(value) & ((1 << 8 * size) - 1)).to_bytes(
                    size, "little")
        space = ctypes.create_string_buffer(len(data) + 128)
        at = (ctypes.addressof(space) + 63) // 64 * 64
        ctypes.memmove(at, data, len(data))
        out.append((space, at))
    return out


def run(described, cubin):
    memory = {b["name"]: torch.frombuffer(
        bytearray(start_of(b) or b"\0"), dtype=torch.uint8).cuda()
        for b in described["buffers"]}
    module = ctypes.c_void_p()
    call("cuModuleLoadData", ctypes.byref(module), cubin)
    for launch in described["launches"]:
        function = ctypes.c_void_p()
        call("cuModuleGetFunction", ctypes.byref(function), module,
             launch["kernel"].encode())
        shared = launch.get("dynamic_shared") or 0
        call("cuFuncSetAttribute", function, ctypes.c_int(8),
             ctypes.c_int(shared))
        args = parameters(launch, described, memory)
        pointers = (ctypes.c_void_p * max(1, len(args)))(
            *[at for _, at in args])
        cluster = launch.get("cluster") or [1, 1, 1]
        attribute = (ctypes.c_uint32 * 18)(4, 0, *cluster)
        config = Config((ctypes.c_uint * 3)(*launch["grid"]),
                        (ctypes.c_uint * 3)(*launch["block"]), shared, None,
                        ctypes.cast(attribute, ctypes.c_void_p),
                        1 if cluster != [1, 1, 1] else 0)
        call("cuLaunchKernelEx", ctypes.byref(config), function, pointers,
             None)
        torch.cuda.synchronize()
    return {n: t.cpu().numpy().tobytes() for n, t in memory.items()}


def main():
    p = argparse.ArgumentParser()
    p.add_argument("folder", type=pathlib.Path)
    p.add_argument("out", type=pathlib.Path)
    p.add_argument("--keep", default="")
    o = p.parse_args()
    torch.zeros(1).cuda()
    results = {}
    for path in sorted(o.folder.glob("*.json")):
        described = json.loads(path.read_text())
        entry = results[path.stem] = {}
        for how in ("nofma.cubin", "cubin"):
            try:
                left = run(described, path.with_suffix("." + how).read_bytes())
            except RuntimeError as error:
                entry[how] = str(error)
                print(path.stem, how, error, flush=True)
                continue
            entry[how] = {n: hashlib.sha256(b).hexdigest()
                          for n, b in left.items()}
            if path.stem in o.keep.split(","):
                for n, b in left.items():
                    (o.out.parent / f"{path.stem}.{n}.{how}.bin").write_bytes(b)
        o.out.write_text(json.dumps(results, indent=1, sort_keys=True))
    print(torch.cuda.get_device_name(), len(results))


if __name__ == "__main__":
    main()
