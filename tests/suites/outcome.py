"""What became of one test of a suite."""

import dataclasses


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
