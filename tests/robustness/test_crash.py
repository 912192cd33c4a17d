"""A rank crashes while a message still comes: the job ends as without Stretto, with the program's own handler or without."""

import pathlib

import pytest
from compile import program
from launch import RELEASED, launch, library

HERE = pathlib.Path(__file__).parent


@pytest.mark.pairs
@pytest.mark.parametrize("guard", ["userfault", "mprotect"])
@pytest.mark.parametrize("how", ["null", "own", "abort", "sent"])
def test_a_crash_ends_the_job(mpi, how, guard):
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    crash = program(mpi, "crash", [HERE / "crash.c"])
    env = RELEASED | {"STRETTO_GUARD": guard}
    result = launch(mpi, 2, crash, [how], preload=True, transport="tcp", env=env, timeout=30)
    assert not result.hung and result.rc != 0, result
    assert "crashes" in result.stdout and "went on" not in result.stdout, result
    assert ("handled" in result.stdout) == (how == "own"), result
