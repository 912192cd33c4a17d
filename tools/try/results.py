"""Does a run give the results of plain runs? Lines that differ among plain runs, such as times, tell nothing.

A result is compared with the first plain run's, byte for byte. Where plain runs differ among themselves, only the
lines count that all of them share: at the same place, or, where ranks print in any order, anywhere.
"""

import filecmp
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

SHOWN = 60  # characters of a line
BINARY = 8192  # a zero byte among so many first ones: not a text


@dataclass
class Basis:
    """What one result is judged by, for people and programs to read."""

    name: str
    by: str  # bytes, lines, lines in any order, nothing
    lines: int = 0  # of the first plain run
    shared: int = 0  # lines that all plain runs share
    first_difference: str = ""  # of two plain runs

    def text(self) -> str:
        if self.by == "bytes":
            return f"{self.name}: equal in all plain runs"
        judged = {
            "nothing": "it is not judged",
            "lines": f"judged by the {self.shared} of {self.lines} lines that all plain runs share",
            "lines in any order": f"judged by the {self.shared} of {self.lines} lines that all plain runs share, in any order",
        }
        return f"{self.name}: plain runs differ themselves ({self.first_difference}): {judged[self.by]}"


def first_difference(expected: Path, found: Path) -> str:
    """The first line, or in a binary file the first byte, that differs; "" where none does."""
    if filecmp.cmp(expected, found, shallow=False):
        return ""
    first, second = expected.read_bytes(), found.read_bytes()
    if b"\0" in first[:BINARY]:
        at = next((at for at, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), None)
        if at is None:
            return f"{len(second)} bytes, not {len(first)}"
        return f"byte {at + 1}: {second[at]:#04x}, not {first[at]:#04x}"
    return different_line(lines_of(first), lines_of(second))


def lines_of(text: bytes) -> list[bytes]:
    """With their ends: whether the last one has one is part of a result."""
    return text.splitlines(keepends=True)


def different_line(expected: list[bytes], found: list[bytes]) -> str:
    for number, (one, other) in enumerate(zip(expected, found, strict=False), 1):
        if one != other:
            return difference_of(number, one, other)
    return f"{len(found)} lines, not {len(expected)}"


def difference_of(number: int, expected: bytes, found: bytes) -> str:
    if found.rstrip() == expected.rstrip():
        return f"line {number}: {shown(found)} has another end"
    return f"line {number}: {shown(found)}, not {shown(expected)}"


def shown(line: bytes) -> str:
    text = line.decode(errors="replace").rstrip()
    return repr(text if len(text) <= SHOWN else text[:SHOWN] + "…")


class Reference:
    """One result of all plain runs: a file, or standard output."""

    def __init__(self, name: str, plain: list[Path]) -> None:
        self.first = plain[0]
        differences = [text for other in plain[1:] if (text := first_difference(self.first, other))]
        self.basis = Basis(name, "bytes")
        if differences:
            self._judge_by_lines(differences[0], [path.read_bytes() for path in plain])

    def _judge_by_lines(self, difference: str, texts: list[bytes]) -> None:
        self.basis.first_difference = difference
        if any(b"\0" in text[:BINARY] for text in texts):
            self.basis.by = "nothing"
            return
        runs = [lines_of(text) for text in texts]
        self.length = len(runs[0])
        self.fixed = {at: same[0] for at, same in enumerate(zip(*runs, strict=False)) if len(set(same)) == 1}
        self.shared = Counter(runs[0])
        for run in runs[1:]:
            self.shared &= Counter(run)
        in_place = len(self.fixed) == self.shared.total() and len({len(run) for run in runs}) == 1
        self.basis.by = "lines" if in_place else "lines in any order"
        self.basis.lines, self.basis.shared = self.length, self.shared.total()
        if not self.shared:
            self.basis.by = "nothing"

    def difference(self, found: Path | None) -> str:
        """How a run's result differs; "" where it does not."""
        text = self._difference(found)
        return f"{self.basis.name}: {text}" if text else ""

    def _difference(self, found: Path | None) -> str:
        if found is None:
            return "it was not written"
        if self.basis.by == "bytes":
            return first_difference(self.first, found)
        if self.basis.by == "nothing":
            return ""
        lines = lines_of(found.read_bytes())
        return self._in_place(lines) if self.basis.by == "lines" else self._anywhere(lines)

    def _in_place(self, lines: list[bytes]) -> str:
        for at, line in self.fixed.items():
            if at < len(lines) and lines[at] != line:
                return difference_of(at + 1, line, lines[at])
        return "" if len(lines) == self.length else f"{len(lines)} lines, not {self.length}"

    def _anywhere(self, lines: list[bytes]) -> str:
        missing = self.shared - Counter(lines)
        return f"without the line {shown(next(iter(missing)))}" if missing else ""
