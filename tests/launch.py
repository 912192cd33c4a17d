"""Launch an MPI program under one of the MPIs that set-up found, with a time limit that shows where every rank stood.

    result = launch("openmpi", 2, "build/release/programs/openmpi/mpi/promises", transport="tcp", env={"STRETTO_FORCE": "1"})
    assert result.rc == 0, result

As a command: launch.py MPI RANKS [--preload] [--transport shm|tcp|LAB] [--timeout S] [--env NAME=VALUE] PROGRAM ARGS...
"""

import argparse
import contextlib
import dataclasses
import functools
import json
import os
import pathlib
import re
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid
import warnings

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("STRETTO_BUILD", ROOT / "build/release"))
MARK = "STRETTO_TEST_LAUNCH"  # in the environment of every process of one launch: how its strays are found
# All ranks of the job have ended, and mpirun holds itself up as it ends: a plain program's does, too, now and then where a rank calls
# MPI_Abort. Open MPI 4.1's with PMIx 4.2 is known by a name; Open MPI 5's prterun, which waits for a lock of PMIx, has none.
LAUNCHER_HANGS = "PMIx_server_finalize"
NO_RANK = "==== no rank was alive; the launcher:"
# Calls return early, and what has not come or left does not move by itself: a part at once (the budget), the rest in the next call of MPI.
RELEASED = {"STRETTO_FORCE": "1", "STRETTO": "all", "STRETTO_BUDGET": "512K", "STRETTO_HELPER": "off"}
RANK_NAMES = ("OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK")
COUNTER = re.compile(r"^.*?stretto: counter \d+ (\S+) (\d+)\s*$", re.M)
ALGORITHM = re.compile(r"stretto: algorithm \d+ (\S+) (\d+)\s*$", re.M)


# A rank of MPICH that waits lets another have the core; in collectives through shared memory it never does, unless they have other algorithms.
YIELDING = {"MPIR_CVAR_POLLS_BEFORE_YIELD": "1"}
YIELDING_IN_COLLECTIVES = {
    f"MPIR_CVAR_{name}_POSIX_INTRA_ALGORITHM": "mpir" for name in ("BARRIER", "BCAST", "REDUCE", "ALLREDUCE")
}


# One of MPICH 4.0 does so only with this before it.
YIELDING_WAITS = BUILD / "tests/libyielding_waits.so"


def as_from_a_terminal():
    """For Popen's preexec_fn. Whoever started us may ignore SIGINT (nohup, a shell's background job); a terminal does not."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def summed(counts):
    total = {}
    for name, value in counts:
        total[name] = total.get(name, 0) + int(value)
    return total


# These libraries call nobody while they wait, so nobody passes anything on there (docs/decisions/0014).
DO_NOT_LOOK_IN_WAITS = ("mpich4", "abi")


def may_take(mpi, algorithm):
    return mpi not in DO_NOT_LOOK_IN_WAITS or algorithm.endswith("_linear")


@dataclasses.dataclass(repr=False)
class Result:
    command: list
    rc: int  # 124: the time limit passed
    stdout: str
    stderr: str
    seconds: float
    stacks: str = ""  # of all ranks, when the time limit passed

    @functools.cached_property
    def counters(self):
        """What STRETTO_COUNTERS=1 printed, summed over the ranks."""
        return summed(COUNTER.findall(self.stderr))

    @functools.cached_property
    def algorithms(self):
        """How often each algorithm of a collective was taken, likewise."""
        return summed(ALGORITHM.findall(self.stderr))

    @property
    def hung(self):
        return bool(self.stacks)

    def __str__(self):
        shown = [f"{' '.join(map(str, self.command))}\n-> {self.rc} after {self.seconds:.1f} s"]
        for name in ("stdout", "stderr", "stacks"):
            text = getattr(self, name)
            if name == "stderr":
                text = COUNTER.sub("", text).strip()
            if text:
                shown.append(f"---- {name}\n{text}")
        return "\n".join(shown)

    __repr__ = __str__  # what pytest shows


@functools.cache
def mpis():
    """The MPIs that set-up found: {"openmpi": {"mpicc": path, "mpirun": path, "family": ..., ...}, ...}."""
    found = ROOT / "build/env/mpis.json"
    if not found.exists():
        raise FileNotFoundError(f"{found}: run make setup first")
    return json.loads(found.read_text())


def library(mpi):
    """libstretto for this MPI."""
    return BUILD / "lib" / mpi / "libstretto.so"


def plugins():
    """The LLVMs that the compiler's plugin was built for: {"19": its path, ...}; with STRETTO_TESTS_LLVM only that one."""
    built = sorted(BUILD.glob(f"lib/llvm-{os.environ.get('STRETTO_TESTS_LLVM', '*')}/stretto_pass.so"))
    return {path.parent.name.removeprefix("llvm-"): path for path in built}


@contextlib.contextmanager
def hosts(*words):
    """The name of a lab, which `lab up WORDS` made; where there can be none, the test is skipped."""
    import pytest  # campaigns, which have none, launch too

    lab, name = [sys.executable, str(ROOT / "tools/lab")], f"tests-{uuid.uuid4().hex[:8]}"
    up = subprocess.run([*lab, "up", *words, "--name", name], capture_output=True, text=True)
    if up.returncode:
        pytest.skip(f"no lab on this machine: {up.stderr.strip()}")
    try:
        yield name
    finally:
        subprocess.run([*lab, "down", "--name", name], capture_output=True)


def launch(mpi, n, program, args=(), *, env=None, preload=False, transport="shm", timeout=60, launcher=()):
    """Run program on n ranks of one host (or of the lab that transport names) and return how it went.

    The ranks share the cores that there are: they yield while they wait. preload puts libstretto before the program;
    a program that is linked with it needs none. launcher: more words for mpirun.
    """
    mark = uuid.uuid4().hex
    # Tests are short, and want to see what can be ours: tests/learning alone sees it tried.
    own = {"STRETTO_TRIALS": "off", MARK: mark, **(env or {})}
    if transport == "tcp":  # stands for ranks on several nodes
        own.setdefault("STRETTO_TRANSPORT", "two-sided")
    # A sanitizer's run-time library. Into the ranks only where launchers and Python do not bear it.
    in_ranks = os.environ.get("STRETTO_TESTS_PRELOAD")
    before = in_ranks or os.environ.get("LD_PRELOAD")
    if preload:
        own["LD_PRELOAD"] = f"{before}:{library(mpi)}" if before else str(library(mpi))
    elif in_ranks:
        own.setdefault("LD_PRELOAD", in_ranks)
    with tempfile.TemporaryDirectory(prefix="stretto-") as scratch:
        # A folder of its own for each launch: Open MPI's session folders are named by pid and user only.
        outside = {
            **os.environ,
            "TMPDIR": scratch,
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        }
        outside |= {"PRTE_ALLOW_RUN_AS_ROOT": "1", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1", MARK: mark}
        # What drivers a machine has (OpenCL's, say) is not for hwloc to load into every rank: it has no plug-ins in an empty folder.
        outside |= {"HWLOC_PLUGINS_PATH": scratch}
        command = [*_command(mpi, n, transport, own, launcher), str(program), *map(str, args)]
        for _ in range(5):
            result = _run(command, outside, timeout, mark)
            if not result.stacks.startswith(NO_RANK):
                break
            warnings.warn(f"mpirun itself hung, so that the job was run again:\n{result}", stacklevel=2)
        return result


def _command(mpi, n, transport, env, launcher):
    found = mpis()[mpi]
    if transport not in ("shm", "tcp"):
        given = [word for name, value in env.items() for word in ("--env", f"{name}={value}")]
        # The time limit is ours, so the lab's own must not come first.
        lab = ["python3", str(ROOT / "tools/lab"), "run", "--name", transport, "--timeout", "3600"]
        lab += [f"--launcher-option={word}" for word in launcher]
        return [*lab, "--mpi", mpi, *given, "-n", str(n), "--"]
    if found["family"].startswith("openmpi"):
        shared = "sm" if found["family"] == "openmpi5" else "vader"
        wire = {
            "shm": ["--mca", "btl", f"{shared},self"],
            "tcp": ["--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "lo"],
        }
        if found["family"] == "openmpi4":
            # rdma makes no window over TCP alone; ucx waits in MPI_Win_start without progress for a message under way.
            wire["tcp"] += ["--mca", "osc", "^rdma,ucx"]
        command = [found["mpirun"], "--oversubscribe", "--bind-to", "none", "--mca", "pml", "ob1", *wire[transport]]
        command += ["--mca", "mpi_yield_when_idle", "1"]
        for name, value in env.items():
            command += ["-x", f"{name}={value}"]
    else:
        env = YIELDING | {"MPIR_CVAR_CH4_NETMOD": "ofi", "FI_PROVIDER": "tcp"} | env
        if transport == "tcp":
            env = {"MPIR_CVAR_NOLOCAL": "1", "FI_TCP_IFACE": "lo", **env}
        elif n > len(os.sched_getaffinity(0)):
            env = YIELDING_IN_COLLECTIVES | env  # else four times as long
        if mpi == "mpich4" and YIELDING_WAITS.exists():
            before = env.get("LD_PRELOAD") or os.environ.get("LD_PRELOAD")
            env = env | {"LD_PRELOAD": f"{before}:{YIELDING_WAITS}" if before else str(YIELDING_WAITS)}
        command = [found["mpirun"], "-bind-to", "none"]
        for name, value in env.items():
            command += ["-genv", name, value]
    return [*command, *launcher, "-n", str(n)]


def _run(command, env, timeout, mark):
    # Who ends us (a time limit around a test run) ends the job too.
    if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    begin = time.monotonic()
    with tempfile.TemporaryFile("w+", errors="replace") as out, tempfile.TemporaryFile("w+", errors="replace") as err:
        job = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=env, start_new_session=True
        )
        try:
            stacks = _wait(job, timeout, mark)
            rc = 124 if stacks else job.wait()
        finally:
            seconds = time.monotonic() - begin
            _end(job, mark)
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read())
    return Result(command, rc, texts[0], texts[1], seconds, stacks)


def _wait(job, timeout, mark):
    """What is told of a job that has not ended in time; "" of one that has. A launcher that hangs is seen before."""
    last = time.monotonic() + timeout
    while not _ends_within(job, max(0, min(last - time.monotonic(), 5))):
        of_ranks = _stacks(mark) if time.monotonic() >= last else ""
        alone = not any(name in environment for _, environment in _members(mark) for name in RANK_NAMES)
        of_launcher = _stack(job.pid) if alone else ""
        if time.monotonic() >= last or LAUNCHER_HANGS in of_launcher:
            return of_ranks or f"{NO_RANK}\n{of_launcher}"
    return ""


def _ends_within(job, seconds):
    """job.wait(seconds) looks every 50 ms, and a launch takes little more."""
    ended = os.pidfd_open(job.pid)
    try:
        look = select.poll()
        look.register(ended, select.POLLIN)
        return bool(look.poll(seconds * 1000))
    finally:
        os.close(ended)


def _members(mark):
    """The processes of a launch, each with its environment; in a lab's pid namespace too."""
    wanted = f"{MARK}={mark}".encode()
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                environment = (entry / "environ").read_bytes().split(b"\0")
                if wanted in environment:
                    yield (
                        int(entry.name),
                        dict(item.decode(errors="replace").partition("=")[::2] for item in environment if item),
                    )


def _stacks(mark):
    """All threads' stacks of all ranks, labelled."""
    ranks = []
    for pid, environment in _members(mark):
        rank = next((environment[name] for name in RANK_NAMES if name in environment), None)
        if rank is not None:
            ranks.append((int(rank), pid))
    return "\n".join(f"==== rank {rank} (pid {pid})\n{_stack(pid)}" for rank, pid in sorted(ranks))


def _stack(pid):
    """All threads' stacks of a process."""
    gdb = ["gdb", "-p", str(pid), "-batch", "-iex", "set debuginfod enabled off", "-iex", "set auto-load no"]
    try:
        attached = subprocess.run([*gdb, "-ex", "thread apply all bt 40"], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"no stack: {error}"
    lines = [line for line in attached.stdout.splitlines() if line.startswith(("Thread", "#"))]
    return "\n".join(lines) or attached.stderr


def _end(job, mark):
    """Nothing of the launch stays behind, however it ended."""
    for _ in range(50):
        left = [pid for pid, _ in _members(mark)]
        for pid in left:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        if not left:
            break
        time.sleep(0.02)
    with contextlib.suppress(subprocess.TimeoutExpired):
        job.wait(5)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mpi")
    parser.add_argument("n", type=int)
    parser.add_argument("--preload", action="store_true")
    parser.add_argument("--transport", default="shm")
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("--env", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("program")
    parser.add_argument("args", nargs=argparse.REMAINDER)
    given = parser.parse_args()
    if given.mpi not in mpis():
        parser.error(f"no MPI is called {given.mpi}: set-up found {', '.join(mpis())}")
    result = launch(
        given.mpi, given.n, given.program, given.args, preload=given.preload, transport=given.transport,
        timeout=given.timeout, env=dict(item.split("=", 1) for item in given.env),
    )  # fmt: skip
    print(result)
    sys.exit(result.rc)


if __name__ == "__main__":
    main()
