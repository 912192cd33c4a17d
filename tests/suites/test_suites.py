"""The foreign suites' share of every test run: some quick tests of each; `make suite-mpich` and `make suite-mpi4py` run all."""

import pathlib
import subprocess
import sys

import pytest
from launch import library

HERE = pathlib.Path(__file__).parent
MPIS = ("openmpi", "mpich")  # each is built once for each of them


@pytest.mark.parametrize("suite", ["mpich", "mpi4py"])
def test_what_passes_by_mpi_alone_passes_with_stretto(mpi, suite):
    if mpi not in MPIS or not library(mpi).exists():
        pytest.skip(f"make suite-{suite} runs it")
    command = [sys.executable, HERE / "run", suite, "--mpi", mpi, "--sample", "--again", "--setting", "force-tcp"]
    done = subprocess.run(command, capture_output=True, text=True)
    print(done.stdout[-20000:])
    assert done.returncode == 0, done.stdout[-20000:] + done.stderr[-5000:]
