"""The page of what was chosen (h200.md)."""

HEAD = """\
# What `tilesim sweep` picks, on an H200

Written by `choose.py record` from [h200.json](h200.json): {gpu}, {date}. The
configuration that the model ranks first, without a GPU, of those in
[shapes.py](shapes.py); the fastest that was measured; both beside cuBLAS, launches
in turns, L2 warm, f16 with f32 accumulation. *Of its speed* is the median over
pairs of launches of cuBLAS's time over ours; in brackets the quartiles. A time has
what it takes to launch in it, some 2 us, and so has cuBLAS's.

| M x N x K | measured of points | chosen | model us | us | cuBLAS us | of its speed | fastest | us | of its speed | chosen / fastest |
|---|--:|---|--:|--:|--:|--:|---|--:|--:|--:|
"""


def short(point):
    file, *defines = point.split()
    chosen = [d for d in defines if d.split("=")[0] not in "MNK"]
    return " ".join([file.split("/")[-1].removesuffix(".tile"), *chosen])


def percent(ratio):
    return f"{ratio * 100:.0f} %"


def row(s):
    c, b = s["chosen"], s["best"]
    low, high = s["chosen"]["quartiles"]
    return (f"| {' x '.join(map(str, s['shape']))} | {len(s['measured_us'])} of {s['points']} "
            f"| {short(c['point'])} | {c['model_us']:.1f} | {c['us']:.1f} "
            f"| {c['cublas_us']:.1f} | {percent(c['of_cublas'])} "
            f"({percent(low)}, {percent(high)}) | {short(b['point'])} "
            f"| {b['us']:.1f} | {percent(b['of_cublas'])} "
            f"| {c['us'] / b['us']:.3f} |\n")


def page(found):
    all_ = found["shapes"]
    smi = found["machine"]["nvidia_smi"].split(", ")
    chosen = [s["chosen"]["of_cublas"] for s in all_]
    best = [s["best"]["of_cublas"] for s in all_]
    near = sum(s["chosen"]["us"] <= 1.03 * s["best"]["us"] for s in all_)
    return (HEAD.format(gpu=f"{smi[1]}, driver {smi[2]}",
                        date=found["machine"]["date"])
            + "".join(map(row, all_)) + f"""
Of {len(all_)} shapes the chosen one reaches the speed of cuBLAS at
{sum(x >= 1 for x in chosen)}, 95 % of it at {sum(x >= .95 for x in chosen)}; the \
fastest measured at {sum(x >= 1 for x in best)} and
{sum(x >= .95 for x in best)}. At {near} shapes the choice takes no more than 3 % \
longer than the fastest.
""")
