"""The compiler's fuzzer in every test run: STRETTO_FUZZ_COMPILED (8) programs for each; `make fuzz-compiler` runs more.

Open MPI by one LLVM, Fortran too, and MPICH by the other.
"""

import os
import pathlib
import subprocess
import sys

import pytest
from launch import library, plugins

HERE = pathlib.Path(__file__).parent
BY = {"openmpi": "19", "mpich": "22"}


def test_random_programs_do_the_same_however_they_are_compiled(mpi):
    if mpi not in BY:
        pytest.skip("Open MPI 4 and MPICH 5 are enough")
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    if BY[mpi] not in plugins():
        pytest.skip(f"the plugin is not built for LLVM {BY[mpi]}")
    programs = os.environ.get("STRETTO_FUZZ_COMPILED", "8")
    command = [
        sys.executable,
        HERE / "compiler/campaign",
        "--mpi",
        mpi,
        "--llvm",
        BY[mpi],
        "--programs",
        programs,
        "--failures",
        "1",
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    print(done.stdout[-20000:])
    assert done.returncode == 0, done.stdout[-20000:] + done.stderr[-5000:]
