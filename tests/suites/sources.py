"""The foreign suites: fetched once into build/suites by the system's own apt and pip, built for each MPI beside their sources."""

import contextlib
import functools
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile

from launch import ROOT, mpis

HOME = ROOT / "build/suites"
MPI4PY = "mpi4py==4.1.2"
# Open MPI's header declares what MPI 3 removed, which the suite's datatypes still call, only when asked to.
FLAGS = "-O0 -g1 -w -DOMPI_OMIT_MPI1_COMPAT_DECLS=0"
FORTRAN_FLAGS = "-O0 -g1 -w -fallow-argument-mismatch"


def say(text):
    print(f"suites: {text}", flush=True)


def command(*words, log, **how):
    """Run it; what it prints goes into a file, of which the end is shown when it fails."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with open(log, "w") as out:
        done = subprocess.run(list(map(str, words)), stdout=out, stderr=subprocess.STDOUT, **how)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, words))}\n{log.read_text()[-2000:]}({log})")


@contextlib.contextmanager
def replaced(folder):
    """An empty folder that takes its name only when all went well."""
    part = folder.with_name(folder.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    yield part
    part.rename(folder)


def unpack(archive, folder, only=""):
    with tarfile.open(archive) as packed:
        for member in packed:
            _, _, member.name = member.name.partition("/")
            if member.name.startswith(only) and member.name:
                packed.extract(member, folder)


# ---- MPICH's test/mpi


def apt_source(package, folder):
    """Debian's source of a package. The system's lists serve as they are, its own settings stay: deb-src only here."""
    lists = folder / "apt/parts"
    (folder / "apt/lists/partial").mkdir(parents=True)
    lists.mkdir()
    for name in [*pathlib.Path("/etc/apt").glob("sources.list"), *pathlib.Path("/etc/apt/sources.list.d").iterdir()]:
        text = name.read_text()
        if "/debian" in text:
            lines = [
                line.replace("deb ", "deb-src ", 1) if line.startswith("deb ") else line for line in text.splitlines()
            ]
            lines = ["Types: deb-src" if line.startswith("Types:") else line for line in lines]
            (lists / name.name).write_text("\n".join(lines) + "\n")
    apt = ["apt-get", "-q", "-o", "Dir::Etc::sourcelist=-", "-o", f"Dir::Etc::sourceparts={lists}"]
    apt += ["-o", f"Dir::State::lists={folder}/apt/lists", "-o", f"Dir::Cache={folder}/apt"]
    command(*apt, "update", log=HOME / "apt.log")
    command(*apt, "source", "--download-only", package, log=HOME / "apt.log", cwd=folder)
    return next(folder.glob(f"{package}_*.orig.tar.*"))


def mpich_sources():
    folder = HOME / "mpich-source"
    if not folder.exists():
        say("fetching MPICH's source")
        with replaced(folder) as part:
            unpack(apt_source("mpich", part), part, "test/mpi/")
    return folder / "test/mpi"


def compilers(mpi, folder):
    """mpicc and the like under the names that the suite's configure looks for."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, which in {"mpicc": "mpicc", "mpicxx": "mpicxx", "mpifort": "mpifort", "mpif77": "mpifort", "mpif90": "mpifort", "mpiexec": "mpirun"}.items():  # fmt: skip
        if mpis()[mpi][which]:
            (folder / name).write_text(f'#!/bin/sh\nexec {mpis()[mpi][which]} "$@"\n')
            (folder / name).chmod(0o755)


@functools.cache
def mpich_build(mpi):
    """The configured build tree, with what all its programs are linked with."""
    source, folder = mpich_sources(), HOME / mpi / "mpich"
    if not (folder / "ready").exists():
        say(f"configuring MPICH's tests for {mpi}")
        shutil.rmtree(folder, ignore_errors=True)
        compilers(mpi, HOME / mpi / "bin")
        folder.mkdir()
        fortran = "f77,f90" if mpis()[mpi]["mpifort"] else "no"
        command(
            source / "configure", f"--with-mpi={HOME / mpi}", f"--enable-fortran={fortran}", "--enable-threads=multiple",
            "--disable-cxx", "--disable-spawn", "--disable-perftest", "--disable-dependency-tracking",
            f"CFLAGS={FLAGS}", f"FFLAGS={FORTRAN_FLAGS}", f"FCFLAGS={FORTRAN_FLAGS}",
            log=HOME / mpi / "configure.log", cwd=folder,
        )  # fmt: skip
        # One that does not compile under this MPI is missed where it is used.
        for where in ("dtpools", "util"):
            subprocess.run(["make", "-k", "-s", "-C", folder / where, f"CFLAGS={FLAGS} -O2"], capture_output=True)
        (folder / "ready").touch()
    return folder


def mpich_programs(mpi, tests):
    """Compile those programs that are not there yet. What this MPI lacks the functions for is left out."""
    build = mpich_build(mpi)
    wanted = {}
    for test in tests:
        if not (build / test.folder / test.program).exists():
            wanted.setdefault(test.folder, {})[test.program] = None
    for folder, names in wanted.items():
        log = HOME / mpi / f"make-{folder.replace('/', '-')}.log"
        with open(log, "w") as out:
            subprocess.run(["make", "-k", "-s", "-j2", "-C", build / folder, *names], stdout=out, stderr=out)
    return build


# ---- mpi4py's tests


def mpi4py_sources():
    folder = HOME / "mpi4py-source"
    if not folder.exists():
        say("fetching mpi4py's source")
        with replaced(folder) as part:
            pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary=mpi4py"]
            command(*pip, MPI4PY, "--dest", part, log=HOME / "pip.log")
            unpack(next(part.glob("mpi4py-*.tar.gz")), part)
    return folder


@functools.cache
def mpi4py_package(mpi):
    """mpi4py compiled for this MPI: what goes into PYTHONPATH."""
    source, folder = mpi4py_sources(), HOME / mpi / "mpi4py"
    if not folder.exists():
        say(f"building mpi4py for {mpi}")
        compilers(mpi, HOME / mpi / "bin")
        env = os.environ | {"MPICC": str(HOME / mpi / "bin/mpicc"), "CFLAGS": "-O0 -w"}
        with replaced(folder) as part:
            pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", part]
            # The archive: what another MPI's build left in the folder would be used again.
            command(*pip, next(source.glob("mpi4py-*.tar.gz")), log=HOME / mpi / "mpi4py.log", env=env)
    return folder
