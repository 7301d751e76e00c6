#!/usr/bin/env python3
"""`tilesim report`: the page opened in a browser, and used.

Without Chromium (Debian: chromium-headless-shell) the tests that open it are
skipped; what is in the file is judged all the same.
"""
import json
import re
import unittest

import browser
import harness

HANGS = "tests/run/two_roles_wait_for_each_other.tile"
BIG = "examples/hopper/hgemm_v08.tile"
MOST_BYTES = 5_000_000


def data_of(path):
    text = path.read_text()
    match = re.search(r'<script type="application/json" id="data">(.*?)</script>',
                      text, re.S)
    return json.loads(match[1])


class Case(harness.Case):
    def page(self, *args, code=0):
        path = self.folder / "report.html"
        done = self.run_it("report", *args, "-o", path)
        self.assertEqual(done.returncode, code, done.stderr[-2000:])
        return path


class Page(Case):
    def test_a_large_gemm_is_a_small_file(self):
        path = self.page(BIG, "--no-check", "--timing-only")
        self.assertLess(path.stat().st_size, MOST_BYTES)
        data = data_of(path)
        run = data["run"]
        self.assertEqual(run["params"]["M"], 4096)
        self.assertEqual(sum(s["cycles"] for s in run["critical_path"]),
                         run["cycles"])
        # The path passes through the CTAs that are shown, to their end.
        self.assertEqual(data["timeline"]["path"][-1][2], run["cycles"])
        self.assertEqual(len(data["gpu"]["ctas"]), run["launch"]["ctas"])
        self.assertNotRegex(path.read_text(), r'(src|href)="(https?:)?//')

    def test_its_title_names_all_kernels(self):
        path = self.page("examples/gemm/pdl_pair.tile", "--no-check",
                         "--timing-only")
        names = [k["name"] for k in data_of(path)["run"]["kernels"]]
        self.assertIn(f"<title>{', '.join(names)} on h200", path.read_text())

    def test_text_of_a_program_stays_text(self):
        source = harness.kernel("  // </script><script>alert(1)</script>\n"
                                "  role r = warp 0 { bar.warp.sync }")
        path = self.page(self.file(source), "--no-check")
        self.assertNotIn("<script>alert", path.read_text())
        self.assertIn("</script><script>alert(1)",
                      data_of(path)["sources"][0]["lines"][3])

    def test_refuses_what_it_cannot_show(self):
        page = self.folder / "x.html"
        self.refuses("report", self.file("{}", "s.json"), "-o", page, says="x")
        self.refuses("report", *harness.SMALL, "-o", page, "--sweep",
                     self.file("{}", "s.json"),
                     says="is not what `tilesim sweep --format json` prints")
        self.refuses("report", harness.GEMM, "-o", harness.GEMM,
                     says="-o")
        self.refuses("report", *harness.SMALL, "-o", page, "--trace-sm", "7-3",
                     says="expected numbers and ranges")
        self.assertFalse(page.exists())

    def test_another_trace_beside_it(self):
        traces = {}
        for name, args in (("same", harness.SMALL),
                           ("other", ["examples/memory/copy.tile"])):
            traces[name] = self.folder / f"{name}.json"
            done = self.run_it("run", *args, "--timing-only", "--trace",
                               traces[name], "--trace-cta", "0")
            self.assertEqual(done.returncode, 0, done.stderr)
        data = data_of(self.page(*harness.SMALL, "--no-check", "--timing-only",
                                 "--beside", traces["same"]))
        names = [p["name"] for p in data["timeline"]["processes"]]
        self.assertTrue([n for n in names if n.startswith("modelled: SM ")],
                        names)
        self.assertFalse([n for n in names if n.startswith("measured: ")])
        # Of a GPU: nothing of it is the whole GPU's.
        trace = json.loads(traces["same"].read_text())
        gpu = {e["pid"] for e in trace["traceEvents"]
               if e["name"] == "process_name" and e["args"]["name"] == "GPU"}
        trace["traceEvents"] = [e for e in trace["traceEvents"]
                                if e["pid"] not in gpu]
        data = data_of(self.page(
            *harness.SMALL, "--no-check", "--timing-only", "--beside",
            self.file(json.dumps(trace), "gpu.json")))
        names = [p["name"] for p in data["timeline"]["processes"]]
        self.assertTrue([n for n in names if n.startswith("measured: SM ")],
                        names)
        self.refuses("report", *harness.SMALL, "-o", self.folder / "x.html",
                     "--beside", traces["other"], says="is a trace of ")
        self.refuses("report", *harness.SMALL[:-1], "K=128", "-o",
                     self.folder / "x.html", "--beside", traces["same"],
                     says="other sizes: K is 128 in one, 64 in the other")


@unittest.skipUnless(browser.found(), "no Chromium here")
class Opened(Case):
    def setUp(self):
        super().setUp()
        self.browser = self.enterContext(browser.Browser())
        self.browser.size(1400, 900)

    def open(self, *args, code=0):
        self.browser.open(self.page(*args, code=code))
        self.browser.frame()
        return self.browser

    def at(self, page, expression):
        """Where on the screen something of the time line is: [x, y]."""
        return page.value(
            "(() => { const s = lines.view.slices, i = " + expression + ";"
            "lines.reveal(i); const r = lines.rowOf.get(s.track[i]);"
            "document.getElementById('canvas').scrollIntoView();"
            "lines.paint(); const b = lines.canvas.getBoundingClientRect();"
            "return [b.left + lines.x(s.start[i] + s.dur[i] / 2),"
            "b.top + r.y - lines.top + 8]; })()")

    def test_a_wait_says_what_ended_it(self):
        page = self.open(*harness.SMALL[:1], "-D", "M=256", "-D", "N=256",
                         "-D", "K=512")
        page.value("lines.zoomTo(0)")
        wait = ("[...s.track.keys()].find(i => "
                "lines.view.names[s.name[i]].startsWith('WAIT full') && "
                "s.dur[i] > 100 && lines.endedBy(i).length)")
        index = page.value(f"(() => {{ const s = lines.view.slices; return {wait} }})()")
        page.value(f"lines.zoomTo({index})")
        page.frame()
        page.click(*self.at(page, wait))
        page.frame()
        detail = page.value("document.getElementById('detail').innerText")
        self.assertIn("WAIT full", detail)
        self.assertRegex(detail, r"ended by tma\.load")
        self.assertRegex(detail, r"phase \d+")
        # The link leads to what ended it.
        page.value("document.querySelector('#detail .link:nth-of-type(2)')"
                   ".click()")
        page.frame()
        self.assertIn("tma.load",
                      page.value("document.querySelector('#detail b').innerText"))
        self.assertEqual(page.errors, [])

    def test_it_zooms_and_moves(self):
        page = self.open(*harness.SMALL)
        window = "[lines.from, lines.to]"
        whole = page.value(window)
        x, y = self.at(page, "0")
        page.mouse("mouseWheel", x, y, deltaX=0, deltaY=-400, modifiers=2)
        page.frame()
        near = page.value(window)
        self.assertLess(near[1] - near[0], whole[1] - whole[0])
        page.value("document.getElementById('zoom-fit').click()")
        page.frame()
        self.assertEqual(page.value(window), whole)
        page.value("document.getElementById('zoom-in').click()")
        page.frame()
        before = page.value(window)
        for kind, at in (("mousePressed", x), ("mouseMoved", x - 90),
                         ("mouseReleased", x - 90)):
            page.mouse(kind, at, y, button="left", buttons=1, clickCount=1)
        page.frame()
        self.assertNotEqual(page.value(window), before)
        self.assertEqual(page.errors, [])

    def test_a_line_picks_its_bars(self):
        page = self.open(*harness.SMALL)
        line = page.value("data.run.critical_path.find(s => s.line).line")
        page.value("document.querySelector("
                   f"'#source-box tr[data-line=\"{line}\"]').click()")
        self.assertEqual(page.value("lines.line"), line)
        self.assertIn("path", page.value(
            "document.querySelector('#source-box thead').innerText"))
        self.assertEqual(page.errors, [])

    def test_a_line_of_an_included_file(self):
        page = self.open("examples/hopper/hgemm_v08.tile", "--no-check",
                         "--timing-only", "-D", "M=512", "-D", "N=512", "-D",
                         "K=512")
        page.value("[...document.querySelectorAll('#path-box .link')]"
                   ".find(b => b.innerText.startsWith('persistent.inc:'))"
                   ".click()")
        self.assertEqual(page.value("lines.file"), "persistent.inc")
        marked = ("[...document.querySelectorAll('#source-box tr.on')]"
                  ".map(r => r.dataset.file + ':' + r.dataset.line)")
        [row] = page.value(marked)
        line = page.value("lines.line")
        self.assertTrue(row.endswith(f"persistent.inc:{line}"), row)
        # Its bars are of that file alone.
        files = page.value(
            "[...new Set([...lines.view.slices.line.keys()]"
            ".filter(i => lines.matches(i)).map(i => lines.fileOf(i)))]")
        self.assertEqual(files, ["persistent.inc"])
        self.assertEqual(page.errors, [])

    def test_a_finding_is_gone_through_step_by_step(self):
        page = self.open(HANGS, code=1)
        self.assertIn("did not end",
                      page.value("document.getElementById('cards').innerText"))
        box = page.value(
            "(() => { const f = document.querySelector('.finding.has-steps');"
            "f.scrollIntoView(); const b = f.getBoundingClientRect();"
            "return [b.left + 40, b.top + 10]; })()")
        page.click(*box)
        page.frame()
        step = page.value("document.getElementById('step').innerText")
        self.assertRegex(step, r"Step \d+ of \d+: CTA 0, ")
        self.assertRegex(step, r"phase 0 of `[xy]`")
        self.assertGreaterEqual(page.value("lines.selected"), 0)
        page.value("document.getElementById('step-list').children[0].click()")
        page.frame()
        first = page.value("document.getElementById('step').innerText")
        self.assertIn("Step 1 of", first)
        page.value("document.getElementById('step-on').click()")
        page.frame()
        self.assertIn("Step 2 of",
                      page.value("document.getElementById('step').innerText"))
        self.assertEqual(page.value("lines.view.unit"), "steps")
        self.assertEqual(page.errors, [])

    def test_roofline_and_roles_are_drawn(self):
        page = self.open("examples/hopper/hgemm_v07.tile", "--no-check",
                         "--timing-only", "-D", "M=512", "-D", "N=512", "-D",
                         "K=512")
        count = "document.querySelectorAll('{}').length"
        # A point and a roof of HBM and of L2 each.
        self.assertEqual(page.value(count.format("#roof-box svg path")), 2)
        self.assertGreaterEqual(
            page.value(count.format("#roof-box svg circle")), 1)
        roles = page.value("document.getElementById('roles-box').innerText")
        self.assertIn("producer", roles)
        self.assertRegex(roles, r"waits on mbarrier empty [\d.]+ %")
        self.assertEqual(page.errors, [])

    def test_a_sweep_has_its_table_and_plot(self):
        sweep = self.folder / "s.json"
        done = self.run_it("sweep", *harness.SMALL[:1], "-D", "STAGES=2..4",
                           "-D", "M=128", "-D", "N=128", "-D", "K=256",
                           "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        sweep.write_text(done.stdout)
        page = self.open(*harness.SMALL, "--sweep", sweep, "--no-check")
        self.assertEqual(page.value(
            "document.querySelectorAll('#sweep-box tbody tr').length"), 3)
        self.assertEqual(page.value(
            "document.querySelectorAll('#sweep-box svg').length"), 1)
        self.assertEqual(page.errors, [])


if __name__ == "__main__":
    harness.main()
