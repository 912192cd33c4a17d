"""`bench/mdmp/measure`: every way of the Jacobi iteration comes to the same bits. No time decides."""

import subprocess

import pytest
from launch import BUILD, ROOT, hosts, library


def test_the_jacobi_iteration_comes_to_the_same_bits_in_every_way(mpi):
    if mpi not in ("openmpi", "mpich"):
        pytest.skip("versions of a library are enough elsewhere")
    if not library(mpi).exists() or not list(BUILD.glob("lib/llvm-*/stretto_directives.so")):
        pytest.skip("needs libstretto for this MPI, and the plugin for directives: make compilers, then make")
    with hosts("2"):  # is there a lab at all?
        done = subprocess.run(
            [ROOT / "bench/mdmp/measure", "--quick", "--mpi", mpi], capture_output=True, text=True, timeout=240
        )
    assert done.returncode == 0 and "differ" not in done.stdout, done.stdout + done.stderr
    row = done.stdout.splitlines()[-1]
    assert row.startswith(f"| {mpi} | 4 | ") and row.count("|") == 10, done.stdout
