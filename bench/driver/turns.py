"""Launches in turns: what drifts meanwhile, all of them meet alike."""

from collections.abc import Callable, Hashable


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
