"""One rank of mpi4py's tests: those that SCRATCH/wanted names; how each ended goes into SCRATCH/RANK, all that there are into SCRATCH/known.

python mpi4py_ranks.py TESTS SCRATCH LIMIT
"""

import faulthandler
import pathlib
import sys
import time
import unittest

TESTS, SCRATCH, LIMIT = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), float(sys.argv[3])
sys.argv[1:] = []


class Record(unittest.TestResult):
    def __init__(self, file):
        super().__init__()
        self.file = file

    def write(self, *words):
        print(*words, file=self.file, flush=True)

    def startTest(self, test):
        super().startTest(test)
        self.begin, self.how, self.text = time.monotonic(), "ok", ""
        self.write("begin", test.id())
        faulthandler.dump_traceback_later(LIMIT, exit=True)

    def stopTest(self, test):
        faulthandler.cancel_dump_traceback_later()
        seconds = time.monotonic() - self.begin
        self.write("end", test.id(), self.how, f"{seconds:.2f}", self.text.replace("\n", "\\n"))
        super().stopTest(test)

    def wrong(self, how, test, error):
        self.how, self.text = how, self._exc_info_to_string(error, test)[-1500:]

    def addError(self, test, error):
        self.wrong("error", test, error)

    def addFailure(self, test, error):
        self.wrong("failure", test, error)

    def addSubTest(self, test, subtest, error):
        if error:
            self.wrong("failure", test, error)

    def addSkip(self, test, reason):
        self.how, self.text = "skip", reason

    def addUnexpectedSuccess(self, test):
        self.how = "unexpected success"


def tests_of(suite):
    for one in suite:
        if isinstance(one, unittest.TestSuite):
            yield from tests_of(one)
        else:
            yield one


def main():
    sys.path.insert(0, str(TESTS))
    from mpi4py import MPI

    found = list(tests_of(unittest.TestLoader().discover(str(TESTS), "test_*.py")))
    rank = MPI.COMM_WORLD.Get_rank()
    if rank == 0:
        (SCRATCH / "known").write_text("\n".join(test.id() for test in found))
    wanted = set((SCRATCH / "wanted").read_text().split())
    with open(SCRATCH / str(rank), "w") as file:
        unittest.TestSuite(test for test in found if test.id() in wanted).run(Record(file))


main()
