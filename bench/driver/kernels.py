"""The kernels, and what theory says about each: how long it takes plain, and at best.

Tc is T_compute, Tm is T_message, both of one rank. `loads` is how much computation the busiest core has and how much
wire time the busiest link, when everything overlaps; with infinitely small deltas the longer of the two is all that remains. Where not
everything can overlap, the loads are those of the longest path, and `longest` says how long that is.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import isqrt

Time = Callable[[float, float, int], float]  # of T_compute, T_message and the number of ranks


@dataclass(frozen=True)
class Kernel:
    name: str
    about: str
    ranks: int  # unless -n says otherwise
    fixed_ranks: bool
    plain: Time
    loads: Callable[[float, float, int], tuple[float, float]]
    formula: str
    longest: Time | None = None
    independent: Time | None = None  # where only computation that is independent of the messages overlaps with them
    size: int = 409600  # of a message, and what it is a multiple of
    unit: int = 8
    steps: int = 1  # of a repetition
    lab: str = "100mbit"  # of more than two ranks, unless --lab says otherwise
    needs_file: bool = False
    takes_file: bool = False  # it has an input without one, too
    smallest_chunk: int = 0  # in the sweep of hand
    tiles: tuple[int, ...] = ()  # there, in place of usual chunks: so many units together (the paper's K)
    depths: tuple[int, ...] = ()  # there: a tile is waited for so many tiles later (its D); 0: at the end
    unmodified: bool = False  # it knows nothing of Stretto: measured under `stretto run`
    compiled: bool = False  # its plain is one that stretto-cc sees through
    by_tool: bool = True  # where it is compiled: `stretto annotate` changes it, too
    tiled: bool = False  # by hand it has collectives, and there is the same by MPI_Isend and MPI_Irecv
    puts: bool = False  # and the same by MPI_Put
    plain_under_run: bool = False  # plain, which knows nothing of it either, is measured so, too

    def ideal(self, compute: float, message: float, ranks: int) -> float:
        return self.longest(compute, message, ranks) if self.longest else max(self.loads(compute, message, ranks))

    @property
    def in_fortran(self) -> bool:
        return self.name.endswith("-fortran")

    @property
    def in_python(self) -> bool:
        return self.name.endswith("-python")

    @property
    def by_mpi(self) -> list[str]:
        """The variants by MPI alone that have no chunks."""
        return ["plain", "independent"] if self.independent else ["plain"]

    def best_of_chunks(self, compute: float, message: float, ranks: int, chunks: float) -> float:
        """With so many equal chunks one of them still passes all stages one after the other."""
        ideal = self.ideal(compute, message, ranks)
        return ideal + max(self.plain(compute, message, ranks) - ideal, 0) / chunks


RING_STEPS = 4
STEPS = 24  # of the paper's applications
OVERLAP_STEPS = 4
CG_STEPS = 8
CG_INSIDE = 0.75  # of the computation: that of the inner planes


def children(rank: int, ranks: int) -> list[int]:
    return [child for child in (2 * rank + 1, 2 * rank + 2) if child < ranks]


def reduce_plain(compute: float, message: float, ranks: int, rank: int = 0) -> float:
    done = compute
    for child in children(rank, ranks):
        done = max(done, reduce_plain(compute, message, ranks, child)) + message
    return done


def grid(ranks: int) -> tuple[int, int]:
    """Rows and columns of ranks: as near to a square as their number allows."""
    rows = max(row for row in range(1, isqrt(ranks) + 1) if ranks % row == 0)
    return rows, ranks // rows


def lu_wave(compute: float, message: float, ranks: int, ahead: float = 0) -> float:
    """A rank begins when both boundaries have come; of its computation, `ahead` is done before. On a link east goes before south."""
    rows, columns = grid(ranks)
    done: dict[tuple[int, int], float] = {}
    for row in range(rows):
        for column in range(columns):
            came = []
            if row:
                came.append(done[row - 1, column] + message * (2 if column + 1 < columns else 1))
            if column:
                came.append(done[row, column - 1] + message)
            if len(came) == 2:  # through one link
                came.append(min(came) + message)
            done[row, column] = max(ahead, *came, 0) + compute - ahead
    return done[rows - 1, columns - 1]


LU_AHEAD = 0.2  # of the computation


def lu_loads(compute: float, message: float, ranks: int) -> tuple[float, float]:
    rows, _ = grid(ranks)
    return (LU_AHEAD + rows * (1 - LU_AHEAD)) * compute, (2 * rows - 1) * message


def lu_longest(compute: float, message: float, ranks: int) -> float:
    rows, _ = grid(ranks)
    return LU_AHEAD * compute + rows * max((1 - LU_AHEAD) * compute, message) + (rows - 1) * message


def hycom_plain(compute: float, message: float, ranks: int) -> float:
    _, columns = grid(ranks)
    return compute + (columns - 1) * message


def mg_faces(message: float, ranks: int) -> float:
    """Those across y, which nothing is computed under; they have the edges too, 10 points for 8. A prime number of ranks lies along x."""
    rows, _ = grid(ranks)
    return 2.5 * message if rows > 1 else 0


def mg_longest(compute: float, message: float, ranks: int) -> float:
    return max(compute, 2 * message) + mg_faces(message, ranks)


def in_steps(steps: int) -> dict:
    """Each step computes, then waits for what was sent in it."""
    return {
        "steps": steps,
        "plain": lambda compute, message, _: steps * (compute + message),
        "loads": lambda compute, message, _: (steps * compute, steps * message),
    }


FIELDS = 4  # of magnet
OF_DANALIS = {
    "ranks": 4,
    "fixed_ranks": False,
    "lab": "50mbit",  # all ranks talk at once
    "compiled": True,
    "by_tool": False,
    "tiled": True,
    "puts": True,
    "plain_under_run": True,
    "depths": (1, 2, 3, 0),
}

KERNELS = {
    kernel.name: kernel
    for kernel in (
        Kernel(
            name="pair",
            about="one rank computes an array and sends it, the other receives it and computes too",
            ranks=2,
            fixed_ranks=True,
            plain=lambda compute, message, _: 2 * compute + message,
            loads=lambda compute, message, _: (compute, message),
            formula="plain = 2 Tc + Tm, ideal = max(Tc, Tm)",
            compiled=True,
        ),
        Kernel(
            name="cascade",
            about="a line of ranks: each receives an array, adds its own computation, sends it on",
            ranks=4,
            fixed_ranks=False,
            plain=lambda compute, message, ranks: ranks * compute + (ranks - 1) * message,
            loads=lambda compute, message, _: (compute, message),
            formula="plain = p Tc + (p-1) Tm, ideal = max(Tc, Tm)",
            compiled=True,
        ),
        Kernel(
            name="ring",
            about="a circle of ranks: each computes, sends to the right, gets from the left, and repeats",
            ranks=4,
            fixed_ranks=False,
            **in_steps(RING_STEPS),
            formula=f"plain = S (Tc + Tm), ideal = S max(Tc, Tm), S = {RING_STEPS} steps",
            compiled=True,
        ),
        Kernel(
            name="reduce",
            about="a binary tree of ranks: each adds its children's arrays to its own and sends the sum up",
            ranks=4,
            fixed_ranks=False,
            plain=reduce_plain,
            loads=lambda compute, message, ranks: (compute, len(children(0, ranks)) * message),
            formula="plain = F(0), F(r) = Tc, then for each child c: F(r) = max(F(r), F(c)) + Tm; "
            "ideal = max(Tc, C Tm), C = children of rank 0",
            compiled=True,
        ),
        Kernel(
            name="lu",
            about="NAS LU's blts: a wave over a grid of ranks, with boundaries from the north and the west",
            ranks=4,
            fixed_ranks=False,
            plain=lu_wave,
            loads=lu_loads,
            longest=lu_longest,
            independent=lambda compute, message, ranks: lu_wave(compute, message, ranks, LU_AHEAD * compute),
            formula="plain = the wave's way: Tc and its messages from rank to rank; "
            "ideal = Tc/5 + R V + (R-1) Tm, V = max(4/5 Tc, Tm), R rows of ranks",
            size=10200,
            unit=40,
            compiled=True,
        ),
        Kernel(
            name="hycom",
            about="HYCOM's xcsum: the sum of an array on a grid of ranks, row by row",
            ranks=4,
            fixed_ranks=False,
            plain=hycom_plain,
            loads=lambda compute, message, ranks: (compute, (grid(ranks)[1] - 1) * message),
            independent=hycom_plain,
            formula="plain = Tc + (C-1) Tm, ideal = max(Tc, (C-1) Tm), C columns of ranks",
            compiled=True,
        ),
        Kernel(
            name="mg",
            about="NAS MG's psinv: a stencil of 27 points, then faces to up to six neighbours, axis by axis",
            ranks=4,
            fixed_ranks=False,
            plain=lambda compute, message, ranks: compute + 2 * message + mg_faces(message, ranks),
            loads=lambda compute, message, ranks: (compute, 2 * message + mg_faces(message, ranks)),
            longest=mg_longest,
            independent=mg_longest,
            formula="plain = Tc + 2 Tm + E, ideal = max(Tc, 2 Tm) + E, E = 2.5 Tm for the faces across y",
            unit=64,
            compiled=True,
        ),
        Kernel(
            name="cg",
            about="conjugate gradients on the 3-D Poisson equation: a halo by MPI_Alltoallv, sums by MPI_Allreduce",
            ranks=4,
            fixed_ranks=False,
            **in_steps(CG_STEPS),
            independent=lambda compute, message, _: (
                CG_STEPS * (max(CG_INSIDE * compute, message) + (1 - CG_INSIDE) * compute)
            ),
            formula=f"plain = S (Tc + Tm), ideal = S max(Tc, Tm), S = {CG_STEPS} iterations, Tm of both planes",
            size=262144,
            unit=512,
            plain_under_run=True,
        ),
        Kernel(
            name="pes",
            about="the 2-D Poisson equation in blocks of rows, unmodified: each step sends a row up and one down",
            ranks=4,
            fixed_ranks=False,
            **in_steps(STEPS),
            formula=f"plain = S (Tc + Tm), ideal = S max(Tc, Tm), S = {STEPS} steps, Tm of both rows",
            size=40960,
            unmodified=True,
        ),
        Kernel(
            name="nbody",
            about="bodies in blocks, unmodified: each step sends a rank's block to all others",
            ranks=4,
            fixed_ranks=False,
            **in_steps(STEPS),
            formula=f"plain = S (Tc + Tm), ideal = S max(Tc, Tm), S = {STEPS} steps, Tm of p-1 blocks",
            size=35840,
            unmodified=True,
        ),
        Kernel(
            name="m3",
            about="a matrix product by a master and slaves, unmodified: slices go out, results come back",
            ranks=4,
            fixed_ranks=False,
            steps=STEPS,
            plain=lambda compute, message, _: STEPS * (1.2 * compute + message),
            loads=lambda compute, message, ranks: (STEPS * compute, STEPS * message * (ranks - 1) / ranks),
            formula=f"plain = S (6/5 Tc + Tm), ideal = S max(Tc, Tm (p-1)/p), S = {STEPS} rounds, "
            "Tm of p-1 slices and a result",
            size=131072,
            unmodified=True,
        ),
        Kernel(
            name="overlap",
            about="a message begun, a computation that does not need it, a wait, unmodified: does the library overlap?",
            ranks=2,
            fixed_ranks=False,
            **in_steps(OVERLAP_STEPS),
            formula=f"plain = S (Tc + Tm), ideal = S max(Tc, Tm), S = {OVERLAP_STEPS} steps",
            size=2**20,
            unmodified=True,
        ),
        Kernel(
            name="compress",
            about="a real file, compressed with libbz2 by all ranks and written by rank 0",
            ranks=4,
            fixed_ranks=False,
            plain=lambda compute, message, ranks: compute + (ranks - 1) * message,
            loads=lambda compute, message, ranks: (compute, (ranks - 1) * message),
            formula="plain = Tc + (p-1) Tm, ideal = max(Tc, (p-1) Tm)",
            needs_file=True,
        ),
        Kernel(
            name="fft3d",
            about="the Fourier transform of a field in three dimensions, by FFTW, in slabs that are transposed",
            ranks=4,
            fixed_ranks=False,
            plain=lambda compute, message, _: compute + message,
            loads=lambda compute, message, _: (compute, message),
            formula="plain = Tc + Tm, ideal = max(Tc, Tm), Tm of p-1 blocks",
            unit=16384,
            lab="50mbit",  # all ranks talk at once
            compiled=True,
            by_tool=False,
            tiled=True,
            plain_under_run=True,
            takes_file=True,
        ),
        Kernel(
            name="visco",
            about="transforms in two dimensions, by FFTW, one plane after another, each for all ranks (Danalis et al. 2005)",
            **OF_DANALIS,
            **in_steps(1),
            formula="plain = Tc + Tm, ideal = max(Tc, Tm), Tm of p-1 blocks",
            size=30 * 23040,
            unit=23040,
            tiles=(1, 2, 3, 5, 10, 15, 30),
        ),
        Kernel(
            name="magnet",
            about="four fields one after another, whose rows are transformed by FFTW, each for all ranks (Danalis et al. 2005)",
            **OF_DANALIS,
            **in_steps(FIELDS),
            formula=f"plain = S (Tc + Tm), ideal = S max(Tc, Tm), S = {FIELDS} fields, Tm of p-1 blocks",
            size=64 * 1024,
            unit=1024,
            tiles=(1, 2, 4, 8, 16, 32, 64),
        ),
    )
}


KERNELS["overlap-one-way"] = replace(
    KERNELS["overlap"],
    name="overlap-one-way",
    about="overlap, with a message one way at a time: two ranks send in turns, so half as much work for their cores",
)


KERNELS["compress-gather"] = replace(
    KERNELS["compress"],
    name="compress-gather",
    about="compress whose streams come together by MPI_Gatherv, or in rounds by MPI_Igatherv, the library's and Stretto's",
    smallest_chunk=16384,  # of the input, in a round
    plain_under_run=True,
)


def in_language(name: str, language: str) -> None:
    """The same in Fortran, where the MPI library speaks it, or in Python."""
    same = {"name": f"{name}-{language.lower()}", "about": f"{name}, in {language}"}
    KERNELS[same["name"]] = replace(KERNELS[name], **same)


in_language("pair", "Fortran")
in_language("lu", "Fortran")
in_language("mg", "Fortran")
in_language("pes", "Fortran")
in_language("nbody", "Python")
