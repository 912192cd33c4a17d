"""stretto bench bandwidth: messages of an unchanged program, linked with Stretto and without: bandwidth, latency, message rate."""

import argparse
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from statistics import median

import standalone
from others import Watch, wait_for_quiet
from overhead import SMALL, medians, of_direct
from place import HERE, Place, known_mpis, lab
from plan import Parser, Wrong, check_hosts, check_mpi, count, default_dilation, sizes
from progress import Tell
from rich.console import Console
from rich.table import Table
from turns import in_turns

SIZES = [2**k for k in range(16, 27)]  # 64 KiB to 64 MiB
IN_A_ROW = 64  # messages before an answer: what takes its time then is each message, not its way
SHARED, LOOPBACK = "shared memory", "loopback TCP"
ROUND_TRIPS = {SHARED: 400, LOOPBACK: 100}  # per sample; over a lab's link 20


def read(arguments: list[str]) -> argparse.Namespace:
    top = Parser(prog="stretto bench bandwidth", description=__doc__)
    top.add_argument("--mpi", default="openmpi")
    top.add_argument("--sizes", type=sizes, metavar="B,B", default=SIZES, help="of messages (default: 64KiB to 64MiB)")
    top.add_argument("--lab", metavar="RATE", default="1gbit", help="a link of this rate too (default: 1gbit); or none")
    top.add_argument("--turns", type=count, default=9, metavar="N", help="launches of each, in turns (default: 9)")
    top.add_argument("--patience", type=float, default=20, metavar="S", help="how long to wait for quiet (default: 20)")
    top.add_argument("--json", action="store_true")
    asked = top.parse_args(arguments)
    check_mpi(asked.mpi)
    check_hosts(asked.mpi, asked.lab)
    if asked.lab != HERE:
        default_dilation(asked.lab)  # refuses what is no rate
    for message in asked.sizes:
        if not 0 < message <= 2**30:
            raise Wrong(f"--sizes: {message}: want 1 byte to 1 GiB")
    return asked


def paths(mpi: str) -> dict[str, tuple[list[str], dict[str, str]]]:
    """What makes each MPI take loopback TCP, and what shared memory: words for mpirun, and environment."""
    if known_mpis()[mpi]["family"].startswith("openmpi"):
        return {
            LOOPBACK: (["--mca", "pml", "ob1", "--mca", "btl", "tcp,self"], {}),
            SHARED: (["--mca", "pml", "ob1"], {}),
        }
    return {
        LOOPBACK: ([], {"MPIR_CVAR_NOLOCAL": "1", "MPIR_CVAR_CH4_NETMOD": "ofi", "FI_PROVIDER": "tcp"}),
        SHARED: ([], {}),
    }


def measure(asked: argparse.Namespace, tell: Tell) -> dict:
    result = {"mpi": asked.mpi, "sizes": asked.sizes, "paths": {}}
    wait_for_quiet(asked.patience, 0.15)
    watch = Watch()
    for path, (words, environment) in paths(asked.mpi).items():
        place = Place(asked.mpi, 2, None, launcher=words, spins=True)
        run = partial(place.run, environment=environment)
        result["paths"][path] = measure_path(path, run, asked, tell)
    result["others_cores"] = round(watch.cores(), 3)
    if asked.lab != HERE:
        with ExitStack() as keep:
            wire = Place(asked.mpi, 2, keep.enter_context(lab(asked.lab, 2)))
            result["paths"][asked.lab] = measure_path(asked.lab, wire.run, asked, tell)
    return result


def measure_path(path: str, run: Callable[..., dict], asked: argparse.Namespace, tell: Tell) -> dict:
    launches = in_turns(
        asked.turns,
        {
            f"{path}, plain": partial(run, "bandwidth", *asked.sizes),
            f"{path}, with Stretto": partial(run, "bandwidth.stretto", *asked.sizes),
        },
        tell,
    )
    plain, stretto = launches.values()
    return {
        "plain_bytes_per_s": by_size(plain, asked.sizes, "bytes_per_s"),
        "direct_bytes_per_s": by_size(stretto, asked.sizes, "direct_bytes_per_s"),
        "stretto_bytes_per_s": by_size(stretto, asked.sizes, "bytes_per_s"),
        "of_direct": by_size(stretto, asked.sizes, "of_direct"),
        "again_of_direct": by_size(stretto, asked.sizes, "again_of_direct"),  # of two equal thirds of a sample
        "small": measure_small(path, run, asked.turns, tell),
    }


def measure_small(path: str, run: Callable[..., dict], turns: int, tell: Tell) -> list[dict]:
    rows = []
    for messages in (1, IN_A_ROW):
        trips = max(1, ROUND_TRIPS.get(path, 20) // messages)
        launches = in_turns(
            turns,
            {
                f"{path}, {bytes} B, {messages} in a row": partial(run, "latency.stretto", bytes, trips, messages)
                for bytes in SMALL
            },
            tell,
        )
        for bytes, samples in zip(SMALL, launches.values(), strict=True):
            middle = medians(samples)
            rows.append(
                {
                    "bytes": bytes,
                    "messages": messages,
                    **{name: middle[name] / messages for name in ("direct_ns", "more_ns", "again_more_ns")},
                    "of_direct": of_direct(samples),
                }
            )
    return rows


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
        show_small(figures["small"], console)
    console.print("direct: the library's own functions, called in the process of with Stretto", style="dim")


def show_small(rows: list[dict], console: Console) -> None:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("B", "in a row", "direct, ns", "with Stretto, ns", "of direct", "direct again, ns"):
        table.add_column(column, justify="right")
    for row in rows:
        times = (
            f"{row['direct_ns']:.0f}",
            f"{row['more_ns']:+.1f}",
            f"{row['of_direct']:.3f}",
            f"{row['again_more_ns']:+.1f}",
        )
        table.add_row(str(row["bytes"]), str(row["messages"]), *times)
    console.print(table)


def main(arguments: list[str]) -> int:
    return standalone.run("bandwidth", read(arguments), measure, show)
