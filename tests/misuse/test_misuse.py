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


@pytest.mark.parametrize("name", ["STRETTO_TRACKER", "STRETTO_GUARD", "STRETTO_TRIGGER", "STRETTO_COLLECTIVES"])
def test_a_setting_that_is_no_word_is_said_once_and_ignored(mpi, name):
    result = run(mpi, "declared_twice", env={name: "magic"})
    said = re.findall(f"{name}(?:=|: )magic is unknown \\(it may be: .*; ignored", result.stderr)
    assert len(said) == 1, result


def test_a_variable_that_is_no_setting_is_said_once(mpi):
    result = run(mpi, "declared_twice", env={"STRETTO_TRESHOLD": "1"})
    assert result.stderr.count("STRETTO_TRESHOLD is no setting; did you mean STRETTO_THRESHOLD?") == 1, result


@pytest.mark.parametrize("what, begins", [("send", "MPIX_Delta_send_begin"), ("collective", "MPIX_Delta_gather_begin")])
def test_an_open_delta_operation_at_finalize_is_reported(mpi, what, begins):
    result = run(mpi, f"finalize_with_an_open_{what}")
    assert re.search(rf"stretto.*(MPI_Finalize|{begins})", result.stderr), result


@pytest.mark.parametrize("force", ["", "1"], ids=["usual", "force"])
def test_truncation_ends_the_job_where_errors_are_fatal(mpi, force):
    run(
        mpi, "truncated", env={"STRETTO_FORCE": force} if force else {}
    )  # Open MPI 4.1.4 itself does not always say why


# Lanes of 4 KiB at both ends: else ranks that differ may send each other more messages, or fewer, which no library sees.
FAILING = {"STRETTO_FORCE": "1", "STRETTO_COLLECTIVES": "all,lane=4K,alltoall=linear"}


def run_failing(mpi, handler, form):
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    if form == "persistent" and mpi in ("openmpi", "mpich4"):
        pytest.skip("no persistent collectives in this MPI, or they hang")
    failing = program(mpi, "failing", [HERE / "failing.c"], linked=True)
    result = launch(mpi, 2, failing, [handler, form], transport="tcp", timeout=30, env=FAILING)
    assert not result.hung, result
    return result


@pytest.mark.parametrize("form", ["nonblocking", "persistent"])
def test_an_error_within_a_collective_is_told_to_the_handler_of_its_communicator(mpi, form):
    result = run_failing(mpi, "told", form)
    assert "told 1 times, comm, truncated" in result.stdout, result


@pytest.mark.parametrize("form", ["nonblocking", "persistent"])
def test_an_error_within_a_collective_ends_the_job_where_its_communicators_errors_are_fatal(mpi, form):
    result = run_failing(mpi, "fatal", form)
    assert result.rc != 0 and "told" not in result.stdout, result
    call = "MPI_Ialltoall" if form == "nonblocking" else "MPI_Alltoall_init"
    lines = (HERE / "failing.c").read_text().splitlines()
    begun = next(k for k, line in enumerate(lines, 1) if f"HERE {form}" in line)
    said = rf"stretto: rank 1: {call}: the MPI library reports an error .* begun at \S*failing\.c:{begun}\)"
    assert re.search(said, result.stderr), result


@pytest.mark.parametrize("transport", ["shm", "tcp"])
def test_truncation_after_the_call_has_returned_ends_the_job(mpi, transport):
    env = {"STRETTO_FORCE": "1", "STRETTO": "all", "STRETTO_RELEASE": "unmatched"}
    result = run(mpi, "truncated_afterwards", transport=transport, env=env)
    said = "\n".join(line for line in result.stderr.splitlines() if "stretto" in line)
    assert re.search(r"rank 1: receive: .*100000 bytes is longer than its buffer of 20000", said), result
    assert f"misuse.c:{line_of('receives_too_little')}" in said, result
