"""The surface as a picture: message sizes down, deltas across, a cell's colour its speedup (Bao et al. 2012, figure 5)."""

from dataclasses import dataclass
from math import log
from pathlib import Path

from jinja2.utils import markupsafe
from page import describe_lab, render
from page import size as name_of

LEFT, TOP, CELL, ROW, GAP, PANEL = 76, 54, 56, 30, 8, 44
# Half as fast as plain, as fast, three times as fast (pair's most where Tc = Tm), in equal steps of the logarithm.
COLOURS = ((0.5, (179, 84, 30)), (1.0, (244, 241, 232)), (3**0.5, (122, 196, 172)), (3.0, (13, 95, 76)))
TICKS = (0.5, 0.75, 1, 1.5, 2, 2.5, 3)


@dataclass
class Cell:
    x: float
    y: float
    speedup: float
    best: bool  # of the fixed deltas of its row
    about: str

    @property
    def colour(self) -> str:
        return colour(self.speedup)

    @property
    def dark(self) -> bool:
        return not 0.6 < self.speedup < 2


@dataclass
class Panel:
    trigger: str
    x: float
    y: float
    columns: list[tuple[float, str]]
    cells: list[Cell]


def colour(speedup: float) -> str:
    value = min(max(speedup, COLOURS[0][0]), COLOURS[-1][0])
    above = next(k for k in range(1, len(COLOURS)) if value <= COLOURS[k][0])
    (low, start), (high, end) = COLOURS[above - 1], COLOURS[above]
    share = log(value / low) / log(high / low)
    return "#" + "".join(f"{round(a + share * (b - a)):02x}" for a, b in zip(start, end, strict=True))


def panel(result: dict, trigger: str, deltas: list[int | None], x: float, y: float) -> Panel:
    columns = [(x + k * CELL + (GAP if k else 0), delta) for k, delta in enumerate(deltas)]
    cells = []
    for row, message in enumerate(result["sizes"]):
        here = {
            cell["delta_bytes"]: cell["speedup"]
            for cell in result["cells"]
            if (cell["message_bytes"], cell["trigger"]) == (message, trigger)
        }
        best = max((speedup for delta, speedup in here.items() if delta), default=0)
        for at, delta in columns:
            if delta in here:
                about = f"{name_of(message)}, {trigger}, deltas: {name_of(delta)}: {here[delta]:.3f}"
                cells.append(Cell(at, y + row * ROW, here[delta], bool(delta) and here[delta] == best, about))
    names = [(at, f"{delta / 1024:g}" if delta else "own") for at, delta in columns]
    return Panel(trigger, x, y, names, cells)


def draw(result: dict) -> str:
    own = [None, *result["deltas"]]
    height = len(result["sizes"]) * ROW
    right = LEFT + len(own) * CELL + GAP
    panels = [
        panel(result, "annotations", own, LEFT, TOP),
        panel(result, "pages", own, LEFT, TOP + height + PANEL + ROW),
        panel(result, "auto", [None], right + 3 * GAP, TOP),
    ]
    width = right + 3 * GAP + CELL + 2 * GAP
    legend = panels[1].y + height + ROW
    scale = [(LEFT + k * CELL * 0.75, tick, colour(tick)) for k, tick in enumerate(TICKS)]
    return render(
        "heat.svg.jinja",
        panels=panels,
        rows=[(row * ROW, name_of(message)) for row, message in enumerate(result["sizes"])],
        scale=scale,
        legend=legend,
        width=width,
        height=legend + ROW + 2 * GAP,
        cell=CELL,
        row=ROW,
    )


def write_picture(path: Path, result: dict) -> None:
    path.write_text(draw(result))


def write_report(path: Path, result: dict, command: str) -> None:
    about = (
        f"{result['mpi']}, 2 ranks on {describe_lab(result['lab'], 2, result['dilate'])}; pair, T_compute / T_message = "
        f"{result['ratio']:g}"
    )
    picture = markupsafe.Markup(draw(result))
    path.write_text(
        render(
            "surface.html.jinja",
            title="Stretto: the surface of message size and delta",
            result=result,
            about=about,
            picture=picture,
            command=command,
        )
    )
