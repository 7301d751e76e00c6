#!/usr/bin/env python3
"""What `run` says of a run: as text, as JSON, and in a trace."""
import json
import unittest

import harness

SHORT = [harness.GEMM, "-D", "M=256", "-D", "N=256", "-D", "K=512"]
HANGS = "tests/run/two_roles_wait_for_each_other.tile"
POLLS = "tests/run/role_polls_a_flag_that_nobody_sets.tile"
TWO_KERNELS = "examples/gemm/pdl_pair.tile"
COPY = "examples/memory/copy.tile"
WARP_SPECIALISED = ["examples/hopper/hgemm_v07.tile", "-D", "M=512", "-D",
                    "N=512", "-D", "K=512"]


class Report(harness.Case):
    def json_of(self, *args, code=0):
        done = self.run_it("run", *args, "--format", "json")
        self.assertEqual(done.returncode, code, done.stderr[-2000:])
        return json.loads(done.stdout)["files"][0]

    def test_flags_go_to_l2_and_back(self):
        """flag.hop of the H200's readings: 858 to 1,027 cycles from CTA to CTA."""
        path = self.file("""kernel k target sm_90a {
  param N : 1.. = 64
  global F : u32[2, 64] zero
  grid (2)
  block 32
  thread 0 {
    for i in 0..N {
      var v = 0
      while v < (cta.x == 0 ? i : i + 1) {
        ld.acquire.gpu v, F[cta.x, 0]
      }
      st.release.gpu F[1 - cta.x, 0], i + 1
    }
  }
}
""")
        few, many = (self.json_of(path, "--timing-only", "-D", f"N={n}")["cycles"]
                     for n in (64, 1064))
        self.assertTrue(770 < (many - few) / 2000 < 1027, (few, many))

    def moved_by_loads_of(self, shape, box, swizzle, *starts):
        """Traffic of one CTA that loads boxes of a tensor, L2 cold."""
        size = 1
        for extent in box:
            size *= extent
        loads = "\n".join(
            f"      mbarrier.arrive.expect_tx bar, bytes(x)\n"
            f"      tma.load x, X[{', '.join(f'{s} :+ {e}' for s, e in zip(at, box))}], bar\n"
            f"    }}\n    mbarrier.wait bar, parity = {i & 1}\n    bar.sync 0\n"
            f"    warp 0, elect {{" for i, at in enumerate(starts))
        path = self.file(f"""kernel k target sm_90a {{
  global X : f16[{', '.join(map(str, shape))}]
  grid (1)
  block 32
  mbarrier bar
  shared x : f16[{', '.join(map(str, box))}] swizzle {swizzle}
  warp 0, elect {{
    mbarrier.init bar, 1
    fence.mbarrier_init
  }}
  bar.sync 0
    warp 0, elect {{
{loads} mbarrier.inval bar }}
}}
""")
        traffic = self.json_of(path, "--timing-only", "--l2", "cold")["traffic"]
        return traffic["l2_bytes"], traffic["hbm_bytes"]

    def test_a_box_of_four_dimensions_is_all_of_its_rows(self):
        l2, hbm = self.moved_by_loads_of((2, 8, 16, 64), (1, 4, 16, 64), "128B",
                                         (0, 0, 0, 0), (1, 4, 0, 0))
        self.assertEqual((l2, hbm), (2 * 4 * 16 * 128, 2 * 4 * 16 * 128))

    def test_half_a_line_brings_the_other_half(self):
        for cols, swizzle in ((32, "64B"), (16, "32B")):
            starts = [(0, c) for c in range(0, 256, cols)]
            l2, hbm = self.moved_by_loads_of((64, 256), (64, cols), swizzle,
                                             *starts)
            self.assertEqual((l2, hbm), (64 * 512, 64 * 512))

    def text_of(self, *args, code=0):
        done = self.run_it("run", *args)
        self.assertEqual(done.returncode, code, done.stderr[-2000:])
        return done.stdout

    def test_its_head_has_sizes_seed_version_and_clock(self):
        said = self.json_of(*SHORT, "--seed", "7")
        self.assertEqual(said["params"], {"M": 256, "N": 256, "K": 512})
        self.assertEqual(said["constants"]["STAGES"], 2)
        self.assertEqual((said["seed"], said["l2"]), (7, "warm"))
        self.assertRegex(said["version"], r"tilesim \d")
        self.assertGreater(said["clock_mhz"], 0)
        head = self.text_of(*SHORT, "--seed", "7").split("\n\n")[0]
        for words in ("M = 256, N = 256, K = 512", "STAGES = 2",
                      "seed 7, L2 warm, tilesim "):
            self.assertIn(words, head)

    def test_the_critical_path_is_the_run_in_order_of_share(self):
        for args in (SHORT, WARP_SPECIALISED, [TWO_KERNELS]):
            said = self.json_of(*args, "--timing-only")
            path = said["critical_path"]
            cycles = [step["cycles"] for step in path]
            self.assertEqual(sum(cycles), said["cycles"], args)
            self.assertEqual(cycles, sorted(cycles, reverse=True))
            self.assertAlmostEqual(sum(step["share"] for step in path), 1)
            for step in path:
                self.assertTrue(step["line"] or step["cause"] == "launch", step)
                self.assertEqual(step["line"] is None, step["source"] is None)

    # Not the unit that sends the bytes: what these wait for is HBM, which has
    # to take what leaves L2.
    def test_the_path_of_a_copy_is_spent_on_hbm(self):
        said = self.json_of(COPY, "--timing-only")
        self.assertEqual(said["bound_by"], "HBM")
        on = {}
        for step in said["critical_path"]:
            on[step["cause"]] = on.get(step["cause"], 0) + step["share"]
        self.assertEqual(max(on, key=on.get), "HBM", on)
        self.assertGreater(on["HBM"], 0.7)

    def test_what_bounds_it_agrees_with_the_shares(self):
        for args in (SHORT, [harness.GEMM, "--timing-only"],
                     [COPY, "--timing-only", "--l2", "cold"]):
            said = self.json_of(*args)
            busy = {u["name"]: u["busy"] for u in said["units"]}
            if max(busy.values()) >= 0.6:
                self.assertNotIn("latency", said["bound_by"], args)
            else:
                self.assertIn("latency", said["bound_by"], args)

    def test_bytes_are_those_that_the_program_moves(self):
        said = self.json_of(COPY, "--timing-only", "--l2", "cold")
        size = 1
        for value in said["params"].values():
            size *= value
        traffic = said["traffic"]
        self.assertGreaterEqual(traffic["l2_bytes"], 2 * 2 * size * 0.99)
        self.assertGreaterEqual(traffic["hbm_bytes"], 2 * size * 0.99)
        self.assertLess(traffic["l2_hit_rate"], 0.01)
        self.assertLess(traffic["hbm_gb_per_s"], traffic["hbm_peak_gb_per_s"])
        # Half of it is written: less than of reads alone, 4,524.
        self.assertLess(traffic["hbm_peak_gb_per_s"], 4500)
        self.assertGreater(traffic["hbm_peak_gb_per_s"], 3900)
        # A roof is above what it bounds, as near as the unit is busy.
        for args in ([COPY, "--l2", "cold"], [COPY, "--set",
                                              "hbm_bandwidth=1000"]):
            said = self.json_of(*args, "--timing-only")
            t, units = said["traffic"], said["units"]
            [busy] = [u["busy"] for u in units if u["name"] == "HBM"]
            self.assertAlmostEqual(
                t["hbm_gb_per_s"] / t["hbm_peak_gb_per_s"], busy, delta=0.02)
        # That of L2 is one of the GPU, whatever runs.
        peaks = {self.json_of(*args, "--timing-only")["traffic"]
                 ["l2_peak_gb_per_s"] for args in ([COPY], SHORT)}
        self.assertEqual(len(peaks), 1)
        gemm = self.json_of(*SHORT, "--timing-only")["traffic"]
        self.assertEqual(gemm["flops"], 2 * 256 * 256 * 512)
        self.assertEqual(gemm["l2_hit_rate"], 1)  # it is warm and fits

    def test_intensity_is_beside_the_roof(self):
        said = self.json_of(harness.GEMM, "--timing-only", "--l2", "cold")
        traffic = said["traffic"]
        text = self.text_of(harness.GEMM, "--timing-only", "--l2", "cold")
        for name in ("hbm", "l2"):
            intensity = traffic["flops"] / traffic[f"{name}_bytes"]
            bend = (traffic["peak_tflops"] * 1e3 /
                    traffic[f"{name}_peak_gb_per_s"])
            side, limit = (("below", name.upper()) if intensity < bend
                           else ("above", "compute"))
            self.assertRegex(
                text, f"of {name.upper()} +{intensity:.1f} FLOP/B +{side} "
                f"{bend:.1f} FLOP/B: {limit} limits it")
        self.assertNotIn("Arithmetic Intensity",
                         self.text_of(COPY, "--timing-only"))

    def test_kernels_of_a_file_are_told_apart(self):
        said = self.json_of(TWO_KERNELS, "--timing-only")
        names = [k["name"] for k in said["kernels"]]
        self.assertEqual(len(set(names)), 2)
        for kernel in said["kernels"]:
            self.assertLess(kernel["start_cycle"], kernel["end_cycle"])
            self.assertGreater(kernel["launch"]["ctas"], 0)
        self.assertEqual({r["kernel"] for r in said["roles"]}, set(names))
        self.assertEqual([k["launch"]["cluster_size"]
                          for k in said["kernels"]], [[1, 1, 1], [1, 1, 1]])
        self.assertEqual(max(k["end_cycle"] for k in said["kernels"]),
                         said["cycles"])
        text = self.text_of(TWO_KERNELS, "--timing-only")
        for name in names:
            self.assertIn(f"Launch Statistics of {name}", text)
        self.assertIn(f": {', '.join(names)} on ", text.split("\n")[0])
        self.assertEqual(self.json_of(*SHORT)["kernels"], [])

    def test_what_hangs_took_no_time(self):
        said = self.json_of(HANGS, code=1)
        self.assertFalse(said["finished"])
        self.assertIsNone(said["time_us"])
        self.assertIsNone(said["bound_by"])
        self.assertEqual(said["critical_path"], [])
        text = self.text_of(HANGS, code=1)
        self.assertIn("it did not end", text)
        self.assertNotIn(" us ", text)
        # Who never gets on, and where.
        self.assertRegex(text, r"left +1 .* mbarrier x, for ever at line 14 ")
        self.assertRegex(text, r"right +1 .* mbarrier y, for ever at line 18 ")
        stuck = {role["name"]: wait["at"] for role in said["roles"]
                 for wait in role["waits"] if wait["for_ever"] == 1}
        self.assertEqual(stuck, {"left": "14", "right": "18"})

    def test_who_polls_for_ever_is_stuck_too(self):
        text = self.text_of(POLLS, code=1)
        self.assertRegex(text, r"polls +1 .* polling, for ever at line 20 ")
        self.assertRegex(text, r"waits +1 .* mbarrier x, for ever at line 14 ")
        trace = self.folder / "polls.json"
        self.run_it("run", POLLS, "--trace", trace)
        bars = json.loads(trace.read_text())["traceEvents"]
        tracks = {(b["pid"], b["tid"]): b["args"]["name"] for b in bars
                  if b["name"] == "thread_name"}
        polling = [b for b in bars if b["name"] == "POLLS FOR EVER"]
        self.assertEqual(len(polling), 1)
        self.assertEqual(polling[0]["args"]["line"], 20)
        self.assertEqual(polling[0]["cat"], "wait")
        self.assertIn("polls", tracks[polling[0]["pid"], polling[0]["tid"]])

    def test_bits_and_errors_say_against_what(self):
        text = self.text_of(*SHORT)
        self.assertRegex(text, r"MMA sums +bit for bit those of a slow reference"
                         " of the tensor core's own rule")
        self.assertIn("against the exact result of the same inputs", text)

    def test_right_or_wrong_comes_first(self):
        text = self.text_of(*SHORT)
        self.assertRegex(text, r"Checked +right, in [\d,]+ elements")
        copy = """kernel k target sm_90a {
  global X : f32[64]
  global Y : f32[64]
  computes Y = gelu(X)
  grid (1)
  block 64
  STORE
}
"""
        wrong = self.file(harness.pathlib.Path(
            "examples/memory/copy.tile").read_text().replace(
                "computes Y = X", "computes Y = gelu(X)"), "wrong.tile")
        text = self.text_of(wrong, code=1)
        self.assertRegex(text, r"Checked +wrong: [\d,]+ of [\d,]+ elements")
        unwritten = self.file(copy.replace("STORE", "bar.sync 0"), "n.tile")
        text = self.text_of(unwritten, code=1)
        self.assertRegex(text, r"Checked +no\n +Not compared +`Y`: nothing wrote it")
        self.assertNotIn("Max absolute error", text)
        self.assertFalse(self.json_of(unwritten, code=1)["result"]["checked"])

    def test_values_are_those_of_one_size(self):
        rows = """kernel k target sm_90a {
  const CHUNK = 64
  param N : 1.. = 128
  global X : f32[1, N]
  global Y : f32[1, N]
  computes Y = X
  grid (1)
  block 32
  reg x : f32[1, CHUNK] fragment blocked(1)
  for c in 0..N step CHUNK {
    ld.global x, X[0 :+ 1, c :+ CHUNK]
    st.global Y[0 :+ 1, c :+ CHUNK], x
  }
}
"""
        text = self.text_of(self.file(rows, "rows.tile"))
        self.assertRegex(text, "Compared at +these sizes only; N also takes "
                         "sizes that are no multiple of CHUNK: try -D N=129\n")
        text = self.text_of(self.file(rows.replace("1.. =", "64.. step 64 ="),
                                      "whole.tile"))
        self.assertRegex(text, "Compared at +these sizes only\n")

    def test_lines_have_what_they_waited_for_and_on_whom(self):
        said = self.json_of(*SHORT, "--lines", "--timing-only")
        lines = {l["line"]: l for l in said["lines"]}
        source = harness.pathlib.Path(harness.GEMM).read_text().split("\n")
        loads = [n for n, l in lines.items() if "tma.load" in source[n - 1]]
        waits = [w for l in lines.values() for w in l["waits"]
                 if w["on"] == "mbarrier full"]
        self.assertTrue(waits)
        for wait in waits:
            self.assertIn(wait["by_line"], loads)
            self.assertEqual((wait["by"], wait["by_role"]),
                             ("tma.load", "producer"))
        # Busy and waits of all lines are those of all roles.
        roles = sum(r["lifetime_cycles"] for r in said["roles"])
        both = sum(l["busy_cycles"] + l["waited_cycles"] for l in lines.values())
        self.assertAlmostEqual(both / roles, 1, delta=0.001)
        text = self.text_of(*SHORT, "--lines", "--timing-only")
        self.assertIn("^ waited on mbarrier full, ended by line", text)
        self.assertIn(source[9], text)

    # Also registers that are on the way have an op that ends the wait.
    def test_a_wait_for_registers_names_the_op_that_writes_them(self):
        for program in ("examples/memory/softmax.tile",
                        "examples/tilelang/gemm_mma.tile"):
            said = self.json_of(program, "--lines", "--timing-only")
            source = harness.pathlib.Path(program).read_text().split("\n")
            seen = set()
            for line in said["lines"]:
                for wait in line["waits"]:
                    if wait["on"] not in ("load", "earlier result"):
                        continue
                    seen.add(wait["on"])
                    written = source[wait["by_line"] - 1].split("//")[0]
                    self.assertIn(wait["by"], written)
                    # The op names what the line that waits uses.
                    tile = written.split()[1].rstrip(",").split("[")[0]
                    self.assertRegex(source[line["line"] - 1],
                                     rf"\b{tile}\b", (program, line["line"]))
                    loads = wait["by"].startswith("ld")
                    self.assertEqual(wait["on"] == "load", loads, wait)
            self.assertTrue(seen, program)
        text = self.text_of("examples/memory/softmax.tile", "--lines",
                            "--timing-only")
        self.assertRegex(
            text, r"waited on load, ended by line \d+: ld.shared of rows")

    def test_it_is_compared_with_an_earlier_run(self):
        old = self.folder / "old.json"
        old.write_text(self.run_it("run", *SHORT, "--format", "json").stdout)
        same = self.json_of(*SHORT, "--baseline", old)["baseline"]
        self.assertEqual(same["differs"], [])
        for delta in same["deltas"]:
            self.assertEqual(delta["before"], delta["now"], delta)
        faster = self.text_of(*SHORT, "-D", "STAGES=4", "--baseline", old)
        self.assertIn("not the same: STAGES: 4, was 2", faster)
        self.assertRegex(faster, r"Duration +[\d.]+ us +[\d.]+ us +[-+][\d.]+ %")
        done = self.refuses("run", TWO_KERNELS, "--timing-only", "--baseline",
                            old, says="is about `")
        self.assertEqual(done.stdout, "")  # nothing was run
        self.refuses("run", *SHORT, "--baseline", self.file("[]", "b.json"),
                     says="is not what `tilesim run --format json` prints")
        self.refuses("run", *SHORT, "--baseline", self.folder / "none.json",
                     says="none.json")

    def test_a_hint_is_what_running_it_shows(self):
        args = [harness.GEMM, "-D", "M=1024", "-D", "N=1024", "-D", "K=2048",
                "-D", "STAGES=1", "--timing-only"]
        said = self.json_of(*args, "--hints")
        self.assertTrue(said["hints"])
        best = said["hints"][0]
        name, value = best["change"].split(" = ")
        args[args.index("STAGES=1")] = f"{name}={value}"
        self.assertAlmostEqual(self.json_of(*args)["time_us"], best["time_us"])
        self.assertAlmostEqual(best["time_us"] / said["time_us"] - 1,
                               best["of_time"])
        self.assertLess(best["of_time"], 0)
        self.assertIn("STAGES = 2, 3, 5", said["hints_tried"])
        self.assertIn("nothing was tried", self.text_of(
            self.file(harness.kernel("  bar.sync 0")), "--hints"))

    def test_an_arch_of_a_file(self):
        h200 = harness.pathlib.Path("sim/arch/h200.toml").read_text()
        same = self.json_of(*SHORT, "--arch", self.file(h200, "own.toml"))
        usual = self.json_of(*SHORT)
        self.assertEqual(same["cycles"], usual["cycles"])
        self.assertIn("own.toml", same["arch"])
        self.assertIsNone(same["clock_error"])  # nothing was measured on it
        for text, words in (
                ("x = 1", "name, title, target"),
                (h200.replace("tma_latency", "tma_lateness"), "`tma_latency`"),
                (h200.replace("sms = [132", "sms = [130"), "GPCs"),
                ("= [", "")):
            self.refuses("run", *SHORT, "--arch", self.file(text, "bad.toml"),
                         says=["bad.toml", words])
        self.refuses("run", *SHORT, "--arch", self.folder / "no.toml",
                     says="no.toml")


class Trace(harness.Case):
    def trace(self, *args):
        path = self.folder / f"{len(list(self.folder.iterdir()))}.json"
        done = self.run_it("run", *args, "--timing-only", "--trace", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        return path, json.loads(path.read_text())

    def tracks(self, trace):
        processes = {e["pid"]: e["args"]["name"] for e in trace["traceEvents"]
                     if e["name"] == "process_name"}
        return {(e["pid"], e["tid"]): (processes[e["pid"]], e["args"]["name"])
                for e in trace["traceEvents"] if e["name"] == "thread_name"}

    def test_it_shows_the_whole_gpu_and_the_path(self):
        path, trace = self.trace(*WARP_SPECIALISED)
        tracks = self.tracks(trace)
        gpu = {name for process, name in tracks.values() if process == "GPU"}
        self.assertIn("critical path", gpu)
        self.assertIn("SM 0", gpu)
        events = [e for e in trace["traceEvents"] if e["ph"] == "X"]
        steps = [e for e in events
                 if tracks[e["pid"], e["tid"]] == ("GPU", "critical path")]
        at = 0
        for step in steps:  # without a hole, from the launch to the end
            self.assertEqual(step["args"]["cycle"], at)
            at += step["args"]["cycles"]
        curves = {e["name"] for e in trace["traceEvents"] if e["ph"] == "C"}
        self.assertLessEqual({"HBM, % busy", "L2 ports, % busy",
                              "tensor cores, % busy",
                              "TMA operations in flight"}, curves)

    def test_tracks_and_slices_say_what_they_are(self):
        _, trace = self.trace(*WARP_SPECIALISED, "--trace-cta", "0")
        tracks = self.tracks(trace)
        names = {name for _, name in tracks.values()}
        self.assertTrue(any(n.startswith("setup (") for n in names), names)
        self.assertTrue(any(n.startswith("producer (") for n in names), names)
        lanes = {n for n in names if n.startswith("TMA")}
        self.assertTrue(all("[" in n or " " in n for n in lanes), lanes)
        products = [e["args"] for e in trace["traceEvents"] if e["ph"] == "X"
                    and tracks[e["pid"], e["tid"]][1] == "tensor core"]
        self.assertGreater(len({args["i"] for args in products}), 4)

    def test_sms_are_chosen_by_ranges(self):
        def processes(*chosen):
            _, trace = self.trace(*SHORT, *chosen)
            return len([e for e in trace["traceEvents"]
                        if e["name"] == "process_name"]) - 1  # less the GPU
        self.assertEqual(processes("--trace-sm", "all"), 4)
        self.assertLess(processes(), 4)
        self.assertEqual(processes("--trace-sm", "0-1"), processes())
        self.assertEqual(processes("--trace-cta", "1-3"), 3)
        for bad in ("3-1", "x", "-1", "1,,2", "0-99999999999"):
            self.refuses("run", *SHORT, "--trace", self.folder / "t.json",
                         f"--trace-sm={bad}", says="numbers and ranges")

    def test_a_diff_ends_with_what_it_found(self):
        one, _ = self.trace(*SHORT)
        two, _ = self.trace(*SHORT, "--set", "tma_latency=2000")
        other, _ = self.trace(TWO_KERNELS)
        same = self.run_it("trace", "diff", one, one)
        self.assertEqual(same.returncode, 0, same.stderr)
        self.assertIn("no line takes another time", same.stdout)
        parts = self.run_it("trace", "diff", one, two)
        self.assertEqual(parts.returncode, 1, parts.stderr)
        summary = parts.stdout.split("\n\n")[1].splitlines()
        self.assertIn("where time differs", summary[0])
        self.assertLessEqual(len(summary), 6)
        self.assertIn("tma.load", summary[1])  # what was made slower
        self.assertIn("WAIT full", "\n".join(summary))
        said = json.loads(self.run_it("trace", "diff", one, two, "--format",
                                      "json").stdout)
        self.assertFalse(said["equal"])
        apart = [abs(p["cycles_b"] - p["cycles_a"])
                 for p in said["where_time_differs"]]
        self.assertEqual(apart, sorted(apart, reverse=True))
        waits = [p for p in said["where_time_differs"]
                 if p["name"] == "WAIT full"]
        self.assertGreater(waits[0]["cycles_b"], waits[0]["cycles_a"])
        self.refuses("trace", "diff", one, other, says="one program")
        self.assertEqual(said["a"]["file"], str(one))

    def test_a_diff_of_other_sizes_is_refused(self):
        one, trace = self.trace(*SHORT)
        self.assertEqual(trace["otherData"]["sizes"],
                         {"M": 256, "N": 256, "K": 512})
        self.assertEqual(trace["otherData"]["seed"], 0)
        two, _ = self.trace(*SHORT[:-1], "K=1024")
        self.refuses("trace", "diff", one, two,
                     says="other sizes: K is 512 in one, 1024 in the other")

    def test_the_critical_path_is_flows(self):
        def flows(trace):
            return [e for e in trace["traceEvents"] if e["ph"] == "s"
                    and e["name"] == "critical path"]
        sizes = ["-D", "M=1024", "-D", "N=1024", "-D", "K=256"]
        done = self.run_it("run", harness.GEMM, *sizes, "--timing-only",
                           "--trace", self.folder / "t.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        told = [line for line in done.stderr.splitlines()
                if "critical path ends on SM" in line]
        self.assertEqual(len(told), 1, done.stderr)
        sm = told[0].rsplit("--trace-sm ", 1)[1].split()[0]
        _, trace = self.trace(harness.GEMM, *sizes, "--trace-sm", sm)
        self.assertGreater(len(flows(trace)), 4)

    def test_a_diff_of_a_changed_text_is_refused(self):
        text = harness.pathlib.Path(harness.GEMM).read_text()
        one, _ = self.trace(self.file(text, "x.tile"), *SHORT[1:])
        two, _ = self.trace(self.file("\n" + text, "x.tile"), *SHORT[1:])
        self.refuses("trace", "diff", one, two, says="with another text")

    def test_a_diff_of_a_part_says_so(self):
        one, _ = self.trace(*SHORT)
        path = self.folder / "cut.json"
        done = self.run_it("run", *SHORT, "--timing-only", "--trace", path,
                           "--trace-events", "200")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"cut short: it has \d+ of \d+ slices.*"
                         r"--trace-events \d+ holds all")
        # As many as it says hold all.
        most = done.stderr.split("--trace-events ")[1].split()[0]
        whole = self.run_it("run", *SHORT, "--timing-only", "--trace",
                            self.folder / "all.json", "--trace-events", most)
        self.assertEqual(whole.returncode, 0)
        self.assertNotIn("cut short", whole.stderr)
        parts = self.run_it("trace", "diff", one, path)
        self.assertEqual(parts.returncode, 1, parts.stdout)
        self.assertRegex(parts.stdout, r"cut short: \d+ slices are missing")

    # Whatever part of it the trace shows.
    def test_a_diff_begins_with_the_cycles_of_the_run(self):
        path = self.folder / "part.json"
        args = [harness.GEMM, "-D", "M=4096", "-D", "N=512", "-D", "K=256",
                "--timing-only"]
        done = self.run_it("run", *args, "--trace", path, "--trace-cta", "0",
                           "--format", "json")
        ran = json.loads(done.stdout)["files"][0]
        text = self.run_it("trace", "diff", path, path).stdout
        head = rf"A: .*: {ran['cycles']} cycles, [\d.]+ us at \d+ MHz; " \
            r"the CTAs of the trace took (\d+)\n"
        self.assertRegex(text, head)
        took = int(text.split("took ")[1].split()[0])
        self.assertLess(took, ran["cycles"])
        said = json.loads(self.run_it("trace", "diff", path, path, "--format",
                                      "json").stdout)
        self.assertEqual((said["a"]["run_cycles"], said["a"]["cycles"]),
                         (ran["cycles"], took))

    def test_a_diff_shows_units_once_and_files(self):
        one, _ = self.trace(*WARP_SPECIALISED)
        two, _ = self.trace(*WARP_SPECIALISED, "-D", "STAGES=3")
        parts = self.run_it("trace", "diff", one, two)
        self.assertEqual(parts.returncode, 1, parts.stderr)
        self.assertLess(len(parts.stdout.splitlines()), 60)
        self.assertRegex(parts.stdout, r"^A: .*: \d+ cycles, [\d.]+ us at \d+ MHz")
        self.assertRegex(parts.stdout, r"persistent\.inc:\d+")
        said = json.loads(self.run_it("trace", "diff", one, two, "--format",
                                      "json").stdout)
        loads = {line["name"]: (line["times_a"], line["times_b"])
                 for role in said["roles"] if role["role"].startswith("TMA ")
                 for line in role["lines"]}
        self.assertTrue(loads)
        # The same copies, through another number of stages.
        for name, (a, b) in loads.items():
            self.assertEqual(a, b, name)
            self.assertNotIn("[", name)

    def test_its_time_is_the_reports(self):
        path = self.folder / "t.json"
        done = self.run_it("run", "examples/hopper/hgemm_v07.tile", "-D",
                           "M=2048", "-D", "N=2048", "--timing-only", "--trace",
                           path, "--trace-cta", "0", "--format", "json")
        said = json.loads(done.stdout)["files"][0]
        about = json.loads(path.read_text())["otherData"]
        self.assertAlmostEqual(about["clock_mhz"], said["clock_mhz"], places=2)


if __name__ == "__main__":
    harness.main()
