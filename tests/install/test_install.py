"""An installed Stretto is enough: programs are built against it by pkg-config and by CMake's find_package, and run."""

import os
import pathlib
import re
import shlex
import shutil
import subprocess

import pytest
from launch import BUILD, ROOT, launch, mpis, plugins

HERE = pathlib.Path(__file__).parent
FORTRAN = [mpi for mpi, found in mpis().items() if found["mpifort"]]

PROJECT = """
cmake_minimum_required(VERSION 3.20)
project(program C)
find_package(stretto REQUIRED COMPONENTS {mpi})
add_executable(program {source})
target_link_libraries(program PRIVATE stretto::{mpi})
"""

MODULE = """
program uses_the_module
    use mpi_f08
    use stretto
    implicit none
    real, asynchronous :: a(1)
    call MPI_Init()
    call MPIX_Delta_send_data(a, 4)
    call MPI_Finalize()
    print '(a)', '0 wrong'
end program
"""


def run(command, **how):
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, **how)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    """The tree is installed and then moved: nothing in it may know where it was installed, or built."""
    first = tmp_path_factory.mktemp("installed") / "first"
    run(["cmake", "--install", str(BUILD), "--prefix", str(first)])
    return first.rename(first.with_name("moved"))


def flags(prefix, mpi):
    env = {**os.environ, "PKG_CONFIG_PATH": str(prefix / "lib" / "pkgconfig")}
    return shlex.split(run(["pkg-config", "--cflags", "--libs", f"stretto-{mpi}"], env=env))


def uses(prefix, mpi, program):
    """The program loads the installed libstretto."""
    loaded = re.search(r"libstretto\.so => (\S+)", run(["ldd", str(program)]))
    assert pathlib.Path(loaded[1]).resolve() == prefix / "lib" / "stretto" / mpi / "libstretto.so"
    result = launch(mpi, 2, program)
    assert result.rc == 0 and result.stdout.count("0 wrong") == 2, result


@pytest.mark.skipif(not shutil.which("pkg-config"), reason="pkg-config is not on this machine")
def test_by_pkg_config(mpi, prefix, tmp_path):
    program = tmp_path / "program"
    run([mpis()[mpi]["mpicc"], HERE / "program.c", "-o", program, *flags(prefix, mpi)])
    uses(prefix, mpi, program)


def test_by_cmake(mpi, prefix, tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(PROJECT.format(mpi=mpi, source=HERE / "program.c"))
    build = tmp_path / "build"
    compiler = f"-DCMAKE_C_COMPILER={mpis()[mpi]['mpicc']}"
    run(["cmake", "-S", tmp_path, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}", compiler])
    run(["cmake", "--build", build])
    uses(prefix, mpi, build / "program")


def test_an_mpi_that_it_was_not_installed_for_is_refused(prefix, tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(PROJECT.format(mpi="lam", source=HERE / "program.c"))
    command = ["cmake", "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode != 0 and "not installed for the MPI 'lam'" in " ".join(done.stderr.split()), done


@pytest.mark.skipif(not shutil.which("pkg-config"), reason="pkg-config is not on this machine")
@pytest.mark.parametrize("fortran", FORTRAN)
def test_the_fortran_module(fortran, prefix, tmp_path):
    source, program = tmp_path / "program.f90", tmp_path / "program"
    source.write_text(MODULE)
    run([mpis()[fortran]["mpifort"], source, "-o", program, *flags(prefix, fortran)])
    uses(prefix, fortran, program)


@pytest.mark.parametrize("fortran", FORTRAN)
def test_programs_written_for_libnbc_link_unchanged(fortran, prefix, tmp_path):
    from_there = [f"-I{prefix}/include/stretto", f"-L{prefix}/lib/stretto", "-lnbc"]
    for language, compiler in {"c": "mpicc", "f90": "mpifort"}.items():
        source, program = ROOT / f"tests/collective/libnbc.{language}", tmp_path / language
        run([mpis()[fortran][compiler], source, "-o", program, *from_there])
        result = launch(fortran, 3, program)
        assert result.rc == 0 and "all right" in result.stdout, result


def test_man_finds_the_pages(prefix):
    wanted = {page.name for page in (ROOT / "man").iterdir()}
    assert wanted == {page.name for page in (prefix / "share/man/man1").iterdir()} and "stretto.1" in wanted


def test_the_applications_in_python_are_there_with_their_harness(prefix):
    bench = prefix / "share/stretto/bench"
    assert (bench / "applications/nbody.py").exists() and (bench / "harness/kernel.py").exists()


@pytest.mark.skipif(not plugins(), reason="no plugin was built: no LLVM is here")
@pytest.mark.parametrize("llvm", plugins())
def test_the_installed_wrapper_has_its_plugin_and_its_library(llvm, mpi, prefix, tmp_path):
    clang = shutil.which(f"clang-{llvm}")
    if not clang:
        pytest.skip(f"no clang-{llvm}")
    env = {**os.environ, "STRETTO_CC": clang, "STRETTO_MPI": mpi, "STRETTO_MPIS": str(BUILD.parent / "env/mpis.json")}
    source = ROOT / "tests/wrapper/pair.c"
    command = [prefix / "bin/stretto-cc", "-O2", "-Rpass=stretto", source, "-o", tmp_path / "pair"]
    done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=300)
    assert done.returncode == 0 and done.stderr.count("remark:") == 2, done.stderr
    loaded = re.search(r"libstretto\.so => (\S+)", run(["ldd", str(tmp_path / "pair")]))
    assert pathlib.Path(loaded[1]).resolve() == prefix / "lib" / "stretto" / mpi / "libstretto.so"


def test_stretto_try_is_there(prefix):
    assert "STRETTO_RELEASE=unmatched" in run([prefix / "bin/stretto", "try", "--list-settings"])


def test_nothing_installed_knows_where_it_was_built(prefix):
    texts = [*prefix.rglob("*.cmake"), *prefix.rglob("*.pc"), *prefix.rglob("*.h")]
    assert len(texts) > 5
    assert not [
        path for path in texts if str(ROOT) in path.read_text() or str(prefix.parent / "first") in path.read_text()
    ]
