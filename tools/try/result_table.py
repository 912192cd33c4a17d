"""What a trial has shown, as text."""

import shlex

from results import Basis
from verdict import Row, Verdict

HEADER = ["setting", "times faster", "95 %", "wall s", "CPU s", "memory", "results"]
MIB = 1 << 20
NONE = "-"


def text(verdict: Verdict) -> str:
    parts = [table([HEADER, plain_cells(verdict.plain), *map(cells, verdict.rows)])]
    if verdict.interrupted:
        parts.append(f"Interrupted; turns that were complete: {verdict.turns}.")
    parts.append(verdict.sentence)
    if verdict.recommended:
        parts.append(f"    {shlex.join(verdict.recommended.command)}")
    if verdict.why:
        parts.append(f"Why: {'; '.join(verdict.why)}.")
    if notes := [*filter(None, map(note, verdict.judged_by)), *verdict.remarks]:
        parts.append("Note: " + "\nNote: ".join(notes))
    if verdict.wrong:
        parts.append("\n".join(map(complaint, verdict.wrong)) + "\n" + TO_REPORT)
    return "\n\n".join(parts)


TO_REPORT = (
    "Please report this: a job's results must not change. A report needs `stretto --version`, `stretto info --json`,\n"
    "the folders above, and the smallest program that shows it."
)


def note(basis: Basis) -> str:
    return "" if basis.by == "bytes" else basis.text()


def complaint(row: Row) -> str:
    what = {"differs": "gives another result", "failed": "fails", "hung": "hangs"}[row.results]
    return f"{row.name} {what}: {row.why_not}. Its output: {row.kept}"


def plain_cells(row: Row) -> list[str]:
    return [row.name, "1", "", *measures(row), ""]


def cells(row: Row) -> list[str]:
    speed = row.speedup
    if not speed:
        return [row.name, NONE, "", *measures(row), row.results]
    interval = f"{speed.low:.2f} to {speed.high:.2f}" if speed.turns > 1 else NONE
    return [row.name, f"{speed.times:.2f}", interval, *measures(row), row.results]


def measures(row: Row) -> list[str]:
    if row.wall is None:
        return [NONE] * 3
    return [f"{row.wall:.2f}", f"{row.cpu:.2f}", f"{row.memory / MIB:.0f} MiB"]


def table(rows: list[list[str]]) -> str:
    """Words to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    words = (0, len(HEADER) - 1)
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column in words else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )
