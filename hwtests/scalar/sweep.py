#!/usr/bin/env python3
"""Runs sweep.cubin on all inputs.

    sweep.py SWEEP.cubin OUT.json [DIFFERENCES.gz]
"""
import ctypes
import gzip
import json
import struct
import sys

import run

FUNCTIONS = ["rcp.approx.f32", "rcp.approx.ftz.f32", "sqrt.approx.f32",
             "sqrt.approx.ftz.f32", "rsqrt.approx.f32", "rsqrt.approx.ftz.f32",
             "ex2.approx.f32", "ex2.approx.ftz.f32", "lg2.approx.f32",
             "lg2.approx.ftz.f32", "sin.approx.f32", "sin.approx.ftz.f32",
             "cos.approx.f32", "cos.approx.ftz.f32", "tanh.approx.f32"]
QUOTIENTS = ["div.full.f32", "div.full.ftz.f32", "div.approx.f32",
             "div.approx.ftz.f32"]
COUNTS = struct.Struct("<33QQI256I4x256Q")
GRID = 132 * 16
# Function and first input of binades of which all differences are kept.
BINADES = [(7, 0x3F800000), (7, 0x3F000000), (1, 0x3F800000), (5, 0x3F800000),
           (5, 0x40000000), (9, 0x40000000), (9, 0x3F800000)]


def counts_of(module, kernel, count):
    where = run.alloc(COUNTS.size)
    run.check(run.cuda.cuMemsetD8_v2(where, 0, ctypes.c_size_t(COUNTS.size)),
              "cuMemsetD8")
    run.launch(module, kernel, GRID, [where.value, 0, count])
    values = COUNTS.unpack(run.read(where, COUNTS.size))
    doubles = struct.unpack("<256d", struct.pack("<256Q", *values[291:]))
    return {"by_ulps": {str(i - 16): n for i, n in enumerate(values[:33]) if n},
            "unlike": values[33], "an_unlike_input": values[34],
            "most_ulps_by_exponent": values[35:291],
            "most_by_exponent": doubles if kernel.startswith("sweep")
            else values[291:]}


def main():
    run.start()
    module = run.load(sys.argv[1])
    found = {}
    for i, name in enumerate(FUNCTIONS):
        found[name] = counts_of(module, f"sweep{i}", 1 << 32)
    for i, name in enumerate(QUOTIENTS):
        found[name] = counts_of(module, f"quotients{i}", 1 << 32)
    with open(sys.argv[2], "w") as out:
        json.dump(found, out)
    if len(sys.argv) > 3:
        where = run.alloc(1 << 23)
        with gzip.open(sys.argv[3], "wb", 9) as out:
            for function, first in BINADES:
                run.launch(module, f"differences{function}", GRID,
                           [where.value, first])
                out.write(run.read(where, 1 << 23))


if __name__ == "__main__":
    main()
