"""Delta sends and receives from Fortran: mpif.h, mpi and mpi_f08."""

import pathlib

import pytest
from launch import BUILD, launch, mpis

HERE = pathlib.Path(__file__).parent
FORTRAN = [mpi for mpi, found in mpis().items() if found["mpifort"]]


@pytest.mark.parametrize("force", ["", "1"], ids=["usual", "force"])
@pytest.mark.parametrize("way", ["mpif", "use_mpi", "f08"])
@pytest.mark.parametrize("fortran", FORTRAN)
def test_delta_messages_between_fortran_programs(fortran, way, force):
    result = launch(fortran, 2, BUILD / "fortran" / fortran / f"delta_{way}", env={"STRETTO_FORCE": force})
    assert result.rc == 0 and result.stdout.count(": 0 wrong") == 2, result


@pytest.mark.parametrize("which", ["twice", "end"])
@pytest.mark.parametrize("fortran", FORTRAN)
def test_a_report_of_misuse_names_the_line_of_the_fortran_program(fortran, which):
    lines = (HERE / "misuse.F90").read_text().splitlines()
    wrong = next(number for number, line in enumerate(lines, 1) if line.endswith(f"! HERE {which}"))
    result = launch(fortran, 2, BUILD / "fortran" / fortran / "misuse_fortran", [which])
    assert result.rc != 0 and not result.hung, result
    assert f"misuse.F90:{wrong})" in result.stderr, result
