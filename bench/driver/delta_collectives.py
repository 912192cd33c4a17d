"""stretto bench delta-collectives: computation and a collective as one pipeline, against one after the other."""

import argparse
from contextlib import ExitStack
from statistics import median

import collectives
import standalone
from others import Watch, wait_for_quiet
from place import HERE, Place, lab
from progress import Tell
from rich.console import Console
from rich.table import Table
from turns import in_turns
from wrong import Wrong

COLLECTIVES = ["reduce", "bcast", "alltoall"]


def read(arguments: list[str]) -> argparse.Namespace:
    top = collectives.parser("delta-collectives", __doc__, COLLECTIVES, [256, 1024], turns=2)
    top.add_argument("--ratio", type=float, default=1, metavar="R", help="computation by messages (default: 1)")
    asked = collectives.read(top, arguments, COLLECTIVES, unit=4)  # it adds up integers
    if asked.ratio <= 0:
        raise Wrong("--ratio: want a number greater than 0")
    return asked


def measure(asked: argparse.Namespace, tell: Tell) -> dict:
    wait_for_quiet(asked.patience, 0.15)
    watch = Watch()
    words = [*collectives.words(asked, asked.collectives, asked.sizes), "--ratio", asked.ratio]
    with ExitStack() as keep:
        place = Place(
            asked.mpi, asked.ranks, None if asked.lab == HERE else keep.enter_context(lab(asked.lab, asked.ranks))
        )
        made = in_turns(
            asked.turns, {"all": lambda: place.run_all("delta-collectives.stretto", *words, timeout=900)}, tell
        )["all"]
    rows = [figures(made, name, bytes, asked.ranks) for name in asked.collectives for bytes in asked.sizes]
    asked_for = {key: getattr(asked, key) for key in ("mpi", "ranks", "lab", "dilate", "ratio", "reps", "turns")}
    return {"bench": "delta-collectives", **asked_for, "others_cores": round(watch.cores(), 3), "rows": rows}


def figures(launches: list[list[dict]], name: str, bytes: int, ranks: int) -> dict:
    """Medians over the launches: seconds, and what follows from them."""
    mine = [row for launch in launches for row in launch if row["collective"] == name and row["bytes"] == bytes]
    times = {key: median(row[key] for row in mine) for key in ("message", "compute", "native", "ours", "delta")}
    parts = mine[0]["parts"]
    best = ideal(name, times["compute"], times["message"], parts, ranks)
    return {
        "collective": name,
        "bytes": bytes,
        "parts": parts,
        **times,
        "ideal": best,
        "of_ideal": best / times["delta"],
        "over_ours": times["ours"] / times["delta"],
        "over_native": times["native"] / times["delta"],
    }


def ideal(name: str, compute: float, message: float, parts: int, ranks: int) -> float:
    """The shorter of the two hidden but for what fills the pipeline: a part through a chain, or through one link."""
    longer, shorter = max(compute, message), min(compute, message)
    if name == "alltoall":
        return longer + shorter / (parts * ranks)
    return longer * (parts - 1) / parts + (compute + (ranks - 1) * message) / parts


def show(result: dict, console: Console) -> None:
    console.print(
        f"[bold]delta-collectives[/]  {result['mpi']}, {result['ranks']} ranks, {result['lab']}, dilated by "
        f"{result['dilate']:g}, ratio {result['ratio']:g}; others took {result['others_cores']:g} cores"
    )
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("", "KiB", "parts", "of ideal", "over ours", "over native"):
        table.add_column(column, justify="left" if not column else "right")
    for row in result["rows"]:
        table.add_row(
            row["collective"],
            f"{row['bytes'] / 1024:g}",
            str(row["parts"]),
            *(f"{row[key]:.2f}" for key in ("of_ideal", "over_ours", "over_native")),
        )
    console.print(table)
    console.print(
        "of ideal: the time of max(compute, message) and the pipeline's fill, by the delta collective's\n"
        "over ours, over native: computation and then Stretto's collective, or MPI_X (bcast: before it), by the delta collective's",
        style="dim",
    )


def main(arguments: list[str]) -> int:
    return standalone.run("delta-collectives", read(arguments), measure, show)
