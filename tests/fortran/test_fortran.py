"""Delta sends, receives and collectives from Fortran: mpif.h, mpi and mpi_f08."""

import pathlib

import pytest
from compile import program
from launch import RELEASED, launch, library, mpis

HERE = pathlib.Path(__file__).parent
# A receive that is too short is noticed after its call has returned.
UNMATCHED = {"STRETTO_FORCE": "1", "STRETTO": "all", "STRETTO_RELEASE": "unmatched"}
FORTRAN = [mpi for mpi, found in mpis().items() if found["mpifort"]]


def built(mpi, source, way=None):
    """The program of this source, by mpif.h, the module mpi or mpi_f08; the module stretto lies beside its library."""
    name = f"fortran-{pathlib.Path(source).stem}" + (f"-{way}" if way else "")
    flags = [f"-I{library(mpi).parent}", *([f"-D{way.upper()}"] if way else [])]
    return program(mpi, name, [HERE / source], linked=True, flags=flags, fortran=True)


@pytest.mark.parametrize("force", ["", "1"], ids=["usual", "force"])
@pytest.mark.parametrize("way", ["mpif", "use_mpi", "f08"])
@pytest.mark.parametrize("fortran", FORTRAN)
def test_delta_messages_between_fortran_programs(fortran, way, force):
    env = {"STRETTO_FORCE": force, "STRETTO_COUNTERS": "1"}
    result = launch(fortran, 2, built(fortran, "delta.F90", way), env=env)
    assert result.rc == 0 and result.stdout.count(": 0 wrong") == 2, result
    assert result.counters["delta_begun"] == 2, result  # not as without Stretto


MECHANISMS = {
    mechanism: {"STRETTO_TRACKER": mechanism, "STRETTO_GUARD": mechanism} for mechanism in ("userfault", "mprotect")
}


@pytest.mark.parametrize("mechanisms", [{}, *MECHANISMS.values()], ids=["usual", *MECHANISMS])
@pytest.mark.parametrize("fortran", FORTRAN)
def test_pages_of_all_places_where_fortran_keeps_arrays(fortran, mechanisms):
    env = {"STRETTO_TRIGGER": "pages", "STRETTO_COUNTERS": "1", "MALLOC_MMAP_THRESHOLD_": "131072"} | mechanisms
    result = launch(fortran, 2, built(fortran, "pages.F90"), transport="tcp", env=env)
    assert result.rc == 0 and result.stdout.count(": 0 wrong") == 2, result
    # Those of the heap have, with this threshold, pages of their own.
    assert result.counters["pages_watched"] >= 12 and result.counters["receive_guarded"] >= 4, result


@pytest.mark.parametrize("which", ["twice", "end", "afterwards"])
@pytest.mark.parametrize("fortran", FORTRAN)
def test_a_report_of_misuse_names_the_line_of_the_fortran_program(fortran, which):
    lines = (HERE / "misuse.F90").read_text().splitlines()
    wrong = next(number for number, line in enumerate(lines, 1) if line.endswith(f"! HERE {which}"))
    result = launch(fortran, 2, built(fortran, "misuse.F90"), [which], env=UNMATCHED)
    assert result.rc != 0 and not result.hung, result
    assert f"misuse.F90:{wrong})" in result.stderr, result


@pytest.mark.parametrize("fortran", FORTRAN)
def test_mpi_reads_lists_that_came_into_a_common_block(fortran):
    env = RELEASED | {"STRETTO_COUNTERS": "1"}
    for _ in range(10):  # on a busy machine a message may be there before its receive looks: then nothing is guarded
        result = launch(fortran, 2, built(fortran, "lists.F90"), transport="tcp", env=env)
        assert result.rc == 0 and "OK" in result.stdout, result
        if result.counters["receive_guarded"] >= 4:
            return
    pytest.fail(f"the lists were never guarded: {result}")
