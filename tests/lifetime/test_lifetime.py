"""MPI begins before main and ends after it: in a library's constructor and destructor, with an object, in a function of atexit."""

import pathlib
import subprocess

import pytest
from compile import program
from launch import launch, library

HERE = pathlib.Path(__file__).parent
USES = {
    "plain": None,
    "usual": {"STRETTO_COUNTERS": "1"},
    "force": {"STRETTO_FORCE": "1", "STRETTO": "all", "STRETTO_COUNTERS": "1"},
}


def session(mpi):
    """The library of the program's, which knows nothing of Stretto."""
    return program(mpi, "libsession.so", [HERE / "session.c"], flags=["-shared", "-fPIC"])


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


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("how", ["object", "atexit"])
def test_mpi_lives_as_long_as_an_object_of_the_program(mpi, how, use):
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    executable = program(mpi, "object", [HERE / "object.cpp"])
    arguments = ["atexit"] if how == "atexit" else []
    result = launch(mpi, 2, executable, arguments, preload=use != "plain", transport="tcp", env=USES[use], timeout=60)
    assert result.rc == 0 and "OK" in result.stdout, result


def test_nothing_of_ours_is_made_at_load_or_destroyed_at_exit(mpi):
    """Libraries' constructors may run before libstretto's, their destructors after."""
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    symbols = subprocess.run(["nm", "-D", library(mpi)], capture_output=True, text=True, check=True).stdout
    assert "__cxa_atexit" not in symbols and "__cxa_thread_atexit_impl" in symbols
