"""Launches in turns: what drifts meanwhile, all of them meet alike."""

from collections.abc import Callable, Hashable
from statistics import median


def in_turns(
    turns: int,
    launches: dict[Hashable, Callable[[], object]],
    tell: Callable[[str], None],
    enough: Callable[[dict[Hashable, list]], bool] = lambda made: False,
) -> dict[Hashable, list]:
    """Every launch once per turn, the order reversed every other time, until what was made is enough."""
    made: dict[Hashable, list] = {name: [] for name in launches}
    for turn in range(turns):
        for name in launches if turn % 2 == 0 else reversed(launches):
            tell(f"turn {turn + 1} of {turns}: {name}")
            made[name].append(launches[name]())
        if enough(made):
            break
    return made


def ratio_of(theirs: list[float], ours: list[float], digits: int = 3) -> tuple[float, list[float]]:
    """Of seconds, launch by launch in turns: the median of theirs / ours within a turn, and the ends of the middle half of them."""
    ratios = sorted(one / other for one, other in zip(theirs, ours, strict=True))
    middle = [ratios[len(ratios) // 4], ratios[-1 - len(ratios) // 4]]
    return round(median(ratios), digits), [round(ratio, digits) for ratio in middle]
