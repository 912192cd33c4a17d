"""MDMP in Fortran (docs/mdmp.md): directives by stretto-fc with each flang, the library form by gfortran."""

import shutil
import subprocess
from pathlib import Path

import pytest
from compile import program, wrappers_environment
from launch import BUILD, launch, library, mpis, plugins

HERE = Path(__file__).parent
FORTRAN = [mpi for mpi, found in mpis().items() if found["mpifort"]]
NAMES = [f"{name}-{llvm}" for llvm in plugins() for name in ("flang", "flang-new")]
FLANGS = [name for name in NAMES if shutil.which(name) and not name.endswith("-16")]


@pytest.fixture(scope="session")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def fc(cache, tmp_path):
    """stretto-fc, in tmp_path."""

    def call(mpi, flang, *words, input="", **variables):
        if not library(mpi).exists():
            pytest.skip("libstretto is not built for this MPI")
        variables = {"XDG_CACHE_HOME": str(cache), "TMPDIR": str(tmp_path), "STRETTO_FC": flang} | variables
        env = wrappers_environment(**variables)
        command = [BUILD / "bin/stretto-fc", "--mpi", mpi, *map(str, words)]
        return subprocess.run(command, capture_output=True, text=True, timeout=300, env=env, cwd=tmp_path, input=input)

    return call


def done_well(done):
    assert done.returncode == 0, done.stderr
    return done


def gfortran(mpi, name, source, *flags):
    """A program of the library form, or of MPI alone, by the MPI's own compiler."""
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    all_flags = [f"-I{library(mpi).parent}", "-Wall", "-Wextra", "-Werror", "-Wno-compare-reals", *flags]
    return program(mpi, f"mdmp-{name}", [source], linked=True, flags=all_flags, fortran=True)


def printed(result):
    assert result.rc == 0, result
    return sorted(line.split() for line in result.stdout.splitlines() if line.strip())


@pytest.mark.parametrize("optimised", ["-O0", "-O2"])
@pytest.mark.parametrize("flang", FLANGS)
@pytest.mark.parametrize("fortran", FORTRAN)
def test_the_jacobi_iteration_by_directives_has_the_bits_of_plain_mpi(fortran, flang, optimised, fc, tmp_path):
    done_well(fc(fortran, flang, optimised, HERE / "jacobi.F90", "-o", "directives"))
    done_well(fc(fortran, flang, optimised, "-DBY_MPI", HERE / "jacobi.F90", "-o", "plain"))
    plain = printed(launch(fortran, 4, tmp_path / "plain"))
    assert printed(launch(fortran, 4, tmp_path / "directives")) == plain
    assert len({bits for _, _, bits in plain}) == 4, plain  # each rank has another part


@pytest.mark.parametrize("fortran", FORTRAN)
def test_the_jacobi_iteration_by_calls_has_the_bits_of_plain_mpi(fortran):
    calls = gfortran(fortran, "jacobi-calls", HERE / "jacobi.F90", "-DBY_CALLS")
    plain = gfortran(fortran, "jacobi-plain", HERE / "jacobi.F90", "-DBY_MPI")
    assert printed(launch(fortran, 4, calls)) == printed(launch(fortran, 4, plain))


@pytest.mark.parametrize("flang", FLANGS)
@pytest.mark.parametrize("fortran", FORTRAN)
def test_directives_in_fixed_form(fortran, flang, fc, tmp_path):
    done_well(fc(fortran, flang, "-g", HERE / "jacobi_fixed.F", "-o", "fixed"))
    result = launch(fortran, 3, tmp_path / "fixed")
    assert printed(result) == [["wrong", "0"]] * 3, result
