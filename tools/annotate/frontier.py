"""Which elements of an array are final, or needed, after an iteration of a loop: from indices as the source writes them.

The plugin has proved that the loop goes through the message in one direction. Here the same is found once more in the source, since
the source is what will be changed; where both do not agree, nothing is.
"""

from dataclasses import dataclass, replace

from outcome import Left
from plan import Decision
from polynomial import Polynomial

STRIP_BYTES = 1024  # of a strip: an annotation costs some 10 ns, an element a few


@dataclass(frozen=True)
class Loop:
    """Values of the counter: from `first` by steps up to `last`, or down to it."""

    counter: str
    first: Polynomial
    last: Polynomial
    step: int


@dataclass(frozen=True)
class Access:
    index: Polynomial  # in elements from the array's first
    writes: bool
    line: int
    inside: tuple[Loop, ...] = ()  # loops between the one that is annotated and this access, outermost first


@dataclass(frozen=True)
class Message:
    offset: Polynomial  # of its first element in the array
    bytes: Polynomial


@dataclass(frozen=True)
class Slices:
    """Iteration i uses elements [i * width + low, i * width + high) of the array."""

    width: Polynomial
    low: Polynomial
    high: Polynomial
    element_bytes: int

    def strip(self) -> int | None:
        """Iterations; None: each iteration is enough by itself."""
        if self.width.number is None:
            return None
        iterations = STRIP_BYTES // (self.width.number * self.element_bytes)
        return iterations if iterations > 1 else None


def is_descending(loop: Loop) -> bool:
    return loop.step < 0


def positive_atoms(loops: tuple[Loop, ...]) -> set[str]:
    """What is 1 or more where all of these loops run: the n of `for (i = 0; i < n; …)` and of `do i = 1, n`."""
    found = set()
    for loop in loops:
        low, high = (loop.last, loop.first) if is_descending(loop) else (loop.first, loop.last)
        if low.number is None or low.number < 0:
            continue
        constant = high.terms.get((), 0)  # low <= f * a + constant
        atom = (high - constant).only_atom()
        if atom and low.number - constant >= 1:
            found.add(atom)
    return found


def extreme(access: Access, lowest: bool, positive: set[str]) -> Polynomial:
    """The index where all loops inside are at one end."""
    index = access.index
    for inner in reversed(access.inside):
        factor = index.factor_of(inner.counter)
        if factor is None:
            raise Left("an index is no linear function of the counters", access.line)
        if not factor.terms:
            continue
        if factor.is_at_least(0, positive):
            up = True
        elif (-factor).is_at_least(0, positive):
            up = False
        else:
            raise Left("the sign of a factor in an index is not known", access.line)
        low, high = (inner.last, inner.first) if is_descending(inner) else (inner.first, inner.last)
        replaced = index.replaced(inner.counter, low if up == lowest else high)
        assert replaced is not None
        index = replaced
    return index


def slices_of(loop: Loop, accesses: list[Access], element_bytes: int) -> Slices:
    """Of all these accesses together; what cannot be told apart for certain is left."""
    width: Polynomial | None = None
    lows, highs = [], []
    for access in accesses:
        positive = positive_atoms((loop, *access.inside))
        for lowest, ends in ((True, lows), (False, highs)):
            index = extreme(access, lowest, positive)
            factor = index.factor_of(loop.counter)
            if factor is None or not factor.is_at_least(1, positive):
                raise Left("the message is not gone through in one direction by the loop's counter", access.line)
            if width is not None and width != factor:
                raise Left("two accesses to the message go through it at different speeds", access.line)
            width = factor
            ends.append(index.without(loop.counter))
    assert width is not None
    low, high = lows[0], highs[0]
    for other in lows:
        distance = (other - low).number
        if distance is None:
            raise Left("the accesses to the message are at a distance that is not known")
        low = other if distance < 0 else low
    for other in highs:
        distance = (other - high).number
        if distance is None:
            raise Left("the accesses to the message are at a distance that is not known")
        high = other if distance > 0 else high
    return Slices(width, low, high + 1, element_bytes)


def check_within(loop: Loop, slices: Slices, message: Message, sends: bool) -> None:
    """What will be said to be final, or needed, are bytes of this message and of no other."""
    low_end, high_end = (loop.last, loop.first) if is_descending(loop) else (loop.first, loop.last)
    first, end = low_end * slices.width + slices.low, high_end * slices.width + slices.high
    if sends and is_descending(loop):
        first = (low_end - 1) * slices.width + slices.high
    elif sends:
        end = (high_end + 1) * slices.width + slices.low
    positive = positive_atoms((loop,))
    if not (first - message.offset).is_at_least(0, positive):
        raise Left("the loop may reach in front of the message")
    if not message.bytes.is_at_least((end - message.offset) * slices.element_bytes, positive):
        raise Left("the loop may reach beyond the message: its end and the message's count cannot be compared")


def check_plan(loop: Loop, slices: Slices, accesses: list[Access], message: Message, decision: Decision) -> None:
    """The plan says the same of the same lines."""
    if (decision.direction == "descending") != is_descending(loop):
        raise Left("the plan has another direction than the loop")
    lowest = (decision.what == "send") != is_descending(loop)
    lines = {access.line for access in accesses}
    ends = set()
    for access in accesses:
        index = extreme(access, lowest, positive_atoms((loop, *access.inside)))
        begin = index.replaced(loop.counter, loop.first)
        assert begin is not None
        ends.add((((begin + (0 if lowest else 1)) - message.offset) * slices.element_bytes).number)
    step = (slices.width * loop.step * slices.element_bytes).number
    # LLVM has a mark for each turn of an inner loop that it has unrolled: all are in what this iteration uses.
    reach = slices.element_bytes * ((slices.high - slices.low).number or 1)
    for mark in decision.marks:
        if not mark.at.line:
            raise Left("the compiler has made one access to the message of several")
        if mark.at.line not in lines:
            raise Left("the message is accessed there by another name than its own", mark.at.line)
        if step is not None and mark.step != step:
            raise Left("the plan has another step than the source", mark.at.line)
        # Of a structure's member: somewhere in the element.
        if (
            None not in ends
            and mark.first is not None
            and not any(0 <= (mark.first - end if lowest else end - mark.first) < reach for end in ends)
        ):
            raise Left("the plan has another first byte than the source", mark.at.line)
    for load in decision.loads:
        if load.line not in lines:
            raise Left("the message is read outside of the loop, too", load.line)


def understood(loop: Loop, accesses: list[Access], message: Message, element: int | None, decision: Decision) -> Slices:
    """Of a decision: how the message is gone through. `element`: bytes, where the source tells; else the plan does."""
    sends = decision.what == "send"
    relevant = [access for access in accesses if access.writes or not sends]
    if not relevant:
        raise Left("the loop does not name the message")
    slices = slices_of(loop, relevant, 1)
    by_plan = element_by_plan(loop, slices, decision)
    if element and by_plan and element != by_plan:
        raise Left("the plan has other elements than the source")
    if not (element or by_plan):
        raise Left("the size of an element is not known")
    slices = replace(slices, element_bytes=element or by_plan)
    if (slices.strip() is None or is_descending(loop)) and abs(loop.step) != 1:
        raise Left("the loop's counter goes by more than one")
    check_plan(loop, slices, relevant, message, decision)
    check_within(loop, slices, message, sends)
    return slices


def element_by_plan(loop: Loop, slices: Slices, decision: Decision) -> int | None:
    width, step = slices.width.number, decision.marks[0].step if decision.marks else None
    if width is None or step is None or step % (loop.step * width):
        return None
    return step // (loop.step * width)
