"""TFLOP/s are of useful work: what a causal mask hides is not counted.

    python3 useful_work.py COMMAND       # in the root of the repository
"""
import json
import subprocess
import sys

S, D = 1024, 128
PROGRAM = "examples/attention/fmha_sm90.tile"


def flops(command, causal):
    done = subprocess.run(
        [command, "run", PROGRAM, "-D", "BH=1", "-D", f"S={S}", "-D",
         f"CAUSAL={causal}", "--timing-only", "--format", "json"],
        capture_output=True, text=True, check=True)
    report = json.loads(done.stdout)["files"][0]
    return report["tflops"] * report["time_us"] * 1e6


def main():
    products = 2 * 2 * D  # Q * K and P * V, a multiply-add each
    for causal, scores in ((0, S * S), (1, S * (S + 1) // 2)):
        got, want = flops(sys.argv[1], causal), products * scores
        assert abs(got / want - 1) < 1e-6, (causal, got, want)


main()
