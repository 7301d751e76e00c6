"""What is chosen from: shapes of products, and the programs and grids of each.

A grid is what `tilesim sweep` gets as -D, so that the points measured are those
that it ranks, no others."""
import itertools
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]

# M, N, K: squares, few rows, short K, long K, odd sizes.
SHAPES = [
    *[(n, n, n) for n in (512, 1024, 1536, 2048, 3072, 4096, 6144, 8192)],
    (256, 4096, 4096), (512, 4096, 4096), (256, 8192, 8192),
    (4096, 4096, 256), (8192, 8192, 512),
    (512, 512, 16384), (1024, 1024, 16384),
    (1000, 1000, 1000), (4104, 3000, 2040),
]

# Values of constants that go together are one axis, as in `-D A,B=..`.
GEMM = "examples/gemm/gemm.tile"
GRIDS = [
    (GEMM, ["CTAS_M=1,2", "CTAS_N=1", "CONSUMERS=1,2", "BN=64,128,192,256",
            "STAGES=4,6"]),
    (GEMM, ["CTAS_M=1", "CTAS_N=2", "CONSUMERS=1,2", "BN=64,128,192,256",
            "STAGES=4,6"]),
    ("examples/gemm/split_k.tile", ["SPLITS=2,4,8", "BN=64,128", "STAGES=5"]),
    ("examples/gemm/stream_k.tile", ["STAGES=4"]),
]
# Splitting K is for few tiles and a long K; elsewhere it is not tried.
FEW_TILES = 132


def splits(file):
    return "split_k" in file or "stream_k" in file


def grids(shape):
    """(file, axes) of what is tried for a shape."""
    m, n, k = shape
    few = (m // 128) * (n // 128) < FEW_TILES and m % 128 == n % 128 == 0
    for file, axes in GRIDS:
        if not splits(file) or (few and k % 512 == 0):
            yield file, [f"M={m}", f"N={n}", f"K={k}", *axes]


def points(shape):
    """(file, [NAME=VALUE]) of each point, legal or not."""
    for file, axes in grids(shape):
        names = [axis.split("=")[0] for axis in axes]
        values = [axis.split("=")[1].split(",") for axis in axes]
        for chosen in itertools.product(*values):
            yield file, [f"{n}={v}" for n, v in zip(names, chosen)]
