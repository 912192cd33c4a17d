"""stretto bench nbc: how much of a non-blocking collective is hidden, by the MPI library and with Stretto, as NBCBench measures it."""

import argparse
from contextlib import ExitStack
from functools import partial
from statistics import median

import collectives
import standalone
from others import Watch, wait_for_quiet
from place import HERE, Place, lab, stretto_run
from progress import Tell
from rich.console import Console
from rich.table import Table
from turns import in_turns

COLLECTIVES = ["bcast", "reduce", "allreduce", "gather", "scatter", "allgather", "alltoall"]
NATIVE, STRETTO, HELPER = "native", "Stretto", "Stretto, helper"


def read(arguments: list[str]) -> argparse.Namespace:
    top = collectives.parser("nbc", __doc__, COLLECTIVES, [16, 64, 256], turns=3)
    return collectives.read(top, arguments, COLLECTIVES)


def measure(asked: argparse.Namespace, tell: Tell) -> dict:
    wait_for_quiet(asked.patience, 0.15)
    watch = Watch()
    words = collectives.words(asked)
    with ExitStack() as keep:
        place = Place(
            asked.mpi, asked.ranks, None if asked.lab == HERE else keep.enter_context(lab(asked.lab, asked.ranks))
        )
        run = partial(place.run_all, "nbc", *words, timeout=900)
        under = stretto_run(asked.mpi)
        made = in_turns(
            asked.turns,
            {
                NATIVE: run,
                STRETTO: partial(run, under=under, environment={"STRETTO_HELPER": "off"}),
                HELPER: partial(run, under=under),
            },
            tell,
        )
    rows = [
        {"collective": name, "bytes": bytes, **{kind: figures(made[kind], name, bytes) for kind in made}}
        for name in asked.collectives
        for bytes in asked.sizes
    ]
    asked_for = {key: getattr(asked, key) for key in ("mpi", "ranks", "lab", "dilate", "reps", "turns")}
    return {"bench": "nbc", **asked_for, "others_cores": round(watch.cores(), 3), "rows": rows}


def figures(launches: list[list[dict]], name: str, bytes: int) -> dict:
    """Medians over the launches: seconds, and what follows from them."""
    mine = [row for launch in launches for row in launch if row["collective"] == name and row["bytes"] == bytes]
    middle = {key: median(row[key] for row in mine) for key in ("blocking", "init_wait", "init", "compute")}
    middle["skewed"] = {key: median(row["skewed"][key] for row in mine) for key in ("blocking", "init_wait")}
    for way in ("none", "tests"):
        overhead, overall = (median(row[way][key] for row in mine) for key in ("overhead", "overall"))
        alone, compute = middle["init_wait"], middle["compute"]
        middle[way] = {
            "overhead": overhead,
            "overall": overall,
            "share": 1 - overhead / alone,  # NBCBench's
            "osu": max(0.0, 1 - (overall - compute) / alone),
            "imb": (alone + compute - overall) / min(alone, compute),
        }
    middle["tests"]["number"] = mine[0]["tests"]["number"]
    return middle


def show(result: dict, console: Console) -> None:
    console.print(
        f"[bold]nbc[/]  {result['mpi']}, {result['ranks']} ranks, {result['lab']}, dilated by {result['dilate']:g}; "
        f"others took {result['others_cores']:g} cores"
    )
    table = Table(box=None, pad_edge=False, header_style="dim")
    columns = ["", "KiB", "native", "tests", "Stretto", "tests", "helper", "blocking", "skewed", "overall"]
    for column in columns:
        table.add_column(column, justify="left" if not column else "right")
    for row in result["rows"]:
        native, ours, helped = (row[kind] for kind in (NATIVE, STRETTO, HELPER))
        shares = (native["none"], native["tests"], ours["none"], ours["tests"], helped["none"])
        table.add_row(
            row["collective"],
            f"{row['bytes'] / 1024:g}",
            *(f"{each['share']:.2f}" for each in shares),
            f"{ours['init_wait'] / native['blocking']:.2f}",
            f"{ours['skewed']['init_wait'] / native['skewed']['blocking']:.2f}",
            f"{helped['none']['overall'] / native['none']['overall']:.2f}",
        )
    console.print(table)
    console.print(
        "share of the operation that is hidden behind a computation a tenth longer: 1 - (calls' time / MPI_Ix and MPI_Wait alone)\n"
        "native, Stretto: nobody calls MPI meanwhile; tests: the program does; helper: Stretto's does\n"
        "blocking: Stretto's MPI_Ix and MPI_Wait by the library's MPI_X; skewed: when ranks come one after the other; overall: computation and operation, with the helper by native",
        style="dim",
    )


def main(arguments: list[str]) -> int:
    return standalone.run("nbc", read(arguments), measure, show)
