"""stretto bench bandwidth: large messages of an unchanged program, linked with Stretto and without."""

import argparse
import json
from functools import partial
from statistics import median

from others import Watch, wait_for_quiet
from overhead import in_turns, of_the_same_turn
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
                f"{path}, plain again": partial(run, "bandwidth", *SIZES),
            },
            tell,
        )
        plain, stretto, again = ([launch["bytes_per_s"] for launch in some] for some in launches.values())
        result["paths"][path] = {
            "plain_bytes_per_s": [median(turn[str(size)] for turn in plain) for size in SIZES],
            "stretto_bytes_per_s": [median(turn[str(size)] for turn in stretto) for size in SIZES],
            "of_plain": by_size(stretto, plain),
            "plain_of_plain": by_size(again, plain),  # how far apart two equal programs are
        }
    result["others_cores"] = round(watch.cores(), 3)
    return result


def by_size(some: list[dict], plain: list[dict]) -> list[float]:
    return [of_the_same_turn([a[str(size)] for a in some], [b[str(size)] for b in plain]) for size in SIZES]


def show(result: dict, console: Console) -> None:
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("KiB", justify="right")
    for path in result["paths"]:
        for column in (path, "with Stretto", "of plain", "plain again"):
            table.add_column(column, justify="right")
    for k, size in enumerate(result["sizes"]):
        row = [str(size // 1024)]
        for figures in result["paths"].values():
            row += [f"{figures[name][k] / 1e9:.2f} GB/s" for name in ("plain_bytes_per_s", "stretto_bytes_per_s")]
            row += [f"{figures[name][k]:.3f}" for name in ("of_plain", "plain_of_plain")]
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
