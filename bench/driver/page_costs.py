"""stretto bench overhead --trigger pages: what it costs to watch the pages of a buffer, for each delta."""

import os
from functools import partial
from itertools import product
from statistics import median

from others import Watch, wait_for_quiet
from place import find_program, finish, result_of
from progress import Tell
from rich.console import Console
from rich.table import Table
from turns import in_turns

MECHANISMS = ("userfault", "mprotect")
PAGES = (1, 4, 16, 64)
THREADS = (1, 2)
TIMEOUT = 60  # seconds
BUFFER = 4 << 20  # bytes that the program watches
PAGE = os.sysconf("SC_PAGESIZE")


def run(program: str, *words: object) -> dict:
    command = [program, *map(str, words)]
    return result_of("pages", finish(command, TIMEOUT))


def per_byte(mechanisms: dict[str, str], delta: int) -> tuple[float, float]:
    """Nanoseconds that a byte of a delta message costs its sender and its receiver, all included, with deltas of about this size."""
    program = str(find_program("pages"))
    pages = min(PAGES, key=lambda pages: abs(pages * PAGE - delta))
    tracker = run(program, mechanisms.get("STRETTO_TRACKER") or "userfault", pages, 1)
    # The guard's default where a message may turn out shorter, as most delta messages may.
    guard = run(program, mechanisms.get("STRETTO_GUARD") or "mprotect", pages, 1)
    begin_and_end = (tracker["tracker_begin_us"] + tracker["tracker_end_us"], guard["guard_begin_us"])
    each = (tracker["written_us"], guard["touched_us"])
    return tuple(
        1e3 * (whole / BUFFER + delta_us / (pages * PAGE)) for whole, delta_us in zip(begin_and_end, each, strict=True)
    )


def measure(turns: int, patience: float, tell: Tell) -> dict:
    program = str(find_program("pages"))
    wait_for_quiet(patience, 0.15)
    watch = Watch()
    launches = {
        f"{mechanism}, {pages} pages, {threads} threads": partial(run, program, mechanism, pages, threads)
        for mechanism, pages, threads in product(MECHANISMS, PAGES, THREADS)
    }
    made = in_turns(turns, launches, tell)
    rows = [
        {
            key: value if isinstance(value, str) else median(launch[key] for launch in some)
            for key, value in some[0].items()
        }
        for some in made.values()
    ]
    return {"trigger": "pages", "rows": rows, "others_cores": round(watch.cores(), 3)}


def show(result: dict, console: Console) -> None:
    console.print(f"[bold]overhead of pages[/]  us for each delta; others took {result['others_cores']:g} cores")
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("mechanism", "pages", "threads", "sender", "kernel's least", "arrives", "is touched", "memcpy"):
        table.add_column(column, justify="left" if column == "mechanism" else "right")
    for row in result["rows"]:
        costs = (row[name] for name in ("written_us", "least_us", "arrived_us", "touched_us", "copied_us"))
        table.add_row(row["mechanism"], f"{row['pages']:g}", f"{row['threads']:g}", *(f"{cost:.1f}" for cost in costs))
    console.print(table)
    for mechanism in MECHANISMS:
        small = next(row for row in result["rows"] if row["mechanism"] == mechanism and row["pages"] == PAGES[-1])
        begin, end, guard = (small[name] for name in ("tracker_begin_us", "tracker_end_us", "guard_begin_us"))
        console.print(
            f"{mechanism}, 4 MiB: tracker's begin {begin:.0f}, end {end:.0f}; guard's begin {guard:.0f}", style="dim"
        )
