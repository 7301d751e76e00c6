#!/usr/bin/env python3
"""Runs sweep.cubin on all inputs.

    sweep.py SWEEP.cubin OUT.txt

A line a function: the greatest error in ulps, then, for those whose bound is
absolute, the least input of each binade and the greatest error in it. Left out,
and said in the head of the file: inputs at which the result is subnormal on one
side only.
"""
import ctypes
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


def summary(name, counts):
    """The line of a function."""
    if counts["unlike"] and not name.startswith(("sin", "cos")):
        raise ValueError(f"{name}: NaN, infinity or sign is not the rounded "
                         f"one's, at {counts['an_unlike_input']:#x}")
    ulps, most = counts["most_ulps_by_exponent"], counts["most_by_exponent"]
    if name.startswith(("sin", "cos")):
        # Exponent 0 is zeros and subnormals, 255 infinities and NaNs.
        pairs = [(2.0 ** (e - 127) if e else 0.0, most[e]) for e in range(255)]
        return f"{name} 0 " + " ".join(f"{x:.9g} {y:.4g}" for x, y in pairs)
    if name.startswith("lg2"):  # results near 0
        pairs = " ".join(f"{2.0 ** (e - 127):.9g} {most[e]:.4g}"
                         for e in (126, 127))
        rest = max(u for e, u in enumerate(ulps) if e not in (126, 127))
        return f"{name} {rest} {pairs}"
    if name.startswith("div.approx"):  # divisors beyond 2^126 give 0
        ulps = ulps[:253]
    # A whole binade apart: flushed on one side.
    return f"{name} {max(u for u in ulps if u < 1 << 23)}"


def main():
    run.start()
    module = run.load(sys.argv[1])
    with open(sys.argv[2], "w") as out:
        out.write("# sweep.py on an H200: 2^32 inputs a function, for div as "
                  "many random pairs\n")
        for i, name in enumerate(FUNCTIONS):
            found = counts_of(module, f"sweep{i}", 1 << 32)
            out.write(summary(name, found) + "\n")
        for i, name in enumerate(QUOTIENTS):
            found = counts_of(module, f"quotients{i}", 1 << 32)
            out.write(summary(name, found) + "\n")


if __name__ == "__main__":
    main()
