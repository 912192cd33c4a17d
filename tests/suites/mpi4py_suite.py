"""mpi4py's own tests: Python's unittest on 1, 2 and 3 ranks. One launch runs many tests; where it ends early, the test at work has failed."""

import pathlib
import re
import sys
import tempfile

from launch import BUILD, launch
from outcome import Outcome, counted, tail
from sources import mpi4py_package, mpi4py_sources

HERE = pathlib.Path(__file__).resolve().parent
# What every test run has time for.
SAMPLE = re.compile(
    r"test_(p2p_buf|p2p_buf_matched|p2p_obj|p2p_obj_matched|msgzero|request|status|pack|errhandler|threads)\."
    r"|test_(comm\.TestCommWorld|cco_buf\.TestCCOBufWorld\.|cco_nb_buf\.TestCCOBufWorld\.|rma\.TestRMASelf|util_pkl5\.)"
)


class Suite:
    name = "mpi4py"

    def __init__(self, mpi, options):
        self.mpi, self.limit = mpi, options.limit
        self.ranks = [ranks for ranks in (1, 2, 3) if ranks <= (2 if options.sample else options.most_ranks)]
        self.folder, self.package = mpi4py_sources() / "test", mpi4py_package(mpi)
        self.missing = []
        self.tests = {}
        for ranks in self.ranks:
            self.tests |= {f"{ranks} {name}": ranks for name in self.known(ranks)}
        if options.sample:
            self.tests = {name: ranks for name, ranks in self.tests.items() if SAMPLE.search(name)}
        if options.only:
            wanted = [re.compile(one) for one in options.only]
            self.tests = {name: ranks for name, ranks in self.tests.items() if any(one.search(name) for one in wanted)}

    def known(self, ranks):
        with tempfile.TemporaryDirectory(prefix="stretto-") as scratch:
            result = self.launch(ranks, scratch, [], "shm", None, 10 * self.limit)
            if result.rc:
                raise RuntimeError(f"mpi4py's tests cannot be listed\n{result}")
            return pathlib.Path(scratch, "known").read_text().split()

    def launch(self, ranks, scratch, names, transport, env, limit):
        pathlib.Path(scratch, "wanted").write_text("\n".join(names))
        command = [sys.executable, HERE / "mpi4py_ranks.py", self.folder, scratch, str(self.limit)]
        if env is not None:
            command = [BUILD / "bin/stretto", "run", "--mpi", self.mpi, "--", *command]
        own = {"PYTHONPATH": str(self.package)} | (env or {})
        return launch(self.mpi, ranks, command[0], command[1:], transport=transport, env=own, timeout=limit)

    def is_chance(self, name, transport):
        """By Open MPI 4.1.4 alone, over TCP, MPI_Comm_spawn hangs in a quarter of these tests, now in one and now in another."""
        return self.mpi == "openmpi" and transport == "tcp" and " test_spawn." in name

    def run(self, names, transport, env, seconds):
        for ranks in self.ranks:
            left = [name.partition(" ")[2] for name in names if self.tests[name] == ranks]
            while left:
                usual = sum(seconds.get(f"{ranks} {name}", 0.2) for name in left)
                ended = yield from self.run_batch(ranks, left, transport, env, 2 * self.limit + 10 * usual)
                left = [name for name in left if name not in ended]

    def run_batch(self, ranks, names, transport, env, limit):
        """The outcomes of one launch; returns the names of the tests that need not be run again."""
        with tempfile.TemporaryDirectory(prefix="stretto-") as scratch:
            result = self.launch(ranks, scratch, names, transport, env, limit)
            seen = [self.read(pathlib.Path(scratch, str(rank))) for rank in range(ranks)]
        counters, ended = counted(result, self.mpi), set()
        for name in names:
            ends = [one[name] for one in seen if name in one]
            if len(ends) == ranks and all(ends):
                ended.add(name)
                good = all(how in ("ok", "skip") for how, _, _ in ends) and any(how == "ok" for how, _, _ in ends)
                said = "" if good else "\n".join(f"{how} {text}" for how, _, text in ends)
                yield Outcome(f"{ranks} {name}", good, ends[0][1], tail(said), counters)
                counters = {}
        left = [name for name in names if name not in ended]
        at_work = [name for name in left if any(name in one for one in seen)]
        for name in at_work or (left[:1] if any(seen) else left):  # none can begin: none will
            ended.add(name)
            yield Outcome(f"{ranks} {name}", False, 0, tail(str(result), 120), counters)
            counters = {}
        return ended

    @staticmethod
    def read(path):
        """{test: (how it ended, seconds, what it said), or None where it did not end} of one rank."""
        seen = {}
        for line in path.read_text(errors="replace").splitlines() if path.exists() else ():
            word, name, *rest = line.split(" ", 4)
            seen[name] = (rest[0], float(rest[1]), rest[2].replace("\\n", "\n")) if word == "end" else None
        return seen
