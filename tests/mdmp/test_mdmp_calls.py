"""MDMP's library form (docs/mdmp.md), in C and C++: what it promises, by every MPI, with every setting; the paper's Jacobi iteration."""

import re
from pathlib import Path

import pytest
from compile import program
from launch import launch, library

HERE = Path(__file__).parent
PROMISES = re.findall(r"^    PROMISE\((\w+)\)", (HERE / "promises.h").read_text(), re.M)
SETTINGS = {
    "usual": {},
    "all": {"STRETTO": "all"},
    "force": {"STRETTO_FORCE": "1"},
    "off": {"STRETTO": "off"},
    "pages": {"STRETTO_TRIGGER": "pages", "STRETTO_RELEASE": "matched"},
}
USES = {"linked": False, "run": True}
FLAGS = ["-fopenmp", "-Wall", "-Wextra", "-Werror", "-Wno-cast-function-type"]


def made(mpi, name, language, *flags):
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    out = "-".join(["mdmp", name, language, *(flag.strip("-") for flag in flags)])
    linked = "-DWITH_MPI" not in flags
    return program(mpi, out, [HERE / f"{name}.{language}", HERE / f"{name}.h"], linked=linked, flags=[*FLAGS, *flags])


@pytest.mark.pairs
@pytest.mark.parametrize("language", ["c", "cpp"])
@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("transport", ["shm", "tcp"])
@pytest.mark.parametrize("promise", PROMISES)
def test_promises_are_kept(mpi, promise, transport, setting, use, language):
    env = {"OMP_NUM_THREADS": "2", **SETTINGS[setting]}
    executable = made(mpi, "promises", language)
    result = launch(mpi, 4, executable, [promise], preload=USES[use], transport=transport, env=env, timeout=60)
    assert not result.hung, result
    if promise == "a_failing_program_does_not_wait_for_the_others":
        assert result.rc != 0, result
    else:
        assert result.rc == 0 and "kept" in result.stdout, result
