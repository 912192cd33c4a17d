"""Curves in panels: a row of panels for each subject, a column for each figure, whose panels have one scale."""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, floor, log, log2, log10

from page import render, seconds

MARGIN = 16
NAME, TICKS, WIDTH, HEIGHT, RIGHT, BELOW = 94, 50, 184, 92, 22, 26
TITLE, LINE, AXIS = 58, 22, 52  # above the panels; of the legend; below the panels
SAMPLE, LETTER = 30, 6.7  # a piece of curve in the legend; a letter
APART = 8  # labels of one axis


@dataclass(frozen=True)
class Style:
    name: str
    colour: str
    mark: str = ""  # circle, square or triangle; none: a line alone
    dash: str = ""
    hollow: bool = False


@dataclass
class Curve:
    style: Style
    points: list[tuple[float, float]]


@dataclass
class Scale:
    """What is beyond an end is drawn there."""

    low: float
    high: float
    ticks: list[float]
    label: Callable[[float], str] = "{:.3g}".format
    logarithmic: bool = True

    def at(self, value: float) -> float:
        """From 0 to 1."""
        value = min(max(value, self.low), self.high)
        if self.low == self.high:
            return 0.5
        if self.logarithmic:
            return log(value / self.low) / log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


@dataclass
class Column:
    title: str
    about: str
    unit: str  # of what is across
    across: Scale
    up: Scale
    curves: dict[str, list[Curve]]  # by row
    reference: float | None = None  # with which one compares


def share() -> Scale:
    return Scale(0, 1, [0, 0.5, 1], logarithmic=False)


def decades(times: list[float]) -> Scale:
    low, high = floor(log10(min(times))), ceil(log10(max(times)))
    high = max(high, low + 1)
    step = 1 if high - low < 5 else 2
    return Scale(10**low, 10**high, [10.0**k for k in range(low, high + 1, step)], seconds)


def octaves(ratios: list[float], most: int = 3) -> Scale:
    """At least from a half to twice, at most 2^most times less and more."""
    low = max(min(-1, floor(log2(min(ratios)))), -most)
    high = min(max(1, ceil(log2(max(ratios)))), most)
    return Scale(2**low, 2**high, [2.0**k for k in range(low, high + 1)])


def along(values: list[float], label: Callable[[float], str]) -> Scale:
    """The values themselves, the largest with a label, and of the others those that have room for one."""
    scale = Scale(min(values), max(values), [], label)
    left = float("inf")  # of the last label
    for value in sorted(values, reverse=True):
        middle, half = scale.at(value) * WIDTH, LETTER * len(label(value)) / 2
        if middle + half + APART <= left:
            scale.ticks.append(value)
            left = middle - half
    return scale


def legend(styles: list[Style], width: float) -> list[tuple[float, float, Style]]:
    """Where each is: in lines, as many as needed."""
    places, x, y = [], float(NAME), float(MARGIN)
    for style in styles:
        wide = SAMPLE + LETTER * len(style.name) + 26
        if x > NAME and x + wide > width:
            x, y = float(NAME), y + LINE
        places.append((x, y + LINE / 2, style))
        x += wide
    return places


def draw(about: str, rows: list[str], columns: list[Column]) -> str:
    width = NAME + len(columns) * (TICKS + WIDTH + RIGHT)
    styles = dict.fromkeys(curve.style for column in columns for curves in column.curves.values() for curve in curves)
    places = legend(list(styles), width)
    top = places[-1][1] + LINE / 2 + TITLE
    bottom = top + len(rows) * (HEIGHT + BELOW) - BELOW
    lefts = [NAME + TICKS + k * (TICKS + WIDTH + RIGHT) for k in range(len(columns))]
    panels = [
        {
            "row": row,
            "column": column,
            "left": left,
            "top": top + k * (HEIGHT + BELOW),
            "curves": [(curve, place(curve, column)) for curve in column.curves.get(row, [])],
        }
        for k, row in enumerate(rows)
        for left, column in zip(lefts, columns, strict=True)
    ]
    return render(
        "curves.svg.jinja",
        about=about,
        legend=places,
        sample=SAMPLE,
        margin=MARGIN,
        rows=[(top + k * (HEIGHT + BELOW), row) for k, row in enumerate(rows)],
        columns=list(zip(lefts, columns, strict=True)),
        panels=panels,
        top=top,
        bottom=bottom,
        width=width,
        height=bottom + AXIS,
        panel_width=WIDTH,
        panel_height=HEIGHT,
    )


def place(curve: Curve, column: Column) -> list[tuple[float, float]]:
    return [(column.across.at(x) * WIDTH, (1 - column.up.at(y)) * HEIGHT) for x, y in curve.points]
