"""Link rates and delays: what the user writes, what `tc` wants, and how coarse the shaper may be."""

import re
from dataclasses import dataclass

BITS = {"kbit": 10**3, "mbit": 10**6, "gbit": 10**9}
SLOWEST, FASTEST = 10**5, 10**11

# A packet that segmentation offload (GSO) has not cut yet is what the shaper sees as one packet. So much
# wire time each is fine enough to look like a stream, and coarse enough to be cheap.
PACKET_SECONDS = 48e-6
# A packet of the usual MTU at least; at most what fits an IPv4 packet with room for headers.
SMALLEST_PACKET, LARGEST_PACKET = 1800, 58000
HEADERS = 1.05  # a packet with those of all its segments, over the packet
# The shaper's timer is late by so much as a rule, and by so much at worst.
LATE_SECONDS, LATEST_SECONDS = 12e-6, 100e-6
# On faster links a timer between two packets takes more from the ranks that compute than it is worth.
FASTEST_PACED = 5 * 10**8


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
    def bucket_bytes(self) -> int:
        """The token bucket holds two packets: what is larger than the bucket would be cut up or dropped."""
        return int(2 * HEADERS * self.packet_bytes)

    @property
    def paced(self) -> bool:
        """Does one packet at a time leave an idle link?"""
        return self.bits is not None and self.bits <= FASTEST_PACED

    @property
    def peak_bits(self) -> int:
        """Of a paced link, bits per second of packets that follow one another.

        Somewhat more than the rate, or the time by which the timer is late would be lost to the link.
        """
        seconds = 8 * self.packet_bytes / self.bits
        return round(self.bits * seconds / (seconds - LATE_SECONDS))

    @property
    def peak_bucket_bytes(self) -> int:
        """What may leave a paced link at once: a packet, and what the timer is late by."""
        return int(HEADERS * self.packet_bytes + self.bits / 8 * LATE_SECONDS)

    @property
    def long_bucket_bytes(self) -> int:
        """What a paced link may make up for."""
        return int(self.peak_bucket_bytes + self.bits / 8 * LATEST_SECONDS)


def parse_delay(text: str) -> int:
    """A delay of one link, in one direction, in microseconds: `50us`, `1.5ms`, `0`."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(us|ms|s)?", text.strip().lower())
    if not match or (match[2] is None and float(match[1]) != 0):
        raise BadRate(f"delay '{text}': want a number and us, ms or s, such as 50us")
    microseconds = round(float(match[1]) * {"us": 1, "ms": 10**3, "s": 10**6, None: 0}[match[2]])
    if microseconds > 10**6:
        raise BadRate(f"delay '{text}': more than a second on one link")
    return microseconds
