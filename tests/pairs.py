"""All pairs: of the combinations of several options a few are enough, if each pair of values of two options is met in one of them.

Most faults need one value, or two together; the full product finds hardly more and takes many times as long.
"""

from itertools import combinations

ITSELF = "itself"  # an option whose values are met, but not paired with others'


def pairs_of(case):
    """Of a combination {option: value}: the pairs that it meets."""
    paired = sorted((option, value) for option, value in case.items() if option != ITSELF)
    return {*combinations(paired, 2), case.get(ITSELF)}


def thinned(cases, always=()):
    """Some of these combinations, in their order, that meet each pair that any of them meets; those of `always` among them."""
    chosen = list(always)
    left = set().union(*map(pairs_of, cases)).difference(*map(pairs_of, chosen))
    while left:
        chosen.append(max(cases, key=lambda case: len(pairs_of(case) & left)))
        left -= pairs_of(chosen[-1])
    return [case for case in cases if case in chosen]
