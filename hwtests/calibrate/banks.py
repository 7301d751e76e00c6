#!/usr/bin/env python3
"""What a turn takes that moves a tile between registers and shared memory.

    banks.py measure COMMAND OUT    on the GPU: OUT/banks.jsonl, a line a loop
    banks.py show COMMAND           the recorded turns, beside the model's (ctest)

Each fragment at pitches that its lanes' words share banks at or do not, one warp
alone and all four. As in loops.py a turn is what 2,048 more of them take.
"""
import sys

import loops

PROGRAM = """kernel loop target sm_90a {{
  param K : 8.. = 1024
  grid (1)
  block {threads} regs 168
  shared s : {dtype}[{rows}, {pitch}] {swizzle}
  global D : f32[{rows}, {cols}]
  role main = warps 0..{warps} {{
    let row = {row}
    reg r : {dtype}[{part}, {cols}] fragment {fragment}
    reg f : {dtype}[{part}, {cols}] fragment {fragment}
    mov f, 0.0
    mov r, 0.0
    {store} s[row :+ {part}, 0 :+ {cols}], f
    bar.sync 0
    for k in 0..K {{
{turn}
    }}
    reg g : f32[{part}, {cols}] fragment {fragment}
    cvt g, f
    st.global D[row :+ {part}, :], g
  }}
}}
"""
# ldmatrix has no result that other fragments take.
OPERANDS = """kernel loop target sm_90a {{
  param K : 8.. = 1024
  grid (1)
  block {threads} regs 168
  shared s : {dtype}[{rows}, {pitch}] {swizzle}
  shared t : {dtype}[8, {cols}]
  global D : f32[{rows}, 8]
  role main = warps 0..{warps} {{
    let row = {row}
    reg a : {dtype}[{part}, {cols}] fragment mma_a
    reg b : {dtype}[8, {cols}] fragment mma_b
    reg acc : f32[{part}, 8] fragment mma
    mov acc, 0.0
    ldmatrix b, t
    for k in 0..K {{
      bar.sync 0
      ldmatrix a, s[row :+ {part}, 0 :+ {cols}]
      mma.sync acc, a, b, accumulate = 1
    }}
    st.global D[row :+ {part}, :], acc
  }}
}}
"""
# Rows that a warp holds, or the warpgroup.
ROWS = {"mma": 16, "mma_a": 16, "wgmma": 64, "row": 128}
# fragment, dtype, columns, pitches; 0: as wide as the tile, swizzled.
STORES = [("mma", "f32", 32, (32, 36, 40, 0)), ("wgmma", "f32", 32, (32, 36, 40, 0)),
          ("wgmma", "f16", 64, (64, 72, 0)), ("row", "f32", 32, (32, 36, 0)),
          ("row", "f16", 32, (32, 40)), ("blocked(4)", "f32", 32, (32,)),
          ("blocked(8)", "f16", 64, (64,)), ("blocked(2)", "f32", 32, (32,))]
MATRICES = [("mma", "f16", 64, (64, 72, 0)), ("wgmma", "f16", 64, (64, 72, 0))]
OPERAND = [("mma_a", "f16", 64, (64, 72, 0))]
TURNS = {
    "st.shared": "      st.shared {box}, f",
    "stmatrix": "      stmatrix {box}, f",
    # Nothing of the next turn can be moved in front of it.
    "ld.shared": "      bar.sync 0\n      ld.shared r, {box}\n"
                 "      add f, f, r\n      st.shared {box}, f",
}


def program(op, fragment, dtype, cols, pitch, warps):
    part = ROWS.get(fragment, 32)
    of_warp = fragment in ("mma", "mma_a")
    names = {"threads": 32 * warps, "warps": warps, "dtype": dtype, "part": part,
             "rows": part * (warps if of_warp else 1), "cols": cols,
             "pitch": pitch or cols, "swizzle": "" if pitch else "swizzle 128B",
             "row": f"warp * {part}" if of_warp else "0", "fragment": fragment,
             "store": "stmatrix" if op == "stmatrix" else "st.shared"}
    if op == "ldmatrix":
        return OPERANDS.format(**names)
    box = "s[row :+ {part}, 0 :+ {cols}]".format(**names)
    return PROGRAM.format(turn=TURNS[op].format(box=box), **names)


def programs():
    out = {}
    for op, tiles in (("st.shared", STORES), ("ld.shared", STORES),
                      ("stmatrix", MATRICES), ("ldmatrix", OPERAND)):
        for fragment, dtype, cols, pitches in tiles:
            for pitch in pitches:
                for warps in (1, 4) if fragment in ("mma", "mma_a") else (4,):
                    name = (f"{op} {dtype} {fragment}, {cols} columns, "
                            f"{f'pitch {pitch}' if pitch else 'swizzled'}, "
                            f"{warps} warp{'s' if warps > 1 else ''}")
                    out[name] = program(op, fragment, dtype, cols, pitch, warps)
    return out


if __name__ == "__main__":
    loops.main("shared.turn", programs(), "banks.jsonl", __doc__)
