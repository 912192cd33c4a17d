"""The interval holds what it says that it holds, and says when more turns are needed."""

import math
import random

import pytest
from speedup import interval, order_statistic, speedup


@pytest.mark.parametrize("turns, rank", [(6, 1), (8, 1), (9, 2), (12, 3), (17, 5), (20, 6), (30, 10)])
def test_the_order_statistics_are_those_of_the_sign_test(turns, rank):
    """Conover, Practical Nonparametric Statistics, 3.2."""
    assert order_statistic(turns) == rank


@pytest.mark.parametrize("turns", [2, 3, 5, 6, 9, 14])
def test_95_of_100_intervals_hold_the_median(turns):
    draw, trials = random.Random(turns), 2000
    held = 0
    for _ in range(trials):
        low, high = interval([1.2 * math.exp(draw.gauss(0, 0.1)) for _ in range(turns)])
        held += low <= 1.2 <= high
    assert held / trials > 0.935


def test_one_turn_says_nothing():
    assert interval([1.5]) == (0, math.inf)
    assert not speedup([1.5]).settled


def test_the_median_is_inside():
    draw = random.Random(1)
    for turns in range(2, 20):
        made = speedup([math.exp(draw.gauss(0, 0.3)) for _ in range(turns)])
        assert made.low <= made.times <= made.high


def test_turns_go_on_until_the_interval_is_narrow_or_far_from_1():
    assert speedup([1.0, 1.01, 0.99, 1.0, 1.01, 0.99]).settled
    assert speedup([1.5, 1.6, 1.4, 1.5, 1.6, 1.4]).settled
    assert not speedup([1.05, 1.12, 0.95, 1.06, 1.1, 1.0]).settled
