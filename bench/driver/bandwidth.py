"""stretto bench bandwidth: large messages of an unchanged program, linked with Stretto and without."""

import argparse
import json
from functools import partial
from statistics import median

from others import Watch, wait_for_quiet
from overhead import in_turns
from place import Place, known_mpis
from plan import Parser, check_mpi, count
from progress import Progress, Tell
from rich.console import Console
from rich.table import Table

SIZES = [2**k for k in range(16, 27)]  # 64 KiB to 64 MiB


def read(arguments: list[str]) -> argparse.Namespace:
    top = Parser(prog="stretto bench bandwidth", description=__doc__)
    top.add_argument("--mpi", default="openmpi")
    top.add_argument("--turns", type=count, default=9, metavar="N", help="launches of each, in turns (default: 9)")
    top.add_argument("--patience", type=float, default=20, metavar="S", help="how long to wait for quiet (default: 20)")
    top.add_argument("--json", action="store_true")
    asked = top.parse_args(arguments)
    check_mpi(asked.mpi)
    return asked


def paths(mpi: str) -> dict[str, tuple[list[str], dict[str, str]]]:
    """What makes each MPI take loopback TCP, and what shared memory: words for mpirun, and environment."""
    if known_mpis()[mpi]["family"].startswith("openmpi"):
        return {
            "loopback TCP": (["--mca", "pml", "ob1", "--mca", "btl", "tcp,self"], {}),
            "shared memory": (["--mca", "pml", "ob1"], {}),
        }
    return {
        "loopback TCP": ([], {"MPIR_CVAR_NOLOCAL": "1", "MPIR_CVAR_CH4_NETMOD": "ofi", "FI_PROVIDER": "tcp"}),
        "shared memory": ([], {}),
    }


def measure(asked: argparse.Namespace, tell: Tell) -> dict:
    result = {"mpi": asked.mpi, "sizes": SIZES, "paths": {}}
    wait_for_quiet(asked.patience, 0.15)
    watch = Watch()
    for path, (words, environment) in paths(asked.mpi).items():
        place = Place(asked.mpi, 2, None, launcher=words, spins=True)
        run = partial(place.run, environment=environment)
        launches = in_turns(
            asked.turns,
            {
                f"{path}, plain": partial(run, "bandwidth", *SIZES),
                f"{path}, with Stretto": partial(run, "bandwidth.stretto", *SIZES),
            },
            tell,
        )
        plain, stretto = ([launch["bytes_per_s"] for launch in some] for some in launches.values())
        result["paths"][path] = {
            "plain_bytes_per_s": [median(turn[str(size)] for turn in plain) for size in SIZES],
            "stretto_bytes_per_s": [median(turn[str(size)] for turn in stretto) for size in SIZES],
            # Of the same turn: the machine's own bandwidth drifts.
            "of_plain": [
                round(median(b[str(size)] / a[str(size)] for a, b in zip(plain, stretto, strict=True)), 4)
                for size in SIZES
            ],
        }
    result["others_cores"] = round(watch.cores(), 3)
    return result


def show(result: dict, console: Console) -> None:
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("KiB", justify="right")
    for path in result["paths"]:
        for column in (path, "with Stretto", "of plain"):
            table.add_column(column, justify="right")
    for k, size in enumerate(result["sizes"]):
        row = [str(size // 1024)]
        for figures in result["paths"].values():
            row += [f"{figures[name][k] / 1e9:.2f} GB/s" for name in ("plain_bytes_per_s", "stretto_bytes_per_s")]
            row.append(f"{figures['of_plain'][k]:.3f}")
        table.add_row(*row)
    console.print(f"[bold]bandwidth[/]  {result['mpi']}; others took {result['others_cores']:g} cores")
    console.print(table)


def main(arguments: list[str]) -> int:
    asked = read(arguments)
    with Progress("bandwidth") as progress:
        result = measure(asked, progress.tell)
    if asked.json:
        print(json.dumps(result))
    else:
        show(result, Console(highlight=False))
    return 0
