"""Memory: what three ranks send to one that does not receive stays within the budget, and arrives.

`pytest tests/memory --full` (or `make memory`): a gigabyte from each, under the default budget of 64 MiB.
"""

import os
import pathlib
import re

import pytest
from compile import program
from launch import launch, library

HERE = pathlib.Path(__file__).parent
MIB = 1 << 20
SENDERS = 3
HEADER = 16 << 10  # what a first fragment takes until its message is received, at most: libfabric's buffer
SLACK = 12 * MIB  # a library's own buffers, which grow with use

# How the bytes of one sender are cut: what is sent, and bytes of a message (0: all in one).
CUTS = {
    "one message": ("plain", 0),
    "messages of a megabyte": ("plain", MIB),
    "messages of 32 KiB": ("plain", 32 << 10),
    "one delta send": ("delta", 0),
    "delta sends of a megabyte": ("delta", MIB),
}


@pytest.fixture(scope="session")
def size(request):
    """Bytes of one sender, and the budget."""
    if request.config.getoption("--full", default=False):
        return 1 << 30, 64 * MIB
    return 96 * MIB, 8 * MIB


def flood(mpi, transport, kind, messages, message_bytes, budget):
    """How many bytes the receiver's memory grew while it did not receive."""
    # Ordinary messages are framed as on a slow link, but for small ones, which MPICH over TCP takes in only where it may save
    # as many as deltas need.
    link = (
        {"FI_TCP_MAX_SAVED": "1000000"}
        if message_bytes < MIB
        else {"STRETTO_FAST_LINK": "1e300", "STRETTO_LARGEST": "4G"}
    )
    result = launch(
        mpi,
        SENDERS + 1,
        program(mpi, "flood", [HERE / "flood.c"], linked=True),
        [kind, messages, message_bytes],
        transport=transport,
        env={"STRETTO_BUDGET": str(budget), **link},
        timeout=60 if messages * message_bytes < 1 << 30 else 600,
    )
    assert result.rc == 0, result
    assert "right" in result.stdout, result
    return int(re.search(r"grew (\d+)", result.stdout)[1]) * 1024


def left_out(mpi, transport, cut):
    if not library(mpi).exists():
        return "libstretto is not built for this MPI"
    if transport == "shm" and CUTS[cut][0] == "plain":
        return "over shared memory ordinary messages stay native"
    if mpi == "abi" and not os.environ.get("STRETTO_TESTS_FULL"):
        return "the same library as mpich"
    if mpi == "openmpi5" and cut.endswith("32 KiB") and not os.environ.get("STRETTO_TESTS_FULL"):
        return "fetched by round trips as under openmpi, which takes it a minute beside another test"
    return None


@pytest.mark.pairs(left_out=left_out)
@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("transport", ["shm", "tcp"])
def test_a_receiver_that_sleeps_holds_no_more_than_the_budget(mpi, transport, cut, size):
    total, budget = size
    kind, message_bytes = CUTS[cut]
    message_bytes = message_bytes or total
    messages = total // message_bytes
    if message_bytes < MIB:
        # The receiver fetches what is left of each by itself: there and back, through ranks that share cores with those of other tests.
        messages //= 4
    grew = flood(mpi, transport, kind, messages, message_bytes, budget)
    limit = budget + SENDERS * messages * HEADER + SLACK
    if message_bytes < MIB:
        limit = SENDERS * (
            2 * total + SLACK
        )  # native, each message whole and in a buffer of its own size, as without Stretto
    assert grew <= limit, f"grew {grew / MIB:.0f} MiB, not {limit / MIB:.0f}"
