#!/usr/bin/env python3
"""Runs each case of scalar_write on a GPU; needs the driver only.

    run.py FOLDER TARGET OUTPUTS

FOLDER has scalar.cubin, inputs.bin and cases.TARGET.txt. OUTPUTS gets what
each case gave, 64-bit words, in the order of the cases.
"""
import ctypes
import pathlib
import sys

SAMPLES, BLOCK = 4096, 128

cuda = ctypes.CDLL("libcuda.so.1")


def check(code, what):
    if code != 0:
        text = ctypes.c_char_p()
        cuda.cuGetErrorString(code, ctypes.byref(text))
        sys.exit(f"{what}: {text.value.decode() if text.value else code}")


def alloc(size):
    address = ctypes.c_uint64()
    check(cuda.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(size)),
          "cuMemAlloc")
    return address


def start():
    check(cuda.cuInit(0), "cuInit")
    device, context = ctypes.c_int(), ctypes.c_void_p()
    check(cuda.cuDeviceGet(ctypes.byref(device), 0), "cuDeviceGet")
    check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device),
          "cuDevicePrimaryCtxRetain")
    check(cuda.cuCtxSetCurrent(context), "cuCtxSetCurrent")


def load(path):
    module = ctypes.c_void_p()
    check(cuda.cuModuleLoad(ctypes.byref(module), str(path).encode()),
          "cuModuleLoad")
    return module


def launch(module, name, grid, pointers):
    function = ctypes.c_void_p()
    check(cuda.cuModuleGetFunction(ctypes.byref(function), module,
                                   name.encode()), name)
    values = [ctypes.c_uint64(p) for p in pointers]
    params = (ctypes.c_void_p * len(values))(
        *[ctypes.cast(ctypes.byref(v), ctypes.c_void_p) for v in values])
    check(cuda.cuLaunchKernel(function, grid, 1, 1, BLOCK, 1, 1, 0, None,
                              params, None), name)


def read(address, size):
    buffer = ctypes.create_string_buffer(size)
    check(cuda.cuMemcpyDtoH_v2(buffer, address, ctypes.c_size_t(size)),
          "cuMemcpyDtoH")
    return buffer.raw


def main():
    folder, target = pathlib.Path(sys.argv[1]), sys.argv[2]
    start()
    module = load(folder / "scalar.cubin")
    inputs = (folder / "inputs.bin").read_bytes()
    pools, out = alloc(len(inputs)), alloc(SAMPLES * 8 * 8)
    check(cuda.cuMemcpyHtoD_v2(pools, inputs, ctypes.c_size_t(len(inputs))),
          "cuMemcpyHtoD")
    cases = (folder / f"cases.{target}.txt").read_text().splitlines()
    with open(sys.argv[3], "wb") as outputs:
        for case in cases:
            name, _, widths, *places = case.split("\t")
            pointers = [out.value] + [pools.value + int(p) * SAMPLES * 8
                                      for p in places]
            launch(module, name, SAMPLES // BLOCK, pointers)
            outputs.write(read(out, SAMPLES * 8 * (widths.count(",") + 1)))
    print(f"{len(cases)} cases")


if __name__ == "__main__":
    main()
