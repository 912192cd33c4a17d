"""What docs/safety.md lists under "What remains outside": each does what it says there. Who mends one finds its test failing, and its line wrong."""

import pathlib
import re

import pytest
from compile import program
from launch import RELEASED, launch, library, mpis
from pairs import twin_of_another

HERE = pathlib.Path(__file__).parent
COUNTED = RELEASED | {"STRETTO_COUNTERS": "1"}
# What rank 1 prints; None: the process ends. Where guards differ, by guard.
SAYS = {
    "a_stack_in_what_comes": None,
    "a_function_that_mpi_calls_asks_the_kernel": "write: EFAULT",
    "a_thread_blocks_sigsys": None,
    "a_mask_that_was_saved_before": "SIGSEGV open, SIGUSR1 blocked, touched: m",
    "a_handlers_own_mask": "inside 1, told 0, touched: m",
    "a_signal_that_is_blocked_is_sent": "the handler ran at once, touched: m",
    "a_raw_vfork": "execve: EFAULT, touched: m",
    "own_memory_by_a_file": {"userfault": "preadv: EIO", "mprotect": "preadv: all"},
    "another_process_reads": "process_vm_readv: EFAULT",
    "more_than_1024_threads": "1100 threads, touched: m",
    "a_child_that_shares_memory": "the child was ended by a signal",
    "a_child_by_system": "its mask is open",
    "a_buffer_on_another_fibers_stack": None,
    "the_map_of_memory": {"userfault": "open", "mprotect": "closed"},
}
OPEN = ("more_than_1024_threads",)  # nothing is guarded there


def run(mpi, case, **env):
    if why := twin_of_another(mpi):  # under MPICH 4.0 UCX has handlers of its own, which never end some of these
        pytest.skip(why)
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    executable = program(mpi, "outside", [HERE / "outside.c", HERE / "slowly.h"])
    return launch(mpi, 2, executable, [case], preload=True, transport="tcp", env=COUNTED | env, timeout=60)


@pytest.mark.pairs(left_out=twin_of_another)
@pytest.mark.parametrize("guard", ["userfault", "mprotect"])
@pytest.mark.parametrize("case", SAYS)
def test_what_remains_outside_does_what_the_page_says(mpi, case, guard):
    result = run(mpi, case, STRETTO_GUARD=guard)
    says = SAYS[case]
    if says is None:
        assert result.rc != 0 and not result.hung and not result.stdout.strip().startswith(("touched", "returned")), (
            result
        )
        return
    assert result.rc == 0 and (says if isinstance(says, str) else says[guard]) in result.stdout, result
    assert (result.counters["receive_guarded"] == 0) == (case in OPEN), result


def test_memory_that_system_calls_map_anew_where_they_are_not_seen(mpi):
    def has(system_calls):
        how = {"STRETTO_GUARD": "mprotect", "STRETTO_SYSCALLS": system_calls}
        result = run(mpi, "unmapped_and_mapped_by_system_calls", **how)
        assert result.rc == 0 and "the new memory has" in result.stdout, result
        return result.stdout.split()[-1]

    assert has("dispatch") == "zeros"
    # Now and then nothing is written there: on a busy machine in one of five launches.
    assert any(has("wrappers") == "message" for _ in range(10))


@pytest.mark.skipif(
    "openmpi" not in mpis() or not mpis()["openmpi"].get("mpifort"), reason="Open MPI's bindings of Fortran"
)
def test_an_error_handler_in_fortran_reads_what_comes():
    executable = program("openmpi", "outside-fortran", [HERE / "outside.f90"], fortran=True)
    result = launch("openmpi", 2, executable, preload=True, transport="tcp", env=RELEASED)
    said = r"rank 1: receive: a buffer whose message has not come yet is used by a call of MPI that does not name it"
    assert result.rc != 0 and re.search(said, result.stderr) and "touched" not in result.stdout, result


def test_each_case_is_in_the_table():
    """Of outside.c: one that nobody runs shows nothing."""
    cases = set(re.findall(r"CASE\((\w+)\)", (HERE / "outside.c").read_text()))
    assert cases == {*SAYS, "unmapped_and_mapped_by_system_calls"}
