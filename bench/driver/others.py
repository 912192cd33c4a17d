"""Who else computes: how much of the cores went to processes that are not ours.

Other work on the machine makes a figure meaningless at the true rate. It cannot be prevented, but it can be seen: all
CPU time that the machine spent, less what our own jobs used. The hypervisor's share (steal) counts as somebody else's.
"""

import os
import resource
import time

TICKS = os.sysconf("SC_CLK_TCK")


def machine() -> float:
    """CPU seconds of all processes, and stolen ones, since the machine started; not those spent on interrupts."""
    with open("/proc/stat") as stat:
        user, nice, system, _, _, _, _, steal = map(int, stat.readline().split()[1:9])
    return (user + nice + system + steal) / TICKS


def ours() -> float:
    """Of us and of all jobs that have ended."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


class Watch:
    """How many cores others took since it was made."""

    def __init__(self) -> None:
        self.began = time.monotonic()
        self.machine, self.ours = machine(), ours()

    def cores(self) -> float:
        passed = max(time.monotonic() - self.began, 1e-3)
        return max(machine() - self.machine - (ours() - self.ours), 0) / passed


def wait_for_quiet(seconds: float, cores: float) -> None:
    """Waits, at most so long, until others take less than so many cores for half a second."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        watch = Watch()
        time.sleep(0.5)
        if watch.cores() < cores:
            return
