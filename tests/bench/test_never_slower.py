"""`stretto bench never-slower`: its patterns are right programs, its statistics right statistics, its table whole. No time decides."""

import json
import subprocess
import xml.etree.ElementTree as ElementTree
from io import StringIO

import never_slower
import never_slower_table
import pytest
from compile import program
from launch import BUILD, ROOT, launch
from never_slower_figures import DEFAULT, PLAIN, Job, derive, interval, is_enough, summary
from place import Failed, Place
from rich.console import Console
from test_driver import bench

STRETTO = BUILD / "bin/stretto"
SVG = "{http://www.w3.org/2000/svg}"
TINY = ("--lab", "none", "-n", 2, "--seconds", 0.05, "--turns", 1, "--patience", 0)
LIMIT = 120  # seconds of a launch that takes one


def patterns():
    return never_slower.known_patterns("openmpi")


# --- the patterns ---------------------------------------------------------------------------------------------------


def test_the_list_has_what_programs_do():
    names = [pattern["name"] for pattern in patterns()]
    assert len(names) == len(set(names)) >= 24
    assert {"constant", "varying", "growing", "short", "tested", "persistent", "far-ahead", "few-large", "late"} < set(
        names
    )
    assert {"pairwise", "halo-packed", "halo-types", "halo-corners", "halo-interior", "particles", "workers"} < set(
        names
    )
    assert {f"transpose-{size}" for size in ("1k", "8k", "64k", "1m", "overlap")} < set(names)
    assert {"ring", "wavefront", "solver", "allgather", "allgatherv", "reduce-scatter"} < set(names)
    assert {"panels", "output", "small"} < set(names)
    assert all(pattern["about"] and set(pattern["works"]) <= {"little", "much"} for pattern in patterns())


def sums(mpi, ranks, *under, env=None):
    """The checksum of every pattern."""
    words = ("--steps", 6, "--rounds", 0.5, "--round-seconds", 1e-9)
    first, *others = [*under, BUILD / "bench" / mpi / "patterns", "all", *words]
    done = launch(mpi, ranks, first, others, env=env, timeout=LIMIT)
    assert done.rc == 0, done
    printed = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert all(one[figure] > 0 for one in printed for figure in ("loop_s", "cpu_s", "peak_kib")), printed
    return {one["pattern"]: one["checksum"] for one in printed}


# Forced, ranks on one host frame what they would over a link.
@pytest.mark.parametrize("env", [{}, {"STRETTO_FORCE": "1", "STRETTO_COLLECTIVES": "all"}], ids=["default", "forced"])
@pytest.mark.parametrize("ranks", [2, 3, 4])
def test_every_pattern_comes_to_the_same_plain_and_under_stretto_run(mpi, ranks, env):
    if mpi not in ("openmpi", "mpich"):
        pytest.skip("versions of a library differ in less than patterns do")
    plain = sums(mpi, ranks)
    assert plain == sums(mpi, ranks, STRETTO, "run", "--mpi", mpi, env=env)
    assert list(plain) == [pattern["name"] for pattern in patterns()]


def test_a_checksum_tells_what_came_and_not_in_which_order():
    sources = [ROOT / "tests/bench/checksum.c", ROOT / "bench/patterns/work.c"]
    checksum = program("openmpi", "checksum", sources, flags=[f"-I{ROOT}/bench"])
    done = subprocess.run([checksum], capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode == 0, done.stderr


def test_steps_that_take_a_time_are_found_with_the_work_that_takes_as_long():
    words = ("--seconds", 0.1, "--dilate", 2)
    patterns = BUILD / "bench/openmpi/patterns"
    little, much, few = (
        json.loads(launch("openmpi", 2, patterns, (pattern, "--work", work, *words), timeout=LIMIT).stdout)
        for pattern, work in (("constant", "little"), ("constant", "much"), ("few-large", "much"))
    )
    assert little["steps"] >= 1 and little["rounds"] == 0 and not little["fixed"]
    assert much["steps"] >= 1 and much["rounds"] > 0 and much["round_seconds"] > 0
    assert few["steps"] == 4 and few["fixed"]


@pytest.mark.parametrize(
    "ranks, words, about",
    [
        (2, ("constants", "--steps", 1), "no pattern is called constants"),
        (1, ("constant", "--steps", 1), "at least 2 ranks"),
        (2, ("constant",), "want --seconds or --steps"),
    ],
)
def test_the_program_refuses_what_cannot_be(ranks, words, about):
    done = launch("openmpi", ranks, BUILD / "bench/openmpi/patterns", words, timeout=LIMIT)
    assert done.rc not in (0, 124) and about in done.stderr, done


# --- the statistics -------------------------------------------------------------------------------------------------


def test_an_interval_is_that_of_order_statistics():
    # At 95 % the median lies between the 1st and the 6th of 6, the 2nd and the 8th of 9, the 4th and the 12th of 15.
    assert interval([6, 5, 4, 3, 2, 1]) == (1, 6)
    assert interval(list(range(1, 10))) == (2, 8)
    assert interval(list(range(15, 0, -1))) == (4, 12)
    for few in ([], [1], [1, 2, 3, 4, 5]):
        assert interval(few) is None


def jobs(*seconds, start_up=0.25, checksum="c0ffee", cpu=2.0, kib=9000.0):
    return [Job(one + start_up, one, cpu, kib, checksum) for one in seconds]


def test_a_ratio_is_of_jobs_of_the_same_turn():
    # The machine becomes three times slower meanwhile; the default is always a tenth faster than plain.
    made = {PLAIN: jobs(1.1, 2.2, 3.3, start_up=0), DEFAULT: jobs(1, 2, 3, start_up=0)}
    row = derive(made)
    assert row["job"]["median"] == pytest.approx(1.1) and row["job"]["low"] is None
    assert row["plain_s"] == 2.2 and row["turns"] == 3


@pytest.mark.parametrize(
    "ratios, enough",
    [
        ([1.0] * 5, False),  # five tell nothing
        ([1.0] * 6, True),
        ([0.9, 0.9, 0.901, 0.9, 0.899, 0.9], True),  # slower, by a known ratio
        ([0.985, 1.2, 1.4, 1.1, 1.3, 1.05], True),  # by no known ratio, but not slower
        ([0.975, 1.2, 1.4, 1.1, 1.3, 1.05], False),
        ([0.88, 0.9, 0.9, 0.9, 0.9, 0.9], False),
        ([0.9, 0.9, 0.9, 0.9, 0.9, 0.92], False),
    ],
)
def test_turns_end_when_the_ratio_is_known_or_is_not_below_the_limit(ratios, enough):
    plain = jobs(*ratios, start_up=0)
    assert is_enough({PLAIN: plain, DEFAULT: jobs(*(1 for _ in ratios), start_up=0)}) is enough


def test_turns_go_on_in_reversed_order_until_they_are_enough(monkeypatch):
    order = []

    class Known(never_slower.Jobs):
        def calibrate(self):
            pass

        def run(self, under, environment):
            order.append(bool(under))
            return jobs(1)[0]

    monkeypatch.setattr(never_slower, "Jobs", Known)
    asked = never_slower.read(["--lab", "none", "-n", "2", "--turns", "9"])
    made = never_slower.measure_case(
        asked, Place("openmpi", 2, None), never_slower.Case("constant", "little"), lambda what: None
    )
    assert order == [False, True, True, False] * 3  # six turns, of equal times
    assert len(made[PLAIN]) == len(made[DEFAULT]) == 6


def test_a_row_has_start_up_cpu_and_memory_of_both():
    made = {PLAIN: jobs(1, 1, 1), DEFAULT: jobs(0.5, 0.5, 0.5, start_up=0.27, cpu=3.0, kib=9500.0)}
    row = derive(made)
    assert row["loop"]["median"] == 2
    assert row["job"]["median"] == pytest.approx(1.25 / 0.77)
    assert row["start_up_ms"] == pytest.approx({PLAIN: 250, DEFAULT: 270})
    assert (row["cpu"], row["more_kib"], row["equal"]) == (1.5, 500, True)


def test_results_that_differ_once_are_not_equal():
    made = {PLAIN: jobs(1, 1), DEFAULT: jobs(1) + jobs(1, checksum="bad")}
    assert derive(made)["equal"] is False


def test_a_setting_that_would_be_faster_by_two_hundredths_has_not_been_found():
    made = {PLAIN: jobs(*[1] * 6), DEFAULT: jobs(*[1] * 6)}
    made |= {"STRETTO=off": jobs(*[0.99] * 6), "STRETTO_HELPER=off": jobs(*[0.9] * 6)}
    row = derive(made)
    assert row["missed"] == ["STRETTO_HELPER=off"]
    assert never_slower_table.found(row) == "STRETTO_HELPER=off 1.09"
    assert row["settings"]["STRETTO=off"]["median"] == pytest.approx(1.25 / 1.24)
    few = derive({name: every[:5] for name, every in made.items()})
    assert few["missed"] == [] and never_slower_table.found(few) == "-"


def test_steps_are_scaled_to_the_seconds_of_a_whole_job():
    assert never_slower.scaled(100, loop=1.0, start_up=0.5, seconds=2.0) == 150
    assert never_slower.scaled(100, loop=1.0, start_up=9.0, seconds=2.0) == 50  # a quarter of the seconds
    assert never_slower.scaled(1, loop=9.0, start_up=0.5, seconds=2.0) == 1


# --- the table, the picture, the JSON object ------------------------------------------------------------------------


def known(ratios, turns=6, **more):
    """Rows whose plain jobs take ratio times the seconds of the default's, by pattern."""
    rows = []
    for pattern, one in ratios.items():
        plain = jobs(*(one * (1 + 0.001 * k) for k in range(turns)), start_up=0)
        made = {PLAIN: plain, DEFAULT: jobs(*[1] * turns, start_up=0)}
        rows.append({"pattern": pattern, "work": "little", **derive(made)})
    place = {"mpi": "openmpi", "ranks": 4, "lab": "none", "dilate": 1, "yields": True, "others_cores": 0.1}
    failed = more.get("failed", [])
    return place | {"rows": rows, "failed": failed} | summary(rows, failed)


def text_of(result):
    out = StringIO()
    never_slower_table.show(result, Console(file=out, width=never_slower_table.WIDTH))
    return out.getvalue()


def test_the_summary_has_the_worst_the_mean_and_who_is_slower():
    result = known({"slower": 0.9, "equal": 0.979, "faster": 1.6})
    assert result["worst"]["pattern"] == "slower"
    assert result["below"] == ["slower, little"]  # equal: 0.9815 in the middle
    assert result["slower"] == ["slower, little"] and result["verified"]
    assert result["geometric_mean"] == pytest.approx((0.9 * 0.979 * 1.6) ** (1 / 3) * 1.0025, rel=1e-3)
    assert known({"slower": 0.9}, turns=3)["slower"] == []  # nobody knows


def test_the_table_has_a_row_for_each_pattern_and_ends_with_the_summary():
    text = text_of(known({"slower": 0.9, "transpose-overlap": 1.6}))
    assert "one host; ranks that wait yield their core" in text
    assert "0.900-0.904" in text and "transpose-overlap" in text and "\u2026" not in text
    assert "worst 0.902 (slower, little)" in text and "of 2 below 0.98: 1, their whole interval: 1" in text


def test_a_job_that_fails_is_told_and_the_others_go_on(monkeypatch):
    def measure_case(asked, place, case, tell):
        if case.work == "much":
            raise Failed("rank 1 is gone")
        return {PLAIN: jobs(1), DEFAULT: jobs(1)}

    monkeypatch.setattr(never_slower, "measure_case", measure_case)
    asked = never_slower.read(["--lab", "none", "--pattern", "constant", "varying", "--patience", "0"])
    result, made = never_slower.measure(asked, lambda what: None)
    assert [row["pattern"] for row in result["rows"]] == ["constant", "varying"] and len(made) == 2
    assert result["verified"] is False
    assert never_slower.complaints(result) == [f"{name}, much: rank 1 is gone" for name in ("constant", "varying")]
    assert "constant, much: failed" in text_of(result)


def test_the_picture_has_a_dot_for_each_pattern_the_slowest_first(tmp_path):
    picture = tmp_path / "never.svg"
    never_slower.write_picture(picture, known({"faster": 1.6, "slower": 0.9, "equal": 1.0}))
    root = ElementTree.parse(picture).getroot()
    titles = [title.text for title in root.iter(f"{SVG}title")]
    assert titles == ["slower, little: 0.902", "equal, little: 1.002", "faster, little: 1.604"]
    colours = [group.get("fill") for group in root.iter(f"{SVG}g")]
    assert len(set(colours)) == 2 + 1  # slower; not slower; faster
    dots = [float(dot.get("cx")) for dot in root.iter(f"{SVG}circle")]
    assert dots == sorted(dots) and len(dots) == 6


def test_it_prints_one_json_object_and_keeps_every_job(tmp_path):
    words = ("--pattern", "few-large", "small", "--settings", "STRETTO=off", "--json", "--keep", tmp_path)
    done = bench("never-slower", *TINY, *words, "--picture", tmp_path / "never.svg")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert [(row["pattern"], row["work"]) for row in result["rows"]] == [("few-large", "much"), ("small", "little")]
    assert result["verified"] and result["lab"] == "none" and result["ranks"] == 2
    for row in result["rows"]:
        assert row["equal"] and row["turns"] == 1 and row["job"]["low"] is None
        assert row["plain_s"] > 0 and row["cpu"] > 0 and min(row["start_up_ms"].values()) > 0
        assert row["settings"]["STRETTO=off"]["median"] > 0 and row["others_cores"] >= 0
    kept = json.loads((tmp_path / "never-slower.json").read_text())
    assert kept["figures"] == result and "stretto bench never-slower" in kept["command"]
    assert set(kept["jobs"]["small, little"]) == {PLAIN, DEFAULT, "STRETTO=off"}
    assert "few-large, much: turn 1 of 1: plain" in done.stderr
    ElementTree.parse(tmp_path / "never.svg")


def test_the_list_says_what_each_pattern_is():
    done = bench("never-slower", "--list")
    assert done.returncode == 0 and not done.stderr
    assert all(pattern["about"] in done.stdout for pattern in patterns())


def test_all_settings_of_one_part_are_measured_where_none_is_named():
    asked = never_slower.read(["--lab", "none", "--settings"])
    assert asked.settings["STRETTO_COLLECTIVES=off"] == {"STRETTO_COLLECTIVES": "off"} and len(asked.settings) == 6
    assert never_slower.read(["--lab", "none"]).settings == {}


def test_several_settings_in_one_word_are_one_variant():
    both = "STRETTO_TRIALS=off STRETTO_DELTA=16K"
    asked = never_slower.read(["--lab", "none", "--settings", both, "STRETTO=off"])
    assert asked.settings == {
        both: {"STRETTO_TRIALS": "off", "STRETTO_DELTA": "16K"},
        "STRETTO=off": {"STRETTO": "off"},
    }


def test_the_folder_for_figures_is_made(tmp_path):
    never_slower.read(["--lab", "none", "--keep", str(tmp_path / "kept")])
    assert (tmp_path / "kept").is_dir()


def test_only_what_was_asked_for_is_measured():
    asked = never_slower.read(["--lab", "none", "--pattern", "small", "constant", "late", "--work", "much"])
    assert [str(case) for case in asked.cases] == ["constant, much", "late, much"]
    every = never_slower.read(["--lab", "none"]).cases
    assert len(every) == sum(len(pattern["works"]) for pattern in patterns())


@pytest.mark.parametrize(
    "words, about",
    [
        (("--mpi", "lam"), "no MPI is called 'lam'"),
        (("--mpi", "mpich4", "--lab", "1gbit"), "--lab none"),
        (("--lab", "fast"), "rate 'fast'"),
        (("-n", "1"), "at least 2 ranks"),
        (("--pattern", "constant", "changing"), "changing is unknown"),
        (("--pattern", "small", "--work", "much"), "small has none such"),
        (("--settings", "HELPER=off"), "want a setting as STRETTO_HELPER=off"),
        (("--settings", "STRETTO=off HELPER=off"), "want a setting as STRETTO_HELPER=off"),
        (("--seconds", "0"), "greater than 0"),
        (("--dilate", "0.5"), "at least 1"),
        (("--picture", "/no/such/folder/n.svg"), "--picture /no/such/folder/n.svg: no such folder"),
        (("--keep", "/no/such/folder"), "no such folder"),
        (("--keep", "/proc/kept"), "--keep /proc/kept: "),
    ],
)
def test_what_cannot_be_is_refused_before_anything_starts(words, about):
    done = bench("never-slower", *words)
    assert done.returncode == 2 and about in done.stderr and not done.stdout, done
    assert "Traceback" not in done.stderr and "calibrating" not in done.stderr
