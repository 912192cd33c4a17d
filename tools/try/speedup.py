"""How many times faster than plain a setting is, and how sure that is.

Each turn gives one ratio: seconds of plain over seconds of the setting, of runs that stood side by side. Reported are
their median and a 95 % interval:

- of six turns and more by order statistics: the k-th smallest and the k-th largest ratio hold the median of the
  distribution, whatever that is, with probability 1 - 2 P(B < k), B ~ Binomial(turns, 1/2);
- of two to five turns, for which no two ratios are 95 % apart, Student's t of the ratios' logarithms.
"""

import math
from dataclasses import dataclass
from statistics import fmean, median, stdev

CONFIDENCE = 0.95
STUDENT = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776}  # the 97.5th percentile of t, by turns
NARROW = 1.04  # of an interval: its upper end over its lower end
CLEAR = 2  # the effect is so many times as large as its uncertainty


@dataclass(frozen=True)
class Speedup:
    times: float
    low: float
    high: float
    turns: int

    @property
    def settled(self) -> bool:
        """More turns would tell little: the interval is narrow, or far from 1."""
        if self.turns < 2:
            return False
        if self.high <= self.low * NARROW:
            return True
        uncertainty = max(math.log(self.high / self.times), math.log(self.times / self.low))
        return abs(math.log(self.times)) >= CLEAR * uncertainty

    def __str__(self) -> str:
        return f"{self.times:.2f} times as fast as plain (95 %: {self.low:.2f} to {self.high:.2f})"


def speedup(ratios: list[float]) -> Speedup:
    """Of at least one turn; one alone has no interval but everything."""
    low, high = interval(ratios)
    return Speedup(median(ratios), low, high, len(ratios))


def interval(ratios: list[float]) -> tuple[float, float]:
    turns = len(ratios)
    if turns < 2:
        return 0, math.inf
    if turns in STUDENT:
        logarithms = [math.log(ratio) for ratio in ratios]
        half = STUDENT[turns] * stdev(logarithms) / math.sqrt(turns)
        return math.exp(fmean(logarithms) - half), math.exp(fmean(logarithms) + half)
    ordered, rank = sorted(ratios), order_statistic(turns)
    return ordered[rank - 1], ordered[-rank]


def order_statistic(turns: int) -> int:
    """The largest k for which the k-th smallest and the k-th largest of so many values are far enough apart; 0: there is none."""
    below, k = 0.0, 0
    while True:
        below += math.comb(turns, k) / 2**turns  # P(B <= k)
        if 2 * below > 1 - CONFIDENCE:
            return k
        k += 1
