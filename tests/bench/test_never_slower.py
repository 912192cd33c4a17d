"""`stretto bench never-slower`: its patterns are right programs, its statistics right statistics, its table whole. No time decides."""

import json

import never_slower
import pytest
from launch import BUILD, launch

STRETTO = BUILD / "bin/stretto"
SVG = "{http://www.w3.org/2000/svg}"
TINY = ("--lab", "none", "-n", 2, "--seconds", 0.05, "--turns", 1, "--patience", 0)
LIMIT = 120  # seconds of a launch that takes one


def patterns():
    return never_slower.known_patterns("openmpi")


# --- the patterns ---------------------------------------------------------------------------------------------------


def test_the_list_has_what_programs_do():
    names = [pattern["name"] for pattern in patterns()]
    assert len(names) == len(set(names)) >= 24
    assert {"constant", "varying", "growing", "short", "tested", "persistent", "far-ahead", "few-large", "late"} < set(
        names
    )
    assert {"pairwise", "halo-packed", "halo-types", "halo-corners", "halo-interior", "particles", "workers"} < set(
        names
    )
    assert {f"transpose-{size}" for size in ("1k", "8k", "64k", "1m", "overlap")} < set(names)
    assert {"ring", "wavefront", "solver", "allgather", "allgatherv", "reduce-scatter"} < set(names)
    assert {"panels", "output", "small"} < set(names)
    assert all(pattern["about"] and set(pattern["works"]) <= {"little", "much"} for pattern in patterns())


def sums(mpi, ranks, *under, env=None, words=("--steps", 6, "--rounds", 0.5, "--round-seconds", 1e-9)):
    """The checksum of every pattern."""
    program = [*under, BUILD / "bench" / mpi / "patterns", "all", *words]
    done = launch(mpi, ranks, program[0], program[1:], env=env, timeout=LIMIT)
    assert done.rc == 0, done
    printed = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert all(one[figure] > 0 for one in printed for figure in ("loop_s", "cpu_s", "peak_kib")), printed
    return {one["pattern"]: one["checksum"] for one in printed}


# Forced, ranks on one host frame what they would over a link.
@pytest.mark.parametrize("env", [{}, {"STRETTO_FORCE": "1", "STRETTO_COLLECTIVES": "all"}], ids=["default", "forced"])
@pytest.mark.parametrize("ranks", [2, 3, 4])
def test_every_pattern_comes_to_the_same_plain_and_under_stretto_run(mpi, ranks, env):
    if mpi not in ("openmpi", "mpich"):
        pytest.skip("versions of a library differ in less than patterns do")
    plain = sums(mpi, ranks)
    assert plain == sums(mpi, ranks, STRETTO, "run", "--mpi", mpi, env=env)
    assert list(plain) == [pattern["name"] for pattern in patterns()]
