"""Every kind of send meets every kind of receive."""

import pathlib

import pytest
from compile import program
from launch import launch, library
from pairs import by_family

HERE = pathlib.Path(__file__).parent
FORCE = {"STRETTO_FORCE": "1"}

# name: (transport, linked, preloaded, environment)
SETTINGS = {
    "reference": ("shm", False, False, {}),
    "usual-tcp": ("tcp", True, False, {}),
    "force": ("shm", True, False, FORCE),
    "force-tcp": ("tcp", True, False, FORCE),
    "force-preloaded": ("shm", False, True, FORCE),
}


@pytest.mark.pairs(of=by_family)
@pytest.mark.parametrize("setting", SETTINGS)
def test_every_send_meets_every_receive(mpi, setting):
    transport, linked, preload, env = SETTINGS[setting]
    if (linked or preload) and not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    executable = program(mpi, "interoperability", [HERE / "interoperability.c"], linked=linked)
    result = launch(mpi, 2, executable, preload=preload, transport=transport, env=env, timeout=180)
    shown = "\n".join(line for line in str(result).splitlines() if not line.startswith("at "))
    last = [line for line in result.stdout.splitlines() if line.startswith("at ")][-1:]
    assert result.rc == 0 and "failed 0" in result.stdout, f"{shown}\nlast cell: {last}"
