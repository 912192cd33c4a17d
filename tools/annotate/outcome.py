"""What can become of a file, or of one of its calls."""

from dataclasses import dataclass


class Failure(Exception):
    """Nothing can be done: one line."""


class Left(Exception):
    """A call stays as it is, and why. `line`: where the reason stands, if not at the call."""

    def __init__(self, why: str, line: int | None = None) -> None:
        super().__init__(why)
        self.why, self.line = why, line


@dataclass(frozen=True)
class Note:
    """For standard error."""

    file: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.text}"
