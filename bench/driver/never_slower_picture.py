"""Each pattern's ratio as a dot with its interval, the slowest first."""

from dataclasses import dataclass
from pathlib import Path

from curves import APART, LETTER, Scale
from never_slower_figures import AS_FAST
from page import describe_lab, render

MARGIN, NAME, WIDTH, ROW, TOP, AXIS, RIGHT = 16, 182, 520, 18, 62, 44, 74
TICKS = (0.25, 0.5, 0.7, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2, 3, 4, 8)
SLOWER, EQUAL, FASTER, UNKNOWN = "#b3541e", "#22262b", "#14866d", "#a09c92"


@dataclass
class Dot:
    name: str
    y: float
    job: float
    loop: float
    low: float
    high: float
    colour: str
    label: str


def colour(job: dict) -> str:
    if job["low"] is None:
        return UNKNOWN
    if job["high"] < AS_FAST:
        return SLOWER
    if job["low"] > 1:
        return FASTER
    return EQUAL if job["low"] > AS_FAST else UNKNOWN


def scale_of(rows: list[dict]) -> Scale:
    """From the least to the largest, with 1 in it, and those ticks that have room for their labels."""
    ratios = [row[which][key] for row in rows for which in ("job", "loop") for key in ("median", "low", "high")]
    known = [ratio for ratio in ratios if ratio is not None]
    scale = Scale(min(0.9, *known) / 1.02, max(1.1, *known) * 1.02, [])
    taken = float("-inf")
    for tick in TICKS:
        middle, half = scale.at(tick) * WIDTH, LETTER * len(f"{tick:g}") / 2
        if scale.low < tick < scale.high and middle - half > taken + APART:
            scale.ticks.append(tick)
            taken = middle + half
    return scale


def dots(rows: list[dict], scale: Scale) -> list[Dot]:
    def x(ratio: float) -> float:
        return NAME + scale.at(ratio) * WIDTH

    ordered = sorted(rows, key=lambda row: row["job"]["median"])
    made = []
    for k, row in enumerate(ordered):
        job = row["job"]
        low, high = (job["median"] if job[end] is None else job[end] for end in ("low", "high"))
        name = f"{row['pattern']}, {row['work']}"
        places = (x(job["median"]), x(row["loop"]["median"]), x(low), x(high))
        made.append(Dot(name, TOP + (k + 0.5) * ROW, *places, colour(job), f"{job['median']:.3f}"))
    return made


def draw(result: dict) -> str:
    rows = result["rows"]
    scale = scale_of(rows)
    bottom = TOP + len(rows) * ROW
    return render(
        "never_slower.svg.jinja",
        title="How much faster whole jobs are under stretto run",
        about=f"{result['mpi']}, {result['ranks']} ranks, "
        f"{describe_lab(result['lab'], result['ranks'], result['dilate'])}",
        dots=dots(rows, scale),
        ticks=[(NAME + scale.at(tick) * WIDTH, f"{tick:g}", tick == 1) for tick in scale.ticks],
        limit=NAME + scale.at(AS_FAST) * WIDTH,
        slower=SLOWER,
        equal=EQUAL,
        faster=FASTER,
        unknown=UNKNOWN,
        margin=MARGIN,
        left=NAME,
        right=NAME + WIDTH,
        top=TOP,
        bottom=bottom,
        width=NAME + WIDTH + RIGHT,
        height=bottom + AXIS + ROW,
    )


def write_picture(path: Path, result: dict) -> None:
    path.write_text(draw(result))
