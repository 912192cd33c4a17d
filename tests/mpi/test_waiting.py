"""A rank that waits lets others have its core: for receives that are Stretto's as for the library's own."""

import pathlib
import re

import pytest
from compile import program
from launch import launch, library

HERE = pathlib.Path(__file__).parent


@pytest.mark.parametrize("linked", [False, True], ids=["plain", "linked"])
def test_who_waits_for_several_receives_yields(mpi, linked):
    if mpi not in ("mpich", "abi"):
        pytest.skip("these libraries' waits are their own matter, and Stretto's are the same")
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    env = {"STRETTO_FORCE": "1", "STRETTO_HELPER": "off", "STRETTO_COUNTERS": "1"}
    result = launch(mpi, 2, program(mpi, "yields", [HERE / "yields.cpp"], linked=linked), transport="tcp", env=env)
    assert result.rc == 0, result
    assert not linked or result.counters["receive_tracked"] == 2, result
    assert int(re.search(r"yields (\d+)", result.stdout)[1]) > 20, result
