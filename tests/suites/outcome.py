"""What became of one test of a suite."""

import dataclasses

from launch import may_take


@dataclasses.dataclass
class Outcome:
    test: str
    passed: bool
    seconds: float = 0.0
    said: str = ""  # its last lines, where it did not pass
    counters: dict = dataclasses.field(
        default_factory=dict
    )  # of all ranks; of all its launch, where that ran several tests


def tail(text, lines=40):
    return "\n".join(text.splitlines()[-lines:])


def counted(result, mpi):
    """The rules of the protocol that a launch has used, and the algorithms of collectives that it may."""
    return result.counters | {name: n for name, n in result.algorithms.items() if may_take(mpi, name)}
