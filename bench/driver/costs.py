"""What Stretto's own calls cost, for `stretto_undilated`.

In a dilated run the computation is D times slower, but our own calls are not: they look D times cheaper than they are.
So their cost counts D - 1 times more: how often a rank called us in one repetition (the harness counts that), times
what one call costs (measured by the same program as `stretto bench overhead`, undilated, on this host).
"""

from dataclasses import dataclass

import page_costs
from place import Place
from plan import Plan
from progress import Tell
from wrong import Wrong

LEARNT_DELTA, LEARNT_PAGED_DELTA = 8192, 16384  # where the runtime chooses the delta itself: about that
# Every delta send framed, each piece of it a delta, by the library.
FRAMED = {"STRETTO_FORCE": "1", "STRETTO_DELTA": "4032", "STRETTO_TRANSPORT": "two-sided"}


@dataclass(frozen=True)
class Costs:
    """Nanoseconds."""

    send_data: float  # a call that sends nothing
    wait_data: float  # a call whose data is there
    delta: float  # what a delta costs more than the MPI_Isend of a chunk
    message: float  # a delta send of two parts: begin, header, end
    sender_page_byte: float = 0  # by pages: to watch a byte of a message that leaves, in place of send_data
    receiver_page_byte: float = 0  # to guard one that comes, in place of wait_data

    def of(self, calls: dict[str, int], message_bytes: int, delta: int | None) -> float | None:
        """Seconds per repetition, on the rank that has most of each."""
        if not calls:
            return None
        messages = max(calls["begins"], calls["receives"])
        by_pages = bool(self.sender_page_byte)
        deltas = messages * message_bytes / (delta or (LEARNT_PAGED_DELTA if by_pages else LEARNT_DELTA))
        spent = calls["send_data"] * self.send_data + calls["wait_data"] * self.wait_data
        if by_pages:
            sent, received = calls["begins"] * message_bytes, calls["receives"] * message_bytes
            spent = sent * self.sender_page_byte + received * self.receiver_page_byte
        return (spent + deltas * self.delta + messages * self.message) * 1e-9


def measure_costs(plan: Plan, raised: bool, tell: Tell) -> Costs | None:
    """None where it cannot be measured."""
    tell("what Stretto's calls cost")
    here = Place(plan.mpi, 2, None, raised)
    try:
        with_stretto = here.run("annotations.stretto", environment=FRAMED, timeout=60)
        by_hand = here.run("annotations", timeout=60)
    except Wrong:
        return None
    delta = max(with_stretto["per_delta_ns"] - by_hand["per_chunk_ns"], 0)
    message = max(with_stretto["per_message_ns"] - by_hand["per_message_ns"], 0)
    pages = page_costs.per_byte(plan.mechanisms, plan.delta or LEARNT_PAGED_DELTA) if plan.by_pages else (0, 0)
    return Costs(with_stretto["send_data_ns"], with_stretto["wait_data_ns"], delta, message, *pages)
