"""stretto bench mdmp-stream: what it costs that MDMP looks at arrays: STREAM's kernels in a region, outside of one, and by MPI alone."""

import argparse
import sys
import tempfile
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from statistics import median

import standalone
from curves import Column, Curve, Scale, Style, draw
from mdmp import OFF, compile_ways
from place import HERE, Place, finish, lab, result_of
from plan import Parser, count, numbers, read_ways
from progress import Tell
from rich.console import Console
from rich.table import Table
from turns import in_turns, ratio_of
from wrong import Wrong

NAME = "mdmp-stream"
KERNELS, TYPES = ("copy", "scale", "add", "triad"), ("int", "double")
ALONE, OUTSIDE, PLAIN, AT_PLACE, DIRECTIVES = "alone", "outside", "plain", "at_their_place", "directives"
# Each: how it is compiled, and with what it runs.
WAYS = {
    ALONE: (["-fstretto=off", "-DALONE"], OFF),
    OUTSIDE: (["-DOUTSIDE"], {}),
    PLAIN: (["-fstretto=off"], OFF),
    AT_PLACE: (["-DBY_DIRECTIVES", "-fmdmp=plain"], {}),
    DIRECTIVES: (["-DBY_DIRECTIVES"], {}),
}
# What is compared with what: the same data are communicated, and all come to the same bits.
BY = {OUTSIDE: ALONE, AT_PLACE: PLAIN, DIRECTIVES: PLAIN}
STYLES = {
    OUTSIDE: Style("outside of a region, by the kernel alone", "#b3541e", "circle"),
    AT_PLACE: Style("directives at their place, by plain MPI", "#7a5ea8", "triangle", "4 3", hollow=True),
    DIRECTIVES: Style("directives, by plain MPI", "#14866d", "square"),
}


def read(arguments: list[str]) -> argparse.Namespace:
    top = Parser(prog=f"stretto bench {NAME}", description="STREAM's kernels, whose arrays are communicated")
    top.add_argument("--mpi", default="openmpi")
    top.add_argument("--lab", metavar="RATE", default=HERE, help="the link's (default: none, this host)")
    top.add_argument("--elements", type=numbers, metavar="N,N", default=[2000000], help="of each of three arrays")
    top.add_argument("--sent", type=numbers, metavar="N,N", default=[1024], help="so many of them are sent in a turn")
    top.add_argument("-n", dest="ranks", type=count, default=2, metavar="RANKS", help="an even number (default: 2)")
    top.add_argument("--repeats", type=count, default=10, metavar="N", help="turns of a kernel (default: 10)")
    asked = read_ways(top, arguments)
    if asked.ranks % 2 and asked.ranks > 1:
        raise Wrong("-n: want an even number of ranks, or 1")
    for elements, sent in sizes(asked):
        if not 1 <= sent <= elements:
            raise Wrong(f"{elements} elements, {sent} sent: want at least 1, and no more sent than there are")
    return asked


def sizes(asked: argparse.Namespace) -> list[tuple[int, int]]:
    return [(elements, sent) for elements in asked.elements for sent in asked.sent]


def measure(asked: argparse.Namespace, tell: Tell) -> dict:
    words = [str(asked.repeats), *(str(value) for size in sizes(asked) for value in size)]
    with ExitStack() as keep:
        tell("compiles")
        folder = Path(keep.enter_context(tempfile.TemporaryDirectory()))
        programs = compile_ways("stream", WAYS, asked.mpi, folder)
        hosts = None if asked.lab == HERE else keep.enter_context(lab(asked.lab, asked.ranks))
        place = Place(asked.mpi, asked.ranks, hosts)

        def launch(way: str) -> list[dict]:
            output = finish(place.command([str(programs[way]), *words], WAYS[way][1], 300), 340)
            return result_of("stream", output)["cases"]

        made = in_turns(asked.turns, {way: partial(launch, way) for way in programs}, tell)
    cases = [(*size, type_, kernel) for size in sizes(asked) for type_ in TYPES for kernel in KERNELS]
    rows = [row_of(case, {way: [one[k] for one in made[way]] for way in made}) for k, case in enumerate(cases)]
    what = {key: getattr(asked, key) for key in ("mpi", "lab", "ranks", "turns", "repeats")}
    return {"benchmark": NAME, **what, "verified": all(row["verified"] for row in rows), "rows": rows}


def row_of(case: tuple, samples: dict[str, list[dict]]) -> dict:
    """Seconds are medians of launches; a time by another one is the median of ratios within a turn, with the middle half of them."""
    row = dict(zip(("elements", "sent", "type", "kernel"), case, strict=True))
    seconds = {way: [one["seconds"] for one in samples[way]] for way in samples}
    row |= {way: median(seconds[way]) for way in seconds}
    for way, other in BY.items():
        row[f"{way}_by_{other}"], row[f"{way}_range"] = ratio_of(seconds[way], seconds[other], digits=4)
    sums = [{one["checksum"] for way in (other, *(way for way in BY if BY[way] == other)) for one in samples[way]}
            for other in (ALONE, PLAIN)]  # fmt: skip
    return row | {"verified": all(len(one) == 1 for one in sums)}


def show(result: dict, console: Console) -> None:
    console.print(f"[bold]{NAME}[/]  {result['mpi']}, {result['ranks']} ranks, {result['lab']}; ms a turn")
    for size in dict.fromkeys((row["elements"], row["sent"]) for row in result["rows"]):
        console.print(f"{size[0]} elements, {size[1]} sent")
        console.print(table_of([row for row in result["rows"] if (row["elements"], row["sent"]) == size]))
    if not result["verified"]:
        print("stretto bench: the ways came to other bits", file=sys.stderr)


def table_of(rows: list[dict]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in ["type", "kernel", *(way.replace("_", " ") for way in WAYS)]:
        table.add_column(name, justify="right")
    for way, other in BY.items():
        table.add_column(f"{way.replace('_', ' ')} / {other}", justify="right")
    for row in rows:
        words = [row["type"], row["kernel"], *(f"{row[way] * 1e3:.3f}" for way in WAYS)]
        for way, other in BY.items():
            low, high = row[f"{way}_range"]
            words.append(f"{row[f'{way}_by_{other}']:.3f} ({low:.3f} to {high:.3f})")
        table.add_row(*words)
    return table


def picture(result: dict) -> str:
    """A row of kernels for each size, a column for each type."""
    rows = result["rows"]
    panels: dict[str, list[dict]] = {}
    for row in rows:
        panels.setdefault(f"{row['elements']}, {row['sent']} sent", []).append(row)
    ratios = [row[f"{way}_by_{other}"] for row in rows for way, other in BY.items()]
    low, high = min(0.95, *ratios), max(1.05, *ratios)
    across = Scale(1, len(KERNELS), [1, 2, 3, 4], lambda k: KERNELS[round(k) - 1], logarithmic=False)
    columns = []
    for type_ in TYPES:
        curves = {
            name: [
                Curve(
                    STYLES[way],
                    [
                        (1 + KERNELS.index(row["kernel"]), row[f"{way}_by_{other}"])
                        for row in panel
                        if row["type"] == type_
                    ],
                )
                for way, other in BY.items()
            ]
            for name, panel in panels.items()
        }
        up = Scale(low, high, [low, 1, high], "{:.2f}".format, logarithmic=False)
        columns.append(Column(type_, "time by that without MDMP", "kernel", across, up, curves, 1))
    return draw(f"{NAME}: {result['mpi']}, {result['lab']}", list(panels), columns)


def main(arguments: list[str]) -> int:
    return standalone.run(NAME, read(arguments), measure, show, picture=picture)
