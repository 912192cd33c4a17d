"""`stretto bench partitioned`: every way brings what was sent. No time decides."""

import json
import re
import subprocess

import pytest
from launch import BUILD, library
from pairs import by_family

STRETTO = BUILD / "bin/stretto"


def run(*words):
    return subprocess.run([STRETTO, "bench", "partitioned", *words], capture_output=True, text=True, timeout=240)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.pairs(of=by_family)
def test_all_ways_bring_what_was_sent(mpi, threads, tmp_path):
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    if mpi == "mpich4":
        pytest.skip("its own partitioned messages fail here, and at MPI_THREAD_MULTIPLE it has no others")
    picture = tmp_path / "picture.svg"
    few = ["--lab", "none", "--size", "64KiB", "--partitions", "4,32", "--turns", 1, "--repeats", 2]
    done = run("--mpi", mpi, "--threads", str(threads), *map(str, few), "--json", "--picture", picture)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    ways = {"whole", "persistent", "stretto", "annotated", *([] if mpi == "openmpi" else ["own"])}
    assert result["verified"] and [row["partitions"] for row in result["rows"]] == [4, 32], result
    assert all(row[way] > 0 for row in result["rows"] for way in ways), result
    assert result["pready_ns"] > 0, result
    assert len(re.findall("<path|<polyline", picture.read_text())) >= 3


def test_a_table_names_the_ways():
    done = run("--lab", "none", "--size", "64KiB", "--partitions", "4", "--turns", "1", "--repeats", "2")
    assert done.returncode == 0 and "times faster than whole" in done.stdout and "only counts" in done.stdout, done


@pytest.mark.parametrize(
    "words, about",
    [
        (["--partitions", "3"], "divide"),
        (["--partitions", "few"], "whole numbers"),
        (["--threads", "0"], "1 to 16"),
        (["--lab", "fast"], "fast"),
        (["--ratio", "-1"], "ratio"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(words, about):
    done = run(*words)
    assert done.returncode == 2 and about in done.stderr and "Traceback" not in done.stderr, done.stderr
