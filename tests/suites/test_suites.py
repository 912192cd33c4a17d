"""The foreign suites' share of every test run: some quick tests of each; `make suite-mpich` and `make suite-mpi4py` run all."""

import pathlib
import subprocess
import sys

import pytest
from launch import library

HERE = pathlib.Path(__file__).parent
# Each is built for an MPI before it can run, which takes as long as the tests: MPICH's for the library that it was not written for.
SAMPLES = {"mpich": "openmpi", "mpi4py": "mpich"}


@pytest.mark.parametrize("suite", SAMPLES)
def test_what_passes_by_mpi_alone_passes_with_stretto(mpi, suite):
    if mpi != SAMPLES[suite] or not library(mpi).exists():
        pytest.skip(f"make suite-{suite} runs it")
    command = [sys.executable, HERE / "run", suite, "--mpi", mpi, "--sample", "--again", "--setting", "force-tcp"]
    done = subprocess.run(command, capture_output=True, text=True)
    print(done.stdout[-20000:])
    assert done.returncode == 0, done.stdout[-20000:] + done.stderr[-5000:]
