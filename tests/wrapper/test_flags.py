"""The compilers' usual flags, through the wrappers: such a program is built, its messages leave and come inside its loops, and it is right."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest
from launch import BUILD, launch, library, mpis, plugins

HERE = pathlib.Path(__file__).parent
FLAGS = ["-O1", "-O2", "-O3", "-O2 -g", "-O2 -fopenmp", "-O2 -flto=thin", "-O1 -fsanitize=address"]
# The wrapper, the variable that names the compiler, compilers' names, sources
LANGUAGES = {
    "c": ("stretto-cc", "STRETTO_CC", ("clang",), ["flags.c", "value.c"]),
    "cxx": ("stretto-c++", "STRETTO_CXX", ("clang++",), ["flags.cpp", "value.cpp"]),
    "fortran": ("stretto-fc", "STRETTO_FC", ("flang", "flang-new"), ["flags.f90"]),
}


def compilers():
    """Those that have a plugin: {"c-19": ("c", "clang-19"), ...}."""
    for llvm in plugins():
        for language, (_, _, kinds, _) in LANGUAGES.items():
            names = [f"{kind}-{llvm}" for kind in kinds if shutil.which(f"{kind}-{llvm}")]
            if names:
                yield f"{language}-{llvm}", (language, names[0])


COMPILERS = dict(compilers())
THREADS = 3


def built(command, folder, mpi):
    """Compiles, and says what the compilers said."""
    env = {name: value for name, value in os.environ.items() if name != "STRETTO_PASS_OPTIONS"}
    env |= {"STRETTO_MPI": mpi, "XDG_CACHE_HOME": str(folder / "cache")}
    language, compiler = command[0]
    wrapper, variable, _, _ = LANGUAGES[language]
    done = subprocess.run(
        [BUILD / "bin" / wrapper, *command[1:]],
        cwd=folder,
        env=env | {variable: compiler},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


def words(compiler, flags):
    """The words of flags. Of two LLVMs only one can have its libomp on Debian; it serves both."""
    own = pathlib.Path(f"/usr/lib/llvm-{compiler.split('-')[1]}/lib")
    others = sorted(pathlib.Path("/usr/lib").glob("llvm-*/lib/libomp.so"))
    folder = [f"-L{others[-1].parent}"] if "-fopenmp" in flags and others and not (own / "libomp.so").exists() else []
    return [*flags.split(), *folder]


def why_not(compiler, flags):
    """Why the compiler itself has not these flags here, or None: a program of one line by it alone."""
    language, name = COMPILERS[compiler]
    texts = {"c": ("int main(void) { return 0; }", "c"), "cxx": ("int main() {}", "c++"), "fortran": ("end", "f95")}
    text, of = texts[language]
    command = [name, *words(compiler, flags), "-x", of, "-", "-o", os.devnull]
    done = subprocess.run(command, input=f"{text}\n", capture_output=True, text=True)
    error = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr)
    return f"{name} {flags}: {error}" if done.returncode else None


def left_out(mpi, compiler, flags):
    if not library(mpi).exists():
        return "libstretto is not built for this MPI"
    if compiler.startswith("fortran") and not mpis()[mpi]["mpifort"]:
        return "this MPI has no Fortran"
    return None


@pytest.mark.skipif(not COMPILERS, reason="no plugin was built, or no compiler is here")
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("flags", FLAGS)
@pytest.mark.pairs(left_out=left_out)
def test_a_program_is_built_and_is_right_under_each_flag(mpi, compiler, flags, tmp_path):
    if reason := why_not(compiler, flags):
        pytest.skip(reason)
    sources = LANGUAGES[COMPILERS[compiler][0]][3]
    for name in sources:
        shutil.copy(HERE / name.replace(".cpp", ".c"), tmp_path / name)
    for name in sources:  # compiled by themselves, and then linked, as packages are
        said = built([COMPILERS[compiler], *flags.split(), "-Rpass=stretto", "-c", name], tmp_path, mpi)
        if name.startswith("flags"):
            assert re.search(r"remark: send at line \d+ starts inside the loop", said), said
            assert re.search(r"remark: receive at line \d+ ends inside the loop", said), said
    objects = [f"{pathlib.Path(name).stem}.o" for name in sources]
    built([COMPILERS[compiler], *words(compiler, flags), *objects, "-o", "flags"], tmp_path, mpi)

    env = {"STRETTO_COUNTERS": "1", "STRETTO_FAST_LINK": "1e300", "OMP_NUM_THREADS": str(THREADS)}
    env["ASAN_OPTIONS"] = "detect_leaks=0:verify_asan_link_order=0"  # of the MPI libraries
    result = launch(mpi, 2, tmp_path / "flags", env=env, transport="tcp")
    assert result.rc == 0 and "right" in result.stdout, result
    assert f"{THREADS if 'openmp' in flags else 1} threads" in result.stdout, result
    assert result.counters.get("compiled_send") == result.counters.get("compiled_receive") == 8, result
