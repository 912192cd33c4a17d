"""The kernels, and what theory says about each: how long it takes plain, and at best.

Tc is T_compute, Tm is T_message, both of one rank. `loads` is how much computation the busiest core has and how much
wire time the busiest link, when everything overlaps; with infinitely small deltas the longer of the two is all that remains.
"""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Kernel:
    name: str
    about: str
    ranks: int  # unless -n says otherwise
    fixed_ranks: bool
    plain: Callable[[float, float, int], float]
    loads: Callable[[float, float, int], tuple[float, float]]
    formula: str
    needs_file: bool = False

    def ideal(self, compute: float, message: float, ranks: int) -> float:
        return max(self.loads(compute, message, ranks))

    def best_of_chunks(self, compute: float, message: float, ranks: int, chunks: float) -> float:
        """With so many equal chunks one of them still passes all stages one after the other."""
        ideal = self.ideal(compute, message, ranks)
        return ideal + max(self.plain(compute, message, ranks) - ideal, 0) / chunks


RING_STEPS = 4


def children(rank: int, ranks: int) -> list[int]:
    return [child for child in (2 * rank + 1, 2 * rank + 2) if child < ranks]


def reduce_plain(compute: float, message: float, ranks: int, rank: int = 0) -> float:
    done = compute
    for child in children(rank, ranks):
        done = max(done, reduce_plain(compute, message, ranks, child)) + message
    return done


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
        ),
        Kernel(
            name="cascade",
            about="a line of ranks: each receives an array, adds its own computation, sends it on",
            ranks=4,
            fixed_ranks=False,
            plain=lambda compute, message, ranks: ranks * compute + (ranks - 1) * message,
            loads=lambda compute, message, _: (compute, message),
            formula="plain = p Tc + (p-1) Tm, ideal = max(Tc, Tm)",
        ),
        Kernel(
            name="ring",
            about="a circle of ranks: each computes, sends to the right, gets from the left, and repeats",
            ranks=4,
            fixed_ranks=False,
            plain=lambda compute, message, _: RING_STEPS * (compute + message),
            loads=lambda compute, message, _: (RING_STEPS * compute, RING_STEPS * message),
            formula=f"plain = S (Tc + Tm), ideal = S max(Tc, Tm), S = {RING_STEPS} steps",
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
    )
}
# The same in Fortran, where the MPI library speaks it.
KERNELS["pair-fortran"] = Kernel(**{**vars(KERNELS["pair"]), "name": "pair-fortran", "about": "pair, in Fortran"})
