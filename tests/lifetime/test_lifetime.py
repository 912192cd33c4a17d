"""MPI begins before main and ends after it: in a library's constructor and destructor."""

import pathlib
import subprocess

import pytest
from compile import program
from launch import BUILD, launch, library, mpis

HERE = pathlib.Path(__file__).parent
USES = {
    "plain": None,
    "usual": {"STRETTO_COUNTERS": "1"},
    "force": {"STRETTO_FORCE": "1", "STRETTO": "all", "STRETTO_COUNTERS": "1"},
}


def session(mpi):
    """The library of the program's, which knows nothing of Stretto."""
    out = BUILD / "tests" / mpi / "libsession.so"
    out.parent.mkdir(parents=True, exist_ok=True)
    command = [mpis()[mpi]["mpicc"], "-g", "-O1", "-shared", "-fPIC", HERE / "session.c", "-o", out]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    return out


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("how", ["linked", "late"])
def test_mpi_begins_in_a_constructor_and_ends_in_a_destructor(mpi, how, use):
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    its = session(mpi)

    sources = [HERE / "messages.c", *([its] if how == "linked" else [])]
    executable = program(mpi, f"messages-{how}", sources, flags=["-DLINKED"] if how == "linked" else ["-ldl"])
    result = launch(
        mpi, 2, executable, ["late", its] if how == "late" else [], preload=use != "plain", transport="tcp",
        env=USES[use], timeout=60,
    )  # fmt: skip
    assert result.rc == 0 and "OK" in result.stdout, result
    if use == "force":
        assert result.counters["send_framed"] > 0, result
