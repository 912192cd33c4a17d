"""What the driver derives from samples: formulas, the JSON object, what counts as disturbed. Starts nothing."""

import json
from pathlib import Path

import figures
import measure
import page
import plan
import pytest
import timeline
from costs import Costs
from kernels import KERNELS, reduce_plain
from measure import Attempt, Samples

DESIGN = [
    "kernel",
    "mpi",
    "ranks",
    "lab",
    "trigger",
    "ratio",
    "message_bytes",
    "delta_bytes",
    "repetitions",
    "verified",
    "median_s",
    "disturbed",
    "hidden",
    "speedup",
    "hand_speedup",
    "of_hand",
    "of_ideal",
]


def at_best(kernel, ranks, compute=1.0, message=1.0):
    kernel = KERNELS[kernel]
    return kernel.plain(compute, message, ranks) / kernel.ideal(compute, message, ranks)


def samples(**seconds):
    made = Samples(
        message_bytes=409600,
        library="Open MPI v4.1.4",
        calls={"begins": 1, "send_data": 800, "receives": 1, "wait_data": 800},
    )
    for name, value in seconds.items():
        name = name.replace("_", ":")
        made.seconds[name] = [value] * 5
        if name not in ("message", "compute"):
            made.checksums[name] = {"c0ffee"}
    return made


def asked(*words):
    return plan.read(["pair", "--lab", "1gbit", *words])


def test_an_imbalance_is_in_the_launch_and_in_the_formulas():
    static = plan.read(["pes", "--lab", "none", "--imbalance", "static"])
    assert measure.Measure(static, None, None, None).common[2:4] == ["--imbalance", "static"]
    assert (static.in_a_step(1), static.over_all_steps(1)) == (1.2, 1.2)
    rotating = plan.read(["pes", "--lab", "none", "-n", "4", "--imbalance", "rotating"])
    assert (rotating.in_a_step(1), rotating.over_all_steps(1)) == (1.2, 1.05)


# --- formulas -----------------------------------------------------------------------------------------------------


def test_a_pair_is_at_most_three_times_faster():
    assert at_best("pair", 2) == 3


@pytest.mark.parametrize("ranks", [2, 3, 4, 8])
def test_a_cascade_of_p_ranks_is_at_most_2p_minus_1_times_faster(ranks):
    assert at_best("cascade", ranks) == 2 * ranks - 1


def test_a_ring_is_at_most_twice_as_fast():
    assert at_best("ring", 4) == 2
    assert at_best("ring", 4, compute=3) == pytest.approx(4 / 3)


def test_the_tree_of_reduce_is_walked_child_by_child():
    assert reduce_plain(1, 1, 2) == 2  # one child
    assert reduce_plain(1, 1, 3) == 3  # two, one after the other
    assert reduce_plain(1, 1, 4) == 4  # the first of them has a child itself
    assert reduce_plain(1, 1, 7) == 5  # both have two, and the second's sum was ready meanwhile
    assert at_best("reduce", 4) == 2


def test_compress_is_at_most_twice_as_fast_where_all_streams_need_as_long_as_the_work():
    assert at_best("compress", 4, compute=3, message=1) == 2


def test_a_transform_is_at_most_twice_as_fast_whatever_the_number_of_ranks():
    assert times("fft3d", 4, 1, 1) == times("fft3d", 8, 1, 1) == {"plain": 2, "ideal": 1}
    assert times("fft3d", 4, 1, 3) == {"plain": 4, "ideal": 3}


def test_a_transform_runs_where_all_ranks_may_talk_at_once():
    assert (plan.read(["fft3d"]).lab, plan.read(["fft3d"]).dilate) == ("50mbit", 20)
    assert plan.read(["fft3d", "-n", "2"]).lab == "1gbit"


def times(kernel, ranks, compute, message):
    kernel = KERNELS[kernel]
    named = {"plain": kernel.plain, "independent": kernel.independent, "ideal": kernel.ideal}
    return {name: pytest.approx(time(compute, message, ranks)) for name, time in named.items() if time}


def test_the_wave_of_lu_goes_from_rank_to_rank():
    # Two in a row; three; a square: south waits for east on the first rank's link, then the last rank for the second's.
    assert times("lu", 2, 1, 1) == {"plain": 3, "independent": 2.8, "ideal": 1.2}
    assert times("lu", 3, 1, 1) == {"plain": 5, "independent": 4.6, "ideal": 1.2}
    assert times("lu", 4, 1, 1) == {"plain": 6, "independent": 5.6, "ideal": 3.2}
    assert times("lu", 4, 10, 1) == {"plain": 33, "independent": 29, "ideal": 19}
    # Two rows of three: two hops east, in the second row behind a message from the north each.
    assert times("lu", 6, 10, 1) == {"plain": 45, "independent": 39, "ideal": 19}


def test_a_head_of_hycom_takes_the_strips_of_all_others_in_its_row():
    assert times("hycom", 2, 1, 1) == {"plain": 2, "independent": 2, "ideal": 1}
    assert times("hycom", 3, 3, 1) == {"plain": 5, "independent": 5, "ideal": 3}
    assert times("hycom", 4, 1, 1) == {"plain": 2, "independent": 2, "ideal": 1}  # two rows of two
    assert times("hycom", 6, 1, 1) == {"plain": 3, "independent": 3, "ideal": 2}


@pytest.mark.parametrize("application", ["pes", "nbody"])
def test_what_an_application_sends_between_its_steps_may_vanish(application):
    assert times(application, 4, 1, 1) == {"plain": 48, "ideal": 24}
    assert times(application, 4, 2, 1) == {"plain": 72, "ideal": 48}


def test_the_master_of_m3_makes_slices_meanwhile_and_one_message_overlaps_the_others():
    assert times("m3", 4, 5, 1) == {"plain": pytest.approx(168), "ideal": 120}
    assert times("m3", 4, 1, 4) == {"plain": pytest.approx(124.8), "ideal": 72}


def test_only_the_faces_across_x_overlap_in_mg():
    assert times("mg", 2, 4, 1) == {"plain": 6, "independent": 4, "ideal": 4}  # all along x
    assert times("mg", 3, 1, 1) == {"plain": 3, "independent": 2, "ideal": 2}
    assert times("mg", 4, 4, 1) == {"plain": 8.5, "independent": 6.5, "ideal": 6.5}
    assert times("mg", 8, 1, 1) == {"plain": 5.5, "independent": 4.5, "ideal": 4.5}


def test_only_the_inner_planes_of_cg_overlap_without_deltas():
    assert times("cg", 4, 4, 1) == {"plain": 8 * 5, "independent": 8 * 4, "ideal": 8 * 4}
    assert times("cg", 4, 4, 5) == {"plain": 8 * 9, "independent": 8 * 6, "ideal": 8 * 5}


def test_what_a_kernel_gains_over_independent_overlap_stands_beside_its_ideal():
    made = samples(message=1, compute=1, plain=6.1, independent=5.7, hand_2048=3.5, delta=3.6)
    result = figures.derive(plan.read(["lu", "-n", "4"]), Attempt(made, 0, [], 1), 1, None)
    details = result["details"]
    assert (details["independent_s"], details["independent_ideal_s"]) == (5.7, 5.6)
    assert details["over_independent"] == pytest.approx(5.7 / 3.6, rel=1e-3)
    assert details["ideal_over_independent"] == 1.75
    assert result["median_s"]["ideal"] == 3.2 and details["ideal_speedup"] == 1.875


def test_what_an_unmodified_kernel_gains_stands_beside_what_annotations_gain():
    made = samples(message=1, compute=1, plain=2.1, hand_2048=1.2, delta=1.1, unmodified=1.5)
    details = figures.derive(plan.read(["fft3d"]), Attempt(made, 0, [], 1), 1, None)["details"]
    assert details["unmodified_s"] == 1.5 and details["unmodified_speedup"] == pytest.approx(1.4)


def test_strategies_are_shown_over_the_computation_as_in_their_paper():
    made = samples(
        message=1,
        compute=2,
        plain=3.2,
        hand_2048=2.4,
        delta=2.25,
        annotated=2.2,
        unmodified=3,
        tiled_4096=2.5,
        tiled_8192=2.6,
    )
    swept = {"hand:1024": 2.8, "hand:2048": 2.4, "tiled:4096": 2.5, "tiled:4096:1": 2.7, "tiled:8192:1": 2.6}
    details = figures.derive(plan.read(["fft3d", "--strategies"]), Attempt(made, 0, [], 1, swept), 1, None)["details"]
    names = ("alltoall", "nonblocking", "messages", "compiler", "annotated", "unmodified")
    assert details["strategies"] == {
        "seconds": dict(zip(names, (3.2, 2.4, 2.5, 2.25, 2.2, 3), strict=True)),
        "normalized": dict(zip(names, (1.6, 1.2, 1.25, 1.125, 1.1, 1.5), strict=True)),
        "tile_bytes": {"nonblocking": 2048, "messages": 4096},
        "depth": {"nonblocking": 0, "messages": 0},
        "by_tile": {"nonblocking": {"1024": 1.4, "2048": 1.2}, "messages": {"4096": 1.25, "8192": 1.3}},
        "compiler_of_best": 0.9778,
        "delta": 0.475,
        "can_be_hidden": 0.6,  # ideal: 2
        "delta_of_what_can_be_hidden": 0.7917,
    }


def test_without_strategies_there_are_no_such_figures():
    made = samples(message=0.1, compute=0.1, plain=0.3, hand_8192=0.11, delta=0.115)
    assert figures.derive(asked(), Attempt(made, 0.02, [], 0.1), 1, None)["details"]["strategies"] is None


def test_a_kernel_without_independent_computation_has_no_such_figures():
    made = samples(message=0.1, compute=0.1, plain=0.3, hand_8192=0.11, delta=0.115)
    details = figures.derive(asked(), Attempt(made, 0.02, [], 0.1), 1, None)["details"]
    assert details["independent_s"] is None and details["over_independent"] is None
    assert details["unmodified_s"] is None and details["unmodified_speedup"] is None


def test_the_papers_limit_at_its_own_ratio_and_delta():
    pair = KERNELS["pair"]
    assert pair.plain(1.62, 1, 2) / pair.best_of_chunks(1.62, 1, 2, 25) == pytest.approx(2.46, abs=0.01)


# --- the JSON object ------------------------------------------------------------------------------------------------


def test_the_object_has_the_keys_of_the_design_in_their_order():
    made = samples(message=0.1, compute=0.1, plain=0.3, hand_8192=0.11, hand_4096=0.12, delta=0.115)
    result = figures.derive(asked(), Attempt(made, 0.02, [], 0.1), 1, None)
    assert list(result) == [*DESIGN, "details"]
    assert list(result["median_s"]) == ["plain", "stretto", "stretto_undilated", "hand", "ideal"]
    assert json.loads(json.dumps(result)) == result
    assert result["mpi"] == "Open MPI 4.1.4"
    assert result["median_s"] == {
        "plain": 0.3,
        "stretto": 0.115,
        "stretto_undilated": 0.115,
        "hand": 0.11,
        "ideal": 0.1,
    }
    assert result["speedup"] == pytest.approx(0.3 / 0.115, rel=1e-3)
    assert result["of_hand"] == pytest.approx(0.11 / 0.115, rel=1e-3)
    assert result["hidden"] == pytest.approx(0.85)
    assert result["details"]["hand_chunk_bytes"] == 8192
    assert result["verified"]


def test_what_dilation_hides_of_our_calls_is_added():
    made = samples(message=0.1, compute=0.1, plain=0.3, hand_8192=0.11, delta=0.12)
    costs = Costs(send_data=100, wait_data=50, delta=1000, message=10000)
    result = figures.derive(asked("--dilate", "10", "--delta", "8192"), Attempt(made, 0, [], 0.1), 1, costs)
    ours = 800 * 100e-9 + 800 * 50e-9 + 50 * 1000e-9 + 10000e-9
    assert result["median_s"]["stretto_undilated"] == pytest.approx(0.12 + 9 * ours, rel=1e-3)


def test_what_dilation_hides_is_not_invented():
    made = samples(message=0.1, compute=0.1, plain=0.3, hand_8192=0.11, delta=0.12)
    result = figures.derive(asked("--dilate", "10"), Attempt(made, 0, [], 0.1), 1, None)
    assert result["median_s"]["stretto_undilated"] is None


@pytest.mark.parametrize("fault", ["another checksum", "wrong elements", "a repetition that changed"])
def test_results_that_differ_are_not_verified(fault):
    made = samples(message=0.1, compute=0.1, plain=0.3, hand_8192=0.11, delta=0.12)
    if fault == "another checksum":
        made.checksums["delta"].add("beef")
    elif fault == "wrong elements":
        made.wrong = 1
    else:
        made.changed = 1
    assert not figures.derive(asked(), Attempt(made, 0, [], 0.1), 1, None)["verified"]
    assert "differ" in made.disagreement()


def disturbed_by(made, *words, others=0.0):
    return measure.disturbed_by(asked(*words), made, others)


def test_work_of_others_a_slow_hand_and_cores_of_another_speed_disturb():
    calm = samples(message=0.1, compute=0.1, plain=0.3, hand_8192=0.11, delta=0.2)
    assert disturbed_by(calm, others=0.1) == []
    assert disturbed_by(calm, others=0.2) == ["others took 0.20 cores"]
    slow_hand = samples(message=0.1, compute=0.1, plain=0.3, hand_8192=0.2, delta=0.2)
    assert disturbed_by(slow_hand) == ["the pipeline by hand is far from what it could be"]
    faster_cores = samples(message=0.1, compute=0.08, plain=0.3, hand_8192=0.11, delta=0.2)
    assert disturbed_by(faster_cores) == ["the cores changed their speed: the ratio asked for is 0.80 by now"]
    assert len(disturbed_by(faster_cores, "--ratio", "1.62", others=1)) == 2


def test_of_short_messages_only_the_work_of_others_is_asked():
    short = samples(message=0.1, compute=0.08, plain=0.3, hand_8192=0.2, delta=0.2)
    short.message_bytes = 8192
    assert disturbed_by(short, "--size", "8KiB") == []
    assert disturbed_by(short, "--size", "8KiB", others=1) == ["others took 1.00 cores"]


def test_the_attempt_with_the_least_in_its_way_counts():
    made = samples(message=0.1, compute=0.1, plain=0.3, hand_8192=0.11, delta=0.2)
    calm, others, both = (Attempt(made, *found, 0.1) for found in ((0.14, []), (0.2, ["a"]), (0.0, ["a", "b"])))
    assert min((both, others, calm), key=lambda attempt: attempt.unrest) is calm
    assert min((both, others), key=lambda attempt: attempt.unrest) is others


# --- the report -----------------------------------------------------------------------------------------------------


def kept(folder: Path) -> page.Section:
    made = samples(message=0.1, compute=0.1, plain=0.3, hand_8192=0.11, delta=0.115)
    result = figures.derive(asked(), Attempt(made, 0.02, [], 0.1), 1, None)
    lines = folder / "timelines"
    (lines / "trace").mkdir(parents=True)
    for run in ("plain", "hand:8192", "delta"):
        sender = [
            {"kind": "compute", "begin": 5.0, "end": 5.1},
            {"kind": "send", "begin": 5.1, "end": 5.1, "peer": 1, "bytes": 409600},
        ]
        receiver = [
            {"kind": "wait", "begin": 5.0, "end": 5.2},
            {"kind": "receive", "begin": 5.2, "end": 5.2, "peer": 0, "bytes": 409600},
            {"kind": "compute", "begin": 5.2, "end": 5.3},
        ]
        for rank, events in enumerate((sender, receiver)):
            (lines / f"pair-{run}-{rank}.json").write_text(json.dumps({"rank": rank, "events": events}))
    left = [{"kind": "delta_left", "begin": t, "end": t, "peer": 1, "bytes": 8192} for t in (4.0, 5.05, 5.1)]
    came = [{"kind": "delta_came", "begin": t, "end": t, "peer": 0, "bytes": 8192} for t in (4.1, 5.15, 5.2)]
    for rank, events in enumerate((left, came)):
        (lines / f"trace/rank-{rank}.json").write_text(json.dumps({"rank": rank, "events": events}))
    return page.Section(result, "stretto bench pair", lines)


def test_a_message_flies_from_where_it_left_to_where_it_came(tmp_path):
    plain, stretto, hand = kept(tmp_path).variants()
    assert (plain.name, stretto.name, hand.name) == ("plain", "stretto", "hand")
    (flight,) = plain.flights
    assert (flight.source, flight.destination, flight.bytes) == (0, 1, 409600)
    assert flight.left == pytest.approx(0.1) and flight.came == pytest.approx(0.2)
    # What happened in other repetitions is not shown.
    assert [round(one.left, 3) for one in stretto.flights] == [0.05, 0.1]


def test_events_too_short_to_be_seen_are_joined():
    spans = [timeline.Span("compute", k * 1e-3, (k + 1) * 1e-3 - 1e-6) for k in range(100)]
    (one,) = timeline.joined(spans, 1e-4)
    assert one.end == pytest.approx(0.1, rel=1e-3)


def test_the_report_is_one_file_that_needs_no_other(tmp_path):
    section = kept(tmp_path)
    section.keep(tmp_path)
    page.write_page(tmp_path / "report.html", [page.Section.read(tmp_path)], title="a < b")
    text = (tmp_path / "report.html").read_text()
    assert "<svg" in text and "stretto bench pair" in text and "a &lt; b" in text
    assert "src=" not in text and "http" not in text
