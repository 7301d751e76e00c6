"""`run --replay` shows what `check` found, and nothing else."""
import json
import pathlib
import re
import subprocess
import sys

import harness
from harness import Case

STUCK = "tests/verify/waits_for_each_other.tile"
RACY = "tests/verify/elected_lane_releases_for_its_warp.tile"
FIXED = "tests/verify/elected_lane_releases_for_its_warp.fixed.tile"
SIZED = "tests/catalogue/P02_slot_and_parity_start_anew_each_wave.tile"
FOLDER = "tests/verify"
JUDGE = "traces/check_chrome_trace.py"


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


# What a witness cannot say yet: which inputs, numbers and clusters were handed
# out, several clusters or kernels side by side or one after the other, bytes that
# come in steps.
NO_WITNESS = {
    "loop_that_only_counts_its_turns",
    "barrier_in_a_tile_is_overwritten", "first_of_two_sets_a_flag",
    "fixed_grid_handed_out", "rows_gathered_in_a_loop",
    "row_through_shared_memory",
    "st_async_by_one_warp_expected_of_four",
    "another_warp_waits_for_the_grid", "poll_of_a_flag_that_nobody_sets",
    "asked_barrier_decides_who_writes", "blocks_on_an_antidiagonal",
    "both_kernels_write_the_same_rows", "each_thread_fences_one_counts",
    "fence_sc_on_one_side", "rows_of_one_length_are_left_out",
    "second_kernel_reads_more_at_some_sizes",
    "condition_beyond_the_sizes", "divisor_0_before_any_op",
    "element_that_no_number_names",
    "flag_acquired_while_it_is_written_as_data",
    "flag_read_before_the_grid_is_over", "tail_that_no_size_has",
    "cluster_launch_control", "clusters_write_the_same_rows",
    "counted_before_all_have_stored", "ctas_wait_all_around",
    "flag_of_a_cta_that_is_not_there", "flag_set_before_all_have_stored",
    "head_stride_too_small", "kernel_between_does_not_wait",
    "lanes_of_a_mask_by_size", "last_but_one_adds_up", "last_cta_adds_up", "last_half_tile_is_not_stored",
    "later_ctas_do_not_wait_for_the_grid",
    "load_issued_before_the_grid_is_over", "next_tile_from_a_counter",
    "mask_of_the_elected_lane", "output_tile_of_two_remainders", "persistent_tiles_of_a_wrong_width",
    "rows_of_any_pitch", "scratch_that_nobody_wrote",
    "second_kernel_does_not_wait", "second_kernel_overwrites_too_early",
    "some_inputs_end_in_a_deadlock", "waits_for_ctas_without_room",
    "workspace_slot_comes_again"}


class Replay(Case):
    def check(self, *files):
        """The witnesses of the files, as a file; and what is in it."""
        done = self.run_it("check", *files, "--format", "json")
        self.assertEqual(done.returncode, 1, done.stderr)
        return self.file(done.stdout, "w.json"), json.loads(done.stdout)

    def damaged(self, damage):
        """The witness of STUCK with something changed."""
        _, answer = self.check(STUCK)
        damage(answer["files"][0]["findings"][0])
        return self.file(json.dumps(answer), "damaged.json")

    def test_every_witness_of_a_folder(self):
        files = sorted(str(p) for p in pathlib.Path(FOLDER).glob("*.tile"))
        w, answer = self.check(*files)
        replayed, without = 0, set()
        for entry in answer["files"]:
            for number, found in enumerate(entry["findings"], 1):
                args = [entry["file"], "--replay", w, "--finding", number]
                if not found["witness"]:
                    without.add(pathlib.Path(entry["file"]).stem)
                    self.refuses("run", *args, says="has no witness")
                    continue
                replayed += 1
                done = self.run_it("run", *args, "--format", "json")
                self.assertEqual(done.returncode, 1, done.stderr)
                again = json.loads(done.stdout)["files"][0]["findings"][0]
                for key in ("code", "severity", "location", "instance",
                            "witness"):
                    self.assertEqual(again[key], found[key], entry["file"])
                # Of copies of several CTAs the schedule shows one; and of a
                # wait of the wrong parity, one phase that it may meet.
                self.assertEqual(
                    *(re.sub(r" of CTA \d+|: this wait.*", "", f["message"])
                      for f in (again, found)), entry["file"])
        self.assertGreaterEqual(replayed, 20)
        self.assertEqual(without, NO_WITNESS)

    def test_no_witness_has_an_end_to_spare(self):
        """Without the last step of any warp or operation, it is none."""
        _, answer = self.check(RACY, "tests/verify/data_of_another_load.tile",
                               STUCK)
        for entry in answer["files"]:
            whole = entry["findings"][0]["witness"]
            agents = {(m["cta"], m["warp"], m.get("operation", -1)): i
                      for i, m in enumerate(whole)}
            self.assertGreaterEqual(len(agents), 2)
            for last in agents.values():
                entry["findings"][0]["witness"] = \
                    whole[:last] + whole[last + 1:]
                shorter = self.file(json.dumps(answer), "shorter.json")
                self.refuses("run", entry["file"], "--replay", shorter,
                             says=f"is {entry['file']} the program")
            entry["findings"][0]["witness"] = whole

    def test_a_witness_is_short(self):
        _, answer = self.check(STUCK, RACY)
        lengths = [len(f["findings"][0]["witness"]) for f in answer["files"]]
        self.assertEqual(lengths, [5, 16])

    def test_a_deadlock_tells_its_cycle(self):
        w, _ = self.check(STUCK)
        done = self.run_it("run", STUCK, "--replay", w)
        self.assertEqual(done.returncode, 1)
        self.assertIn("error[deadlock/cycle]", done.stdout)
        cycle = done.stdout.split("the wait-for cycle:\n")[1].splitlines()
        self.assertIn("a: waits here; `y` never completes", cycle[0])
        self.assertIn("b: waits here; `x` never completes", cycle[1])

    def test_the_sizes_come_with_it(self):
        w, answer = self.check(SIZED)
        finding = answer["files"][0]["findings"][0]
        params = finding["instance"]["params"]
        self.assertTrue(params)
        done = self.run_it("run", SIZED, "--replay", w)
        self.assertEqual(done.returncode, 1, done.stderr)
        for name, value in params.items():
            self.assertIn(f"{name} = {value}", done.stdout)

    def test_the_trace_shows_the_stuck_waits_to_the_end(self):
        w, _ = self.check(STUCK)
        trace = self.folder / "t.json"
        self.run_it("run", STUCK, "--replay", w, "--trace", trace)
        shown = load(trace)
        self.assertIn("not time", shown["otherData"]["time"])
        slices = [e for e in shown["traceEvents"] if e["ph"] == "X"]
        end = max(e["ts"] + e["dur"] for e in slices)
        stuck = [e["name"] for e in slices
                 if e["cat"] == "wait" and e["ts"] + e["dur"] == end]
        self.assertEqual(sorted(stuck), ["WAIT `x`", "WAIT `y`"])
        subprocess.run([sys.executable, JUDGE, str(trace)], check=True)

    def test_the_trace_shows_operations(self):
        w, _ = self.check(RACY)
        trace = self.folder / "t.json"
        self.run_it("run", RACY, "--replay", w, "--trace", trace)
        subprocess.run([sys.executable, JUDGE, str(trace)], check=True)
        events = load(trace)["traceEvents"]
        names = {(e["pid"], e["tid"]): e["args"]["name"] for e in events
                 if e["name"] == "thread_name"}
        self.assertLessEqual({"load (warp 0)", "copy (warp 1)", "tma.load"},
                             set(names.values()))
        loads = [e for e in events if e["ph"] == "X" and
                 names[e["pid"], e["tid"]] == "tma.load"]
        self.assertGreaterEqual(len(loads), 2)
        self.assertGreater(loads[0]["dur"], 1)

    def test_bad_witnesses(self):
        for text, says in (("{", "it is no JSON"), ("[]", "no `schema`"),
                           ('{"schema": 2}', "`schema` is not 1"),
                           ('{"schema": 1, "files": []}',
                            "it is about no file")):
            self.refuses("run", STUCK, "--replay", self.file(text, "bad.json"),
                         says=["cannot replay", says])
        self.refuses("run", STUCK, "--replay", "no.json", says="no.json")

    def test_damaged_witnesses(self):
        def step(key, value):
            return lambda f: f["witness"][0].update({key: value})
        for damage, says in (
                (step("warp", "one"), "no `warp` in step 1"),
                (step("warp", -1), "out of range in step 1"),
                (step("cta", 1 << 70), "no `cta` in step 1"),
                (step("operation", 0), "no `milestone` in step 1"),
                (step("cta", 9), "step 1 of the witness cannot be made"),
                (step("warp", 1), "step 5 of the witness cannot be made"),
                (lambda f: f.update(code="deadlock/cicle"),
                 "there is no code `deadlock/cicle`"),
                (lambda f: f["witness"].pop(), "does not show deadlock/cycle"),
                (lambda f: f["instance"].update(cluster=7), "cluster 7 of 1"),
                (lambda f: f["instance"].update(cluster=None), "no `cluster`"),
                (lambda f: f["instance"]["params"].update(Z=1),
                 "error[name/parameter]"),
                (lambda f: f["instance"].update(kernel="other"),
                 "kernel `other`")):
            self.refuses("run", STUCK, "--replay", self.damaged(damage),
                         says=says)

    def test_witnesses_of_other_programs(self):
        w, _ = self.check(STUCK)
        self.refuses("run", RACY, "--replay", w,
                     says=["it says nothing about", STUCK])
        text = pathlib.Path(FIXED).read_text(encoding="utf-8")
        w, _ = self.check(RACY)
        repaired = self.file(text, pathlib.Path(RACY).name)
        self.refuses("run", repaired, "--replay", w,
                     says="the program that was checked?")

    def test_options_that_make_no_sense_together(self):
        w, _ = self.check(STUCK)
        for other in (["-D", "K=1"], ["--arch", "h200"], ["--timing-only"],
                      ["--out", "D=d.npy"]):
            self.refuses("run", STUCK, "--replay", w, *other, says="--replay")
        self.refuses("run", STUCK, "--finding", "1", says="--replay")
        self.refuses("run", STUCK, "--replay", w, "--finding", "9",
                     says="no finding 9")


if __name__ == "__main__":
    harness.main()
