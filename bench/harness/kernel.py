"""The harness for kernels in Python: what main.c, kernel.h and work.h are in C, without timelines.

A kernel is a class whose objects are made with the number of doubles of a message, and have the functions of kernel.h's struct Kernel.
"""

import argparse
import ctypes
import gc
import hashlib
import json
import os
import statistics
import time

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, ranks = world.rank, world.size
HEADWAY = 200e-6  # as in main.c
SHORTEST_SLEEP = 80e-6  # as in work.c
IMBALANCE = 0.2
PR_SET_TIMERSLACK = 29


class Work:
    """Work of a known length, on a core as slow as one likes."""

    def __init__(self):
        self.rounds = 2.0  # per element
        self.dilate = 1.0
        self.seconds_per_element = 0.0
        self.imbalance = "none"
        self.longer = 0.0  # this rank's work takes in this step, as a part of it
        self.pending = 0.0  # seconds to be slept, or spun through
        self.overshoot = 0.0

    def plan(self, elements, seconds, dilate):
        self.dilate, self.seconds_per_element = dilate, seconds / elements

    def element(self, i):
        """element() of work.h for an array of indices: the index, and about 1 for each of its rounds."""
        value = i.astype(float)
        whole = int(self.rounds)
        for k in range(whole):
            value += np.sin(i + k) ** 2 + np.cos(i + k) ** 2
        more = np.floor((i + 1) * self.rounds) - np.floor(i * self.rounds) > whole
        value[more] += np.sin(i[more] + whole) ** 2 + np.cos(i[more] + whole) ** 2
        return value

    def worked(self, elements):
        rest = 1 - 1 / self.dilate + self.longer
        self.pending += elements * self.seconds_per_element * rest
        if self.pending > SHORTEST_SLEEP:
            self.rest()

    def rest(self):
        if self.dilate > 1:
            due = time.monotonic() + self.pending - self.overshoot
            time.sleep(max(due - time.monotonic(), 0))
            self.overshoot = time.monotonic() - due
        else:
            end = time.thread_time() + self.pending
            while time.thread_time() < end:
                pass
        self.pending = 0.0

    def step(self, step):
        slow = {"none": -1, "static": 1, "rotating": step % ranks}[self.imbalance]
        self.longer = IMBALANCE if rank == slow else 0.0

    def finish(self):
        self.rest()
        self.longer = 0.0


work = Work()


def begin_together():
    instant = world.allreduce(time.monotonic() + HEADWAY, MPI.MAX)
    while time.monotonic() < instant:
        os.sched_yield()
    return instant


def perform(kernel, run):
    name, _, chunk = run.partition(":")
    if name == "hand":
        kernel.hand(int(chunk))
    else:
        getattr(kernel, "plain" if name == "delta" else name)()  # it knows nothing of Stretto
    work.finish()


def repetition(kernel, run):
    """Seconds from the begin to the last rank's end."""
    kernel.reset()
    begin = begin_together()
    perform(kernel, run)
    return world.allreduce(time.monotonic() - begin, MPI.MAX)


def checksum(kernel):
    data = np.ascontiguousarray(kernel.result())
    digest = hashlib.blake2b(data.tobytes() + bytes([rank]), digest_size=8).digest()
    return world.allreduce(int.from_bytes(digest), MPI.BXOR)


def cpu_seconds_of_compute(kernel, rounds):
    work.rounds = rounds
    world.Barrier()
    times = []
    for _ in range(5):
        begin = time.thread_time()
        kernel.compute()
        times.append(time.thread_time() - begin)
    return world.allreduce(statistics.median(times), MPI.MAX)


def calibrate(kernel, asked):
    """Chooses the rounds so that the work takes ratio x T_message. Python's own share of it does not grow with them."""
    times = [repetition(kernel, "message") for _ in range(27)][6:]
    message = world.bcast(statistics.median(times))
    seconds = asked.calibrate * message
    few, many = 2.0, 12.0
    share = cpu_seconds_of_compute(kernel, few)
    per_round = (cpu_seconds_of_compute(kernel, many) - share) / (many - few)
    rounds = max(few + (seconds / asked.dilate - share) / per_round, 0)
    if rank == 0:
        print(json.dumps({"kernel": kernel.name, "rounds": rounds, "compute": seconds, "T_message": message}))


def measure(kernel, asked):
    runs = [{"name": name, "checksum": "", "changed": 0, "seconds": []} for name in asked.run.split(",")]
    for _ in range(asked.warmup):
        for run in runs:
            repetition(kernel, run["name"])
    for _ in range(asked.reps):
        for run in runs:
            run["seconds"].append(repetition(kernel, run["name"]))
            found = f"{checksum(kernel):016x}"
            run["checksum"] = run["checksum"] or found
            run["changed"] += found != run["checksum"]
    return runs


def words():
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--bytes", type=int, default=409600)
    for option in ("--calibrate", "--rounds", "--compute"):
        parser.add_argument(option, type=float, default=0)
    parser.add_argument("--dilate", type=float, default=1)
    parser.add_argument("--imbalance", choices=("none", "static", "rotating"), default="none")
    parser.add_argument("--reps", type=int, default=7)
    parser.add_argument("--warmup", type=int, default=2)
    parser.add_argument("--run", default="plain")
    return parser.parse_args()


def main(kernel_class):
    asked = words()
    ctypes.CDLL(None).prctl(PR_SET_TIMERSLACK, 1)
    gc.disable()
    elements = asked.bytes // 8
    kernel = kernel_class(elements)
    if asked.calibrate:
        calibrate(kernel, asked)
        return
    work.rounds = asked.rounds or work.rounds
    work.plan(elements, asked.compute, asked.dilate)
    work.imbalance = asked.imbalance
    runs = measure(kernel, asked)
    if rank == 0:
        library = MPI.Get_library_version().split(",")[0].splitlines()[0].replace("\t", " ")
        calls = dict.fromkeys(("begins", "send_data", "receives", "wait_data"), 0)
        about = {"kernel": kernel.name, "library": library, "ranks": ranks, "bytes": asked.bytes, "wrong": 0}
        print(json.dumps(about | {"runs": runs, "calls": calls}))
