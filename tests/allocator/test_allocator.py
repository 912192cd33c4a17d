"""A program with an allocator of its own, whose free does not come to us: nothing is guarded, whatever is asked for."""

import pathlib

import pytest
from compile import program
from launch import RELEASED, launch, library

HERE = pathlib.Path(__file__).parent


@pytest.mark.parametrize("linked", [True, False], ids=["linked", "preloaded"])
@pytest.mark.parametrize("guard", [None, "mprotect", "userfault"])
def test_what_an_allocator_of_its_own_frees_is_never_guarded(mpi, guard, linked):
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    executable = program(mpi, "own_malloc", [HERE / "own_malloc.c"], linked=linked)
    env = RELEASED | {"STRETTO_COUNTERS": "1"} | ({"STRETTO_GUARD": guard} if guard else {})
    result = launch(mpi, 2, executable, env=env, preload=not linked, transport="tcp", timeout=30)
    assert result.rc == 0 and result.stdout.count("ok") == 2, result
    assert result.counters["receive_guarded"] == 0, result
