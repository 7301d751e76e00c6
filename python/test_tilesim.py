"""The package against the command: values, verdicts, exceptions."""
import numpy
import pytest

import tilesim

GEMM = "examples/hopper/hgemm_v05.tile"
SIZES = {"M": 128, "N": 128, "K": 64}
CLEAN = "tests/verify/elected_lane_releases_for_its_warp.fixed.tile"
RACY = "tests/verify/elected_lane_releases_for_its_warp.tile"
OPEN = "tests/verify/data_behind_a_flag_of_another_kernel.tile"


def test_run_computes_the_product_of_arrays():
    rng = numpy.random.default_rng(7)
    a = rng.integers(-4, 5, (128, 64)).astype(numpy.float16)
    b = rng.integers(-4, 5, (128, 64)).astype(numpy.float16)
    r = tilesim.run(GEMM, inputs={"A": a, "B": b}, outputs=["D"], **SIZES)
    # Small integers: exact in whatever order they are added.
    want = a.astype(numpy.float64) @ b.astype(numpy.float64).T
    assert numpy.array_equal(r.outputs["D"].astype(numpy.float64), want)
    assert r.bit_exact and not r.findings


def test_run_has_numbers():
    r = tilesim.run(GEMM, timing_only=True, **SIZES)
    assert r.cycles > 0 and r.time_us > 0 and r.arch == "h200"
    assert {role.name for role in r.roles} >= {"producer"}
    assert all(0 <= busy <= 1 for busy in r.units.values())
    assert r.raw["launch"]["threads_per_cta"] == 128


def test_a_seed_draws_other_inputs():
    one, same, other = (
        tilesim.run(GEMM, seed=seed, outputs=["D"], **SIZES).outputs["D"]
        for seed in (1, 1, 2))
    assert numpy.array_equal(one, same)
    assert not numpy.array_equal(one, other)


def test_check_tells_findings_as_data():
    c = tilesim.check(RACY)
    assert c.verdict == "findings" and not c.clean
    assert [f.code for f in c.findings] == ["race/war"]
    assert c.findings[0].line == 22 and c.findings[0].is_error
    with pytest.raises(tilesim.FindingsError, match="race/war") as caught:
        c.raise_for_findings()
    assert caught.value.findings == c.findings


def test_check_is_clean():
    c = tilesim.check(CLEAN)
    assert c.clean and c.findings == [] and c.open == []
    c.raise_for_findings()


def test_many_files_hide_none(tmp_path):
    bad = tmp_path / "bad.tile"
    bad.write_text("kernel k target sm_90a {\n  grid (1)\n  block 128\n"
                   "  bra.sync 0\n}\n")
    clean, rejected, racy = tilesim.check_many([CLEAN, bad, RACY])
    assert clean.verdict == "clean" and racy.verdict == "findings"
    assert isinstance(rejected, tilesim.BadInput)
    assert rejected.errors[0]["code"] == "name/op"


def test_sweep_ranks_points():
    s = tilesim.sweep("examples/hopper/hgemm_v08.tile", STAGES=range(2, 4),
                      M=512, N=512, K=512)
    assert s.points[0].values == s.best
    times = [p.time_us for p in s.points]
    assert times == sorted(times) and len(times) == 2


@pytest.mark.parametrize("call, words", [
    (lambda: tilesim.run("no.tile"), "no.tile"),
    (lambda: tilesim.run(GEMM, M=100, N=128, K=64), "M"),
    (lambda: tilesim.run(GEMM, arch="h2oo", **SIZES), "h200"),
    (lambda: tilesim.check("no.tile"), "no.tile"),
    (lambda: tilesim.sweep(GEMM, STAGES="7..2"), "STAGES"),
    (lambda: tilesim.run(GEMM, seed=-1, **SIZES), "--seed"),
    (lambda: tilesim.explain("op/tma.laod"), "op/tma.load"),
])
def test_bad_input_is_an_exception(call, words):
    with pytest.raises(tilesim.BadInput, match=words):
        call()


def test_errors_of_a_program_have_lines(tmp_path):
    bad = tmp_path / "bad.tile"
    bad.write_text("kernel k target sm_90a {\n  grid (1)\n  block 100\n}\n")
    with pytest.raises(tilesim.BadInput) as caught:
        tilesim.run(bad)
    error = caught.value.errors[0]
    assert error["code"] == "shape/block" and error["location"]["line"] == 3


def test_an_array_of_another_shape_is_refused():
    with pytest.raises(tilesim.BadInput, match="A"):
        tilesim.run(GEMM, inputs={"A": numpy.zeros((3, 3), "float16")},
                    **SIZES)


def test_a_limit_is_incomplete():
    with pytest.raises(tilesim.Incomplete, match="max-cycles"):
        tilesim.run(GEMM, timing_only=True, max_cycles=100, **SIZES)


def test_no_command(monkeypatch):
    monkeypatch.setenv("TILESIM", "/no/such/tilesim")
    with pytest.raises(tilesim.Error, match="cannot start"):
        tilesim.check(CLEAN)


def test_explain():
    assert tilesim.explain("op/tma.load").startswith("## tma.load")
    assert "race/war" in tilesim.explain("code")


def test_report_writes_a_page(tmp_path):
    page = tilesim.report(GEMM, tmp_path / "page.html", timing_only=True,
                          **SIZES)
    assert page == tmp_path / "page.html"
    assert "hgemm_v05" in page.read_text(encoding="utf-8")
    with pytest.raises(tilesim.BadInput, match="nowhere"):
        tilesim.report("nowhere.tile", tmp_path / "none.html")
    assert not (tmp_path / "none.html").exists()
    with pytest.raises(tilesim.Incomplete, match="--max-cycles"):
        tilesim.report(GEMM, tmp_path / "none.html",
                       options=["--max-cycles", "10"], **SIZES)
    assert not (tmp_path / "none.html").exists()


def test_a_page_may_say_that_the_check_is_incomplete(tmp_path):
    assert tilesim.check(OPEN).verdict == "incomplete"
    page = tilesim.report(OPEN, tmp_path / "page.html")
    assert '"verdict":"incomplete"' in page.read_text(encoding="utf-8")


def test_what_is_public_is_listed():
    named = {name for name in vars(tilesim) if not name.startswith("_")}
    modules = {"annotations", "numpy", "os", "pathlib", "tempfile", "command",
               "results", "tables"}
    typing = {"Dict", "Iterable", "List", "Optional", "Sequence", "Union",
              "Path", "Values"}
    codes = {"BAD_INPUT", "CLEAN", "FINDINGS", "INCOMPLETE", "ask"}
    assert named - modules - typing - codes == \
        set(tilesim.__all__) - {"command"}


def test_notebooks_get_tables():
    run = tilesim.run(GEMM, timing_only=True, **SIZES)._repr_html_()
    assert "<table>" in run and "hgemm_v05" in run
    check = tilesim.check(RACY)._repr_html_()
    assert "race/war" in check and "`a` is overwritten" in check
    sweep = tilesim.sweep(GEMM, K=[64, 128], M=128, N=128)._repr_html_()
    assert ">K</th>" in sweep and "not ranked" not in sweep
    # Words to the left, numbers to the right.
    assert 'left">race/war</td>' in check and 'right">64</td>' in sweep
