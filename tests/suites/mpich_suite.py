"""MPICH's test/mpi: programs that print "No Errors", in lists that say how each is to be run."""

import contextlib
import dataclasses
import re

from launch import BUILD, launch, mpis
from outcome import Outcome, counted, tail
from sources import mpich_build, mpich_programs, mpich_sources

AREAS = ("pt2pt", "datatype", "comm", "errhan", "threads", "f77", "f90", "coll", "topo", "rma")
GOOD = re.compile(r"\s*(No [Ee]rrors|Test [Pp]assed)\s*$")
MOST_MEMORY = 2.0  # GB: tests that take more are left out
# Open MPI 4.1.4's MPI_Dist_graph_create, asked to reorder, hangs now and then once MPI_COMM_WORLD was duplicated, by whomever.
MENDED = {"openmpi": {"OMPI_MCA_topo": "^treematch"}}

# What MPI alone makes of these is chance. MPI_Type_get_contents of Open MPI 4.1.4 takes for datatypes what createf90types did not initialize.
CHANCE = {"openmpi": {"f90/f90types/createf90types 1"}}

# What every test run has time for: some of each area.
SAMPLE = {
    "pt2pt": "sendrecv2 sendall anyall eagerdt bottom bsend5 isendself icsend icprobe rqfreeb probe_unexp cancelanysrc isendselfprobe waitany_null mprobe many_isend precv_anysrc",
    "datatype": "concurrent_irecv sendrecvt4 tresized2 getpartelm dataalign",
    "comm": "dup ic1 dup_with_info probe_intercomm",
    "errhan": "commcall errfatal predef_eh",
    "threads/pt2pt": "threaded_sr multisend",
    "f77/pt2pt": "sendf psendf mprobef",
    "f90/pt2pt": "isendf90 ssendf90 sendrecvf90",
    "coll": "bcasttest coll12 gather2 nonblocking neighb_alltoall",
    "topo": "topotest dgraph_unwgt",
    "rma": "test4 put_base",
}


@dataclasses.dataclass(frozen=True)
class Test:
    folder: str
    program: str
    ranks: int
    args: tuple = ()
    env: tuple = ()
    limit: int = 180
    check: str = ""

    @property
    def name(self):
        return " ".join([f"{self.folder}/{self.program}", str(self.ranks), *self.args, *self.env])


def read(mpi, line, folder):
    """The test that a line of a list stands for: program ranks name=value ..."""
    program, *words = line.split()
    if not words or not words[0].isdigit():
        return None
    given = [word.partition("=")[::2] for word in words[1:]]
    options = dict(given)
    if float(options.get("mem", 0)) > MOST_MEMORY:
        return None
    env = [value for name, value in given if name == "env"]
    if mpis()[mpi]["family"].startswith("openmpi"):
        env = [value for value in env if not value.startswith("MPIR_")]
    args = tuple(value for name, value in given if name == "arg")
    limit = int(options.get("timeLimit", 180))
    return Test(folder, program, int(words[0]), args, tuple(env), limit, options.get("resultTest", ""))


def lists(build, folder):
    """A folder's lists: configure makes some, others lie beside the sources."""
    files = (where / folder / name for name in ("testlist", "testlist.dtp") for where in (build, mpich_sources()))
    return [file for file in files if file.exists()]


def listed(mpi, build, folder):
    """All tests of a folder and the folders that its lists name."""
    for file in lists(build, folder):
        for line in file.read_text().splitlines():
            line = line.partition("#")[0].strip()
            if line and lists(build, f"{folder}/{line}"):
                yield from listed(mpi, build, f"{folder}/{line}")
            elif line and (test := read(mpi, line, folder)):
                yield test


def passed(result, check):
    if check == "TestErrFatal":
        return result.rc not in (0, 124)
    lines = [line for line in result.stdout.splitlines() if line.strip() and "FORTRAN STOP" not in line]
    return (result.rc == 0 or check == "TestStatusNoErrors") and bool(lines) and all(map(GOOD.match, lines))


class Suite:
    name = "mpich"

    def __init__(self, mpi, options):
        self.mpi, self.limit = mpi, options.limit
        build = mpich_build(mpi)
        found = dict.fromkeys(test for area in AREAS for test in listed(mpi, build, area))
        found = [test for test in found if test.ranks <= options.most_ranks]
        if options.sample:
            found = [test for test in found if test.program in SAMPLE.get(test.folder, "").split()]
        if options.only:
            found = [test for test in found if any(re.match(one, test.name) for one in options.only)]
        self.tests = {test.name: test for test in found}
        self.build = mpich_programs(mpi, found)
        self.missing = [test.name for test in found if not (self.build / test.folder / test.program).exists()]

    def is_chance(self, name, transport):
        return name in CHANCE.get(self.mpi, ())

    def run(self, names, transport, env, seconds):
        """The outcome of each test, one launch after the other. seconds: what they took plain, where that is known."""
        for name in names:
            if name not in self.missing:
                yield self.run_one(self.tests[name], transport, env, seconds.get(name))

    def run_one(self, test, transport, env, usual):
        program = self.build / test.folder / test.program
        own = dict(item.split("=", 1) for item in test.env)
        command = [program] if env is None else [BUILD / "bin/stretto", "run", "--", program]
        limit = min(test.limit, self.limit) if usual is None else max(self.limit / 2, 10 * usual)
        with contextlib.chdir(program.parent):  # some have files there
            result = launch(
                self.mpi, test.ranks, command[0], [*command[1:], *test.args], transport=transport,
                env=MENDED.get(self.mpi, {}) | own | (env or {}), timeout=limit,
            )  # fmt: skip
        good = passed(result, test.check)
        counters = counted(result, self.mpi)
        return Outcome(test.name, good, result.seconds, "" if good else tail(str(result), 150), counters)
