#!/usr/bin/env python3
"""Times launches on a GPU.

    on_gpu.py FOLDER OUT.json

FOLDER is what `launches.py --cubins` writes. Each launch is warmed up three
times, then timed 20 times by events around it alone; launches queue up behind a
kernel that spins, so that nobody waits for the host. OUT.json gets the times in
us, sorted, how many registers a thread has, how many CTAs an SM holds, and the
SM clock behind the last one. Values are those of ../values/on_gpu.py.
"""
import ctypes
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "values"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent /
                       "values"))
import on_gpu as values  # noqa: E402  pylint: disable=wrong-import-position

import torch  # noqa: E402  pylint: disable=wrong-import-position

WARM, TIMED = 3, 20
SPIN = 400_000  # cycles: longer than the host takes to queue a launch
REGISTERS = 4  # CU_FUNC_ATTRIBUTE_NUM_REGS


def clock():
    said = subprocess.run(
        ["nvidia-smi", "--query-gpu=clocks.sm,power.draw",
         "--format=csv,noheader,nounits"], capture_output=True, text=True,
        check=False).stdout
    return said.strip()


def start_again(described, memory):
    for b in described["buffers"]:
        if b.get("start") == "zero":
            memory[b["name"]].zero_()


def timed(described, cubin):
    memory = {b["name"]: torch.frombuffer(
        bytearray(values.start_of(b) or b"\0"), dtype=torch.uint8).cuda()
        for b in described["buffers"]}
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    values.call("cuModuleLoadData", ctypes.byref(module), cubin)
    launch = described["launches"][0]
    values.call("cuModuleGetFunction", ctypes.byref(function), module,
                launch["kernel"].encode())
    shared = launch.get("dynamic_shared") or 0
    values.call("cuFuncSetAttribute", function, ctypes.c_int(8),
                ctypes.c_int(shared))
    registers, resident = ctypes.c_int(), ctypes.c_int()
    values.call("cuFuncGetAttribute", ctypes.byref(registers),
                ctypes.c_int(REGISTERS), function)
    x, y, z = launch["block"]
    values.call("cuOccupancyMaxActiveBlocksPerMultiprocessor",
                ctypes.byref(resident), function, ctypes.c_int(x * y * z),
                ctypes.c_size_t(shared))
    args = values.parameters(launch, described, memory)
    pointers = (ctypes.c_void_p * max(1, len(args)))(*[at for _, at in args])
    stream = torch.cuda.current_stream()
    config = values.Config(
        (ctypes.c_uint * 3)(*launch["grid"]),
        (ctypes.c_uint * 3)(*launch["block"]), shared,
        ctypes.c_void_p(stream.cuda_stream), None, 0)

    def go():
        values.call("cuLaunchKernelEx", ctypes.byref(config), function,
                    pointers, None)

    for _ in range(WARM):
        start_again(described, memory)
        go()
    torch.cuda.synchronize()
    times = []
    for _ in range(TIMED):
        start_again(described, memory)
        before, after = (torch.cuda.Event(enable_timing=True)
                         for _ in range(2))
        torch.cuda._sleep(SPIN)  # pylint: disable=protected-access
        before.record(stream)
        go()
        after.record(stream)
        torch.cuda.synchronize()
        times.append(before.elapsed_time(after) * 1000)
    values.call("cuModuleUnload", module)
    return {"us": [round(t, 3) for t in sorted(times)],
            "registers": registers.value, "ctas_per_sm": resident.value,
            "clock": clock()}


def main():
    folder, out = map(pathlib.Path, sys.argv[1:3])
    torch.zeros(1).cuda()
    results = {}
    for path in sorted(folder.glob("*.json")):
        described = json.loads(path.read_text())
        cubin = folder / described["launches"][0]["ptx"].replace(
            ".ptx", ".cubin")
        name = path.stem.replace("__", "/")
        try:
            results[name] = timed(described, cubin.read_bytes())
        except RuntimeError as error:
            results[name] = {"error": str(error)}
        print(name, results[name].get("us", ["-"])[len(
            results[name].get("us", ["-"])) // 2], flush=True)
        out.write_text(json.dumps(results, indent=1))
    print(torch.cuda.get_device_name())


if __name__ == "__main__":
    main()
