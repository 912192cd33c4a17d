"""Collectives that a compiler's code feeds and uses (include/stretto/abi.h): the results are the plain ones, whatever the other ranks are."""

import pathlib

import pytest
from compile import program, stand_in
from launch import DO_NOT_LOOK_IN_WAITS, launch, library

HERE = pathlib.Path(__file__).parent
WAYS = {"calls": 0, "below": 1, "above": 2, "pieces": 3, "opens": 4, "begins": 5, "fortran": 6, "alike": 7}
SETTINGS = {
    "chunk": {},
    "all": {"STRETTO": "all"},
    "every_one": {"STRETTO_COLLECTIVES": "all,reorder"},
    "forced": {"STRETTO": "all", "STRETTO_FORCE": "1"},
    "pages": {"STRETTO_TRIGGER": "pages"},
    "compared": {"STRETTO_DEBUG": "1"},
    "tried": {"STRETTO_TRIALS": "on"},
    "off": {"STRETTO": "off"},
}
MIXED = "130 collectives"  # of each size, twice


def built(mpi, name="collected", flags=()):
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    # One that is not debugged: its lines are the compiler's.
    return program(mpi, name, [HERE / "collected.c"], linked=True, flags=["-g0", *flags])


def run(mpi, ranks, *words, **env):
    return launch(mpi, ranks, built(mpi), words, env={"STRETTO_COUNTERS": "1", **env}, transport="tcp", timeout=120)


@pytest.mark.parametrize("ranks", [2, 3, 4])
@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.pairs()
def test_ranks_that_have_it_in_several_ways_agree(mpi, ranks, setting):
    result = run(mpi, ranks, "mix", **SETTINGS[setting])
    assert result.rc == 0 and MIXED in result.stdout, result
    fed = result.counters.get("compiled_collective", 0)
    assert (fed > 0) == (setting not in ("off", "pages", "compared", "tried")), result


@pytest.mark.parametrize("way", WAYS)
def test_all_ranks_have_it_in_the_same_way(mpi, way):
    result = run(mpi, 3, "mix", str(WAYS[way]))
    assert result.rc == 0 and MIXED in result.stdout, result
    feeds, uses = way not in ("calls", "opens"), way != "calls"
    if way == "fortran" and mpi == "abi":
        return
    assert (result.counters["compiled_collective"] > 0) == feeds, result
    assert (result.counters["compiled_result"] > 0) == uses, result


@pytest.mark.parametrize("setting", ["chunk", "all", "tried"])
def test_beside_ranks_of_another_compiler(mpi, setting):
    plain = built(mpi, "collected-plain", ["-DPLAIN"])
    result = run(mpi, 3, "beside", plain, "mix", **SETTINGS[setting])
    assert result.rc == 0 and MIXED in result.stdout, result
    assert setting == "tried" or result.counters["compiled_collective"] > 0, result


def test_beside_a_rank_without_stretto(mpi):
    result = run(mpi, 3, "off_at_1", "mix")
    assert result.rc == 0 and MIXED in result.stdout, result
    assert result.counters["compiled_collective"] == 0, result


def test_ranks_decide_together_whether_it_pays(mpi):
    """Each call counts once in their trial, whatever a rank does with it: else they would decide it differently, and hang."""
    result = run(mpi, 2, "mix", "-1", "60", STRETTO_TRIALS="on")
    assert result.rc == 0 and "3900 collectives" in result.stdout, result
    assert result.counters["compiled_collective"] > 0, result


def test_annotated_ones_stand_between_them(mpi):
    result = run(mpi, 3, "annotated")
    assert result.rc == 0, result


def test_a_part_leaves_and_is_used_before_the_next_one_is_there(mpi):
    """Each waits for the other: it hangs unless the one leaves early, and the other is waited for no longer than needed."""
    if mpi in DO_NOT_LOOK_IN_WAITS:
        pytest.skip("a broadcast is the library's")
    result = run(mpi, 2, "quarters")
    assert result.rc == 0, result


@pytest.mark.parametrize("why", ["held", "overlaps", "meets"])
def test_what_is_held_leaves_where_it_is_opened(mpi, why):
    """It is written again after it was said to be final."""
    result = run(mpi, 2, why)
    assert result.rc == 0 and result.counters["compiled_collective"] == 2, result


def test_what_is_checked_may_not_be_written_again(mpi):
    result = run(mpi, 2, "checked")
    assert result.rc != 0 and "of the contribution was written after it had left" in result.stderr, result
    assert "solver.c:214" in result.stderr, result  # the compiler's line


@pytest.mark.parametrize("what", ["in_place", "derived", "errors"])
@pytest.mark.parametrize("setting", ["chunk", "every_one"])
def test_what_is_not_fed_is_plain(mpi, what, setting):
    result = run(mpi, 3, what, **SETTINGS[setting])
    assert result.rc == 0, result


@pytest.mark.parametrize("setting", ["chunk", "every_one"])
def test_between_two_groups(mpi, setting):
    result = run(mpi, 4, "between_groups", **SETTINGS[setting])
    assert result.rc == 0, result


def test_it_does_not_begin_beside_an_open_send(mpi):
    """The other one waits for that send before it comes to the collective, and a begin may wait for the other one."""
    result = run(mpi, 3, "beside_a_send", STRETTO_TRIALS="on")
    assert result.rc == 0, result


def test_threads_say_their_parts(mpi):
    """Under MPI_THREAD_SINGLE: those that did not begin it may not call MPI."""
    result = run(mpi, 2, "threads", LD_PRELOAD=str(stand_in(mpi, HERE / "one_thread.c")))
    assert result.rc == 0 and result.counters["compiled_collective"] == 2, result


def test_it_is_not_opened_until_the_others_have_come(mpi, tmp_path):
    """A program may take MPI_Allgather for a barrier (decision 16)."""
    result = run(mpi, 3, "others_have_come", tmp_path / "made")
    assert result.rc == 0, result


def test_of_a_later_version_it_is_plain(mpi):
    result = run(mpi, 2, "later")
    assert result.rc == 0 and result.counters["compiled_collective"] == 0, result


def test_one_without_its_end_is_named(mpi):
    result = run(mpi, 2, "unended")
    assert result.rc != 0 and "has not been ended" in result.stderr and "solver.c:214" in result.stderr, result
