"""stretto bench mdmp-pingpong, -selectivepingpong, -delaypingpong, -selectivedelaypingpong, jacobi: the benchmarks of the MDMP paper, by MDMP's
directives, by MPI's plain calls, and by MPI as its authors would tune it."""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

import standalone
from curves import Column, Curve, Style, along, decades, draw
from place import ROOT, Place, finish, lab, prefix, result_of
from plan import Parser, count, numbers, read_ways
from progress import Tell
from rich.console import Console
from rich.table import Table
from turns import in_turns, ratio_of
from wrong import Wrong

SOURCES = ROOT / "bench/mdmp"
CLANGS = ("clang-22", "clang-19")  # the newest first, as the wrapper takes them
PLAIN, HAND, AT_PLACE, DIRECTIVES, ALONE = "plain", "hand", "at_their_place", "directives", "alone"
OFF = {"STRETTO": "off"}
# Each: how it is compiled, and with what it runs.
WAYS = {
    PLAIN: (["-fstretto=off"], OFF),
    HAND: (["-fstretto=off", "-DBY_HAND"], OFF),
    AT_PLACE: (["-DBY_DIRECTIVES", "-fmdmp=plain"], {}),
    DIRECTIVES: (["-DBY_DIRECTIVES"], {}),
}
COMPUTES = {ALONE: (["-fstretto=off", "-DALONE"], OFF)}  # nothing is sent
STYLES = {
    PLAIN: Style("plain MPI", "#b3541e", "circle"),
    HAND: Style("by hand", "#22262b", dash="1 3"),
    AT_PLACE: Style("directives, at their place", "#7a5ea8", "triangle", "4 3", hollow=True),
    DIRECTIVES: Style("directives", "#14866d", "square"),
}


@dataclass(frozen=True)
class Benchmark:
    about: str
    program: str
    columns: tuple[str, ...]  # what a case is, in the order of the program's arguments
    cases: Callable[[argparse.Namespace], list[tuple[int, ...]]]
    across: str  # the column that pictures have across; the one before it makes their rows
    repeats: int  # turns of a case
    ways: dict


def whole(asked: argparse.Namespace) -> list[tuple[int, ...]]:
    return [(n, n, 0) for n in asked.elements or (1, 32, 128, 512, 1024, 4096, 16384)]


def selective(asked: argparse.Namespace) -> list[tuple[int, ...]]:
    return [(n, sent, 0) for n in asked.elements or (1024,) for sent in asked.sent or (1, 8, 32, 128, 512)]


def delayed(asked: argparse.Namespace) -> list[tuple[int, ...]]:
    return [(n, n, d) for n in asked.elements or (1024,) for d in asked.delays or (0, 8, 32, 100, 300, 800, 1000)]


def selective_delayed(asked: argparse.Namespace) -> list[tuple[int, ...]]:
    delays = asked.delays or (0, 4, 8, 16, 32, 64, 128)
    return [(n, sent, d) for n in asked.elements or (1024,) for sent in asked.sent or (1, 32) for d in delays]


def rows_of_jacobi(asked: argparse.Namespace) -> list[tuple[int, ...]]:
    return [(columns, rows) for columns in asked.elements or (100000,) for rows in asked.rows or (4, 16, 64)]


PINGPONG = ("elements", "sent", "delay")
BENCHMARKS = {
    "mdmp-pingpong": Benchmark(
        "ping-pong of all elements, nothing computed", "pingpong", PINGPONG, whole, "elements", 200, WAYS
    ),
    "mdmp-selectivepingpong": Benchmark(
        "the first of 1024 elements are sent, all are copied", "pingpong", PINGPONG, selective, "sent", 200, WAYS
    ),
    "mdmp-delaypingpong": Benchmark(
        "so many additions for each element that is copied", "pingpong", PINGPONG, delayed, "delay", 100, WAYS
    ),
    "mdmp-selectivedelaypingpong": Benchmark(
        "both: few are sent, all are computed", "pingpong", PINGPONG, selective_delayed, "delay", 200, WAYS
    ),
    "jacobi": Benchmark(
        "the paper's Jacobi iteration", "jacobi", ("columns", "rows"), rows_of_jacobi, "rows", 100, WAYS | COMPUTES
    ),
}


def read(name: str, arguments: list[str]) -> argparse.Namespace:
    benchmark = BENCHMARKS[name]
    top = Parser(prog=f"stretto bench {name}", description=benchmark.about)
    top.add_argument("--mpi", default="openmpi")
    top.add_argument("--lab", metavar="RATE", default="1gbit", help="the link's (default: 1gbit)")
    what = "columns: of a row" if name == "jacobi" else "elements (doubles) that are copied"
    top.add_argument("--elements", type=numbers, metavar="N,N", help=what)
    if name == "jacobi":
        top.add_argument("--rows", type=numbers, metavar="N,N", help="of a rank (default: 4,16,64)")
        top.add_argument("-n", dest="ranks", type=count, default=2, metavar="RANKS", help="default: 2")
    if "selective" in name:
        top.add_argument("--sent", type=numbers, metavar="N,N", help="so many of them are sent")
    if "delay" in name:
        top.add_argument("--delays", type=numbers, metavar="N,N", help="additions for each element")
    top.add_argument("--repeats", type=count, default=benchmark.repeats, metavar="N", help="turns of a case")
    asked = read_ways(top, arguments, argparse.Namespace(ranks=2, sent=None, delays=None, rows=None))
    for case in benchmark.cases(asked):
        if min(case[:2]) < 1 or min(case) < 0 or (benchmark.program == "pingpong" and case[1] > case[0]):
            words = ", ".join(f"{value} {what}" for what, value in zip(benchmark.columns, case, strict=True))
            raise Wrong(f"{words}: want at least 1, and no more sent than there are")
        if name == "jacobi" and case[1] < 2:
            raise Wrong("--rows: want at least 2")
    return asked


def compile_ways(program: str, ways: dict, mpi: str, folder: Path) -> dict[str, Path]:
    clang = next((name for name in CLANGS if shutil.which(name)), None)
    wrapper = prefix() / "bin/stretto-cc"
    if not clang or not wrapper.exists():
        raise Wrong("directives need stretto-cc, and clang 19 or 22: make compilers, then make")
    programs = {}
    for way, (flags, _) in ways.items():
        programs[way] = folder / way
        source = SOURCES / f"{program}.c"
        command = [str(wrapper), "-O3", "-march=native", *flags, str(source), "-o", str(programs[way])]
        environment = os.environ | {"STRETTO_CC": clang, "STRETTO_MPI": mpi}
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        if done.returncode:
            raise Wrong(f"{' '.join(command)}:\n{done.stderr}")
    return programs


def measure(name: str, asked: argparse.Namespace, tell: Tell) -> dict:
    benchmark = BENCHMARKS[name]
    cases = benchmark.cases(asked)
    words = [str(asked.repeats), *(str(value) for case in cases for value in case)]
    with ExitStack() as keep:
        tell("compiles")
        folder = Path(keep.enter_context(tempfile.TemporaryDirectory()))
        programs = compile_ways(benchmark.program, benchmark.ways, asked.mpi, folder)
        place = Place(asked.mpi, asked.ranks, keep.enter_context(lab(asked.lab, asked.ranks)))

        def launch(way: str) -> list[dict]:
            environment = benchmark.ways[way][1]
            output = finish(place.command([str(programs[way]), *words], environment, 300), 340)
            return result_of(benchmark.program, output)["cases"]

        made = in_turns(asked.turns, {way: partial(launch, way) for way in programs}, tell)
    rows = [
        row_of(benchmark, case, {way: [one[k] for one in made[way]] for way in made}) for k, case in enumerate(cases)
    ]
    what = {key: getattr(asked, key) for key in ("mpi", "lab", "ranks", "turns", "repeats")}
    return {"benchmark": name, **what, "verified": all(row["verified"] for row in rows), "rows": rows}


def row_of(benchmark: Benchmark, case: tuple[int, ...], samples: dict[str, list[dict]]) -> dict:
    """Seconds are medians of launches; times faster are the medians of ratios within a turn, with the middle half of them."""
    sums = {one["checksum"] for way in WAYS for one in samples[way]}
    seconds = {way: [one["seconds"] for one in samples[way]] for way in samples}
    row = dict(zip(benchmark.columns, case, strict=True))
    row |= {way: median(seconds[way]) for way in seconds}
    for key, other in (("faster", PLAIN), ("than_hand", HAND)):
        row[key], row[f"{key}_range"] = ratio_of(seconds[other], seconds[DIRECTIVES])
    if ALONE in row:  # either the computation is hidden, or the messages are
        row["of_ideal"] = round(max(row[ALONE], row[PLAIN] - row[ALONE]) / row[DIRECTIVES], 3)
    return row | {"verified": len(sums) == 1}


def show(result: dict, console: Console) -> None:
    benchmark = BENCHMARKS[result["benchmark"]]
    console.print(
        f"[bold]{result['benchmark']}[/]  {result['mpi']}, {result['ranks']} ranks, {result['lab']}; µs a turn"
    )
    table = Table(box=None, pad_edge=False, header_style="dim")
    names = [*benchmark.columns, *(way.replace("_", " ") for way in benchmark.ways)]
    names += ["times faster than plain", "than by hand"] + (["of ideal"] if ALONE in benchmark.ways else [])
    for name in names:
        table.add_column(name, justify="right")
    for row in result["rows"]:
        words = [str(row[column]) for column in benchmark.columns]
        words += [f"{row[way] * 1e6:.1f}" for way in benchmark.ways]
        words += [
            f"{row[key]:.2f} ({row[f'{key}_range'][0]:.2f} to {row[f'{key}_range'][1]:.2f})"
            for key in ("faster", "than_hand")
        ]
        words += [f"{row['of_ideal']:.2f}"] if "of_ideal" in row else []
        table.add_row(*words)
    console.print(table)
    if not result["verified"]:
        print("stretto bench: the ways came to other bits", file=sys.stderr)


def picture(result: dict) -> str:
    benchmark = BENCHMARKS[result["benchmark"]]
    rows, k = result["rows"], benchmark.columns.index(benchmark.across)
    apart = benchmark.columns[k - 1] if k else None  # what makes panels of their own
    panels: dict[str, list[dict]] = {}
    for row in rows:
        panels.setdefault(f"{row[apart]} {apart}" if apart else "", []).append(row)
    none = min((row[benchmark.across] for row in rows if row[benchmark.across]), default=1) / 4
    across = along(
        sorted({row[benchmark.across] or none for row in rows}), lambda value: "0" if value == none else f"{value:g}"
    )
    curves = {
        name: [Curve(STYLES[way], [(row[benchmark.across] or none, row[way]) for row in panel]) for way in WAYS]
        for name, panel in panels.items()
    }
    up = decades([value for row in curves.values() for curve in row for _, value in curve.points])
    about = f"{result['benchmark']}: {result['mpi']}, {result['lab']}"
    return draw(about, list(panels), [Column("time of a turn", benchmark.about, benchmark.across, across, up, curves)])


def main(name: str, arguments: list[str]) -> int:
    return standalone.run(name, read(name, arguments), partial(measure, name), show, picture=picture)
