"""`stretto bench` of the MDMP paper's programs: every way comes to the same bits. No time decides."""

import json
import re
import subprocess

import pytest
from launch import BUILD, hosts, library

STRETTO = BUILD / "bin/stretto"
BENCHMARKS = {
    "mdmp-pingpong": ["--elements", "1,600"],
    "mdmp-selectivepingpong": ["--elements", "600", "--sent", "1,200"],
    "mdmp-delaypingpong": ["--elements", "300", "--delays", "0,3"],
    "mdmp-selectivedelaypingpong": ["--elements", "600", "--sent", "1,32", "--delays", "0,3"],
    "jacobi": ["--elements", "3000", "--rows", "2,5"],
    "mdmp-stream": ["--elements", "5000", "--sent", "1,700"],
}
FEW = ["--turns", "1", "--repeats", "3"]


@pytest.fixture(scope="session")
def a_lab():
    """There may be one: each benchmark makes its own."""
    with hosts("2"):
        pass


def run(name, *words):
    return subprocess.run([STRETTO, "bench", name, *words], capture_output=True, text=True, timeout=240)


@pytest.mark.pairs
@pytest.mark.parametrize("name", BENCHMARKS)
def test_all_ways_come_to_the_same_bits(mpi, name, a_lab, tmp_path):
    if mpi == "mpich4":
        pytest.skip("there is no lab for it")
    if not library(mpi).exists() or not list(BUILD.glob("lib/llvm-*/stretto_directives.so")):
        pytest.skip("needs libstretto for this MPI, and the plugin for directives: make compilers, then make")
    picture = tmp_path / "picture.svg"
    done = run(name, "--mpi", mpi, *BENCHMARKS[name], *FEW, "--json", "--picture", picture)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["benchmark"] == name and result["verified"], result
    ways = {"plain", "at_their_place", "directives", *({"alone", "outside"} if name == "mdmp-stream" else {"hand"})}
    assert all(row["verified"] and min(row[way] for way in ways) > 0 for row in result["rows"]), result
    assert len(re.findall("<path|<polyline", picture.read_text())) >= 4


@pytest.mark.parametrize(
    "words",
    [
        ["--elements", "10", "--sent", "11"],
        ["--sent", "few"],
        ["--lab", "fast"],
        ["--picture", "/no/such/folder/x.svg"],
    ],
)
def test_what_is_wrong_is_said_in_a_line(words):
    done = run("mdmp-selectivepingpong", *words)
    assert done.returncode == 2 and "Traceback" not in done.stderr, done.stderr
    assert done.stderr.startswith("stretto bench: "), done.stderr
