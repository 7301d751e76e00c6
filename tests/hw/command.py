"""tilesim hw without a GPU, and with a driver whose kernels do nothing.

    command.py COMMAND FAKE_DRIVER_FOLDER FAKE_CUBLAS_FOLDER OLD_NVRTC_FOLDER
"""
import ctypes
import json
import os
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "cli"))
import harness  # noqa: E402

NO_DEVICE, FINDINGS, CLEAN = 4, 1, 0
FAKE = FAKE_CUBLAS = OLD_NVRTC = ""


def has(library):
    try:
        return bool(ctypes.CDLL(library))
    except OSError:
        return False


WRITES = harness.kernel("""  global R : u32[2] zero
  global S : u32[2]
  elect {
    st R[0], 1
    st S[0], 1
  }""", "grid (1)\n  block 32")


def has_nvrtc():
    return has("libnvrtc.so.13") or os.path.exists(
        "/usr/local/cuda/lib64/libnvrtc.so.13")


class Case(harness.Case):
    def hw(self, *args, launch="", driver=True, **more):
        env = dict(os.environ, TILESIM_FAKE_LAUNCH=launch)
        if driver:
            env["LD_LIBRARY_PATH"] = FAKE
        env.update(more)
        return self.run_it("hw", *args, env=env)


class Missing(Case):
    """What is missing is said, all of it, and the exit code is 4."""

    def missing(self, *said, **how):
        for more in ([], ["--schedules", 2], ["--format", "json"]):
            done = self.hw(self.file(WRITES), *more, **how)
            self.assertEqual(done.returncode, NO_DEVICE, done.stderr)
            answer = (json.loads(done.stdout)["files"][0]["failure"]
                      if "json" in more else done.stdout)
            self.assertEqual(bool(answer), "json" in more)
            for text in said:
                self.assertIn(text, done.stderr)
                if answer:
                    self.assertIn(text, answer)

    @unittest.skipIf(has("libcuda.so.1"), "there is a driver")
    def test_no_driver(self):
        self.missing("no CUDA driver: libcuda.so.1", driver=False)

    @unittest.skipIf(has("libcuda.so.1"), "there is a driver")
    def test_neither_driver_nor_toolkit(self):
        self.missing("no CUDA driver", "this NVRTC is too old", driver=False,
                     LD_LIBRARY_PATH=OLD_NVRTC)

    def test_a_toolkit_that_is_too_old(self):
        self.missing("this NVRTC is too old",
                     LD_LIBRARY_PATH=f"{FAKE}:{OLD_NVRTC}")

    @unittest.skipIf(has_nvrtc(), "there is a toolkit")
    def test_no_toolkit(self):
        self.missing("no NVRTC: libnvrtc.so")


@unittest.skipUnless(has_nvrtc(), "no NVRTC")
class Hw(Case):
    def outcomes(self, *args, launch=""):
        done = self.hw(self.file(WRITES), "--schedules", 5, "--format", "json",
                       *args, launch=launch)
        self.assertIn(done.returncode, (CLEAN, FINDINGS), done.stderr)
        return [(o["kind"], o["count"], o["undelayed"], o["first_seed"])
                for o in json.loads(done.stdout)["files"][0]["outcomes"]]

    def test_code_for_another_gpu_is_no_device(self):
        text = WRITES.replace("sm_90a", "sm_100a")
        done = self.hw(self.file(text))
        self.assertEqual(done.returncode, NO_DEVICE, done.stderr)
        self.assertIn("the program is for sm_100a, but a fake GPU is sm_90",
                      done.stderr)

    def test_what_is_not_written_is_found(self):
        done = self.hw(self.file(WRITES), "--format", "json")
        self.assertEqual(done.returncode, FINDINGS, done.stderr)
        file = json.loads(done.stdout)["files"][0]
        self.assertEqual([f["code"] for f in file["findings"]],
                         ["result/mismatch"] * 2)
        self.assertIn("the first is [0]: 4294967295 instead of 1",
                      file["findings"][1]["message"])
        self.assertEqual(file["result"]["bit_exact"], False)
        self.assertEqual(file["measured"]["median_us"], 250)
        self.assertEqual(len(file["measured"]["times_us"]), 20)
        self.assertGreater(file["predicted"]["cycles"], 0)

    @unittest.skipIf(has("libcublas.so.13"), "there is cuBLAS")
    def test_a_library_that_is_not_there_is_said(self):
        done = self.hw(*harness.SMALL, "--runs", 1, "--cublas", "--format",
                       "json")
        self.assertIn("no cuBLAS: libcublas.so", done.stderr)
        self.assertIn("problem", json.loads(done.stdout)["files"][0]
                      ["measured"]["cublas"])

    def cublas(self, **more):
        done = self.hw(*harness.SMALL, "--runs", 4, "--cublas", "--format",
                       "json", LD_LIBRARY_PATH=f"{FAKE}:{FAKE_CUBLAS}", **more)
        self.assertEqual(done.returncode, FINDINGS, done.stderr)
        measured = json.loads(done.stdout)["files"][0]["measured"]
        self.assertEqual(len(measured["times_us"]), 4)
        return measured["cublas"]

    def test_cublas_is_timed_as_ours_is(self):
        self.assertEqual(self.cublas(), {
            "median_us": 250, "times_us": [250] * 4, "speed_of_cublas": 1})

    def test_a_product_that_cublas_refuses_is_said(self):
        self.assertEqual(self.cublas(TILESIM_FAKE_CUBLAS="fail"),
                         {"problem": "cublasGemmEx returns 13"})

    def test_cublas_is_asked_for_one_product_only(self):
        done = self.hw(self.file(WRITES), "--cublas")
        self.assertEqual(done.returncode, harness.BAD_INPUT)
        self.assertIn("computes one product of two matrices", done.stderr)

    def test_a_trace_is_written_and_its_cost_said(self):
        out = self.folder / "trace.json"
        done = self.hw(self.file(WRITES), "--runs", 2, "--trace", out)
        self.assertIn("with its stamps the code takes 1.00 times as long",
                      done.stderr)
        self.assertEqual(json.loads(out.read_text())["traceEvents"], [])

    def spans(self, *args, launch="stamps"):
        return self.hw(self.file(WRITES), "--spans", "--runs", 3, *args,
                       launch=launch)

    def test_what_cannot_be_lowered_is_said_once(self):
        program = ("tests/verify/half_a_warp_reads_without_its_sync.fixed"
                   ".tile")
        for more in ([], ["--spans"], ["--schedules", 2]):
            done = self.hw(program, *more)
            self.assertEqual(done.returncode, harness.BAD_INPUT)
            self.assertEqual(done.stderr.count("error[lower/unsupported]"), 1)

    def test_times_and_stamps_are_of_the_same_launches(self):
        for more in ([], ["--cold"]):
            done = self.spans("--format", "json", *more)
            self.assertEqual(done.returncode, CLEAN, done.stderr)
            file = json.loads(done.stdout)["files"][0]
            self.assertEqual(file["l2"], "cold" if more else "warm")
            for name in ("plain_us", "stamped_us", "host_us"):
                self.assertEqual(file[name], [250] * 3)
            for name in ("span_ns", "clock_mhz", "cycles", "cta_cycles",
                         "ramp_ns", "drain_ns"):
                self.assertEqual(len(file[name]), 3)
            self.assertEqual(file["unwritten"], {"S": 1})
            self.assertTrue(file["same_outputs"])
            self.assertNotIn("predicted", file)

    def test_a_launch_that_leaves_no_stamps_is_an_error(self):
        done = self.spans(launch="")
        self.assertEqual(done.returncode, FINDINGS)
        self.assertIn("left no stamps", done.stdout)

    def test_a_hang_with_stamps_is_killed(self):
        done = self.spans("--timeout", 0.5, launch="hang")
        self.assertEqual(done.returncode, FINDINGS)
        self.assertIn("killed after 0.5 s", done.stdout)

    def test_equal_launches_are_one_outcome(self):
        self.assertEqual(self.outcomes(), [("values", 5, 2, 0)])

    def test_after_a_fault_the_rest_is_launched(self):
        self.assertEqual(self.outcomes(launch="fault"),
                         [("values", 4, 2, 0), ("fault", 1, 0, 2)])
        self.assertEqual(self.outcomes("--failures", 1, launch="fault"),
                         [("values", 2, 1, 0), ("fault", 1, 0, 2)])

    def test_a_hang_is_killed_and_the_rest_is_launched(self):
        self.assertEqual(self.outcomes("--timeout", 0.5, launch="hang"),
                         [("values", 4, 2, 0), ("hang", 1, 0, 2)])

    def test_a_hang_of_the_measured_run_is_a_finding(self):
        done = self.hw(self.file(WRITES), "--timeout", 0.5, launch="hang")
        self.assertEqual(done.returncode, FINDINGS, done.stderr)
        self.assertIn("error[hw/hang]: killed after 0.5 s", done.stdout)


if __name__ == "__main__":
    OLD_NVRTC = sys.argv.pop(4)
    FAKE_CUBLAS = sys.argv.pop(3)
    FAKE = sys.argv.pop(2)
    harness.main()
