"""Compile a test's MPI program with the wrapper of the MPI that it will run under, when its sources are newer.

A program is *linked* with libstretto, or *plain* (-DSTRETTO_PLAIN: the delta calls are MPI's own; it runs without
libstretto, or with it preloaded).
"""

import fcntl
import pathlib
import subprocess

from launch import BUILD, ROOT, library, mpis

FLAGS = ["-g", "-O1", "-Wall", "-Wno-unused-function", "-pthread", f"-I{ROOT}/include"]


def program(mpi, name, sources, *, linked=False, flags=(), fortran=False):
    """The path of the program `name`, compiled for mpi from sources."""
    out = BUILD / "tests" / mpi / (name if linked else f"{name}-plain")
    sources = [pathlib.Path(source) for source in sources]
    compiler = mpis()[mpi]["mpifort" if fortran else "mpicc"]
    command = [compiler, *([] if fortran else ["-std=gnu11"]), *FLAGS, *flags, "-o", str(out)]
    command += [str(source) for source in sources if source.suffix != ".h"]
    if linked:
        where = library(mpi).parent
        command += [f"-L{where}", "-lstretto", f"-Wl,-rpath,{where}"]
    elif not fortran:
        command.append("-DSTRETTO_PLAIN")
    out.parent.mkdir(parents=True, exist_ok=True)
    with open(out.with_suffix(".lock"), "w") as lock:  # two pytest processes may want the same program
        fcntl.flock(lock, fcntl.LOCK_EX)
        needed = [*sources, *(ROOT / "include/stretto").iterdir(), *([library(mpi)] if linked else [])]
        if not out.exists() or any(out.stat().st_mtime < one.stat().st_mtime for one in needed):
            done = subprocess.run(command, cwd=out.parent, capture_output=True, text=True)
            if done.returncode:
                raise RuntimeError(f"{' '.join(command)}\n{done.stderr}")
    return out
