"""The differential fuzzer's share of every test run: STRETTO_FUZZ_PROGRAMS (64) programs per MPI; `make fuzz` runs thousands.

The standard ABI's library is MPICH 5 once more, and MPICH 4.0 takes three times as long for each: half as many.
"""

import os
import pathlib
import subprocess
import sys

import pytest
from launch import library

HERE = pathlib.Path(__file__).parent


@pytest.mark.parametrize(
    "how, share",
    [
        (("--trigger", "annotations"), 1),
        (("--trigger", "pages"), 3),
        (("--release", "unmatched"), 3),
        (("--collectives",), 6),
    ],
    ids=["annotations", "pages", "unmatched", "collectives"],
)
def test_random_programs_do_the_same_with_and_without_stretto(mpi, how, share):
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    programs = int(os.environ.get("STRETTO_FUZZ_PROGRAMS", "64")) // share // (2 if mpi in ("abi", "mpich4") else 1)
    command = [sys.executable, HERE / "campaign", "--mpi", mpi, "--programs", str(programs), *how]
    done = subprocess.run(command, capture_output=True, text=True)
    print(done.stdout[-20000:])
    assert done.returncode == 0, done.stdout[-20000:] + done.stderr[-5000:]
