#!/usr/bin/env python3
"""What the hook for Triton says of the buffers of tensors, whole and in part.

triton_hook.py      no Triton, no PyTorch: tensors are what it asks of them
"""
import importlib.util
import pathlib
import types

HOOK = pathlib.Path(__file__).parents[2] / "examples/triton/tilesim_triton.py"


def hook():
    spec = importlib.util.spec_from_file_location("tilesim_triton", HOOK)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def tensor(dtype, each, shape, storage, offset=0):
    count = 1
    for n in shape:
        count *= n
    address, size = storage
    return types.SimpleNamespace(
        dtype=f"torch.{dtype}", shape=shape, numel=lambda: count,
        element_size=lambda: each, is_contiguous=lambda: True,
        data_ptr=lambda: address + offset,
        untyped_storage=lambda: types.SimpleNamespace(
            data_ptr=lambda: address, nbytes=lambda: size))


def main():
    buffers = hook().Buffers()
    whole = tensor("float16", 2, [4, 8], (0x1000, 64))
    part = tensor("int64", 8, [3], (0x2000, 80), 16)
    both = tensor("int32", 4, [10], (0x3000, 40))
    again = tensor("float32", 4, [5], (0x3000, 40), 20)
    odd = tensor("int64", 8, [2], (0x4000, 20))
    assert buffers.reference("whole", whole) == {"buffer": "whole"}
    assert buffers.reference("part", part) == {"buffer": "part", "offset": 16}
    buffers.reference("both", both)
    assert buffers.reference("again", again) == {"buffer": "both",
                                                 "offset": 20}
    buffers.reference("odd", odd)
    assert list(buffers.found.values()) == [
        {"name": "whole", "address": "0x1000", "bytes": 64, "dtype": "f16",
         "shape": [4, 8]},
        {"name": "part", "address": "0x2000", "bytes": 80, "dtype": "s64",
         "shape": [10]},
        {"name": "both", "address": "0x3000", "bytes": 40},
        {"name": "odd", "address": "0x4000", "bytes": 20},
    ], buffers.found


if __name__ == "__main__":
    main()
