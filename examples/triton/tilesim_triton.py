"""Writes a launch description and the PTX of each kernel that Triton launches.

    import tilesim_triton
    tilesim_triton.record("recorded")          # before the first launch

or, without a change to the program:

    python3 tilesim_triton.py recorded program.py arguments ...

A launch becomes recorded/0000_kernel.json; equal PTX is written once. Values of
tensors are not written. What cannot be described is told on stderr, and the
program goes on.
"""
import hashlib
import json
import pathlib
import re
import runpy
import struct
import sys

SCALARS = {"fp32": "f32", "f32": "f32", "fp64": "f64", "i1": "u8"}
DTYPES = {"float16": "f16", "bfloat16": "bf16", "float32": "f32",
          "float64": "f64", "float8_e4m3fn": "e4m3", "float8_e5m2": "e5m2",
          "bool": "u8", **{f"{u}int{n}": f"{u or 's'}{n}"
                           for u in ("", "u") for n in (8, 16, 32, 64)}}


def scalar(kind, value):
    word = SCALARS.get(kind) or {"i": "s", "u": "u"}[kind[0]] + kind[1:]
    if word == "f32":  # as the kernel gets it
        value, = struct.unpack("f", struct.pack("f", value))
    return {word: value}


def elements_of(tensor, size):
    """Their type, and how many a storage of that many bytes has."""
    dtype = DTYPES.get(str(tensor.dtype).removeprefix("torch."))
    each = tensor.element_size()
    if not dtype or size % each:
        return {}
    whole = tensor.numel() * each == size and tensor.is_contiguous()
    # Of a slice: all of what it is one of.
    shape = list(tensor.shape) if whole else [size // each]
    return {"dtype": dtype, "shape": shape}


class Buffers:
    """A buffer for each storage that arguments point into."""

    def __init__(self):
        self.found = {}

    def reference(self, name, tensor):
        if tensor is None:
            return {"u64": 0}
        storage = tensor.untyped_storage()
        start, size = storage.data_ptr(), storage.nbytes()
        buffer = {"name": name, "address": hex(start), "bytes": size}
        elements = elements_of(tensor, size)
        buffer = self.found.setdefault(start, buffer | elements)
        if buffer.get("dtype") != elements.get("dtype"):  # seen as both
            buffer.pop("dtype", None), buffer.pop("shape", None)
        offset = tensor.data_ptr() - start
        place = {"offset": offset} if offset else {}
        return {"buffer": buffer["name"], **place}


def describe(kernel, grid, values):
    """The launch description, without the name of the PTX file."""
    grid = ([int(n) for n in grid] + [1, 1])[:3]
    ptx, meta = kernel.asm["ptx"], kernel.metadata
    buffers, params = Buffers(), []
    ctas = grid[0] * grid[1] * grid[2] * getattr(meta, "num_ctas", 1)
    for (name, kind), value in zip(kernel.src.signature.items(), values):
        name = kernel.src.fn.arg_names[name] if isinstance(name, int) else name
        if kind == "constexpr":
            continue
        if not isinstance(kind, str) or kind.startswith(("tensordesc", "nvTma")):
            raise ValueError(f"`{name}` is a {kind}, made on the host: not "
                             "described")
        params.append(buffers.reference(name, value) if kind.startswith("*")
                      else scalar(kind, value))
    made = list(buffers.found.values())
    for name in ("global_scratch", "profile_scratch"):  # Triton's own two
        size = getattr(meta, name + "_size", 0) * ctas
        if size:
            made.append({"name": name, "bytes": size, "start": "zero"})
        params.append({"buffer": name} if size else {"u64": 0})
    entry = re.search(r"\.entry (\w+)\((.*?)\)", ptx, re.S)
    params = params[:entry.group(2).count(".param")]
    threads = int(re.search(r"\.reqntid (\d+)", ptx).group(1))
    clusters = list(getattr(meta, "cluster_dims", None) or
                    [getattr(meta, "num_ctas", 1), 1, 1])
    return {"schema": 1, "target": re.search(r"\.target (\w+)", ptx).group(1),
            "buffers": made, "tensormaps": [], "launches": [{
                "kernel": entry.group(1), "ptx": None, "grid": grid,
                "block": [threads, 1, 1], "cluster": clusters,
                "dynamic_shared": meta.shared,
                "programmatic": bool(getattr(meta, "launch_pdl", False)),
                "params": params}]}


def write(folder, number, described, ptx):
    launch = described["launches"][0]
    digest = hashlib.sha256(ptx.encode()).hexdigest()[:8]
    launch["ptx"] = f"{launch['kernel']}-{digest}.ptx"
    (folder / launch["ptx"]).write_text(ptx)
    path = folder / f"{number:04}_{launch['kernel']}.json"
    path.write_text(json.dumps(described, indent=1) + "\n")


def record(folder):
    """Describes each launch from here on in files of the folder."""
    from triton.compiler import CompiledKernel
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    before, count = CompiledKernel.launch_metadata, iter(range(10 ** 9))

    def launch_metadata(kernel, grid, stream, *values):
        number = next(count)
        try:
            write(folder, number, describe(kernel, grid, values),
                  kernel.asm["ptx"])
        except Exception as error:  # the program's launch matters more
            print(f"tilesim: launch {number} of {kernel.name} is not recorded: "
                  f"{error!r}", file=sys.stderr)
        return before(kernel, grid, stream, *values)

    CompiledKernel.launch_metadata = launch_metadata


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    record(sys.argv[1])
    sys.argv = sys.argv[2:]
    runpy.run_path(sys.argv[0], run_name="__main__")
