"""What is learnt of a call site while the program runs changes how its messages leave, and nothing else."""

import pathlib
import re

import pytest
from compile import program
from launch import launch, library

SOURCE = pathlib.Path(__file__).parent / "learning.c"
MESSAGES, SITES, OPENING, TURN = 1200, 4, 12, 3  # of tune/trial.cpp: the fewest, where messages take long


@pytest.mark.parametrize("env", [{"STRETTO": "chunk"}, {"STRETTO": "all"}, {"STRETTO": "all", "STRETTO_RELEASE": "unmatched"}],
                         ids=["chunk", "all", "unmatched"])  # fmt: skip
@pytest.mark.parametrize(
    "always", [{}, {"STRETTO_TRIALS": "off"}, {"STRETTO_FORCE": "1"}], ids=["tried", "untried", "force"]
)
def test_messages_left_to_the_library_between_framed_ones_are_the_same(mpi, env, always):
    """A site leaves its first messages to the library, then those of a turn framed; with STRETTO_TRIALS=off, or STRETTO_FORCE=1, all."""
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    result = launch(
        mpi, 2, program(mpi, "learning", [SOURCE], linked=True), [], transport="tcp",
        env=env | {"STRETTO_TRIALS": "on"} | always | {"STRETTO_FAST_LINK": "1e300", "STRETTO_COUNTERS": "1"}, timeout=60,
    )  # fmt: skip
    assert result.rc == 0 and f"{MESSAGES} messages" in result.stdout, result
    given_up, framed = result.counters["send_given_up"], result.counters["send_framed"]
    if always:
        assert given_up == 0 and framed, result
    else:
        assert given_up >= SITES * OPENING and framed >= SITES * TURN, result


def tried(mpi, source, calls, kinds):
    """Runs it: the result, and how many collectives of each kind were Stretto's on rank 0."""
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    result = launch(
        mpi, 3, program(mpi, source, [SOURCE.with_name(f"{source}.c")], linked=True), [], transport="tcp",
        env={"STRETTO": "all", "STRETTO_TRIALS": "on", "STRETTO_FAST_LINK": "1e300", "STRETTO_COUNTERS": "1"}, timeout=90,
    )  # fmt: skip
    assert result.rc == 0 and f"{calls} calls" in result.stdout, result
    uses = re.findall(r"stretto: algorithm 0 (\w+?)_\w+ (\d+)", result.stderr)
    return result, {name: sum(int(count) for kind, count in uses if kind == name) for name in kinds}


def test_blocking_collectives_that_are_tried_give_the_same(mpi):
    """Each kind is the library's first, then Stretto's for a turn at least."""
    result, ours = tried(mpi, "collectives", 400, ("alltoall", "allgather", "bcast", "allreduce"))
    for name, count in ours.items():
        passed_on = name in ("bcast", "allreduce")  # which not every library lets us do
        assert (0 if passed_on else 3) <= count <= 2 * 400 - 12, (
            f"{name}: {count} of 800 calls were Stretto's\n{result}"
        )


def test_collectives_that_do_not_block_are_tried_and_give_the_same(mpi):
    """The first are Stretto's, then the library's for a turn at least, however many a rank has under way."""
    result, ours = tried(mpi, "meanwhile", 1440, ("alltoall", "allgather", "allreduce"))
    for name, count in ours.items():
        passed_on = name == "allreduce"  # which not every library lets us do
        assert (0 if passed_on else 20) <= count <= 2 * 480 - 3, (
            f"{name}: {count} of 960 calls were Stretto's\n{result}"
        )
