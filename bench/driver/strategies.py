"""The five ways of Danalis et al., Transformations to Parallel Codes (SC05), section 4.1, on one kernel: how long each takes of the computation
alone, as in their figures 6 and 7, and Delta of their section 6."""

from rich.console import Console
from rich.table import Table

NAMES = {
    "alltoall": "MPI_Alltoall after the computation",
    "nonblocking": "the library's MPI_Ialltoall, in tiles",
    "messages": "MPI_Isend and MPI_Irecv by hand, in tiles",
    "compiler": "alltoall's source, by the compiler",
    "annotated": "annotated by hand",
}


def strategies(samples, compute: float, ideal: float) -> dict:
    """Of the medians: seconds of each way; `normalized` by the computation; Delta is (alltoall - compiler) / computation."""
    best = {way: samples.best_hand(way) for way in ("hand", "tiled")}
    runs = {
        "alltoall": "plain",
        "nonblocking": best["hand"],
        "messages": best["tiled"],
        "compiler": "delta",
        "annotated": "annotated",
    }
    seconds = {name: samples.median(run) for name, run in runs.items()}
    can_be_hidden = (seconds["alltoall"] - ideal) / compute
    delta = (seconds["alltoall"] - seconds["compiler"]) / compute
    return {
        "seconds": seconds,
        "normalized": {name: value / compute for name, value in seconds.items()},
        "tile_bytes": {"nonblocking": int(best["hand"].split(":")[1]), "messages": int(best["tiled"].split(":")[1])},
        "compiler_of_best": min(seconds.values()) / seconds["compiler"],
        "delta": delta,
        "can_be_hidden": can_be_hidden,
        "delta_of_what_can_be_hidden": delta / can_be_hidden if can_be_hidden > 0 else None,
    }


def show(made: dict, console: Console) -> None:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("", "of T_compute", ""):
        table.add_column(column, justify="right" if column else "left")
    for name, about in NAMES.items():
        value = made["normalized"][name]
        table.add_row(
            about, f"{value:.2f}", "\u2588" * round(10 * value), style="bold green" if name == "compiler" else ""
        )
    console.print(table)
    said = f"compiler: {made['compiler_of_best']:.2f} of the best; Delta {made['delta']:.2f} of T_compute"
    if made["delta_of_what_can_be_hidden"] is not None:
        said += f", {made['delta_of_what_can_be_hidden']:.2f} of what can be hidden ({made['can_be_hidden']:.2f})"
    console.print(said, soft_wrap=True)
