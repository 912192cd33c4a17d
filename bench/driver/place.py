"""Where jobs run: a lab that is made for the purpose and taken down again, or this host."""

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from wrong import Wrong

ROOT = Path(__file__).resolve().parent.parent.parent
LAB = ROOT / "tools/lab"
TRY = ROOT / "tools/try"
HERE = "none"  # what --lab says for: no lab, on this host
WHEEL_ABIS = {"openmpi": "openmpi", "openmpi5": "openmpi", "mpich": "mpich"}  # the modules in mpi4py's wheel


def prefix() -> Path:
    return Path(os.environ.get("STRETTO_PREFIX") or ROOT / "build/release")


def stretto_run(mpi: str) -> list[str]:
    """What starts an unmodified program with Stretto, or refuses."""
    return [str(prefix() / "bin/stretto"), "run", "--mpi", mpi]


def known_mpis() -> dict[str, dict]:
    path = Path(os.environ.get("STRETTO_MPIS") or ROOT / "build/env/mpis.json")
    try:
        return json.loads(path.read_text())
    except FileNotFoundError:
        raise Wrong(f"{path} is missing: run `make setup` first, or set STRETTO_MPIS") from None


def find_program(name: str, mpi: str = "") -> Path:
    """One of the programs of bench/, in the build tree or installed; without an MPI: one that needs none."""
    path = prefix() / "bench" / mpi / name
    if libraries := os.environ.get("STRETTO_LIBRARIES"):
        installed = Path(libraries) / mpi / "bench" / name
        path = installed if installed.exists() else path
    if not path.exists():
        raise Wrong(f"{path} is missing: run `make` first")
    return path


def python_program(name: str, mpi: str) -> tuple[list[str], dict[str, str]]:
    """An application in Python, and the environment in which mpi4py's wheel loads this MPI."""
    script = ROOT / f"bench/applications/{name.removesuffix('-python')}.py"
    folder = Path(known_mpis()[mpi]["library"]).parent
    return [sys.executable, str(script)], {"MPI4PY_MPIABI": WHEEL_ABIS[mpi], "LD_LIBRARY_PATH": str(folder)}


def results_of(program: str, output: str) -> list[dict]:
    """The JSON objects that a program has printed, at least one."""
    lines = [line for line in output.splitlines() if line.startswith("{")]
    if not lines:
        raise Wrong(f"{program} printed no result:\n{output}")
    try:
        return [json.loads(line) for line in lines]
    except json.JSONDecodeError:
        raise Wrong(f"{program} printed what is no JSON:\n{output}") from None


def result_of(program: str, output: str) -> dict:
    return results_of(program, output)[-1]


@dataclass
class Place:
    """Starts one MPI program at a time."""

    mpi: str
    ranks: int
    lab: str | None  # its name; None: this host
    raised: bool = False  # at a raised priority: what others do then hardly shows where cores have room
    launcher: list[str] = field(default_factory=list)  # more words for mpirun
    spins: bool = False  # a rank that waits keeps its core, as MPI libraries do by default

    def command(self, words: list[str], environment: dict[str, str], timeout: float) -> list[str]:
        first = ["nice", "-n", "-19"] if self.raised else []
        if self.lab:
            lab = [sys.executable, str(LAB), "run", "--name", self.lab, "-n", str(self.ranks), "--mpi", self.mpi]
            lab += ["--timeout", f"{timeout:g}"]
            lab += [word for pair in environment.items() for word in ("--env", "=".join(pair))]
            return [*first, *lab, *self.launcher_options(), "--", *words]
        mpi = known_mpis()[self.mpi]
        launch = [mpi["mpirun"], "-n", str(self.ranks)]
        if mpi["family"].startswith("openmpi"):
            yields = "0" if self.spins else "1"
            launch += ["--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", yields]
            launch += [word for pair in environment.items() for word in ("-x", "=".join(pair))]
        else:
            launch[1:1] = [word for pair in environment.items() for word in ("-genv", *pair)]
        return [*first, *launch, *self.launcher, *words]

    def launcher_options(self) -> list[str]:
        return [word for option in self.launcher for word in ("--launcher-option", option)]

    def run(
        self,
        program: str,
        *arguments: object,
        environment: dict[str, str] | None = None,
        timeout: float = 180,
        under: Sequence[str] = (),
    ) -> dict:
        """Runs a program to its end, started by `under`; returns the JSON object that its rank 0 printed."""
        return self.run_all(program, *arguments, environment=environment, timeout=timeout, under=under)[-1]

    def run_all(
        self,
        program: str,
        *arguments: object,
        environment: dict[str, str] | None = None,
        timeout: float = 180,
        under: Sequence[str] = (),
    ) -> list[dict]:
        """The same where it printed several."""
        needs: dict[str, str] = {}
        if program.endswith("-python"):
            start, needs = python_program(program, self.mpi)
        else:
            start = [str(find_program(program, self.mpi))]
        words = [*under, *start, *map(str, arguments)]
        return results_of(program, finish(self.command(words, needs | (environment or {}), timeout), timeout + 40))

    def run_two(self, first: str, second: str, *arguments: object, timeout: float = 180) -> dict:
        """One rank of each program, on this host."""
        one = replace(self, ranks=1)
        words = [[str(find_program(name, self.mpi)), *map(str, arguments)] for name in (first, second)]
        command = [*one.command(words[0], {}, timeout), ":", "-n", "1", *words[1]]
        return result_of(first, finish(command, timeout + 40))


class Failed(Wrong):
    """A job ended with an exit status that is not 0."""


def finish(words: list[str], timeout: float) -> str:
    """The command's standard output. Its whole group ends with it, and with us."""
    allowed = {f"{who}_ALLOW_RUN_AS_ROOT{also}": "1" for who in ("OMPI", "PRTE") for also in ("", "_CONFIRM")}
    job = subprocess.Popen(
        words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **allowed},
        start_new_session=True,
    )
    try:
        output, errors = job.communicate(timeout=timeout)
    except BaseException as wrong:
        end(job)
        if isinstance(wrong, subprocess.TimeoutExpired):
            raise Failed(f"not finished after {timeout:g} s: {' '.join(words)}") from None
        raise
    if job.returncode:
        said = "\n".join(line for line in (errors + output).splitlines() if line.strip())
        raise Failed(f"{said}\n(exit status {job.returncode} of {' '.join(words)})")
    return output


def end(job: subprocess.Popen) -> None:
    """The launcher is asked first: only it can end its ranks, which are in groups of their own."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(job.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            job.wait(timeout=10)


@contextlib.contextmanager
def lab(rate: str, hosts: int) -> Iterator[str]:
    """A lab of our own; gone afterwards, however we end."""
    name = f"bench-{os.getpid()}"
    down = [sys.executable, str(LAB), "down", "--name", name]
    try:
        finish([sys.executable, str(LAB), "up", str(hosts), "--rate", rate, "--name", name], 120)
        yield name
    finally:
        subprocess.run(down, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60, check=False)
