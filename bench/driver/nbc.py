"""stretto bench nbc: how much of a non-blocking collective is hidden, by the MPI library and with Stretto, as NBCBench measures it."""

import argparse
import shlex
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import collectives
import standalone
from nbc_figures import HELPER, KINDS, NATIVE, OVERLAPS, STRETTO, WAYS, derive, launches
from nbc_picture import write_picture, write_report
from others import Watch, wait_for_quiet
from page import size as name_of
from place import HERE, Place, lab, stretto_run
from plan import check_folder, count, positive, size
from progress import Tell
from rich.console import Console
from rich.table import Table
from turns import in_turns
from wrong import Wrong

COLLECTIVES = ["bcast", "reduce", "allreduce", "gather", "scatter", "allgather", "alltoall"]
MOST_NUMBERS = 16  # of tests, in a launch


def read(arguments: list[str]) -> argparse.Namespace:
    top = collectives.parser("nbc", __doc__, COLLECTIVES, [16, 64, 256], turns=3)
    top.add_argument(
        "--within",
        type=positive,
        default=20,
        metavar="S",
        help="of long operations fewer: as many as take so long (default: 20)",
    )
    top.add_argument("--tests", type=counts, default=[], metavar="N,N", help="also with these numbers of tests")
    top.add_argument("--by-ranks", type=counts, default=[], metavar="P,P", help="also with these numbers of ranks")
    top.add_argument(
        "--at", type=size, default=2**18, metavar="B", help="the size for --tests and --by-ranks (default: 256KiB)"
    )
    top.add_argument(
        "--overlap", choices=(*OVERLAPS, "all"), default="all", help="whose definition the table has (default: all)"
    )
    top.add_argument("--report", type=Path, metavar="FILE.html", help="write a page with the picture and its figures")
    top.add_argument("--picture", type=Path, metavar="FILE.svg", help="write the picture alone")
    asked = collectives.read(top, arguments, COLLECTIVES)
    collectives.check_size("at", asked.at)
    if len(asked.tests) > MOST_NUMBERS:
        raise Wrong(f"--tests: want at most {MOST_NUMBERS} numbers")
    if asked.by_ranks and asked.by_ranks[0] < 2:
        raise Wrong("--by-ranks: want at least 2 ranks")
    for option in ("report", "picture"):
        check_folder(option, getattr(asked, option))
    return asked


def counts(text: str) -> list[int]:
    return sorted({count(word) for word in text.split(",")})


def measure(asked: argparse.Namespace, tell: Tell) -> dict:
    wait_for_quiet(asked.patience, 0.15)
    watch = Watch()
    under = stretto_run(asked.mpi)
    stays = {"STRETTO_TRIALS": "off"}  # Stretto's, also where it is not quicker
    started = {
        NATIVE: {},
        STRETTO: {"under": under, "environment": stays | {"STRETTO_HELPER": "off"}},
        HELPER: {"under": under, "environment": stays},
    }
    with ExitStack() as keep:
        hosts = max([asked.ranks, *asked.by_ranks])
        name = None if asked.lab == HERE else keep.enter_context(lab(asked.lab, hosts))
        every = {}
        for launch in launches(asked):
            words = [*collectives.words(asked, launch.collectives, [launch.bytes]), "--within", asked.within]
            if launch.tests:
                words += ["--tests", ",".join(map(str, launch.tests))]
            place = Place(asked.mpi, launch.ranks, name)
            every[launch] = partial(place.run_all, "nbc", *words, timeout=900, **started[launch.kind])
        made = in_turns(asked.turns, every, tell)
    return derive(asked, made, watch.cores())


def show(overlap: str, result: dict, console: Console) -> None:
    console.print(
        f"[bold]nbc[/]  {result['mpi']}, {result['ranks']} ranks, {result['lab']}, dilated by {result['dilate']:g}; "
        f"others took {result['others_cores']:g} cores"
    )
    shown = list(OVERLAPS) if overlap == "all" else [overlap]
    for name in shown:
        show_overlap(result, name, ("blocking", "skewed", "overall") if name == shown[0] else (), console)
    console.print(
        "alone: MPI_Ix and MPI_Wait; the computation is a tenth longer\n"
        "native, Stretto: nobody calls MPI meanwhile; tests: the program does; helper: Stretto's does\n"
        "blocking: Stretto's MPI_Ix and MPI_Wait by the library's MPI_X; skewed: when ranks come one after the other; overall: computation and operation together, in the column with the helper by native",
        style="dim",
    )
    if "by_tests" in result:
        show_tests(result["by_tests"], console)
    if "by_ranks" in result:
        show_ranks(result["by_ranks"], console)


def show_overlap(result: dict, overlap: str, ratios: tuple[str, ...], console: Console) -> None:
    key, who, about = OVERLAPS[overlap]
    table = columns("", "", "native", "tests", "Stretto", "tests", "helper", *ratios)
    for row in result["rows"]:
        shares = (row[kind][way][key] for kind, way in WAYS)
        figures = (*shares, *(row["of_native"][ratio] for ratio in ratios))
        table.add_row(row["collective"], name_of(row["bytes"]), *(f"{figure:.2f}" for figure in figures))
    console.print(f"what is hidden of an operation as {who} has it: {about}", soft_wrap=True)
    console.print(table)


def show_tests(rows: list[dict], console: Console) -> None:
    console.print(f"share by number of tests, {name_of(rows[0]['bytes'])}")
    table = columns("", "", *(f"{way['number']}" for way in rows[0][NATIVE]))
    for row in rows:
        for kind in KINDS:
            table.add_row(row["collective"], kind, *(f"{way['share']:.2f}" for way in row[kind]))
    console.print(table)


def show_ranks(rows: list[dict], console: Console) -> None:
    console.print(f"one of the tests, in µs, by number of ranks, {name_of(rows[0]['bytes'])}")
    table = columns("", "ranks", *KINDS)
    for row in rows:
        table.add_row(row["collective"], str(row["ranks"]), *(f"{1e6 * row[kind]['test_s']:.2f}" for kind in KINDS))
    console.print(table)


def columns(first: str, *others: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim")
    table.add_column(first, no_wrap=True)
    for name in others:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def main(arguments: list[str]) -> int:
    asked = read(arguments)

    def write(result: dict) -> None:
        if asked.picture:
            write_picture(asked.picture, result)
        if asked.report:
            write_report(asked.report, result, shlex.join(["stretto", "bench", "nbc", *arguments]))

    return standalone.run("nbc", asked, measure, partial(show, asked.overlap), write)
