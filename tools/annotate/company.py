"""Calls that are annotated together: one may need another, or forbid it."""

from collections.abc import Callable
from pathlib import Path

from outcome import Left, Note
from plan import Decision


def left(path: Path, decision: Decision, why: Left) -> Note:
    at = f" (line {why.line})" if why.line and why.line != decision.at.line else ""
    return Note(str(path), decision.at.line, f"{decision.what} is left as it is: {why.why}{at}")


def located(path: Path, find: Callable, decisions: list[Decision], notes: list[Note]) -> list:
    """Those calls that find() has in the source; the others are noted."""
    found = []
    for decision in decisions:
        try:
            found.append(find(decision))
        except Left as why:
            notes.append(left(path, decision, why))
    return found


def by_loop(found: list) -> list[list]:
    """The same, those of one loop together."""
    loops = {id(one.loop.node): one.loop.node for one in found}
    return [[one for one in found if one.loop.node is loop] for loop in loops.values()]


def settled(path: Path, found: list, notes: list[Note], is_between: Callable) -> list:
    """Without those that need another one which is not there. is_between(one, other): other's call is in one's region."""
    while True:
        for one in found:
            try:
                check(one, [other for other in found if other is not one], is_between)
            except Left as why:
                notes.append(left(path, one.decision, why))
                found = [other for other in found if other is not one]
                break
        else:
            return found


def check(one, others: list, is_between: Callable) -> None:
    crossed = [other for other in others if other.decision.what == one.decision.what and is_between(one, other)]
    if len(crossed) < one.decision.crosses:
        raise Left("a call that it would have to pass stays as it is")
    for other in crossed if one.decision.what == "send" else ():
        if not (differ(one.peer, other.peer) or differ(one.tag, other.tag)):
            raise Left(f"the send at line {other.decision.at.line} may have the same destination and tag")
    for other in others:
        if other.loop.node is not one.loop.node:
            continue
        is_same_array = one.decision.what == "send" and other.decision.what == "receive" and base(one) == base(other)
        # In place, element by element: what an iteration says to be final it has waited for.
        if is_same_array and one.slices != other.slices:
            raise Left("the loop reads one message and fills another in the same array")
        if one.slices.strip() and not other.slices.strip():
            raise Left("the loop goes through another message by rows")


def base(one) -> str:
    return one.buffer if isinstance(one.buffer, str) else one.buffer.base


def differ(one, other) -> bool:
    return one is not None and other is not None and bool((one - other).number)
