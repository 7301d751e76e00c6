"""The points of the data set: what is measured, and what is kept out of fits.

    points()  every point once, in the order of the table
    sweeps()  {name: [point, ...]}: one value changes, in ascending order
    parts()   {point.key: "fit" or why it is held out}

A point names every parameter and every constant of its program that is an
integer of the text; those that follow from others are not set.
"""
import dataclasses
import hashlib
import itertools
import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
# The first number with which the hash holds out a third or more, fixed before
# anything was measured.
SALT = "tilesim data set 3: "
HELD_PROGRAMS = 2  # whole programs that no fit sees,
HELD_AT_LEAST = 8  # of those that have so many points,
HELD_SWEEPS = 1    # and whole sweeps of other programs


@dataclasses.dataclass(frozen=True)
class Point:
    file: str
    values: tuple  # (name, value), by name
    l2: str        # warm or cold

    @property
    def program(self):
        return pathlib.Path(self.file).stem

    @property
    def defines(self):
        return [f"{name}={value}" for name, value in self.values]

    @property
    def key(self):
        return " ".join([self.program, *self.defines, self.l2])


# --- the table ----------------------------------------------------------------

def square(n):
    return {"M": n, "N": n, "K": n}


def mnk(m, n, k):
    return {"M": m, "N": n, "K": k}


TILE = {"BM": 128, "BN": 128, "BK": 64}
# What a program has where a row of the table says nothing else.
BASE = {
    "examples/hopper/hgemm_v01": TILE,
    "examples/hopper/hgemm_v02": TILE,
    "examples/hopper/hgemm_v03": TILE,
    "examples/hopper/hgemm_v04": TILE,
    "examples/hopper/hgemm_v05": {**TILE, "STAGES": 2},
    "examples/hopper/hgemm_v06": {**TILE, "STAGES": 2, "GROUP": 8, "PER_SM": 2},
    "examples/hopper/hgemm_v07": {**TILE, "STAGES": 2, "GROUP": 8, "PER_SM": 2},
    "examples/hopper/hgemm_v08": {**TILE, "STAGES": 4, "GROUP": 8},
    "examples/hopper/hgemm_v09": {**TILE, "STAGES": 4, "GROUP": 4, "CTAS": 2,
                                  "BOTH": 3},
    "examples/hopper/hgemm_v10": {**TILE, "BN": 256, "STAGES": 4, "GROUP": 8,
                                  "CONSUMERS": 2, "CTAS": 2, "BOTH": 3},
    "examples/wgmma/gemm_tma": {**TILE, "STAGES": 3, "CR": 0},
    "examples/wgmma/gemm_cp_async": {**TILE, "STAGES": 3, "CR": 0},
    "examples/mlir/matmul_multistage": {**TILE, "STAGES": 3},
    "examples/mlir/matmul_warp_specialized": {**TILE, "STAGES": 3},
    "examples/mlir/matmul_warp_specialized_fixed": {**TILE, "STAGES": 3},
    "examples/gemm/split_k": {**TILE, "STAGES": 5, "SPLITS": 8},
    "examples/gemm/stream_k": {**TILE, "BN": 256, "STAGES": 4, "CTAS": 132},
    "examples/gemm/pdl_pair": {**TILE, "BN": 64, "STAGES": 4},
    "examples/gemm/fp8_block_scaled": {**TILE, "BK": 128, "STAGES": 6},
    "examples/attention/fmha_sm90": {"D": 128, "BM": 128, "BN": 128,
                                     "STAGES": 2},
    "examples/memory/copy": {"CHUNK": 4096, "STAGES": 8},
    "examples/memory/softmax": {"WARPS": 12, "COLS": 512, "BLOCK": 16,
                                "PANEL": 64, "CTAS": 132},
    "programs/gemm_mn": {**TILE, "STAGES": 4, "GROUP": 8},
    "programs/gemm_skinny": {"BM": 64, "BN": 64, "BK": 64, "STAGES": 4},
    "programs/gemm_cluster": {**TILE, "STAGES": 4, "CTAS": 2},
    "programs/gemm_raster": {**TILE, "BN": 256, "STAGES": 4, "GROUP": 8,
                             "ALONG_N": 0},
    "programs/gemm_epilogue": {**TILE, "STAGES": 2},
    "programs/split_reduce": {**TILE, "STAGES": 4, "SPLITS": 8},
    "programs/ring_cp_async": {**TILE, "STAGES": 4},
    "programs/add": {"ROWS": 2, "COLS": 1024, "PER_SM": 4},
    "programs/row_softmax": {"WARPS": 4, "COLS": 1024, "BLOCK": 16,
                             "PANEL": 64},
    "programs/attention_small": {"D": 64, "BM": 64, "BN": 64, "STAGES": 2},
}

# (program, what is set). A list is several points; of two lists, each with
# each. "sweep" names a row with one list that is a sweep; "l2" is warm where
# it does not say, or a list.
BOTH = ["warm", "cold"]
GROUPS = [1, 2, 4, 8, 16, 32]
HEADS_OF_16K = [(512, 512), (1024, 256), (2048, 128), (4096, 64), (8192, 32),
                (16384, 16)]  # tokens a sequence, batch x 16 heads
TABLE = [
    # One tile.
    ("hgemm_v01", {"BN": [64, 128], "l2": BOTH}),
    ("hgemm_v01", {"BN": 64, "BK": 128}),
    ("hgemm_v02", {"K": [64, 128, 256, 512, 1024, 2048, 4096],
                   "sweep": "v02 K, one tile"}),
    ("hgemm_v02", {"K": [64, 1024], "l2": "cold"}),
    ("hgemm_v08", {**mnk(128, 128, 4096), "l2": BOTH}),
    ("hgemm_v10", {**mnk(256, 256, 4096), "l2": BOTH}),
    # The ladder.
    ("hgemm_v03", [square(512), square(1024), square(2048), square(4096),
                   mnk(384, 256, 320), mnk(640, 1152, 768)]),
    ("hgemm_v04", [square(512), square(1024), square(2048), square(4096),
                   mnk(128, 4096, 4096), mnk(4096, 640, 1088)]),
    ("hgemm_v05", {**square(2048), "STAGES": [1, 2, 3, 4, 5, 6],
                   "sweep": "v05 stages, 2048-cubed"}),
    ("hgemm_v05", [square(512), square(1024), square(4096), square(8192)]),
    ("hgemm_v06", {**square(4096), "GROUP": GROUPS,
                   "sweep": "v06 group, 4096-cubed"}),
    ("hgemm_v06", [square(1024), square(2048), square(3072)]),
    ("hgemm_v06", {**square(4096), "PER_SM": 1, "STAGES": [2, 3, 4]}),
    ("hgemm_v07", [square(512), square(1024), square(2048), square(4096),
                   square(8192), mnk(2176, 2048, 64), mnk(512, 768, 448)]),
    ("hgemm_v07", {**mnk(2048, 2048, 4096), "PER_SM": 1,
                   "STAGES": [2, 3, 4, 5, 6],
                   "sweep": "v07 stages, 2048x2048x4096"}),
    ("hgemm_v08", {**square(4096), "STAGES": [2, 3, 4, 5, 6],
                   "sweep": "v08 stages, 4096-cubed"}),
    ("hgemm_v08", {**square(1024), "STAGES": [2, 3, 4, 5, 6],
                   "sweep": "v08 stages, 1024-cubed"}),
    ("hgemm_v08", {**mnk(8192, 8192, 1024), "GROUP": GROUPS,
                   "sweep": "v08 group, 8192x8192x1024"}),
    ("hgemm_v08", {"M": 2048, "N": 2048,
                   "K": [64, 128, 256, 512, 1024, 2048, 4096, 8192],
                   "sweep": "v08 K, 2048x2048"}),
    ("hgemm_v08", [square(512), square(3072), square(8192),
                   mnk(128, 8192, 8192), mnk(8192, 128, 8192),
                   mnk(384, 640, 320), mnk(1536, 1664, 64),
                   mnk(640, 4224, 1088)]),
    ("hgemm_v08", {**mnk(256, 4096, 4096), "l2": BOTH}),
    ("hgemm_v08", {**square(2048), "l2": "cold"}),
    ("hgemm_v08", {**square(4096), "l2": "cold"}),
    ("hgemm_v09", {**square(2048), "STAGES": [2, 3, 4, 5, 6],
                   "sweep": "v09 stages, 2048-cubed"}),
    ("hgemm_v09", {**square(4096), "GROUP": [1, 2, 4, 8, 16],
                   "sweep": "v09 group, 4096-cubed"}),
    ("hgemm_v09", [square(512), square(1024), square(3072), square(8192),
                   mnk(256, 4096, 4096), mnk(1536, 1664, 64)]),
    ("hgemm_v10", {**square(4096), "BN": 128, "STAGES": [2, 3, 4, 5, 6],
                   "sweep": "v10 stages, 4096-cubed, 128 wide"}),
    ("hgemm_v10", {**square(4096), "STAGES": [2, 3, 4]}),
    ("hgemm_v10", {**square(8192), "GROUP": GROUPS,
                   "sweep": "v10 group, 8192-cubed"}),
    ("hgemm_v10", {"M": 4096, "N": 4096,
                   "K": [64, 256, 512, 1024, 2048, 8192],
                   "sweep": "v10 K, 4096x4096"}),
    ("hgemm_v10", [square(512), square(3072), mnk(512, 8192, 4096),
                   mnk(2304, 2304, 4096), mnk(1280, 5120, 1152)]),
    ("hgemm_v10", {**square(1024), "l2": BOTH}),
    ("hgemm_v10", {**square(2048), "l2": BOTH}),
    ("hgemm_v10", {**mnk(256, 4096, 4096), "l2": BOTH}),
    ("hgemm_v10", {**square(4096), "l2": "cold"}),
    # Other ways to load, and operands along M and N.
    ("gemm_tma", {**square(2048), "STAGES": [1, 2, 3, 4, 5, 6],
                  "sweep": "gemm_tma stages, 2048-cubed"}),
    ("gemm_tma", {**square(2048), "CR": 1, "STAGES": [1, 2, 3, 4, 5, 6],
                  "sweep": "gemm_tma stages, 2048-cubed, MN-major"}),
    ("gemm_tma", {**square(4096), "CR": [0, 1]}),
    ("gemm_tma", {**square(1024), "CR": [0, 1]}),
    ("gemm_cp_async", {**square(2048), "STAGES": [2, 3, 4, 5, 6],
                       "sweep": "gemm_cp_async stages, 2048-cubed"}),
    ("gemm_cp_async", {**square(4096), "CR": 1, "STAGES": [2, 3, 4, 5, 6],
                       "sweep": "gemm_cp_async stages, 4096-cubed, MN-major"}),
    ("gemm_cp_async", {**square(1024), "CR": [0, 1]}),
    ("matmul_multistage", {**square(2048), "STAGES": [1, 2, 3, 4, 5, 6],
                           "sweep": "multistage stages, 2048-cubed"}),
    ("matmul_multistage", [square(1024), square(4096), mnk(128, 4096, 8192)]),
    ("matmul_warp_specialized_fixed",
     {**square(2048), "STAGES": [2, 3, 4, 5, 6],
      "sweep": "warp_specialized_fixed stages, 2048-cubed"}),
    ("matmul_warp_specialized_fixed", [square(1024), square(4096)]),
    ("matmul_warp_specialized", [square(2048), square(4096)]),
    ("gemm_mn", {**square(2048), "STAGES": [1, 2, 3, 4, 5, 6, 7],
                 "sweep": "gemm_mn stages, 2048-cubed"}),
    ("gemm_mn", {**square(4096), "GROUP": [1, 2, 4, 8, 16],
                 "sweep": "gemm_mn group, 4096-cubed"}),
    ("gemm_mn", {**square(3072), "BN": [64, 128, 192, 256]}),
    ("gemm_mn", [square(512), square(1024), square(8192),
                 mnk(256, 8192, 2048)]),
    ("ring_cp_async", {**square(2048), "STAGES": [2, 3, 4, 5, 6],
                       "sweep": "ring_cp_async stages, 2048-cubed"}),
    ("ring_cp_async", {"M": 1024, "N": 2048,
                       "K": [256, 512, 1024, 2048, 4096],
                       "sweep": "ring_cp_async K, 1024x2048"}),
    ("ring_cp_async", {**square(4096), "BN": [64, 128]}),
    # Few rows.
    ("gemm_skinny", {**mnk(64, 8192, 4096), "BN": [16, 32, 64, 128, 256],
                     "sweep": "gemm_skinny BN, 64x8192x4096"}),
    ("gemm_skinny", {**mnk(64, 8448, 4096), "STAGES": [1, 2, 3, 4, 5, 6, 7],
                     "sweep": "gemm_skinny stages, 64x8448x4096"}),
    ("gemm_skinny", {"M": [64, 128, 192, 256, 384, 512], "N": 4096, "K": 4096,
                     "sweep": "gemm_skinny M, Nx4096x4096"}),
    ("gemm_skinny", {**mnk(64, 8192, 4096), "BK": 128, "STAGES": [2, 4]}),
    ("gemm_skinny", {**mnk(64, 4096, 14336), "l2": BOTH}),
    ("gemm_skinny", {**mnk(64, 14336, 4096), "BN": 128, "l2": "cold"}),
    # Clusters and raster.
    ("gemm_cluster", {**square(4096), "STAGES": [1, 2, 3, 4, 5, 6, 7],
                      "sweep": "gemm_cluster stages, 4096-cubed"}),
    ("gemm_cluster", {**square(2048), "CTAS": [1, 2, 4], "BN": [128, 256]}),
    ("gemm_cluster", {**square(4096), "CTAS": [1, 4]}),
    ("gemm_cluster", [square(512), square(1024), square(8192),
                      mnk(512, 4096, 2048)]),
    ("gemm_raster", {**mnk(8192, 8192, 2048), "GROUP": GROUPS,
                     "sweep": "gemm_raster group of rows, 8192x8192x2048"}),
    ("gemm_raster", {**mnk(8192, 8192, 2048), "ALONG_N": 1, "GROUP": GROUPS,
                     "sweep": "gemm_raster group of columns, 8192x8192x2048"}),
    ("gemm_raster", {"M": [512, 1024, 1536, 2048, 3072, 4096], "N": 4096,
                     "K": 2048, "sweep": "gemm_raster M, Nx4096x2048"}),
    ("gemm_raster", {**square(4096), "BN": 128, "STAGES": [3, 5]}),
    # Long epilogues.
    ("gemm_epilogue", {"M": 4096, "N": 4096,
                       "K": [64, 128, 256, 512, 1024, 2048],
                       "sweep": "gemm_epilogue K, 4096x4096"}),
    ("gemm_epilogue", {**mnk(4096, 4096, 256), "BN": [64, 256]}),
    ("gemm_epilogue", {**mnk(2048, 2048, 64), "l2": BOTH}),
    # K in pieces.
    ("split_k", {**mnk(512, 512, 16384), "SPLITS": [1, 2, 4, 8, 16, 32],
                 "sweep": "split_k splits, 512x512x16384"}),
    ("split_k", {"M": 512, "N": 512, "K": [1024, 2048, 4096, 8192, 32768],
                 "sweep": "split_k K, 512x512"}),
    ("split_k", [mnk(128, 4096, 4096), mnk(2048, 2048, 2048)]),
    ("split_k", {**mnk(512, 512, 16384), "l2": "cold"}),
    ("split_reduce", {**mnk(512, 512, 16384), "SPLITS": [1, 2, 4, 8, 16, 32],
                      "sweep": "split_reduce splits, 512x512x16384"}),
    ("split_reduce", [mnk(128, 4096, 4096), mnk(1024, 1024, 4096)]),
    ("split_reduce", {**mnk(256, 4096, 4096), "SPLITS": 4, "BN": 64}),
    ("stream_k", {"M": [1152, 1408, 1792, 2304, 2816, 3328], "N": 2304,
                  "K": 4096, "sweep": "stream_k M, Nx2304x4096"}),
    ("stream_k", [square(4096), mnk(2304, 2304, 512), mnk(256, 256, 8192)]),
    ("stream_k", {**mnk(2304, 2304, 4096), "CTAS": [66, 96, 120]}),
    ("pdl_pair", {"M": [128, 256, 384, 512, 640], "D": 4096, "F": 8192,
                  "sweep": "pdl_pair M, 4096 and 8192"}),
    ("pdl_pair", [{"M": 128, "D": 1024, "F": 2048},
                  {"M": 128, "D": 2048, "F": 2048}]),
    # FP8.
    ("fp8_block_scaled", {**square(2048), "STAGES": [2, 3, 4, 5, 6],
                          "sweep": "fp8 stages, 2048-cubed"}),
    ("fp8_block_scaled", {"M": 2048, "N": 4096,
                          "K": [128, 512, 1024, 2048, 7168],
                          "sweep": "fp8 K, 2048x4096"}),
    ("fp8_block_scaled", [square(1024), square(4096), square(8192),
                          mnk(128, 7168, 2048)]),
    # Attention.
    ("fmha_sm90", [{"S": s, "BH": bh, "CAUSAL": 0} for s, bh in HEADS_OF_16K],
     "fmha sequence, 16k tokens"),
    ("fmha_sm90", [{"S": s, "BH": bh, "CAUSAL": 1} for s, bh in HEADS_OF_16K],
     "fmha sequence, 16k tokens, causal"),
    ("fmha_sm90", {"S": 1024, "BH": [1, 4, 8, 16, 32, 64], "CAUSAL": 0,
                   "sweep": "fmha heads, 1024 tokens"}),
    ("fmha_sm90", {"S": 512, "BH": 4, "CAUSAL": [0, 1], "l2": BOTH}),
    ("fmha_sm90", {"S": 4096, "BH": 16, "CAUSAL": 0, "STAGES": [1, 3]}),
    ("attention_small", {"S": [512, 1024, 2048, 4096, 8192, 16384], "BH": 4,
                         "CAUSAL": 0, "sweep": "attention_small sequence"}),
    ("attention_small", {"S": [512, 1024, 2048, 4096, 8192], "BH": 8,
                         "CAUSAL": 1,
                         "sweep": "attention_small sequence, causal"}),
    ("attention_small", {"S": 4096, "BH": 4, "CAUSAL": 0,
                         "STAGES": [1, 2, 3, 4, 5],
                         "sweep": "attention_small stages, 4096 tokens"}),
    ("attention_small", {"S": 2048, "BH": 8, "CAUSAL": 0, "D": [64, 128]}),
    ("attention_small", {"S": 2048, "BH": 8, "CAUSAL": 0, "BN": [64, 128]}),
    # Bound by memory.
    ("copy", {"N": [1 << 18, 1 << 20, 1 << 22, 1 << 24, 1 << 25, 1 << 26],
              "sweep": "copy N"}),
    ("copy", {"N": 1 << 24, "STAGES": [2, 3, 4, 6, 8, 12],
              "sweep": "copy stages, 64 MB"}),
    ("copy", {"N": [1 << 18, 1 << 22, 1 << 24], "l2": "cold"}),
    ("add", {"M": [256, 512, 1024, 2048, 4096, 8192], "N": 8192,
             "sweep": "add M, Nx8192"}),
    ("add", {"M": 4096, "N": 8192, "PER_SM": [1, 2, 4, 8, 12],
             "sweep": "add CTAs an SM, 4096x8192"}),
    ("add", {"M": 4096, "N": 8192, "ROWS": [1, 4]}),
    ("add", {"M": [512, 4096], "N": 8192, "l2": "cold"}),
    ("softmax", {"ROWS": [2112, 8192, 16384, 32768, 65536, 131072],
                 "sweep": "softmax rows"}),
    ("softmax", {"ROWS": 65536, "WARPS": [2, 4, 6, 8, 12],
                 "sweep": "softmax warps, 65536 rows"}),
    ("softmax", {"ROWS": [2112, 65536], "l2": "cold"}),
    ("row_softmax", {"ROWS": 32768, "COLS": [128, 256, 512, 1024, 2048],
                     "sweep": "row_softmax columns, 32768 rows"}),
    ("row_softmax", {"ROWS": [1024, 4096, 8192, 16384, 65536],
                     "sweep": "row_softmax rows, 1024 columns"}),
    ("row_softmax", {"ROWS": [1024, 16384], "l2": "cold"}),
]


# --- from the table to points -------------------------------------------------

def file_of(name):
    for path in BASE:
        if path.endswith("/" + name):
            folder = "" if path.startswith("examples/") else "hwtests/dataset/"
            return path, f"{folder}{path}.tile"
    raise KeyError(name)


def row_points(row):
    """(the points of a row, the name of the sweep that they are)"""
    name, asked, *named = row
    base, file = file_of(name)
    out, sweep = [], named[0] if named else None
    for one in asked if isinstance(asked, list) else [asked]:
        one = dict(one)
        sweep = one.pop("sweep", sweep)
        l2 = one.pop("l2", "warm")
        values = {**BASE[base], **one}
        lists = [[(k, x) for x in (v if isinstance(v, list) else [v])]
                 for k, v in sorted(values.items())]
        for l2_state in l2 if isinstance(l2, list) else [l2]:
            out += [Point(file, combination, l2_state)
                    for combination in itertools.product(*lists)]
    return out, sweep


def points():
    return list(dict.fromkeys(p for row in TABLE for p in row_points(row)[0]))


def sweeps():
    rows = [row_points(row) for row in TABLE]
    return {name: found for found, name in rows if name}


# --- what is held out ---------------------------------------------------------

def digest(*text):
    return hashlib.sha256((SALT + " ".join(text)).encode()).hexdigest()


def parameters(file):
    """The names of a program's parameters: its shape."""
    return re.findall(r"^ *param (\w+)", (ROOT / file).read_text(), re.M)


def in_a_third(point):
    """By hash of program and shape: constants of one shape stay together."""
    names = parameters(point.file)
    shape = [f"{k}={v}" for k, v in point.values if k in names]
    return int(digest(point.program, *shape)[:8], 16) % 3 == 0


def held_programs(all_points):
    count = {}
    for p in all_points:
        count[p.program] = count.get(p.program, 0) + 1
    able = [name for name, n in count.items() if n >= HELD_AT_LEAST]
    return sorted(able, key=digest)[:HELD_PROGRAMS]


def held_sweeps(programs):
    able = [name for name, found in sweeps().items()
            if found[0].program not in programs]
    return sorted(able, key=digest)[:HELD_SWEEPS]


def parts():
    found = points()
    programs = held_programs(found)
    swept = {p.key: name for name in held_sweeps(programs)
             for p in sweeps()[name]}
    out = {}
    for p in found:
        out[p.key] = (f"held out: program {p.program}" if p.program in programs
                      else f"held out: sweep {swept[p.key]}" if p.key in swept
                      else "held out: a third" if in_a_third(p) else "fit")
    return out
