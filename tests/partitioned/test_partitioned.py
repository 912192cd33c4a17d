"""Partitioned messages do what MPI 4.1, chapter 4 promises, under every MPI, also those that have none of their own."""

import os
import pathlib
import re
import zlib

import pytest
from compile import program
from launch import DO_NOT_LOOK_IN_WAITS, launch, library, mpis
from pairs import by_family

HERE = pathlib.Path(__file__).parent
PROMISES = sorted(re.findall(r"^PROMISE\((\w+)\)", (HERE / "partitioned.c").read_text(), re.M))
RUN_BY = HERE.parent / "mpi/promises.c"
FORCE = {"STRETTO_FORCE": "1"}
APART = {"TEST_APART": "1", "STRETTO_DELTA": "8192"}  # messages are taken apart so finely as a promise asks

# name: (ranks, transport, environment); with "threads" in it at MPI_THREAD_MULTIPLE
SETTINGS = {
    "default": (3, "shm", {}),
    "tcp": (3, "tcp", APART),
    "force": (3, "shm", FORCE | APART),
    "force-tcp": (4, "tcp", FORCE | APART),
    "small": (2, "tcp", {"TEST_APART": "1", "STRETTO_DELTA": "1024"}),
    "threads": (2, "tcp", FORCE | APART),
    "threads-default": (3, "shm", {}),
    "all": (3, "tcp", FORCE | APART | {"STRETTO": "all", "STRETTO_RELEASE": "unmatched"}),
    "helped": (2, "tcp", FORCE | APART | {"STRETTO_HELPER": "200"}),
    "no_collectives": (3, "tcp", APART | {"STRETTO_COLLECTIVES": "off"}),
    "reported": (2, "tcp", APART | {"STRETTO_REPORT": "/dev/null"}),
}
# What these libraries' own do not keep: MPI_Testall fails, MPI_PROC_NULL crashes, MPI_Parrived fails for partitions of no bytes. Open MPI 4.1 has
# none of its own, and those of 5.0 hang with more than two ranks. No library has MPIX_Parrived_any.
MPICHS = {
    "whichever_is_here_is_told_once",
    "all_completions_take_them",
    "nobody_is_a_peer_too",
    "a_receive_may_be_larger_than_the_message",
}
# Not where nobody looks while the library waits, as MPICH 5 does not with threads (docs/partitioned.md).
TOLD = "a_receive_that_is_told_of_its_send_lets_it_end"
NOT_KEPT = {"mpich": MPICHS, "abi": MPICHS, "mpich4": MPICHS | {"whatever_the_order_and_the_number"}}


def run(mpi, source, words, ranks, transport, env, *, linked=True):
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    sources = [HERE / source, *([RUN_BY] if source == "partitioned.c" else [])]
    name = f"partitioned-{pathlib.Path(source).stem}"
    made = program(mpi, name, sources, linked=linked, flags=["-I", HERE.parents[1] / "include"])
    return launch(mpi, ranks, made, words, env={"STRETTO_COUNTERS": "1"} | env, transport=transport, timeout=120)


def check(result, promises=PROMISES):
    assert result.rc == 0 and re.findall(r"^ok (\w+)", result.stdout, re.M) == promises, result


@pytest.mark.parametrize("setting", SETTINGS)
def test_promises_are_kept(mpi, setting):
    if mpi == "mpich4" and "threads" in setting:
        pytest.skip(
            "at MPI_THREAD_MULTIPLE nothing is framed with MPICH 4.0 (docs/guide.md), and its own does not keep them"
        )
    level = ["--level", "multiple"] if "threads" in setting else []
    nobody_looks = mpi in DO_NOT_LOOK_IN_WAITS or (mpi == "mpich" and "threads" in setting)
    kept = [promise for promise in PROMISES if not nobody_looks or promise != TOLD]
    result = run(mpi, "partitioned.c", [*level, *(kept if kept != PROMISES else [])], *SETTINGS[setting])
    check(result, kept)
    if "TEST_APART" in SETTINGS[setting][2]:
        assert result.counters["partitioned_send"] > 0, result


def test_the_promises_are_those_of_plain_mpi(mpi):
    if mpi not in NOT_KEPT:
        pytest.skip("its own are none, or hang")
    kept = [promise for promise in PROMISES if promise not in NOT_KEPT[mpi]]
    check(run(mpi, "partitioned.c", kept, 2, "shm", {}, linked=False), kept)


def test_a_wait_for_a_receive_returns_early(mpi):
    """Where nobody asks for partitions. On a busy machine all of a message may be there before its wait."""
    promise = "what_was_waited_for_is_right_when_it_is_read"
    for _ in range(10):
        result = run(mpi, "partitioned.c", [promise], *SETTINGS["all"])
        check(result, [promise])
        if result.counters["receive_released"] > 0:
            return
    pytest.fail(f"no wait returned early: {result}")


WRONG = {
    "twice": r"rank 0: MPI_Pready: partition 1 of the message to rank 1 \(tag 7\) was marked ready twice",
    "before_start": r"rank 0: MPI_Pready: partition 2 of the message to rank 1 \(tag 7\) is marked before MPI_Start",
    "missing": r"rank 0: MPI_Wait: partition 3 of 4 of the message to rank 1 \(tag 7\) is not ready",
    "missing_of_several": r"rank 0: MPI_Wait: partition 3 of 4 of the message to rank 1 \(tag 7\) is not ready",
    "started_twice": r"rank 0: MPI_Start: the message to rank 1 \(tag 7\) is under way already",
    "longer": r"rank 1: MPI_Precv_init: the message from rank 0 \(tag 7\) is longer than its receive of 80000 bytes, in 4 partitions",
    "longer_told": r"rank 1: MPI_Precv_init: the message from rank 0 \(tag 40000\) has 160000 bytes, in 4 partitions, and its receive 80000, in 4",
    "freed": r"rank 0: MPI_Request_free: a partitioned message is under way",
    "asked_of_a_send": r"rank 0: MPI_Parrived: this request is that of a partitioned send",
    "said_of_a_receive": r"rank 1: MPI_Pready: this request is that of a partitioned receive",
    "no_partition": r"misuse: the call returned MPI_ERR_ARG",
}


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("transport", ["shm", "tcp"])
@pytest.mark.pairs(of=by_family)
def test_what_is_wrong_ends_the_job_and_is_named(mpi, wrong, transport):
    result = run(mpi, "misuse.c", [wrong], 2, transport, {})
    assert result.rc != 0 and re.search(WRONG[wrong], result.stdout + result.stderr), result
    if wrong != "no_partition":
        assert re.search(r"misuse\.c:\d+", result.stderr), result


# `STRETTO_PROGRAMS=1000 make test SUITE=partitioned K=random` tries more.
PROGRAMS = int(os.environ.get("STRETTO_PROGRAMS", 40))


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("ranks", [2, 4])
@pytest.mark.pairs(of=by_family)
def test_random_programs_bring_what_was_sent(mpi, setting, ranks):
    if mpi == "mpich4" and "threads" in setting:
        pytest.skip("at MPI_THREAD_MULTIPLE nothing is framed with MPICH 4.0")
    _, transport, env = SETTINGS[setting]
    seed = zlib.crc32(f"{mpi} {setting} {ranks}".encode())
    words = [seed, PROGRAMS, *(["threads"] if "threads" in setting else [])]
    result = run(mpi, "random.c", words, ranks, transport, env)
    assert result.rc == 0 and f"{PROGRAMS} programs" in result.stdout, result


@pytest.mark.parametrize("way", ["use_mpi", "f08"])
@pytest.mark.parametrize("fortran", [mpi for mpi, found in mpis().items() if found["mpifort"]])
def test_fortran_has_them_by_each_of_its_modules(fortran, way):
    if (fortran, way) == ("mpich4", "use_mpi"):
        pytest.skip("its module mpi takes an integer for MPI_Parrived's flag")
    flags = [f"-I{library(fortran).parent}", f"-D{way.upper()}"]
    made = program(fortran, f"partitioned-{way}", [HERE / "fortran.F90"], linked=True, flags=flags, fortran=True)
    result = launch(fortran, 2, made, transport="tcp", env=FORCE | {"STRETTO_COUNTERS": "1"})
    assert result.rc == 0 and len(re.findall(r":\s+0 wrong", result.stdout)) == 2, result
    assert result.counters["partitioned_send"] == 3, result
