"""stretto bench partitioned: a message in partitions, each used as it comes: MPI's partitioned messages by the library and by Stretto, beside
one persistent message, one for each partition, and annotations."""

import argparse
import sys
from contextlib import ExitStack
from functools import partial
from statistics import median

import standalone
from curves import Column, Curve, Scale, Style, draw
from place import HERE, Place, known_mpis, lab
from plan import Parser, count, numbers, positive, read_ways, size
from progress import Tell
from rich.console import Console
from rich.table import Table
from turns import in_turns, ratio_of
from wrong import Wrong

NAME = "partitioned"
WHOLE, PERSISTENT, OWN, STRETTO, ANNOTATED = "whole", "persistent", "own", "stretto", "annotated"
# Each: a program, and the way that it goes.
WAYS = {
    WHOLE: ("partitioned", "whole"),
    PERSISTENT: ("partitioned", "persistent"),
    OWN: ("partitioned", "partitioned"),
    STRETTO: ("partitioned.stretto", "partitioned"),
    ANNOTATED: ("partitioned.stretto", "annotated"),
}
STYLES = {
    PERSISTENT: Style("a persistent message for each", "#7a5ea8", "triangle", "4 3", hollow=True),
    OWN: Style("partitioned, by the library", "#b3541e", "circle"),
    STRETTO: Style("partitioned, by Stretto", "#14866d", "square"),
    ANNOTATED: Style("annotated delta messages", "#2c5aa0", "circle", "1 3", hollow=True),
}


def read(arguments: list[str]) -> argparse.Namespace:
    top = Parser(prog=f"stretto bench {NAME}", description="a message in partitions, each used as it comes")
    top.add_argument("--mpi", default="openmpi")
    top.add_argument("--lab", metavar="RATE", default="1gbit", help="the link's (default: 1gbit; none: this host)")
    top.add_argument("--size", type=size, default=2**20, metavar="BYTES", help="of the message (default: 1MiB)")
    top.add_argument("--partitions", type=numbers, metavar="N,N", default=[8, 64, 512, 4096], help="in so many")
    top.add_argument("--threads", type=numbers, metavar="N,N", default=[1], help="of each rank, which share them")
    top.add_argument("--ratio", type=positive, default=1.0, metavar="R", help="computing it by the message's time")
    top.add_argument("--repeats", type=count, default=9, metavar="N", help="turns of a case (default: 9)")
    asked = read_ways(top, arguments)
    for partitions in asked.partitions:
        if partitions < 1 or asked.size % partitions:
            raise Wrong(f"{partitions} partitions: want numbers that divide {asked.size} bytes")
    if any(not 1 <= threads <= 16 for threads in asked.threads):
        raise Wrong("--threads: want 1 to 16")
    return asked


def ways_of(mpi: str) -> list[str]:
    """Open MPI 4.1 has no partitioned messages of its own."""
    return [way for way in WAYS if way != OWN or known_mpis()[mpi]["family"] != "openmpi4"]


def measure(asked: argparse.Namespace, tell: Tell) -> dict:
    ways = ways_of(asked.mpi)
    with ExitStack() as keep:
        hosts = None if asked.lab == HERE else keep.enter_context(lab(asked.lab, 2))
        place = Place(asked.mpi, 2, hosts)

        def launch(way: str, threads: int) -> dict:
            program, word = WAYS[way]
            words = [word, asked.size, threads, asked.ratio, asked.repeats, *asked.partitions]
            return place.run(program, *words, timeout=300)

        launches = {(way, threads): partial(launch, way, threads) for threads in asked.threads for way in ways}
        made = in_turns(asked.turns, launches, tell)
        tell("MPI_Pready alone")
        pready = place.run(WAYS[STRETTO][0], "pready", asked.size, 1, 1, 1, 1)["pready_ns"]
    rows = [
        row_of(threads, k, {way: made[way, threads] for way in ways})
        for threads in asked.threads
        for k in range(len(asked.partitions))
    ]
    what = {key: getattr(asked, key) for key in ("mpi", "lab", "size", "ratio", "turns", "repeats")}
    return {
        "benchmark": NAME,
        **what,
        "pready_ns": pready,
        "verified": all(one["verified"] for launches in made.values() for one in launches),
        "rows": rows,
    }


def row_of(threads: int, case: int, made: dict[str, list[dict]]) -> dict:
    """Seconds are medians of launches; times faster is the median of the ratios within a turn, with the middle half of them. Ideal: the longer of
    computing and sending, as in `pair`."""
    seconds = {way: [one["cases"][case]["seconds"] for one in made[way]] for way in made}
    ideal = median(max(one["message_s"], one["compute_s"]) for one in made[WHOLE])
    row = {"threads": threads, "partitions": made[WHOLE][0]["cases"][case]["partitions"], "ideal": ideal}
    row |= {way: median(seconds[way]) for way in seconds}
    for way in seconds:
        if way != WHOLE:
            row[f"{way}_faster"], row[f"{way}_range"] = ratio_of(seconds[WHOLE], seconds[way])
    return row


def show(result: dict, console: Console) -> None:
    ways = [way for way in WAYS if way in result["rows"][0]]
    console.print(
        f"[bold]{NAME}[/]  {result['mpi']}, {result['lab']}, {result['size']} bytes; ms (times faster than whole)"
    )
    console.print(f"Stretto's MPI_Pready that only counts: {result['pready_ns']:.0f} ns")
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in ("threads", "partitions", "ideal", *ways):
        table.add_column(name, justify="right")
    for row in result["rows"]:
        words = [str(row["threads"]), str(row["partitions"]), f"{row['ideal'] * 1e3:.2f}", f"{row[WHOLE] * 1e3:.2f}"]
        words += [f"{row[way] * 1e3:.2f} ({row[f'{way}_faster']:.2f}x)" for way in ways if way != WHOLE]
        table.add_row(*words)
    console.print(table)
    if not result["verified"]:
        print("stretto bench: what came is not what was sent", file=sys.stderr)


def picture(result: dict) -> str:
    rows = result["rows"]
    panels = {
        f"{threads} thread{'s' * (threads > 1)}": threads for threads in dict.fromkeys(r["threads"] for r in rows)
    }
    ways = [way for way in STYLES if way in rows[0]]
    numbers_ = sorted({row["partitions"] for row in rows})
    across = Scale(numbers_[0], max(numbers_[-1], numbers_[0] + 1), [float(n) for n in numbers_], "{:.0f}".format)
    high = max(3.0, *(row[f"{way}_faster"] for row in rows for way in ways))
    curves = {
        name: [
            Curve(STYLES[way], [(row["partitions"], row[f"{way}_faster"]) for row in rows if row["threads"] == threads])
            for way in ways
        ]
        for name, threads in panels.items()
    }
    up = Scale(0, high, [0, 1, 2, 3], "{:g}".format, logarithmic=False)
    column = Column("", "times faster than one message", "partitions", across, up, curves, 1)
    return draw(f"{NAME}: {result['mpi']}, {result['lab']}", list(panels), [column])


def main(arguments: list[str]) -> int:
    return standalone.run(NAME, read(arguments), measure, show, picture=picture)
