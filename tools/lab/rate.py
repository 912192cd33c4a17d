"""Link rates and delays: what the user writes, what `tc` wants, and how coarse the shaper may be."""

import re
from dataclasses import dataclass

BITS = {"kbit": 10**3, "mbit": 10**6, "gbit": 10**9}
SLOWEST, FASTEST = 10**5, 10**11

# A packet that segmentation offload (GSO) has not cut yet is what the shaper sees as one packet. So much
# wire time each is fine enough to look like a stream, and coarse enough to be cheap; the shaper cuts what is larger.
PACKET_SECONDS = 48e-6
# A packet of the usual MTU and a little of the next at least; at most what fits an IPv4 packet with room for headers.
SMALLEST_PACKET, LARGEST_PACKET = 1800, 61440
# The shaper's timer is late by so much as a rule, and by so much at worst.
LATE_SECONDS, LATEST_SECONDS = 12e-6, 100e-6
# Faster links leave no time for a timer between two packets.
FASTEST_PACED = 2 * 10**9


class BadRate(ValueError):
    """The user asked for a rate or a delay that no link can have; the text says why."""


@dataclass(frozen=True)
class Rate:
    """Bits per second of a link; `None` is a link that nothing shapes."""

    bits: int | None

    @staticmethod
    def parse(text: str) -> "Rate":
        """`1gbit`, `2.5gbit`, `100mbit`, `500kbit`, or `unlimited`."""
        if text == "unlimited":
            return Rate(None)
        match = re.fullmatch(r"([+-]?\d+(?:\.\d+)?)(\w+)", text.strip().lower())
        if not match or match[2] not in BITS:
            raise BadRate(
                f"rate '{text}': want a number and kbit, mbit or gbit, such as 1gbit, or the word 'unlimited'"
            )
        bits = round(float(match[1]) * BITS[match[2]])
        if not SLOWEST <= bits <= FASTEST:
            raise BadRate(f"rate '{text}': must lie between 100kbit and 100gbit")
        return Rate(bits)

    def __str__(self) -> str:
        if self.bits is None:
            return "unlimited"
        unit = next((u for u in ("gbit", "mbit", "kbit") if self.bits >= BITS[u]), "kbit")
        return f"{self.bits / BITS[unit]:g}{unit}"

    @property
    def packet_bytes(self) -> int:
        """The largest packet that may meet the shaper, before it is cut to the MTU."""
        if self.bits is None:
            return LARGEST_PACKET
        return min(max(int(self.bits / 8 * PACKET_SECONDS), SMALLEST_PACKET), LARGEST_PACKET)

    @property
    def peak_bits(self) -> int | None:
        """Bits per second of packets that follow one another, so that no more than one leaves at once.

        Somewhat more than the rate, or the time by which the timer is late would be lost to the link.
        """
        if self.bits is None or self.bits > FASTEST_PACED:
            return None
        seconds = 8 * self.packet_bytes / self.bits
        return round(self.bits * seconds / (seconds - LATE_SECONDS))

    @property
    def bucket_bytes(self) -> int:
        """The token bucket: what may leave after the timer was late, and two packets at least."""
        late = int((self.bits or 0) / 8 * LATEST_SECONDS)
        return self.packet_bytes + max(late if self.peak_bits else 0, self.packet_bytes)


def parse_delay(text: str) -> int:
    """A delay of one link, in one direction, in microseconds: `50us`, `1.5ms`, `0`."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(us|ms|s)?", text.strip().lower())
    if not match or (match[2] is None and float(match[1]) != 0):
        raise BadRate(f"delay '{text}': want a number and us, ms or s, such as 50us")
    microseconds = round(float(match[1]) * {"us": 1, "ms": 10**3, "s": 10**6, None: 0}[match[2]])
    if microseconds > 10**6:
        raise BadRate(f"delay '{text}': more than a second on one link")
    return microseconds
