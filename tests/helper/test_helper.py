"""The thread that looks after long messages while the program computes: that it works, and that nobody need know of it."""

import pathlib

import pytest
from compile import program
from launch import launch, library

SOURCE = pathlib.Path(__file__).parent / "helper.c"
ALL = {"STRETTO": "all", "STRETTO_COUNTERS": "1"}
SINGLE, FUNNELED, SERIALIZED, MULTIPLE = range(4)


def run(mpi, scene, *level, env=None, transport="tcp"):
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    arguments = [scene, *(str(number) for number in level)]
    result = launch(
        mpi, 2, program(mpi, "helper", [SOURCE], linked=True), arguments,
        transport=transport, env=ALL | (env or {}), timeout=60,
    )  # fmt: skip
    assert not result.hung, result
    return result


def threads(result, when):
    return [int(line.split()[1]) for line in result.stdout.splitlines() if line.startswith(when)]


@pytest.mark.parametrize("force", ["", "1"])
@pytest.mark.parametrize("how, there", [("auto", 1), ("300", 1), ("off", 0)])
def test_it_moves_messages_while_the_program_computes(mpi, how, there, force):
    """And is there only then."""
    result = run(mpi, "moves", env={"STRETTO_HELPER": how, "STRETTO_FORCE": force, "STRETTO_FAST_LINK": "1e12"})
    assert result.rc == 0, result
    assert threads(result, "helpers") == [there, there], result
    assert threads(result, "afterwards") == [0, 0], result
    assert (result.counters["helper_moved"] > 0) == bool(there), result


def test_it_is_there_where_calls_return_early_or_it_is_asked_for(mpi):
    for env, there in (
        ({"STRETTO": "chunk"}, 0),
        ({"STRETTO": "chunk", "STRETTO_HELPER": "1000"}, 1),
        ({"STRETTO": "off"}, 0),
    ):
        result = run(mpi, "moves", env=env | {"STRETTO_FAST_LINK": "1e12"})
        assert result.rc == 0 and threads(result, "helpers") == [there, there], result


def test_links_that_are_not_worth_it_have_none(mpi):
    result = run(mpi, "moves", env={"STRETTO_FAST_LINK": "1"})
    assert result.rc == 0 and threads(result, "helpers") == [0, 0], result


def test_a_wrong_period_is_named(mpi):
    result = run(mpi, "moves", env={"STRETTO_HELPER": "soon"})
    assert result.rc == 0 and "STRETTO_HELPER=soon is unknown (it may be: auto, off," in result.stderr, result


@pytest.mark.parametrize("level", [SINGLE, FUNNELED, SERIALIZED, MULTIPLE])
def test_the_program_is_told_the_level_that_it_asked_for(mpi, level):
    if mpi == "mpich4" and level == MULTIPLE:
        pytest.skip("MPICH 4.0 does not frame then")
    result = run(mpi, "moves", level, env={"STRETTO_FAST_LINK": "1e12"})
    assert result.rc == 0 and threads(result, "helpers") == [1, 1], result


@pytest.mark.parametrize("force", ["", "1"])
def test_a_program_that_forks(mpi, force):
    result = run(mpi, "forks", env={"STRETTO_FORCE": force, "STRETTO_FAST_LINK": "1e12"})
    assert result.rc == 0, result


def test_a_process_that_ends_without_mpi(mpi):
    """However MPI takes that: it is no crash and no hang."""
    for _ in range(3):
        result = run(mpi, "exits", env={"STRETTO_FORCE": "1"})
        assert "signal 11" not in str(result).lower() and "segmentation" not in str(result).lower(), result


def test_a_barrier_waits_for_no_page_because_of_it(mpi):
    env = {"STRETTO_FAST_LINK": "1e12", "STRETTO_TRIGGER": "pages"}
    result = run(mpi, "crosses", env=env)
    if "threads of its own" in result.stdout:
        pytest.skip("the library has threads of its own, for which a barrier waits")
    assert result.rc == 0 and threads(result, "helpers") == [1, 1], result
