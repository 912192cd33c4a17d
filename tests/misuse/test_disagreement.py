"""Ranks that do not ask for the same collective: with STRETTO_DEBUG=1 the job ends with a message that names both calls and both lines."""

import pathlib
import re

import pytest
from compile import program
from launch import DO_NOT_LOOK_IN_WAITS, launch, library

HERE = pathlib.Path(__file__).parent
SOURCE = HERE / "disagreement.c"
BYTES = 4  # of an int
N = 20000

# what differs: the collective, what rank 2 wants, what another rank wants
DISAGREEMENTS = {
    "root": ("Ibcast", "rank 2 gives root 1", "rank [01] gives root 0"),
    "root_of_a_large_one": ("Ireduce", "rank 2 gives root 1", "rank [01] gives root 0"),
    "count": ("Ibcast", "rank 2 .* 36 bytes", "rank [01] .* 40 bytes"),
    "count_of_a_large_one": ("Ibcast", "rank 2 .* 79996 bytes", "rank [01] .* 80000 bytes"),
    "count_on_both_sides_of_the_threshold": (
        "Iallgather",
        "rank 2 (gives rank [01] 40|expects 40) bytes",
        "rank [01] (gives rank 2 80000|expects 80000) bytes",
    ),
    "count_of_a_sum_that_keeps_its_order": ("Iallreduce", "rank 2 .* 36 bytes", "rank [01] .* 40 bytes"),
    "operation": ("Iallreduce", "rank 2 gives MPI_MAX", "rank [01] gives MPI_SUM"),
    "operation_of_the_program": ("Iscan", "rank 2 gives one of the program's", "rank [01] gives MPI_SUM"),
    "root_of_a_blocking_one": ("Bcast", "rank 2 gives root 1", "rank [01] gives root 0"),
    "count_of_a_blocking_one": ("Alltoall", "rank 2 .* 79996 bytes", "rank [01] .* 80000 bytes"),
    "blocking_and_not": ("I?[Bb]arrier", "rank 2 calls MPI_Barrier", "rank [01] calls MPI_Ibarrier"),
    "collective": ("I(bcast|barrier)", "rank 2 calls MPI_Ibarrier", "rank [01] calls MPI_Ibcast"),
    "order": ("I(gather|scatter)", "rank 2 calls MPI_Igather", "rank [01] calls MPI_Iscatter"),
    "block_of_a_gather": ("Igather", "rank 2 .* 79996 bytes", "rank [01] .* 80000 bytes"),
    "block_of_a_gatherv": ("Igatherv", "rank 2 gives rank 0 52 bytes", "rank 0 expects 48 bytes"),
    "block_of_a_scatterv": ("Iscatterv", "rank 2 expects 52 bytes", "rank 0 gives rank 2 48 bytes"),
    "block_of_an_allgatherv": (
        "Iallgatherv",
        "rank 2 (expects 36 bytes|gives)",
        "rank ([01] gives|1 gives rank 2 16 bytes)",
    ),
    "block_of_an_alltoall": ("Ialltoall", "rank 2 .* 20 bytes", "rank [01] .* 16 bytes"),
    "block_of_an_alltoallv": ("Ialltoallv", "rank 2 gives rank 1 36 bytes", "rank 1 expects 16 bytes"),
    "block_of_an_alltoallw": ("Ialltoallw", "rank 2 expects 36 bytes", "rank 1 gives rank 2 16 bytes"),
    "block_of_a_reduce_scatter": (
        "Ireduce_scatter",
        "rank 2 gives (rank 1 36|68) bytes",
        "rank ([01] gives 64|1 expects 32) bytes",
    ),
    "delta_and_plain": (".*bcast.*", "rank 2 calls MPIX_Delta_bcast_begin", "rank [01] calls MPI_Ibcast"),
    "count_of_a_delta_collective": ("Delta_reduce_begin", "rank 2 .* 79996 bytes", "rank [01] .* 80000 bytes"),
    "count_of_a_short_delta_collective": ("Delta_bcast_begin", "rank 2 .* 36 bytes", "rank [01] .* 40 bytes"),
    "collective_after_others": ("Ibcast", "rank 2 gives root 1", "rank [01] gives root 0"),
    "root_on_another_communicator": (
        "Ibcast",
        r"rank 0 \(2 of MPI_COMM_WORLD\) gives root 1",
        r"rank (1|2 \(0 of MPI_COMM_WORLD\)) gives root 0",
    ),
    "collective_between_groups": (
        "Iall(gather|toall)",
        r"rank 0 \(2 of MPI_COMM_WORLD\) calls MPI_Iallgather",
        "rank [01] calls MPI_Ialltoall",
    ),
    "root_while_all_are_elsewhere": ("Ibcast", "rank 2 gives root 1", "rank [01] gives root 0"),
    "persistent_and_plain": ("(Ibcast|Bcast_init)", "rank 2 calls MPI_Ibcast", "rank [01] calls MPI_Bcast_init"),
    "count_of_a_persistent_one": ("Bcast_init", "rank 2 .* 36 bytes", "rank [01] .* 40 bytes"),
}
# Versions of a library differ in less than collectives do.
FEWER = {"openmpi5": 5, "abi": 5}
HAVE_NO_PERSISTENT_COLLECTIVES = ("openmpi",)


def line_of(name, mark):
    text = SOURCE.read_text().splitlines()
    start = next(i for i, line in enumerate(text) if line.startswith(f"static void {name}("))
    end = text.index("}", start)
    return next((i + 1 for i in range(start, end) if mark in text[i]), None) or line_of("root", mark)


@pytest.mark.parametrize("name", DISAGREEMENTS)
def test_ranks_that_do_not_agree_end_the_job_with_a_message(mpi, name):
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    if list(DISAGREEMENTS).index(name) % FEWER.get(mpi, 1):
        pytest.skip("openmpi and mpich have all of them")
    if "persistent" in name and mpi in HAVE_NO_PERSISTENT_COLLECTIVES:
        pytest.skip("this MPI has no persistent collectives")
    if "elsewhere" in name and mpi in DO_NOT_LOOK_IN_WAITS:
        pytest.skip("nobody looks while the library waits")
    disagreement = program(mpi, "disagreement", [SOURCE], linked=True)
    result = launch(mpi, 3, disagreement, [name], transport="tcp", timeout=30, env={"STRETTO_DEBUG": "1"})
    assert not result.hung, result
    assert result.rc != 0 and "not noticed" not in result.stdout, result
    collective, odd, even = DISAGREEMENTS[name]
    said = [line for line in result.stderr.splitlines() if re.search(rf"stretto: rank \d: MPIX?_{collective}: ", line)]
    assert said, result
    for wants, mark in ((odd, "ODD"), (even, "EVEN")):
        at = rf"{wants}.* at \S*disagreement\.c:{line_of(name, mark)}\b"
        assert all(re.search(at, line) for line in said), f"a message lacks {at}\n{result}"
