"""Misuse ends the job: a message that names operation, bytes and line; an exit status that is not 0; nobody hangs."""

import pathlib
import re

import pytest
from compile import program
from launch import launch, library

HERE = pathlib.Path(__file__).parent
SOURCE = HERE / "misuse.c"

# misuse: what the message must say beside "stretto:" (the operation; bytes or other facts)
MISUSES = {
    "declared_twice": ["MPIX_Delta_send_data", r"6000\.\.6099"],
    "declared_twice_exactly": ["MPIX_Delta_send_data", r"4096\.\.8191"],
    "out_of_the_buffer": ["MPIX_Delta_send_data", r"\b50\b"],
    "beyond_the_buffers_end": ["MPIX_Delta_send_data"],
    "end_without_begin": ["MPIX_Delta_send_end"],
    "end_of_a_plain_send": ["MPIX_Delta_send_end"],
    "ended_twice": ["MPIX_Delta_send_end"],
    "end_count_too_large": ["MPIX_Delta_send_end_count", "100001"],
    "end_count_below_what_was_declared": ["MPIX_Delta_send_end_count", "50000"],
    "wait_before_the_end": ["MPI(X_Delta)?_[Ww]ait"],
    "send_between_begin_and_end": ["MPI_Send"],
    "receive_end_without_receive": ["MPIX_Delta_recv_end"],
    "declared_twice_to_all": ["MPIX_Delta_send_data", r"6000\.\.6099"],
    "out_of_the_contribution": ["MPIX_Delta_send_data", r"\b50\b"],
    "collective_end_without_begin": ["MPIX_Delta_collective_end"],
    "collective_end_of_a_send": ["MPIX_Delta_collective_end"],
    "wait_before_the_collectives_end": ["MPI_Wait", "MPIX_Delta_collective_end"],
}
# Found only where messages are framed: elsewhere the calls of MPI itself do not come to us.
NEEDS_FRAMING = (
    "wait_before_the_end",
    "send_between_begin_and_end",
    "written_after_it_left",
    "declared_twice_to_all",
    "out_of_the_contribution",
    "wait_before_the_collectives_end",
)
# Over shared memory these send too little to an unready receiver to be framed, but with STRETTO_FORCE.
NOT_FRAMED_OVER_SHM = ("openmpi5", "mpich", "abi")


def line_of(misuse, mark="HERE"):
    """The line marked HERE, or otherwise, in the function of that name."""
    text = SOURCE.read_text().splitlines()
    start = next(i for i, line in enumerate(text) if line.startswith(f"static void {misuse}("))
    return next(i + 1 for i in range(start, len(text)) if mark in text[i])


def run(mpi, misuse, **options):
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    framed = options.get("env", {}).get("STRETTO_FORCE") or options.get("transport") == "tcp"
    if misuse in NEEDS_FRAMING and not framed and mpi in NOT_FRAMED_OVER_SHM:
        pytest.skip("nothing is framed here")
    result = launch(mpi, 2, program(mpi, "misuse", [SOURCE], linked=True), [misuse], timeout=30, **options)
    assert not result.hung, result
    assert result.rc != 0 and "not noticed" not in result.stdout, result
    return result


@pytest.mark.pairs
@pytest.mark.parametrize("force", ["", "1"], ids=["usual", "force"])
@pytest.mark.parametrize("misuse", MISUSES)
def test_misuse_ends_the_job_with_a_message(mpi, misuse, force):
    result = run(mpi, misuse, env={"STRETTO_FORCE": force} if force else {})
    said = "\n".join(line for line in result.stderr.splitlines() if "stretto" in line)
    for needed in MISUSES[misuse]:
        assert re.search(needed, said), f"the message lacks {needed}:\n{result}"
    assert f"misuse.c:{line_of(misuse)}" in said, f"the message lacks misuse.c:{line_of(misuse)}\n{result}"


@pytest.mark.parametrize("transport", ["shm", "tcp"])
def test_debug_finds_what_was_written_after_it_left(mpi, transport):
    result = run(mpi, "written_after_it_left", transport=transport, env={"STRETTO_DEBUG": "1"})
    said = "\n".join(line for line in result.stderr.splitlines() if "stretto" in line)
    assert re.search(r"\b5000\b", said), result
    assert "misuse.c" in said, result


def run_by_pages(mpi, misuse, **mechanisms):
    result = run(mpi, misuse, transport="tcp", env={"STRETTO_TRIGGER": "pages", **mechanisms})
    return result, "\n".join(line for line in result.stderr.splitlines() if "stretto" in line)


@pytest.mark.parametrize("tracker", ["userfault", "mprotect"])
def test_pages_find_what_was_written_again_after_it_had_left(mpi, tracker):
    result, said = run_by_pages(mpi, "written_again_after_it_left", STRETTO_TRACKER=tracker)
    page = 4096
    byte = int(re.search(r"byte (\d+) of the message", said)[1])
    assert byte // page == 5000 // page, result
    assert f"misuse.c:{line_of('written_again_after_it_left', 'WRITES')}" in said, result
    assert f"misuse.c:{line_of('written_again_after_it_left')}" in said, result
    assert f"misuse.c:{line_of('swept', 'MPIX_Delta_send_begin')}" in said, result


def test_pages_find_a_buffer_that_is_unmapped_while_it_is_sent(mpi):
    if mpi == "mpich4":
        pytest.skip("UCX, under Debian's MPICH 4.0, hides munmap from us")
    result, said = run_by_pages(mpi, "unmapped_before_the_end")
    assert "munmap" in said and f"misuse.c:{line_of('unmapped_before_the_end')}" in said, result


@pytest.mark.parametrize(
    "forced", [{"STRETTO_TRACKER": "magic"}, {"STRETTO_GUARD": "magic"}, {"STRETTO_TRIGGER": "magic"}]
)
def test_a_setting_that_is_no_word_is_said_and_ignored(mpi, forced):
    result = run(mpi, "declared_twice", env=forced)
    assert re.search(f"{next(iter(forced))}=magic is unknown \\(it may be: .*; ignored", result.stderr), result


@pytest.mark.parametrize("what, begins", [("send", "MPIX_Delta_send_begin"), ("collective", "MPIX_Delta_gather_begin")])
def test_an_open_delta_operation_at_finalize_is_reported(mpi, what, begins):
    result = run(mpi, f"finalize_with_an_open_{what}")
    assert re.search(rf"stretto.*(MPI_Finalize|{begins})", result.stderr), result


@pytest.mark.parametrize("force", ["", "1"], ids=["usual", "force"])
def test_truncation_ends_the_job_where_errors_are_fatal(mpi, force):
    run(
        mpi, "truncated", env={"STRETTO_FORCE": force} if force else {}
    )  # Open MPI 4.1.4 itself does not always say why


@pytest.mark.parametrize("transport", ["shm", "tcp"])
def test_truncation_after_the_call_has_returned_ends_the_job(mpi, transport):
    env = {"STRETTO_FORCE": "1", "STRETTO": "all", "STRETTO_RELEASE": "unmatched"}
    result = run(mpi, "truncated_afterwards", transport=transport, env=env)
    said = "\n".join(line for line in result.stderr.splitlines() if "stretto" in line)
    assert re.search(r"rank 1: receive: .*100000 bytes is longer than its buffer of 20000", said), result
    assert f"misuse.c:{line_of('receives_too_little')}" in said, result
