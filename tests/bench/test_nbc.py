"""`stretto bench nbc`: what it computes from what was measured, its pictures, what it refuses. No time decides."""

import json
import xml.etree.ElementTree as ElementTree
from io import StringIO
from itertools import pairwise

import curves
import nbc
import nbc_picture
import pytest
from nbc_figures import HELPER, KINDS, NATIVE, STRETTO, derive, launches
from rich.console import Console
from test_driver import bench

SVG = "{http://www.w3.org/2000/svg}"
TINY = ("--lab", "none", "-n", 2, "--turns", 1, "--reps", 2, "--patience", 0)
OVERHEAD = {NATIVE: 8, STRETTO: 4, HELPER: 1}


def asked(*words):
    return nbc.read(["--lab", "none", *words])


def measured(launch, name, scale):
    """As `nbc` prints it: an operation of 10 s, of 20 blocking, beside 11 s of computation; each test hides a second more."""

    def way(number, hidden):
        overhead = max(OVERHEAD[launch.kind] - hidden, 1) * scale
        return {"number": number, "overhead": overhead, "testing": number * launch.ranks, "overall": 11 + overhead}

    return {
        "collective": name,
        "bytes": launch.bytes,
        "reps": 5,
        "blocking": 20,
        "init_wait": 10,
        "init": 1,
        "compute": 11,
        "skewed": {"blocking": 10, "init_wait": 9},
        "none": way(0, 0),
        "tests": way(16, 3),
        "by_tests": [way(number, number) for number in launch.tests],
    }


def known(asked):
    """Three turns, the last of which was disturbed."""
    made = {
        launch: [[measured(launch, name, scale) for name in launch.collectives] for scale in (1, 1, 5)]
        for launch in launches(asked)
    }
    return derive(asked, made, 0.0)


def everything():
    return asked("--sizes", "1-4MiB", "--tests", "1,4", "--by-ranks", "2,4", "--collectives", "bcast,alltoall")


def test_a_range_of_sizes_goes_by_powers_of_four():
    assert asked("--sizes", "1-4MiB").sizes == [4**k for k in range(12)]
    assert asked("--sizes", "3,1KiB-20KiB").sizes == [3, 2**10, 2**12, 2**14]


def test_what_is_hidden_follows_from_the_medians():
    row = known(asked("--sizes", "1", "--collectives", "bcast"))["rows"][0]
    assert [row[kind]["none"]["share"] for kind in KINDS] == pytest.approx([0.2, 0.6, 0.9])
    assert [row[kind]["tests"]["share"] for kind in KINDS] == pytest.approx([0.5, 0.9, 0.9])
    for kind in KINDS:
        # All that is not hidden is in the calls: the definitions agree.
        assert [row[kind]["none"][key] for key in ("osu", "imb")] == pytest.approx(2 * [row[kind]["none"]["share"]])
    assert row["of_native"] == pytest.approx({"native": 0.5, "blocking": 0.5, "skewed": 0.9, "overall": 12 / 19})


def test_what_is_hidden_is_told_by_number_of_tests_and_what_a_test_takes_by_number_of_ranks():
    result = known(everything())
    assert [(row["collective"], row["bytes"]) for row in result["by_tests"]] == [("bcast", 2**18), ("alltoall", 2**18)]
    ways = result["by_tests"][0]
    assert [way["number"] for way in ways[NATIVE]] == [0, 1, 4]
    assert [way["share"] for way in ways[NATIVE]] == pytest.approx([0.2, 0.3, 0.6])
    assert [(row["collective"], row["ranks"]) for row in result["by_ranks"]] == [
        (name, ranks) for name in ("bcast", "alltoall") for ranks in (2, 4)
    ]
    assert [row[STRETTO]["test_s"] for row in result["by_ranks"]] == [2, 4, 2, 4]


def test_a_launch_that_serves_twice_is_made_once():
    every = launches(asked("--sizes", "16KiB,64KiB", "--at", "64KiB", "--by-ranks", "2,4", "--tests", "1"))
    assert len(every) - len(set(every)) == len(KINDS)  # 64 KiB on 4 ranks
    assert len(set(every)) == len({str(launch) for launch in every})


def test_long_operations_have_a_launch_for_each_collective():
    words = ("--sizes", "64KiB,4MiB", "--collectives", "bcast,alltoall")
    assert [str(launch) for launch in launches(asked(*words)) if launch.kind == NATIVE] == [
        "native, 64 KiB, 4 ranks",
        "native, bcast, 4 MiB, 4 ranks",
        "native, alltoall, 4 MiB, 4 ranks",
    ]


def test_the_picture_has_every_series_of_every_collective():
    result = known(everything())
    root = ElementTree.fromstring(nbc_picture.picture(result))
    texts = {text.text for text in root.iter(f"{SVG}text")}
    assert {style.name for style in nbc_picture.STYLES.values()} < texts
    assert {"MPI_X", "Stretto, ranks one after the other", "bcast", "alltoall", "hidden", "overhead"} < texts
    assert {"used as blocking", "hidden, by tests", "one test", "4 MiB", "none"} < texts
    marks = [title.text for title in root.iter(f"{SVG}title")]
    for name in ("bcast", "alltoall"):
        for way, style in nbc_picture.STYLES.items():
            figures = next(row for row in result["rows"] if row["collective"] == name)[way[0]][way[1]]
            for size in ("1 B", "4 KiB", "4 MiB"):
                assert f"{name}, {size}, {style.name}: {figures['share']:.3g}" in marks, (name, style)
                assert f"{name}, {size}, {style.name}: {figures['overhead']:.3g} s" in marks, (name, style)
    # By size three figures of five ways, one of them of two; by tests and by ranks each kind.
    assert len(marks) == 2 * (12 * (5 + 5 + 2) + 3 * 3 + 2 * 3)


def test_the_picture_has_no_figure_that_was_not_asked_for():
    texts = {text.text for text in ElementTree.fromstring(nbc_picture.picture(known(asked()))).iter(f"{SVG}text")}
    assert "hidden" in texts and not texts & {"hidden, by tests", "one test"}


def test_curves_stay_within_their_panel():
    scale = curves.share()
    assert (scale.at(-7), scale.at(0.25), scale.at(2)) == (0, 0.25, 1)
    assert curves.octaves([0.9, 100]).at(1) == pytest.approx(0.25)  # a half to eight times
    times = curves.decades([2e-6, 3e-3])
    assert [times.label(tick) for tick in times.ticks] == ["1 µs", "10 µs", "100 µs", "1 ms", "10 ms"]


def test_labels_of_an_axis_do_not_touch():
    scale = curves.along([2**k for k in range(23)], str)
    assert scale.ticks[0] == 2**22 and len(scale.ticks) > 2
    for right, left in pairwise(scale.ticks):
        letters = len(f"{right}{left}") / 2
        assert (scale.at(right) - scale.at(left)) * curves.WIDTH > letters * curves.LETTER
    assert curves.along([16], str).ticks == [16]


@pytest.mark.parametrize(
    "overlap, said", [("nbcbench", {"NBCBench"}), ("imb", {"IMB"}), ("all", {"NBCBench", "OSU", "IMB"})]
)
def test_the_table_has_the_overlap_asked_for(overlap, said):
    out = StringIO()
    nbc.show(overlap, known(asked("--tests", "1", "--by-ranks", "2")), Console(file=out, width=80))
    text = out.getvalue()
    assert {about for about in ("NBCBench", "OSU", "IMB") if about in text} == said
    assert text.count("skewed overall") == 1 and "…" not in text
    assert "share by number of tests, 256 KiB" in text and "by number of ranks, 256 KiB" in text


def test_one_and_two_bytes_are_reduced_and_drawn(tmp_path):
    picture, report = tmp_path / "nbc.svg", tmp_path / "nbc.html"
    words = ("--sizes", "1,2,64KiB", "--collectives", "reduce,allreduce", "--tests", "1,3", "--at", "16")
    done = bench("nbc", *TINY, *words, "--by-ranks", 3, "--json", "--picture", picture, "--report", report)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert [row["bytes"] for row in result["rows"]] == 2 * [1, 2, 2**16]
    assert all(row[kind]["reps"] == 2 for row in result["rows"] for kind in KINDS)
    assert [way["number"] for way in result["by_tests"][0][HELPER]] == [0, 1, 3]
    assert all(row["ranks"] == 3 and row[NATIVE]["test_s"] > 0 for row in result["by_ranks"])
    assert "1 of 1: Stretto, 64 KiB, 2 ranks" in done.stderr
    ElementTree.parse(picture)
    page = report.read_text()
    assert "<svg" in page and "src=" not in page and "IMB" in page and "stretto bench nbc" in page
    assert "share by number of tests, 16 B" in page and "by number of ranks, 16 B" in page


def test_of_long_operations_there_are_fewer():
    words = ("--sizes", "64KiB", "--collectives", "bcast", "--within", "1e-9", "--json")
    done = bench("nbc", *TINY, *words)
    assert done.returncode == 0, done.stderr
    assert [json.loads(done.stdout)["rows"][0][kind]["reps"] for kind in KINDS] == [1, 1, 1]


@pytest.mark.parametrize(
    "words, about",
    [
        (("--sizes", "0"), "want a size, or a range"),
        (("--sizes", "64KiB-1KiB"), "want a size, or a range"),
        (("--sizes", "many"), "want a number of bytes"),
        (("--sizes", "32MiB"), "1 byte up to 16 MiB"),
        (("--at", "17MiB"), "--at: 17825792"),
        (("--tests", "0"), "whole number"),
        (("--tests", ",".join(map(str, range(1, 18)))), "at most 16"),
        (("--by-ranks", "1"), "at least 2 ranks"),
        (("--within", "0"), "greater than 0"),
        (("--overlap", "mine"), "invalid choice"),
        (("--picture", "/no/such/folder/s.svg"), "--picture /no/such/folder/s.svg: no such folder"),
        (("--report", "/no/such/folder/s.html"), "no such folder"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_starts(words, about):
    done = bench("nbc", *words)
    assert done.returncode == 2 and about in done.stderr and not done.stdout, done
    assert "Traceback" not in done.stderr and "turn 1" not in done.stderr
