"""What the kernel reads and writes of a message that still comes is as with plain MPI, by whatever route the program asks it."""

import collections
import pathlib

import pytest
from compile import program
from launch import hosts, launch, library
from pairs import twin_of_another
from sandbox import AS, words_before

HERE = pathlib.Path(__file__).parent
WORDS_FOR_A_CHILD = ["system_", "popen_", "spawn_path", "vforked", "execve_argument", "execve_list"]
LISTS = ["writev_", "pwritev_", "pwritev2_", "vmsplice_", "sendmmsg_", "list_of_pieces", "fwrite_unlocked_"]


@pytest.fixture(scope="module")
def link():
    """A lab of two hosts, where a message comes long after its receive has returned."""
    with hosts("2", "--rate", "100mbit") as name:
        yield name


def run(mpi, link, rows=(), started="root", **env):
    if mpi == "mpich4":
        pytest.skip("Debian's MPICH 4.0 is used on one host only")
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    command = [*words_before(mpi, started), program(mpi, "calls", [HERE / "calls.c"]), *rows]
    env = {"STRETTO": "all", "STRETTO_COUNTERS": "1"} | env
    return launch(mpi, 2, command[0], command[1:], env=env, preload=True, transport=link, timeout=120)


def results(result):
    """How many rows of rank 1 were as with ordinary memory, on pages that were closed, and on others."""
    assert result.rc == 0, result
    return collections.Counter(line.split()[2] for line in result.stdout.splitlines() if " same " in line)


@pytest.mark.lab
@pytest.mark.pairs(left_out=twin_of_another)  # whose library comes to us in the same ways
@pytest.mark.parametrize("started", AS)
@pytest.mark.parametrize("release", ["matched", "unmatched"])
@pytest.mark.parametrize("guard", ["userfault", "mprotect", "block"])
def test_every_call_finds_what_was_received(mpi, guard, release, started, link):
    result = run(mpi, link, started=started, STRETTO_GUARD=guard, STRETTO_RELEASE=release)
    found = results(result)
    if guard == "block" or started == "no_dispatch":
        assert found["closed"] == 0, result
    elif started != "no_userfaultfd" or guard != "userfault":
        assert found["closed"] > found["open"], result
    if started == "no_dispatch" and guard != "block":
        assert f"STRETTO_GUARD={guard} does not work here: syscall user dispatch: " in result.stderr, result


@pytest.mark.lab
@pytest.mark.parametrize("rows", [WORDS_FOR_A_CHILD, LISTS], ids=["words_for_a_child", "lists_of_buffers"])
def test_by_default_too(mpi, rows, link):
    assert sum(results(run(mpi, link, rows)).values()) == len(rows)


@pytest.mark.lab
def test_wrappers_are_enough_where_the_user_says_so(mpi, link):
    result = run(mpi, link, ["write_", "sendmsg_"], started="no_dispatch", STRETTO_SYSCALLS="wrappers")
    assert results(result)["closed"] == 2 and result.counters["system_call_seen"] == 0, result


@pytest.mark.lab
def test_where_nothing_is_guarded_no_call_is_looked_at(mpi, link):
    nothing = {"STRETTO_GUARD": "block", "STRETTO_TRIGGER": "annotations"}  # and no pages are tracked
    result = run(mpi, link, ["write_", "read_", "system_"], STRETTO="receive", **nothing)
    assert results(result)["open"] == 3, result
    # The program's other thread sleeps again and again; also while it is tried what works here.
    assert result.counters["system_call_seen"] < 10, result
