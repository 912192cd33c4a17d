"""Two ranks exchange messages of 8 bytes to 1 MiB through mpi4py and look at every number."""

import sys

import numpy
from mpi4py import MPI

world = MPI.COMM_WORLD
other = 1 - world.rank
sizes = wrong = 0


def values(sender, n, tag):
    return numpy.arange(n, dtype="d") * 3 + sender * 0.5 + tag


for power in range(18):
    n = 2**power
    into = numpy.full(n, -1.0)
    if world.rank == 0:
        world.Send(values(0, n, 1), other, 1)
    status = MPI.Status()
    world.Recv(into, other, 1, status)
    if world.rank == 1:
        world.Send(values(1, n, 1), other, 1)
    wrong += status.Get_count(MPI.DOUBLE) != n or not numpy.array_equal(into, values(other, n, 1))

    into.fill(-1)
    out = values(world.rank, n, 2)
    MPI.Request.Waitall([world.Irecv(into, other, 2), world.Isend(out, other, 2)])
    wrong += not numpy.array_equal(into, values(other, n, 2))

    wrong += world.sendrecv({"n": n, "from": world.rank}, other, source=other) != {"n": n, "from": other}
    sizes += 1
print(f"rank {world.rank}: {sizes} sizes, {wrong} wrong")
sys.exit(wrong != 0)
