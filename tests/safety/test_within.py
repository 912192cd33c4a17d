"""Handlers, masks, children and calls of the program's own, while a message comes: as by MPI alone."""

import pathlib
import re

import pytest
from compile import program
from launch import launch, library
from pairs import by_family
from test_outside import COUNTED

HERE = pathlib.Path(__file__).parent
CASES = re.findall(r"CASE\((\w+)\)", (HERE / "within.c").read_text())


# Always where mutants are tried.
@pytest.mark.pairs(of=by_family, always=lambda mpi, case, guard: (mpi, guard) == ("openmpi", "mprotect"))
@pytest.mark.parametrize("guard", [None, "userfault", "mprotect"])
@pytest.mark.parametrize("case", CASES)
def test_it_is_as_with_plain_mpi(mpi, case, guard):
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    executable = program(mpi, "within", [HERE / "within.c", HERE / "slowly.h"], flags=["-Wno-stringop-overread"])
    env = COUNTED | {"STRETTO_GUARD": guard} if guard else {}
    result = launch(mpi, 2, executable, [case], preload=bool(guard), transport="tcp", env=env, timeout=60)
    assert result.rc == 0 and result.stdout.strip() == "OK", result
    assert not guard or result.counters["receive_guarded"] > 0, result
