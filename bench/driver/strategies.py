"""The ways of Danalis et al., Transformations to Parallel Codes (SC05), section 4.1, on one kernel: how long each takes of the computation
alone, as in their figures 6 and 7, and Delta of their section 6; and what the size of a tile does to the ways by hand, as in their figure 8."""

from rich.console import Console
from rich.table import Table

NAMES = {
    "alltoall": "MPI_Alltoall after the computation",
    "nonblocking": "the library's MPI_Ialltoall, in tiles",
    "messages": "MPI_Isend and MPI_Irecv by hand, in tiles",
    "puts": "MPI_Put and flags by hand, in tiles",
    "compiler": "alltoall's source, by the compiler",
    "annotated": "annotated by hand",
    "unmodified": "alltoall's program under stretto run",
}
BY_HAND = {"nonblocking": "hand", "messages": "tiled", "puts": "puts"}


def tile_of(variant: str) -> tuple[int, int]:
    """Bytes of a tile, and after how many more it is waited for; 0: at the end."""
    _, size, *depth = variant.split(":")
    return int(size), int(depth[0]) if depth else 0


def by_tile(swept: dict[str, float], compute: float) -> dict[str, dict[str, float]]:
    """Of the sweep: each way by hand over the computation, by bytes of a tile, with the best depth for each."""
    made: dict[str, dict[str, float]] = {}
    for name, way in BY_HAND.items():
        for variant, seconds in swept.items():
            if variant.startswith(f"{way}:"):
                sizes, size = made.setdefault(name, {}), str(tile_of(variant)[0])
                sizes[size] = min(sizes.get(size, seconds / compute), seconds / compute)
    return made


def strategies(samples, compute: float, ideal: float, swept: dict[str, float]) -> dict:
    """Of the medians: seconds of each way; `normalized` by the computation; Delta is (alltoall - compiler) / computation."""
    measured = {name: way for name, way in BY_HAND.items() if any(run.startswith(f"{way}:") for run in samples.seconds)}
    best = {name: samples.best_hand(way) for name, way in measured.items()}
    runs = {
        "alltoall": "plain",
        **best,
        "compiler": "delta",
        "annotated": "annotated",
        "unmodified": "unmodified",
    }
    seconds = {name: samples.median(run) for name, run in runs.items()}
    can_be_hidden = (seconds["alltoall"] - ideal) / compute
    delta = (seconds["alltoall"] - seconds["compiler"]) / compute
    return {
        "seconds": seconds,
        "normalized": {name: value / compute for name, value in seconds.items()},
        "tile_bytes": {name: tile_of(variant)[0] for name, variant in best.items()},
        "depth": {name: tile_of(variant)[1] for name, variant in best.items()},
        "by_tile": by_tile(swept, compute),
        "compiler_of_best": min(seconds.values()) / seconds["compiler"],
        "delta": delta,
        "can_be_hidden": can_be_hidden,
        "delta_of_what_can_be_hidden": delta / can_be_hidden if can_be_hidden > 0 else None,
    }


def show(made: dict, console: Console) -> None:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("", "of T_compute", ""):
        table.add_column(column, justify="right" if column else "left")
    for name, value in made["normalized"].items():
        table.add_row(
            NAMES[name], f"{value:.2f}", "\u2588" * round(10 * value), style="bold green" if name == "compiler" else ""
        )
    console.print(table)
    said = f"compiler: {made['compiler_of_best']:.2f} of the best; Delta {made['delta']:.2f} of T_compute"
    if made["delta_of_what_can_be_hidden"] is not None:
        said += f", {made['delta_of_what_can_be_hidden']:.2f} of what can be hidden ({made['can_be_hidden']:.2f})"
    console.print(said, soft_wrap=True)
    show_tiles(made, console)


def tiles(made: dict) -> tuple[list[str], list[list[str]]]:
    """As figure 8: sizes of a tile in KiB; for each way by hand its name and its figure for each size. The compiled program has no tiles."""
    sizes = sorted({int(size) for way in made["by_tile"].values() for size in way})
    rows = [
        [NAMES[name], *(f"{way[str(size)]:.2f}" if str(size) in way else "" for size in sizes)]
        for name, way in made["by_tile"].items()
    ]
    return [f"{size / 1024:g}" for size in sizes], rows


def show_tiles(made: dict, console: Console) -> None:
    sizes, rows = tiles(made)
    if not sizes:
        return
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("tiles by hand, KiB")
    for size in sizes:
        table.add_column(size, justify="right")
    for row in rows:
        table.add_row(*row)
    console.print(table)
