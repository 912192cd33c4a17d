"""Process 1 of a job: starts the MPI launcher, waits for it, and ends the job when its time is over.

A job is a pid namespace of its own. When this process ends, however it ends, the kernel ends the launcher,
its daemons and the ranks: Open MPI leaves them running for seconds when only mpirun is killed.
"""

import os
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from keeper import INSIDE, command

TIMED_OUT = 124  # as timeout(1)
RANK_VARIABLES = (b"OMPI_COMM_WORLD_RANK=", b"PMIX_RANK=", b"PMI_RANK=")


class Expired(Exception):
    pass


def expire(*_: object) -> None:
    raise Expired


def ranks() -> list[tuple[int, int]]:
    """(rank, pid) of every process that an MPI launcher started as a rank. /proc shows this job only."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                variables = (entry / "environ").read_bytes().split(b"\0")
            except OSError:
                continue
            for variable in variables:
                if variable.startswith(RANK_VARIABLES):
                    found.append((int(variable.split(b"=")[1]), int(entry.name)))
                    break
    return sorted(found)


def stack(pid: int) -> str:
    """What every thread of a process is doing."""
    if not shutil.which("gdb"):
        return "(no gdb here: install it to see the stack)\n"
    words = ["gdb", "-nx", "-batch", "-p", str(pid), "-ex", "thread apply all backtrace 32"]
    try:
        done = subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=30,
            env={**os.environ, "DEBUGINFOD_URLS": ""},
        )
    except subprocess.TimeoutExpired:
        return "(gdb did not answer within 30 s)\n"
    lines = [line for line in done.stdout.splitlines() if line.startswith(("#", "Thread"))]
    return "\n".join(lines or [done.stderr.strip()]) + "\n"


def print_stacks() -> None:
    waiting = ranks()
    with ThreadPoolExecutor(4) as pool:
        for (rank, pid), text in zip(waiting, pool.map(lambda who: stack(who[1]), waiting), strict=True):
            name = Path(f"/proc/{pid}/comm").read_text().strip() if Path(f"/proc/{pid}").exists() else "gone"
            print(f"--- rank {rank}: {name}\n{text}", file=sys.stderr, flush=True)
    if not waiting:
        print("stretto lab: the launcher has no rank running", file=sys.stderr, flush=True)


def main() -> int:
    seconds, words = float(sys.argv[1]), sys.argv[2:]
    # A temporary folder of its own, too: in a new pid namespace the same pids come again, and Open MPI 5 does not
    # start where a daemon with the same pid left its folder. The mount goes with the job.
    temporary = INSIDE / "job"
    command("mount", "-t", "tmpfs", "tmpfs", str(temporary))
    signal.signal(signal.SIGALRM, expire)
    launcher = subprocess.Popen(words, env={**os.environ, "TMPDIR": str(temporary)})
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        while True:
            pid, status = os.wait()  # also what a daemon left: process 1 reaps it
            if pid == launcher.pid:
                signal.setitimer(signal.ITIMER_REAL, 0)
                code = os.waitstatus_to_exitcode(status)
                return code if code >= 0 else 128 - code
    except Expired:
        print(f"stretto lab: not finished after {seconds:g} s. Where the ranks are:", file=sys.stderr, flush=True)
        print_stacks()
        return TIMED_OUT


if __name__ == "__main__":
    sys.exit(main())
