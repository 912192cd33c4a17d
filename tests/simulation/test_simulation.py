"""Random programs over a simulated MPI library and network, many ranks in one process: contents, statuses and results must be what MPI says,
in any order of events. Their number is STRETTO_SIMULATION (30000); `make simulate` runs a million."""

import os
import re

import pytest
from simulate import CONFIGURATIONS, NEVER, PROGRAM, counters, simulate

pytestmark = pytest.mark.skipif(
    not PROGRAM.exists(), reason="the simulated library has MPICH's ABI, and MPICH is not here"
)
SCHEDULES = int(os.environ.get("STRETTO_SIMULATION", 30000)) // len(CONFIGURATIONS)


@pytest.mark.parametrize("configuration", CONFIGURATIONS)
def test_programs_do_what_mpi_says(configuration):
    done = simulate(*CONFIGURATIONS[configuration], "--count", SCHEDULES)
    assert done.returncode == 0 and f"{SCHEDULES} schedules" in done.stdout, done.stdout[-6000:] + done.stderr


def test_every_rule_of_the_protocol_is_met():
    names = ("three", "three-held", "three-node")
    done = [simulate(*CONFIGURATIONS[name], "--first", 1_000_000, "--count", 2000) for name in names]
    met = sum((counters(one.stdout) for one in done), start=counters(""))
    every = {name for one in done for name in re.findall(r"counter \d+ (\w+)", one.stdout)}
    assert len(every) > 40 and not [name for name in every if not met[name] and not NEVER.match(name)], met


def test_a_seed_repeats_every_event():
    one, other = (simulate("--ranks", 3, "--first", 7, "--count", 400) for _ in range(2))
    assert one.returncode == 0 and "steps" in one.stdout and one.stdout == other.stdout


@pytest.mark.parametrize("fault", ["twice", "overtakes", "lost", "unsaid"])
def test_what_the_network_does_wrong_is_found_and_shown_by_few_messages(fault):
    done = simulate("--ranks", 3, "--count", 5000, "--fault", fault)
    found = re.search(r"the smallest that fails, (\d+) messages", done.stdout)
    assert done.returncode == 1 and "FAILED seed" in done.stdout and found and int(found[1]) < 20, done.stdout


@pytest.mark.parametrize(
    "words, about",
    [
        (["--ranks", 1], "two ranks at least"),
        (["--fault", "fire"], "no such fault: fire"),
        (["--count"], "--count needs a value"),
        (["--colour"], "unknown: --colour"),
    ],
)
def test_what_cannot_be_is_said(words, about):
    done = simulate(*words)
    assert done.returncode == 2 and about in done.stderr and "usage: simulate" in done.stderr
