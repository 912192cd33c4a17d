"""stretto bench KERNEL --simulate: the same bits, twice the same figures, and what theory says of plain."""

import json
import subprocess

import pytest
from launch import BUILD

STRETTO = BUILD / "bin/stretto"
needs_simulation = pytest.mark.skipif(
    not (BUILD / "bench/simulated/pair.so").exists(), reason="it has MPICH's ABI, and MPICH is not here"
)


def run(*words):
    command = [STRETTO, "bench", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def figures(*words):
    done = run(*words, "--simulate", "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@needs_simulation
@pytest.mark.parametrize("kernel", ["pair", "cascade", "ring", "reduce"])
def test_a_simulated_kernel_gives_the_same_bits_and_twice_the_same_figures(kernel):
    one, other = (figures(kernel, "--size", "64KiB") for _ in range(2))
    for result in (one, other):
        assert result["verified"] and all(row.pop("real_s") >= 0 for row in result["rows"])
    assert one == other and 0.4 < one["rows"][0]["of_ideal"] < 1.001


@needs_simulation
def test_plain_takes_what_theory_says_however_many_ranks_there_are():
    result = figures("cascade", "-n", "2,5,40")
    compute, message = result["T_compute_s"], result["T_message_s"]
    assert compute == message and [row["ranks"] for row in result["rows"]] == [2, 5, 40]
    for row in result["rows"]:
        plain = row["ranks"] * compute + (row["ranks"] - 1) * message
        assert 0.98 * plain < row["plain"] < 1.03 * plain and row["stretto"] < row["plain"] / 2, row


@needs_simulation
def test_a_slower_network_takes_longer(tmp_path):
    picture = tmp_path / "picture.svg"
    fast, slow = (figures("pair", "--rate", rate, "--picture", picture) for rate in ("1gbit", "100mbit"))
    assert 9 < slow["T_message_s"] / fast["T_message_s"] < 11
    assert "times faster than plain" in picture.read_text()


@pytest.mark.parametrize(
    "words, about",
    [
        (["lu"], "choose from"),
        (["cascade", "-n", "1"], "whole numbers from 2 to"),
        (["pair", "-n", "4"], "pair has 2 ranks"),
        (["pair", "--rate", "fast"], "--rate: rate 'fast'"),
        (["pair", "--rate", "unlimited"], "a simulated link has a rate"),
        (["pair", "--latency", "30"], "such as 300ns, 30us or 1ms"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_starts(words, about):
    done = run(*words, "--simulate")
    assert done.returncode == 2 and about in done.stderr, done
