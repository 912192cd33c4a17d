"""A rank dies in the middle of a message, or of a collective, with the launcher's own clean-up off: the survivor says in
which operation it is left alone, and ends."""

import pathlib
import re

import pytest
from compile import program
from launch import DO_NOT_LOOK_IN_WAITS, launch, library, mpis

HERE = pathlib.Path(__file__).parent
SOURCE = HERE / "death.c"
OPERATIONS = re.findall(r'\{"(\w+)",', SOURCE.read_text())

# What makes a launcher leave the others alone when one rank dies.
LEAVE_ALONE = {
    "openmpi4": ["--enable-recovery", "--mca", "orte_abort_on_non_zero_status", "0"],
    "openmpi5": ["--enable-recovery"],
    "mpich": ["-disable-auto-cleanup"],
    "abi": ["-disable-auto-cleanup"],
}
# MPICH's does so only when it does not see the rank end: a shell stands between.
SHELL = ["sh", "-c", '"$@"; true', "sh"]


@pytest.mark.parametrize("transport", ["shm", "tcp"])
@pytest.mark.parametrize("operation", OPERATIONS)
def test_the_survivor_names_its_operation_and_ends(mpi, transport, operation):
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    if transport == "shm" and mpi in ("mpich", "abi"):
        pytest.skip("nothing is framed there: a message is the library's own")
    if operation == "MPI_Comm_dup" and mpi in DO_NOT_LOOK_IN_WAITS:
        pytest.skip("nobody looks while the library waits")
    family = mpis()[mpi]["family"]
    death = program(mpi, "death", [SOURCE], linked=True)
    shell, *words = [*([] if family.startswith("openmpi") else SHELL), death, operation]
    result = launch(
        mpi,
        2,
        shell,
        words,
        transport=transport,
        env={"STRETTO_FAST_LINK": "1e300"},  # ordinary messages are framed too
        launcher=LEAVE_ALONE[family],
        timeout=30,
    )
    assert not result.hung, result
    said = re.search(r"stretto: rank 0: .*rank 1 is gone.*death\.c:\d+", result.stderr)
    # What the library has taken of a message is sent, as far as MPI goes.
    sent = operation in ("MPI_Send", "MPIX_Delta_wait") and "through" in result.stdout
    # Over TCP Open MPI 5 ends the survivor itself, and 4.1 at times, when it writes to the dead.
    by_the_library = transport == "tcp" and re.search(r"Socket closed|FATAL", result.stderr)
    assert said or sent or (mpi.startswith("openmpi") and by_the_library), result
