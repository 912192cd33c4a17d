"""Compile a test's MPI program with the wrapper of the MPI that it will run under, when its sources are newer.

A program is *linked* with libstretto, or *plain* (-DSTRETTO_PLAIN: the delta calls are MPI's own; it runs without
libstretto, or with it preloaded). Its C and C++ sources are compiled side by side, through ccache where that is installed.
"""

import concurrent.futures
import fcntl
import os
import pathlib
import subprocess

from launch import BUILD, ROOT, library, mpis

FLAGS = ["-g", "-O1", "-Wall", "-Wno-unused-function", "-pthread", f"-I{ROOT}/include"]
# Debian's ccache under the compilers' names, which the wrappers call.
ENVIRONMENT = {**os.environ, "PATH": f"/usr/lib/ccache:{os.environ['PATH']}"}


def wrappers_environment(**variables):
    """Of stretto-cc and its like: what they read is what the test says."""
    theirs = ("STRETTO_CC", "STRETTO_CXX", "STRETTO_FC", "STRETTO_MPI", "STRETTO_PASS_OPTIONS")
    others = {name: value for name, value in os.environ.items() if name not in theirs}
    return others | {"LC_ALL": "C"} | variables


def program(mpi, name, sources, *, linked=False, flags=(), fortran=False):
    """The path of the program `name`, compiled for mpi from sources. Suites may use the same name: it lies in a folder of its first source's suite."""
    sources = [pathlib.Path(source) for source in sources]
    out = BUILD / "programs" / mpi / sources[0].parent.name / (name if linked else f"{name}-plain")
    out.parent.mkdir(parents=True, exist_ok=True)
    with open(f"{out}.lock", "w") as lock:  # two pytest processes may want the same program
        fcntl.flock(lock, fcntl.LOCK_EX)
        needed = [*sources, *(ROOT / "include/stretto").iterdir()]
        if not out.exists() or any(out.stat().st_mtime < one.stat().st_mtime for one in needed):
            _make(mpi, out, sources, linked, flags, fortran)
    return out


def stand_in(mpi, source):
    """A library to be put before the program, which libstretto takes for the MPI library: it defines PMPI_Init, and what it looks at."""
    name = f"libmpi_abi.{source.stem}.so" if mpi == "abi" else f"{source.stem}.so"  # the ABI is told by the name
    return program(mpi, name, [source], flags=["-shared", "-fPIC", "-Wl,--no-as-needed"])


def _make(mpi, out, sources, linked, flags, fortran):
    if not linked and not fortran:
        flags = [*flags, "-DSTRETTO_PLAIN"]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as side_by_side:
        compiled = [
            side_by_side.submit(_compile, mpi, out, source, flags) for source in sources if source.suffix != ".h"
        ]
    libraries = []
    if linked:
        where = library(mpi).parent
        libraries = [f"-L{where}", "-lstretto", f"-Wl,-rpath,{where}"]
    with_cxx = any(source.suffix == ".cpp" for source in sources)
    linker = mpis()[mpi]["mpifort" if fortran else "mpicxx" if with_cxx else "mpicc"]
    _run([linker, *FLAGS, *flags, *(one.result() for one in compiled), *libraries, "-o", out], out.parent)


def _compile(mpi, out, source, flags):
    """An object; what is none of our sources (an archive) is as it is."""
    compiler = {".c": "mpicc", ".cpp": "mpicxx", ".f90": "mpifort", ".F90": "mpifort"}.get(source.suffix)
    if not compiler:
        return source
    folder = pathlib.Path(f"{out}.objects")
    folder.mkdir(exist_ok=True)
    language = {".c": ["-std=gnu11"], ".cpp": ["-std=c++20"]}.get(source.suffix, [])
    object_ = folder / f"{source.name}.o"
    _run([mpis()[mpi][compiler], *language, *FLAGS, *flags, "-c", source, "-o", object_], folder)
    return object_


def _run(command, folder):
    done = subprocess.run(command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}\n{done.stderr}")
