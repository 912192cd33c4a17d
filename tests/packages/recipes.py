"""Debian source packages that nobody here wrote: how each is built, and how its own tests are run.

These are shell commands for the folder of its sources. They find CC, CXX and FC, FLAGS for each of them, MPIEXEC, behind which the number of ranks
stands, and RECIPES, this folder.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Package:
    language: str
    mpi: str  # a name of `stretto info`
    needs: tuple[str, ...]  # binary packages, beside compilers and MPI
    build: tuple[str, ...]
    tests: dict[str, str]  # by name: fails when the test does, and prints what is the same each time


# A script prints on standard error what differs from the results that it keeps.
HYPRE_TEST = """cd src/test && ./runtest.sh -mpi "$MPIEXEC" TEST_{0}.sh >/dev/null 2>&1
cat TEST_{0}.err && [ ! -s TEST_{0}.err ]"""
HYPRE_TESTS = (
    "ij/default ij/coarsening ij/matrix ij/vector struct/solvers struct/smgbase3d sstruct/default3d sstruct/solvers"
)

HYPRE = Package(
    language="C",
    mpi="mpich",
    needs=(),
    build=(
        'cd src && CFLAGS="$FLAGS" CXXFLAGS="$FLAGS" ./configure --with-MPI --disable-fortran',
        "cd src && make -j$(nproc)",
        "cd src/test && make ij struct sstruct",
    ),
    tests={name: HYPRE_TEST.format(name) for name in HYPRE_TESTS.split()},
)

# Those of its tests that communicate, but three: clang 19 takes a line of their header, remoteindices.hh, for an error. The flag is for another such line.
DUNE_TESTS = [
    "communicationtest",
    "indicestest",
    "mpicommunicationtest",
    "mpidatatest",
    "mpifuturetest",
    "mpigatherscattertest",
    "mpiguardtest",
    "mpihelpertest",
    "mpihelpertest2",
    "mpipacktest",
    "selectiontest",
]

DUNE = Package(
    language="C++",
    mpi="mpich",
    needs=("cmake", "pkg-config", "libblas-dev", "liblapack-dev"),
    build=(
        'cmake -B made -DCMAKE_CXX_FLAGS="$FLAGS -Wno-missing-template-arg-list-after-template-kw" '
        '-DDUNE_ENABLE_PYTHONBINDINGS=OFF -DMPIEXEC_EXECUTABLE="${MPIEXEC%% *}"',
        "cmake --build made -j $(nproc) --target " + " ".join(DUNE_TESTS),
    ),
    tests={
        name: f"cd made && ctest -R '^{name}(-mpi-[0-9]+)?$' >log; grep 'tests passed' log && grep -q '^100% tests' log"
        for name in DUNE_TESTS
    },
)

# Debian's own test of the package runs these; in double precision here. And a plane of 60 x 60 points, as large messages want: ranks add in the order
# in which parts come, so its solution is compared to six digits.
MUMPS_RUN = "cd examples && export LD_LIBRARY_PATH=../lib:../PORD/lib && $MPIEXEC {ranks} ./{program} >log 2>&1"
MUMPS_PROGRAMS = {
    "c_example": "",
    "c_example_save_restore": "",
    "dsimpletest": " <input_simpletest_real",
    "dsimpletest_save_restore": " <input_simpletest_real",
}
MUMPS_PLANE = """awk 'BEGIN {
    m = 60; n = m * m
    for (i = 1; i <= n; i++) {
        entry[k++] = i " " i " 4.5"
        if (i % m) { entry[k++] = i " " i + 1 " -1.0"; entry[k++] = i + 1 " " i " -1.5" }
        if (i + m <= n) { entry[k++] = i " " i + m " -1.0"; entry[k++] = i + m " " i " -0.5" }
    }
    print n; print k
    for (j = 0; j < k; j++) print entry[j]
    for (i = 1; i <= n; i++) print i % 7 ".0"
}' >examples/plane; """
MUMPS_ROUNDED = """ && sed -n '/Solution/,/^$/p' log | tr ' ' '\\n' | awk '/\\./ { printf "%.6f\\n", $1; n++ } END { exit n != 3600 }'"""

MUMPS = Package(
    language="Fortran",
    mpi="openmpi",
    needs=("libscalapack-openmpi-dev", "libblas-dev", "liblapack-dev"),
    build=('cp "$RECIPES/mumps.inc" Makefile.inc', 'make -j$(nproc) d CC="$CC" FC="$FC" FLAGS="$FLAGS"'),
    tests={
        f"{program}, {ranks} ranks": MUMPS_RUN.format(ranks=ranks, program=program + given)
        + " && grep -i -A1 'solution is' log"
        for program, given in MUMPS_PROGRAMS.items()
        for ranks in (1, 2, 3)
    }
    | {
        f"a plane, {ranks} ranks": MUMPS_PLANE
        + MUMPS_RUN.format(ranks=ranks, program="dsimpletest <plane")
        + MUMPS_ROUNDED
        for ranks in (2, 3, 4)
    },
)

PACKAGES = {"hypre": HYPRE, "dune-common": DUNE, "mumps": MUMPS}
