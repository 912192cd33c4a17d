"""nbody in Python, with mpi4py and numpy: bodies shared out in blocks. See nbody.c, which is the same in C.

plain = S (Tc + Tm)     ideal = S max(Tc, Tm)     for S steps; Tm is that of the p - 1 blocks that leave by one link
"""

import sys
from pathlib import Path

import numpy as np
from mpi4py import MPI

sys.path.append(str(Path(__file__).resolve().parent.parent / "harness"))
from kernel import main, rank, ranks, work, world

STEPS, EVERY = 24, 4  # of the bodies, one in so many has work to do beyond the sum
BLOCK = 1  # tag


class NBody:
    name = "nbody-python"

    def __init__(self, n):
        self.n = n
        self.bodies = np.zeros((2, ranks, n))
        self.part = np.zeros((ranks, n))  # by block, as hand's come in another order
        self.indices = np.arange(n // EVERY + 1)

    def reset(self):
        self.bodies[:] = (np.arange(ranks * self.n).reshape(ranks, self.n) * 13 % 97) / 97

    def result(self):
        return self.bodies[0]

    def attract(self, g, b, a, e):
        """What block b does to our bodies a to e-1."""
        theirs, ours = self.bodies[g, b], self.bodies[g, rank]
        self.part[b, a:e] = theirs[a:e] - ours[a:e] + 0.5 * theirs[::-1][a:e]
        first = -(-a // EVERY)
        self.part[b, first * EVERY : e : EVERY] += 1e-9 * work.element(self.indices[first : -(-e // EVERY)])
        work.worked((e - a) / ranks)

    def move(self, old, new, a, e):
        force = sum(self.part[b, a:e] for b in range(ranks))
        self.bodies[new, rank, a:e] = 0.9 * self.bodies[old, rank, a:e] + 1e-3 * force

    def compute(self):
        for b in range(ranks):
            self.attract(0, b, 0, self.n)

    def exchange(self):
        others = range(1, ranks)
        coming = [world.Irecv(self.bodies[0, (rank - d) % ranks], (rank - d) % ranks, BLOCK) for d in others]
        for d in others:
            world.Send(self.bodies[0, rank], (rank + d) % ranks, BLOCK)
        MPI.Request.Waitall(coming)

    def plain(self):
        for s in range(STEPS):
            work.step(s)
            self.compute()
            self.move(0, 0, 0, self.n)
            self.exchange()

    def hand(self, chunk_bytes):
        """Our own block first, then the others in the order in which they come; the last pass moves the bodies and sends them, chunk by chunk."""
        chunk = chunk_bytes // 8
        parts = [(a, min(a + chunk, self.n)) for a in range(0, self.n, chunk)]
        came, going = {}, ([], [])  # by block; by array
        for s in range(STEPS):
            old, new = s % 2, 1 - s % 2
            work.step(s)
            MPI.Request.Waitall(going[new])
            going[new].clear()
            blocks = [(rank - d) % ranks for d in range(ranks)]
            coming = {b: [world.Irecv(self.bodies[new, b, a:e], b, BLOCK) for a, e in parts] for b in blocks[1:]}
            for b in blocks:
                MPI.Request.Waitall(came.get(b, []))
                if b != blocks[-1]:
                    self.attract(old, b, 0, self.n)
            for a, e in parts:
                self.attract(old, blocks[-1], a, e)
                self.move(old, new, a, e)
                going[new].extend(world.Isend(self.bodies[new, rank, a:e], b, BLOCK) for b in blocks[1:])
            came = coming
        MPI.Request.Waitall([*going[0], *going[1], *(request for block in came.values() for request in block)])

    def message(self):
        """What a link carries one way in a step."""
        for _ in range(1, ranks):
            if rank == 1:
                world.Send(self.bodies[0, 1], 0, BLOCK)
            if rank == 0:
                world.Recv(self.bodies[0, 1], 1, BLOCK)


main(NBody)
