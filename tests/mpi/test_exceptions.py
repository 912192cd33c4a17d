"""Exceptions of the program leave calls of MPI: what is sent and received afterwards comes, framed or not."""

import pathlib

import pytest
from compile import program
from launch import launch, library

HERE = pathlib.Path(__file__).parent
FORCE = {"STRETTO_FORCE": "1"}


@pytest.mark.parametrize(
    "env", [None, {"STRETTO": "chunk"} | FORCE, {"STRETTO": "all"} | FORCE], ids=["plain", "chunk", "all"]
)
def test_an_exception_leaves_a_call(mpi, env):
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    executable = program(mpi, "exceptions", [HERE / "exceptions.cpp"])
    result = launch(mpi, 2, executable, preload=env is not None, transport="tcp", env=env, timeout=60)
    assert result.rc == 0 and result.stdout.strip() == "OK", result
