#!/usr/bin/env python3
"""What a turn of a ring of one stage takes, by who waits in it, of kernels as
`tilesim lower` writes them: a lane whose warp waits for it sees a phase only
when its loop on try_wait comes round.

    hops.py measure COMMAND OUT    on the GPU: OUT/readings.jsonl, a line a loop
    hops.py show COMMAND           the recorded ones, beside the model's (ctest)
"""
import cases

FEW, MANY = 64, 320
PROGRAM = """kernel hops target sm_90a {{
  param K : 1.. = 16
  const ROWS = {rows}, CTAS = {grid}
  global X : f16[CTAS * 4 * ROWS, 64]
  grid (CTAS)
  block 64
  shared x : f16[ROWS, 64] swizzle 128B
  shared pad : u8[{pad}]
  mbarrier full{empty}
  warp 0, elect {{
    mbarrier.init full, 1{init}
    fence.mbarrier_init
  }}
  bar.sync 0
{roles}}}
"""
LOAD = """mbarrier.arrive.expect_tx full, bytes(x)
tma.load x, X[(cta.x * 4 + k % 4) * ROWS :+ ROWS, :], full
"""
FULL, EMPTY = ("mbarrier.wait full, parity = k & 1\n",
               "mbarrier.wait empty, parity = (k + 1) & 1\n")
ELECTED = "elect {{\n{}}}\n"


def role(name, scope, turn, behind=""):
    return f"role {name} = {scope} {{\nfor k in 0..K {{\n{turn}}}\n{behind}}}\n"


# Who loads and who waits: a lane that the others of its warp wait for or, in
# the last role, have left; or all of a warp.
PRODUCER = role("load", "warp 0, elect", EMPTY + LOAD)
FORMS = {
    "a warp": role("both", "warp 0",
                   ELECTED.format(LOAD) + FULL + "bar.warp.sync\n"),
    "a lane": role("both", "warp 0, elect", LOAD + FULL),
    "a lane, its warp waits": "role both = warp 0 {\nelect {\nfor k in 0..K {\n"
                              + LOAD + FULL + "}\n}\nbar.warp.sync\n}\n",
    "warp, warp": role("load", "warp 0", EMPTY + ELECTED.format(LOAD)) +
                  role("see", "warp 1", FULL + "bar.warp.sync\n" +
                       ELECTED.format("mbarrier.arrive empty\n")),
    "lane, warp": PRODUCER + role(
        "see", "warp 1", FULL + "bar.warp.sync\n" +
        ELECTED.format("mbarrier.arrive empty\n")),
    "lane, last lane": PRODUCER + role("see", "warp 1, elect",
                                       FULL + "mbarrier.arrive empty\n"),
}


def asked():
    """Form, rows of a box, CTAs."""
    for form in FORMS:
        for rows in (8, 40, 64, 104, 128, 176, 200, 248):
            yield form, rows, 1
        for rows in (8, 64, 128):
            yield form, rows, 132


def turn_of(command, case, *args):
    form, rows, grid = case
    roles = FORMS[form].replace("{{", "{").replace("}}", "}")
    two = "empty" in roles
    source = PROGRAM.format(
        rows=rows, grid=grid, pad=150 * 1024, roles=roles,
        empty=", empty" if two else "",
        init="\n    mbarrier.init empty, 1" if two else "")
    return cases.turn_of(command, source, FEW, MANY, *args)


if __name__ == "__main__":
    cases.main(cases.Reading(
        name="hop.turn", parameters=("form", "rows", "grid"), unit="cycles",
        asked=asked, said=turn_of, launches=15, share=0.35, mean=0.12), __doc__)
