"""stretto bench overhead: what Stretto's calls cost, and what it costs those who do not use it."""

import argparse
import json
from contextlib import ExitStack
from functools import partial
from statistics import median

import page_costs
from costs import FRAMED
from others import Watch, wait_for_quiet
from place import HERE, Place, lab
from plan import Parser, check_hosts, check_mpi, count, default_dilation
from progress import Progress, Tell
from rich.console import Console
from rich.table import Table
from turns import in_turns

SMALL = (8, 1024)  # bytes
DELTAS = (1024, 4032)
ROUND_TRIPS = 400  # per sample, through shared memory
ROUND_TRIPS_OVER_WIRE = 20


TRIGGERS = ("annotate", "pages")


def read(arguments: list[str]) -> argparse.Namespace:
    top = Parser(prog="stretto bench overhead", description=__doc__)
    top.add_argument("--mpi", default="openmpi")
    top.add_argument(
        "--lab", metavar="RATE", default="1gbit", help="for the latency over a wire (default: 1gbit); or none"
    )
    top.add_argument("--turns", type=count, default=9, metavar="N", help="launches of each, in turns (default: 9)")
    top.add_argument("--patience", type=float, default=20, metavar="S", help="how long to wait for quiet (default: 20)")
    top.add_argument(
        "--trigger",
        choices=TRIGGERS,
        default="annotate",
        help="annotate (default): calls and messages; pages: page faults",
    )
    top.add_argument("--json", action="store_true")
    asked = top.parse_args(arguments)
    check_mpi(asked.mpi)
    if asked.lab != HERE:
        default_dilation(asked.lab)  # refuses what is no rate
    check_hosts(asked.mpi, asked.lab)
    return asked


def medians(launches: list[dict]) -> dict:
    return {key: median(launch[key] for launch in launches) for key in launches[0]}


def half_round_trips(launches: list[dict]) -> list[float]:
    return [launch["half_round_trip_ns"] for launch in launches]


def of_direct(launches: list[dict]) -> float:
    """Of the library called directly, in the same process: two launches differ by more than what is sought."""
    return round(median(a["direct_ns"] / (a["direct_ns"] + a["more_ns"]) for a in launches), 4)


def of_the_same_turn(some: list[float], plain: list[float]) -> float:
    """The median of ratios: the machine itself drifts."""
    return round(median(a / b for a, b in zip(some, plain, strict=True)), 4)


def measure(asked: argparse.Namespace, tell: Tell) -> dict:
    calm, here = Place(asked.mpi, 2, None), Place(asked.mpi, 2, None, spins=True)
    wait_for_quiet(asked.patience, 0.15)
    watch = Watch()
    calls = in_turns(
        asked.turns,
        {
            f"{delta} B {name}": partial(calm.run, program, delta, environment=settings)
            for delta in DELTAS
            for name, program, settings in (
                ("two-sided", "annotations.stretto", FRAMED | {"STRETTO_DELTA": str(delta)}),
                ("one-sided", "annotations.stretto", {"STRETTO_DELTA": str(delta)}),
                ("MPI_Isend", "annotations", {}),
            )
        },
        tell,
    )
    made = {name: medians(launches) for name, launches in calls.items()}
    ours = made[f"{DELTAS[-1]} B two-sided"]
    result = {
        "mpi": asked.mpi,
        "annotation_idle_ns": ours["idle_ns"],
        "send_data_ns": ours["send_data_ns"],
        "wait_data_ns": ours["wait_data_ns"],
        "deltas": {
            str(delta): {
                "two_sided_ns": made[f"{delta} B two-sided"]["per_delta_ns"],
                "one_sided_ns": made[f"{delta} B one-sided"]["per_delta_ns"],
                "isend_ns": made[f"{delta} B MPI_Isend"]["per_chunk_ns"],
                "copy_ns": made[f"{delta} B MPI_Isend"]["copy_ns"],
            }
            for delta in DELTAS
        },
        "small": {},
    }
    for size in SMALL:
        words = (size, ROUND_TRIPS)
        trips = in_turns(
            asked.turns,
            {
                f"{size} B plain": partial(here.run, "latency", *words),
                f"{size} B, the peer does not frame": partial(here.run_two, "latency.stretto", "latency", *words),
                f"{size} B, both frame": partial(here.run, "latency.stretto", *words, environment=FRAMED),
            },
            tell,
        )
        plain, mixed, both = map(medians, trips.values())
        result["small"][str(size)] = {
            "plain_ns": plain["half_round_trip_ns"],
            "direct_ns": both["direct_ns"],
            "unframed_more_ns": mixed["more_ns"],
            "tracked_more_ns": both["more_ns"],
            "direct_more_ns": both["again_more_ns"],  # how far apart two equal thirds of a sample are
        }
    result["others_cores"] = round(watch.cores(), 3)
    if asked.lab != HERE:
        with ExitStack() as keep:
            wire = Place(asked.mpi, 2, keep.enter_context(lab(asked.lab, 2)))
            words = (8, ROUND_TRIPS_OVER_WIRE)
            trips = in_turns(
                asked.turns,
                {
                    f"{asked.lab} plain": partial(wire.run, "latency", *words),
                    f"{asked.lab} with Stretto": partial(wire.run, "latency.stretto", *words),
                    f"{asked.lab} plain again": partial(wire.run, "latency", *words),
                },
                tell,
            )
        _, with_stretto, _ = trips.values()
        plain, ours, again = map(half_round_trips, trips.values())
        result["latency"] = {
            "lab": asked.lab,
            "plain_ns": median(plain),
            "stretto_ns": median(ours),
            "of_direct": of_direct(with_stretto),
            "of_plain": of_the_same_turn(plain, ours),
            "plain_of_plain": of_the_same_turn(plain, again),
        }
    return result


def show(result: dict, console: Console) -> None:
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column()
    table.add_column(justify="right")
    table.add_row("annotation with nothing in flight", f"{result['annotation_idle_ns']:.2f} ns")
    table.add_row("send_data that sends nothing", f"{result['send_data_ns']:.1f} ns")
    table.add_row("wait_data whose bytes are there", f"{result['wait_data_ns']:.1f} ns")
    for delta, costs in result["deltas"].items():
        table.add_row(f"a delta of {delta} bytes, one-sided", f"{costs['one_sided_ns']:.0f} ns")
        table.add_row("  two-sided", f"{costs['two_sided_ns']:.0f} ns")
        table.add_row("  MPI_Isend of as much", f"{costs['isend_ns']:.0f} ns")
        table.add_row("  copying as much", f"{costs['copy_ns']:.0f} ns")
    for size, small in result["small"].items():
        table.add_row(f"message of {size} bytes, plain", f"{small['plain_ns']:.0f} ns")
        table.add_row("  the library called directly", f"{small['direct_ns']:.0f} ns")
        table.add_row("  to a peer that does not frame", f"{small['unframed_more_ns']:+.1f} ns")
        table.add_row("  tracked: the peer frames", f"{small['tracked_more_ns']:+.1f} ns")
        table.add_row("  directly once more", f"{small['direct_more_ns']:+.1f} ns")
    if latency := result.get("latency"):
        table.add_row(f"latency at {latency['lab']}, plain", f"{latency['plain_ns'] / 1e3:.1f} us")
        table.add_row("  with Stretto", f"{latency['stretto_ns'] / 1e3:.1f} us")
        table.add_row("  of the library called directly", f"{latency['of_direct']:.3f}")
        table.add_row("  of a plain launch", f"{latency['of_plain']:.3f}")
        table.add_row("  plain again, of a plain launch", f"{latency['plain_of_plain']:.3f}")
    console.print(f"[bold]overhead[/]  {result['mpi']}; others took {result['others_cores']:g} cores")
    console.print(table)


def main(arguments: list[str]) -> int:
    asked = read(arguments)
    with Progress("overhead") as progress:
        if asked.trigger == "pages":
            result, its_show = page_costs.measure(asked.turns, asked.patience, progress.tell), page_costs.show
        else:
            result, its_show = measure(asked, progress.tell), show
    if asked.json:
        print(json.dumps(result))
    else:
        its_show(result, Console(highlight=False))
    return 0
