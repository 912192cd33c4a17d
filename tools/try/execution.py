"""One run of a job: started in a session of its own, watched, measured, and ended with all its processes."""

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

GRACE = 5  # seconds for a launcher to end its ranks, on other hosts too, before they are killed
TICK = 0.5  # seconds between looks at the clock
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# What `stretto` sets for its own parts is not for the job.
OURS = ("STRETTO_PREFIX", "STRETTO_LIBRARIES")


@dataclass
class Ended:
    seconds: float  # or its time, where that was over
    cpu_seconds: float  # of the launcher and of what it waited for: the ranks on this machine
    memory: int  # bytes of the largest process among these
    status: int  # the exit status, 128 + signal
    expired: bool  # its time was over


class Job:
    """A running job. Its processes are those of its session: Open MPI's ranks have process groups of their own."""

    def __init__(self, words: list[str], folder: Path) -> None:
        with own_input() as stdin, open(folder / "stdout", "wb") as out, open(folder / "stderr", "wb") as err:
            self.begin = time.monotonic()
            self.process = subprocess.Popen(
                words,
                stdin=stdin,
                stdout=out,
                stderr=err,
                env={name: value for name, value in os.environ.items() if name not in OURS},
                start_new_session=True,
            )
        self.over = threading.Event()
        threading.Thread(target=self._reap, daemon=True).start()

    def _reap(self) -> None:
        _, status, self.usage = os.wait4(self.process.pid, 0)
        self.seconds = time.monotonic() - self.begin
        code = os.waitstatus_to_exitcode(status)
        self.process.returncode = self.status = code if code >= 0 else 128 - code
        self.over.set()

    def wait(self, limit: float | None, tick: Callable[[float], None]) -> bool:
        """Until it ends, or its time is over: False."""
        while not self.over.wait(TICK):
            elapsed = time.monotonic() - self.begin
            tick(elapsed)
            if limit is not None and elapsed > limit:
                return False
        return True

    def end(self) -> None:
        """The launcher first, which ends its ranks; then whoever is left."""
        with uninterrupted():
            if not self.over.is_set():
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(self.process.pid, signal.SIGTERM)
                self.over.wait(GRACE)
            for pid in members(self.process.pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self.over.wait()


def execute(words: list[str], folder: Path, limit: float | None, tick: Callable[[float], None]) -> Ended:
    """Run a job whose output goes to `stdout` and `stderr` in a folder. limit: seconds, or None."""
    job = None
    try:
        with uninterrupted():
            job = Job(words, folder)
        in_time = job.wait(limit, tick)
    finally:  # whatever interrupts us ends the job, too
        if job:
            job.end()
    usage, seconds = job.usage, job.seconds if in_time else limit
    return Ended(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, job.status, not in_time)


@contextlib.contextmanager
def own_input():
    """Each run reads the same: a file from its beginning. A terminal or a pipe could be read but once: they are empty."""
    given = Path("/proc/self/fd/0")
    if not given.is_file():
        yield subprocess.DEVNULL
        return
    with open(given, "rb") as file:
        yield file


def members(session: int) -> list[int]:
    """The processes of a session that live."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            state, _, _, its_session = (entry / "stat").read_text().rpartition(")")[2].split()[:4]
            if int(its_session) == session and state != "Z":
                found.append(int(entry.name))
    return found


@contextlib.contextmanager
def uninterrupted():
    """What is begun here is ended, too: a signal waits until then. (An ignored or blocked one would be so in the job, too.)"""
    late: list[int] = []
    before = {number: signal.getsignal(number) for number in SIGNALS}
    for number in SIGNALS:
        if before[number] is not signal.SIG_IGN:
            signal.signal(number, lambda got, _: late.append(got))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if late:
            signal.raise_signal(late[0])
