"""check --format json of the catalogue: each finding has a place, a schedule
that shows it or the reason why there is none; each warning stands once."""
import collections
import json
import pathlib

import harness
from harness import Case

FILES_A_RUN = 40

RING = """kernel k target sm_90a {
  param K : 1.. = 8
  global A : f16[K * 64, 64]
  global D : f16[K * 64, 64]
  grid (1)
  block 160
  mbarrier full, empty
  shared a : f16[64, 64] swizzle 128B
  role setup = warp 0, elect {
    mbarrier.init empty, COUNT
    mbarrier.init full, 1
    fence.mbarrier_init
  }
  bar.sync 0
  role producer = warp 4, elect {
    for k in 0..K {
      mbarrier.wait empty, parity = 1 - (k & 1)
      mbarrier.arrive.expect_tx full, bytes(a)
      tma.load a, A[k * 64 :+ 64, 0 :+ 64], full
    }
  }
  role consumer = warpgroup 0 {
    reg x : f16[64, 64] fragment wgmma
    for k in 0..K {
      mbarrier.wait full, parity = k & 1
      ld.shared x, a
      st.global D[k * 64 :+ 64, :], x
      fence.proxy.async
      bar.warp.sync
      elect { mbarrier.arrive empty }
    }
  }
}
"""
COPIES = """kernel k target sm_90a {
  param K : 1.. = 8
  global A : f32[K * 8, 128]
  global D : f32[K * 8, 128]
  grid (1)
  block 32
  shared a[2] : f32[8, 128]
  reg x : f32[8, 128] fragment blocked(4)
  cp.async a[0], A[0 :+ 8, :]
  cp.async.commit_group
  for k in 0..K {
    if k + 1 < K { cp.async a[(k + 1) % 2], A[(k + 1) * 8 :+ 8, :] }
    cp.async.commit_group
    // One is left: that of the next.
    cp.async.wait_group LEFT
    bar.sync 0
    ld.shared x, a[k % 2]
    st.global D[k * 8 :+ 8, :], x
    bar.sync 0
  }
}
"""


class Findings(Case):
    @classmethod
    def setUpClass(cls):
        cls.files = []
        programs = sorted(map(str, pathlib.Path("tests/catalogue").glob("*.tile")))
        for first in range(0, len(programs), FILES_A_RUN):
            done = cls.run_it(cls, "check", "--format", "json",
                              *programs[first:first + FILES_A_RUN])
            cls.files += json.loads(done.stdout)["files"]
        cls.findings = [(file["file"], f) for file in cls.files
                        for f in file.get("findings", [])]

    # How many each has is in tests/verify/findings.md.
    def test_there_are_some(self):
        wrong = {file for file, _ in self.findings}
        self.assertGreaterEqual(len(wrong), 68)

    def test_places(self):
        for file, f in self.findings:
            self.assertGreater(f["location"]["line"], 0, (file, f["code"]))

    def test_witness_or_reason(self):
        for file, f in self.findings:
            with self.subTest(file=file, code=f["code"]):
                if f.get("witness"):
                    self.assertNotIn("no_witness", f)
                else:
                    self.assertTrue(f.get("no_witness"))

    def test_freed_while_a_load_runs(self):
        done = self.run_it("check", "tests/verify/tensor_memory_freed_while_"
                           "a_load_of_it_runs.tile")
        self.assertIn("help: tcgen05.wait::ld right behind it", done.stdout)

    # What runs into the count stops before all have arrived.
    def test_an_init_of_another_count_says_how_many_come(self):
        for count in (1, 2, 3, 5):
            path = self.file(RING.replace("COUNT", str(count)))
            done = self.run_it("check", path)
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertEqual(done.stdout.count("error["), 1, done.stdout)
            self.assertIn("help: `mbarrier.init empty, 4` on line 10",
                          done.stdout)
        done = self.run_it("check", self.file(RING.replace("COUNT", "4")))
        self.assertEqual(done.returncode, 0, done.stdout)

    # The barriers of a ring are an array.
    def test_an_init_of_an_array_is_named_with_its_index(self):
        done = self.run_it("check", self.changed(
            "examples/gemm/bias_activation.tile",
            "mbarrier.init empty[s], CONSUMERS", "mbarrier.init empty[s], 1"))
        self.assertIn("help: `mbarrier.init empty[s], 2` on line 46",
                      done.stdout)

    def test_a_wait_that_nobody_ends_is_not_to_be_of_the_other_parity(self):
        done = self.run_it(
            "check", "tests/attacks/only_the_first_cta_is_right.tile")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("note: no op of the program arrives on it", done.stdout)
        self.assertIn("help: mbarrier.arrive makes a phase complete",
                      done.stdout)
        # Of which CTA, and of which GPU.
        self.assertRegex(done.stdout,
                         r"note: in CTA \d+ of the grid, on a GPU of 132 SMs")

    # Of two warpgroups that wait for the same, one label.
    def test_a_role_that_waits_is_told_once(self):
        done = self.run_it("check", self.changed(
            "examples/gemm/bias_activation.tile",
            "parity = (i / STAGES + 1) & 1", "parity = (i / STAGES) & 1"))
        self.assertIn("error[deadlock/cycle]", done.stdout)
        found = done.stdout.split("how it comes about")[0]
        labels = [l.split(":")[0].split()[-1] for l in found.splitlines()
                  if "waits here" in l]
        self.assertEqual(len(labels), len(set(labels)), labels)

    # One cause, one finding: also where a role initialises the barriers.
    def test_no_barrier_behind_a_role_that_initialises(self):
        for path in (self.changed("examples/gemm/bias_activation.tile",
                                  "  bar.sync 0", ""),
                     self.file(RING.replace("COUNT", "4").replace(
                         "  bar.sync 0\n", ""), "ring.tile")):
            done = self.run_it("check", path)
            self.assertEqual(done.stdout.count("error["), 1, done.stdout)
            self.assertIn("`bar.sync 0` of all threads behind the block",
                          done.stdout)

    # A ring of four, whose waits go by the uses: at both ends, or at one.
    def test_parities_of_a_ring_that_go_by_uses(self):
        text = pathlib.Path("examples/gemm/bias_activation.tile").read_text()
        producer = ("parity = (i / STAGES + 1) & 1", "parity = (i + 1) & 1")
        consumer = ("parity = (i / STAGES) & 1", "parity = i & 1")
        for slips in ((producer,), (consumer,), (producer, consumer)):
            wrong = text
            for right, slip in slips:
                wrong = wrong.replace(right, slip)
            done = self.run_it("check", self.file(wrong))
            self.assertEqual(done.stdout.count("error["), 1, done.stdout)
            self.assertIn(f"help: `{slips[0][0]}` on line", done.stdout)

    def test_stores_to_one_place_are_to_be_apart(self):
        for wrong in ("D[m + row :+ 64, n + 32 * p :+ 64]",
                      "D[m :+ 64, n + 64 * p :+ 64]"):
            done = self.run_it("check", self.changed(
                "examples/gemm/bias_activation.tile",
                "D[m + row :+ 64, n + 64 * p :+ 64]", wrong))
            self.assertEqual(done.stdout.count("error[race/waw]"), 1,
                             done.stdout)
            self.assertIn("help: both store there: each to a place of its own",
                          done.stdout)

    def changed(self, path, old, new):
        text = pathlib.Path(path).read_text()
        self.assertIn(old, text)
        return self.file(text.replace(old, new, 1))

    def test_a_wait_that_leaves_too_many_groups(self):
        done = self.run_it("check", self.file(COPIES.replace("LEFT", "2")))
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertEqual(done.stdout.count("error["), 1, done.stdout)
        self.assertIn("error[race/raw]", done.stdout)
        self.assertIn("help: `cp.async.wait_group 1` on line 15: with 2 pending",
                      done.stdout)
        done = self.run_it("check", self.file(COPIES.replace("LEFT", "1")))
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_a_flag_that_nobody_zeroed(self):
        done = self.run_it("check", "tests/attacks/flag_in_shared_memory_that_"
                           "nobody_zeroed.tile")
        self.assertIn("help: zero it before a barrier (bar.sync)", done.stdout)

    def test_a_permit_that_nobody_gives_up_is_named(self):
        done = self.run_it("check",
                           "tests/attacks/permit_that_nobody_gives_up.tile")
        self.assertIn("help: tcgen05.relinquish_alloc_permit behind", done.stdout)

    def test_values_of_signed_types(self):
        done = self.run_it("check", "tests/attacks/element_of_a_domain_below_"
                           "zero.tile")
        self.assertIn("where `Slot` is -1\n", done.stdout)

    def test_warnings_stand_once(self):
        for file in self.files:
            said = collections.Counter(
                (w["code"], w["location"]["line"], w["location"]["column"])
                for part in ("warnings", "findings")
                for w in file.get(part, []) if w["severity"] == "warning")
            self.assertEqual([w for w, n in said.items() if n > 1], [],
                             file["file"])

    def test_errors_are_before_warnings(self):
        mixed = 0
        for file in self.files:
            severities = [f["severity"] for f in file.get("findings", [])]
            self.assertEqual(severities, sorted(severities), file["file"])
            mixed += len(set(severities)) == 2
        self.assertGreater(mixed, 0)


class Barriers(harness.Case):
    def test_a_barrier_of_a_number_that_is_none(self):
        for number, help in (("15 + warpgroup, 256", "a CTA has 16 named barriers"),
                             ("1, 200 + 20 * warpgroup", "32 for each")):
            path = self.file(harness.kernel(
                f"  warpgroups 0..2 {{\n    bar.sync {number}\n  }}",
                head="grid (1)\n  block 256"))
            for command in ("check", "run"):
                done = self.run_it(command, path)
                said = done.stdout + done.stderr
                self.assertIn("barrier/count-mismatch", said)
                self.assertIn(help, said)

    def test_lanes_of_another_warp(self):
        done = self.run_it("check",
                           "tests/attacks/lanes_of_the_next_warp.tile")
        self.assertIn("help: begin at lane 32 * (warp % 4)", done.stdout)

    # Two warpgroups, each of which meant itself: who is waited for is told.
    def test_a_barrier_without_a_number_says_for_whom_it_is(self):
        text = harness.kernel("  warpgroups 0..2 {\n"
                              "    bar.sync 1 + warpgroup\n  }",
                              head="grid (1)\n  block 256")
        told = ("help: where no number of threads is named, all of the CTA "
                "that have not exited are waited for; `bar.sync ID, THREADS` "
                "waits for so many")
        path = self.file(text)
        for command in ("check", "run"):
            done = self.run_it(command, path)
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn(told, done.stdout + done.stderr)
        path = self.file(text.replace("warpgroup\n", "warpgroup, 160\n"))
        done = self.run_it("check", path)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertNotIn("no number of threads", done.stdout)


class Helps(harness.Case):
    """What is written to mend a slip that is found to be the cause."""

    def helps(self, program, help_text, errors=1, folder="tests/verify"):
        done = self.run_it("check", f"{folder}/{program}.tile", "--format",
                           "json")
        findings = json.loads(done.stdout)["files"][0]["findings"]
        self.assertEqual(len(findings), errors, done.stdout)
        self.assertIn(help_text, findings[0]["help"])

    def test_elect(self):
        self.helps("products_by_a_whole_warp", "one thread is `warp 1, elect`")
        self.helps("loads_by_one_lane_of_each_of_two_warps",
                   "one thread is `warp 0, elect` or `elect one`",
                   folder="tests/attacks")

    def test_parity(self):
        self.helps("producer_waits_for_the_first_phase",
                   "`((k / STAGES) & 1) ^ 1`")
        self.helps("parity_of_a_ring_by_the_turn",
                   "`parity = (k / STAGES) & 1` on line 54")
        self.helps("parity_of_two_accumulators_by_the_turn",
                   "`parity = (j / 2) & 1` on line 85")

    def test_a_counter_that_starts_again(self):
        self.helps("ring_counter_starts_again_with_each_tile",
                   "`i` on line 64 starts again with each turn of the loop on "
                   "line 63")

    def test_a_counter_that_is_not_advanced(self):
        self.helps("ring_counter_is_not_advanced",
                   "`it` is not advanced in the loop on line 34")
        self.helps("stage_of_a_ring_is_not_advanced",
                   "`s` is not advanced in the loop on line 35, so that what "
                   "goes by it, a slot or a parity, stays the same: "
                   "`s = s + 1` before line 44")

    def test_a_barrier_behind_the_inits(self):
        self.helps("no_barrier_behind_the_inits", "`bar.sync 0` of all threads")

    def test_groups(self):
        self.helps("products_in_no_group",
                   "`wgmma.commit_group` behind line 53: no group has them")
        self.helps("stage_released_before_its_products",
                   "`wgmma.wait_group 0` behind line 54")
        self.helps("stores_in_no_group", "`bulk.commit_group` behind line 76")
        self.helps("stores_not_waited_for_at_the_end",
                   "`bulk.wait_group 0` behind line 77")

        self.helps("cp_async_of_v_in_no_group",
                   "`cp.async.commit_group` behind line 75: no group has them")

    def test_arrivals_and_bytes(self):
        self.helps("arrival_for_the_other_cta_at_rank_0",
                   "`empty @ cta 1` instead of `@ cta 0` on line 63")
        self.helps("commit_to_fewer_ctas_than_fill_the_stage",
                   "`multicast = row_mask | col_mask` instead of `row_mask` on "
                   "line 64")
        self.helps("bytes_of_one_sender_of_eight",
                   "`mbarrier.arrive.expect_tx got[1], 512` on line 24")
        self.helps("products_read_p_before_it_is_stored",
                   "`mbarrier.wait pf, parity = ..` before line 71")
        self.helps("named_barrier_arrived_at_for_half",
                   "`bar.arrive 1 + (t & 1), 256` on line 22")

    def test_lanes_and_loops(self):
        attacks = "tests/attacks"
        self.helps("lane_arrives_for_a_warp_that_still_stores",
                   "`bar.warp.sync` before the block on line 31", folder=attacks)
        self.helps("copies_arrive_beside_those_counted",
                   "`cp.async.mbarrier.arrive.noinc` on line 30",
                   folder=attacks)
        self.helps("second_producer_does_not_ask_for_the_stage",
                   "wait for `empty` in the loop on line 34 too, as line 28",
                   folder=attacks)
        self.helps("turns_of_two_loops_are_one_too_many",
                   "`NK` instead of `NK + 1` on line 44", folder=attacks)
        self.helps("peek_passes_for_the_phase_before",
                   "ask for the barrier and the parity that the wait names",
                   folder=attacks)

    def test_counterparts(self):
        self.helps("tile_of_another_stage_than_was_waited_for",
                   "`b[s]` instead of `b[(s + 1) % STAGES]` on line 54")
        self.helps("producer_fills_one_stage_only",
                   "`let s = k % STAGES` on line 37, as on line 51, instead of "
                   "`0`")
        self.helps("consumer_leaves_out_the_last_part_of_k",
                   "`for k in 0..steps` on line 49, as on line 36, instead of "
                   "`0..K / BK`")

    # The signal is there: not "an mbarrier arrive and wait".
    def test_signals_that_are_relaxed(self):
        for folder, program in (
                ("attacks", "operand_overwritten_after_a_relaxed_wait"),
                ("attacks", "handed_on_by_a_relaxed_arrival"),
                ("peers", "relaxed_wait_shows_no_store"),
                ("peers", "relaxed_wait_shows_no_bulk_bytes")):
            self.helps(program, "make what is written or arrived at a release",
                       folder=f"tests/{folder}")

    def test_fences_of_tensor_memory(self):
        self.helps("fence_after_thread_sync_by_one_lane",
                   "into every thread that goes on")
        self.helps("no_fence_behind_the_wait_for_the_epilogue",
                   "tcgen05.fence::after_thread_sync behind the wait")


if __name__ == "__main__":
    harness.main()
