"""stretto bench bandwidth: large messages of an unchanged program, linked with Stretto and without."""

import argparse
import json
from functools import partial
from statistics import median

from others import Watch, wait_for_quiet
from place import Place, known_mpis
from plan import Parser, Wrong, check_mpi, count, sizes
from progress import Progress, Tell
from rich.console import Console
from rich.table import Table
from turns import in_turns

SIZES = [2**k for k in range(16, 27)]  # 64 KiB to 64 MiB


def read(arguments: list[str]) -> argparse.Namespace:
    top = Parser(prog="stretto bench bandwidth", description=__doc__)
    top.add_argument("--mpi", default="openmpi")
    top.add_argument("--sizes", type=sizes, metavar="B,B", default=SIZES, help="of messages (default: 64KiB to 64MiB)")
    top.add_argument("--turns", type=count, default=9, metavar="N", help="launches of each, in turns (default: 9)")
    top.add_argument("--patience", type=float, default=20, metavar="S", help="how long to wait for quiet (default: 20)")
    top.add_argument("--json", action="store_true")
    asked = top.parse_args(arguments)
    check_mpi(asked.mpi)
    for message in asked.sizes:
        if not 0 < message <= 2**30:
            raise Wrong(f"--sizes: {message}: want 1 byte to 1 GiB")
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
    result = {"mpi": asked.mpi, "sizes": asked.sizes, "paths": {}}
    wait_for_quiet(asked.patience, 0.15)
    watch = Watch()
    for path, (words, environment) in paths(asked.mpi).items():
        place = Place(asked.mpi, 2, None, launcher=words, spins=True)
        run = partial(place.run, environment=environment)
        launches = in_turns(
            asked.turns,
            {
                f"{path}, plain": partial(run, "bandwidth", *asked.sizes),
                f"{path}, with Stretto": partial(run, "bandwidth.stretto", *asked.sizes),
            },
            tell,
        )
        plain, stretto = launches.values()
        result["paths"][path] = {
            "plain_bytes_per_s": by_size(plain, asked.sizes, "bytes_per_s"),
            "direct_bytes_per_s": by_size(stretto, asked.sizes, "direct_bytes_per_s"),
            "stretto_bytes_per_s": by_size(stretto, asked.sizes, "bytes_per_s"),
            "of_direct": by_size(stretto, asked.sizes, "of_direct"),
            "again_of_direct": by_size(
                stretto, asked.sizes, "again_of_direct"
            ),  # how far apart two equal thirds of a sample are
        }
    result["others_cores"] = round(watch.cores(), 3)
    return result


def by_size(launches: list[dict], sizes: list[int], figure: str) -> list[float]:
    return [median(launch[str(size)][figure] for launch in launches) for size in sizes]


def show(result: dict, console: Console) -> None:
    console.print(f"[bold]bandwidth[/]  {result['mpi']}; GB/s; others took {result['others_cores']:g} cores")
    for path, figures in result["paths"].items():
        table = Table(box=None, pad_edge=False, header_style="dim", title=path, title_justify="left")
        for column in ("KiB", "plain launch", "direct", "with Stretto", "of direct", "direct again"):
            table.add_column(column, justify="right")
        for k, size in enumerate(result["sizes"]):
            rates = (figures[f"{name}_bytes_per_s"][k] / 1e9 for name in ("plain", "direct", "stretto"))
            shares = (figures[name][k] for name in ("of_direct", "again_of_direct"))
            table.add_row(str(size // 1024), *(f"{r:.2f}" for r in rates), *(f"{s:.3f}" for s in shares))
        console.print(table)
    console.print("direct: the library's own functions, called in the process of with Stretto", style="dim")


def main(arguments: list[str]) -> int:
    asked = read(arguments)
    with Progress("bandwidth") as progress:
        result = measure(asked, progress.tell)
    if asked.json:
        print(json.dumps(result))
    else:
        show(result, Console(highlight=False))
    return 0
