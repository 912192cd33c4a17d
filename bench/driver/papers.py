"""stretto bench costs: table I of Delta Send-Recv (Bao et al. 2012) and table 2 of Early Release (Ke et al. 2005), as measured here."""

import argparse
from contextlib import ExitStack
from functools import partial
from statistics import median

import page_costs
import standalone
from figures import rounded
from others import Watch, wait_for_quiet
from page import size as name_of
from place import HERE, Place, find_program, lab
from plan import Parser, Rate, check_hosts, check_mpi, count, default_dilation
from progress import Tell
from rich.console import Console
from rich.table import Table
from turns import in_turns

PAGE = page_costs.PAGE
MESSAGES = [2**k for k in (12, 14, 16, 18)]  # bytes; table 2
MECHANISMS = page_costs.MECHANISMS
SHORT = 2**15  # bytes up to which a sample has several round trips
TABLE_1 = {  # in microseconds
    "computation_per_page": 91.2,
    "communicating_1_page": 137.6,
    "communicating_100_pages": 5614.7,
    "page_fault": 9.9,
}
TABLE_2 = {"protection_us": [3.0, 3.0, 3.3, 4.5], "transfer_us": [33, 131, 500, 2100]}


def read(arguments: list[str]) -> argparse.Namespace:
    top = Parser(prog="stretto bench costs", description=__doc__)
    top.add_argument("--mpi", default="openmpi")
    top.add_argument("--lab", metavar="RATE", default="1gbit", help="link rate of the lab (default: 1gbit); or none")
    top.add_argument("--turns", type=count, default=9, metavar="N", help="launches of each, in turns (default: 9)")
    top.add_argument("--patience", type=float, default=20, metavar="S", help="how long to wait for quiet (default: 20)")
    top.add_argument("--json", action="store_true", help="print one JSON object")
    asked = top.parse_args(arguments)
    check_mpi(asked.mpi)
    if asked.lab != HERE:
        default_dilation(asked.lab)  # refuses what is no rate
    check_hosts(asked.mpi, asked.lab)
    return asked


def measure(asked: argparse.Namespace, tell: Tell) -> dict:
    machine, pages = str(find_program("machine")), str(find_program("pages"))
    tell("which mechanisms there are")
    there = page_costs.run(machine)["protected_us"]
    mechanisms = [mechanism for mechanism in MECHANISMS if there[mechanism]]
    # How many of which size. A page alone meets latency and no wire in the lab (docs/lab.md): it is one of a hundred.
    messages = [(1, PAGE), (100, PAGE), (1, 100 * PAGE), *((1, message) for message in MESSAGES if message != PAGE)]
    with ExitStack() as keep:
        name = None if asked.lab == HERE else keep.enter_context(lab(asked.lab, 2))
        place = Place(asked.mpi, 2, name)
        wait_for_quiet(asked.patience, 0.15)
        watch = Watch()
        made = in_turns(
            asked.turns,
            {
                "this machine": partial(page_costs.run, machine),
                **{mechanism: partial(page_costs.run, pages, mechanism, 1, 1) for mechanism in mechanisms},
                **{
                    f"{number} x {name_of(message)}": partial(
                        place.run, "latency", message, 4 if number * message <= SHORT else 1, number
                    )
                    for number, message in messages
                },
            },
            tell,
        )
        others = watch.cores()
    took = {
        (number, message): median_of(made[f"{number} x {name_of(message)}"], "half_round_trip_ns") / 1e3
        for number, message in messages
    }
    faults = {mechanism: made[mechanism] for mechanism in mechanisms}
    return derive(asked, made["this machine"], faults, took) | {"others_cores": rounded(others, 3)}


def median_of(launches: list[dict], figure: str) -> float:
    return median(launch[figure] for launch in launches)


def derive(
    asked: argparse.Namespace, machine: list[dict], faults: dict[str, list[dict]], took: dict[tuple[int, int], float]
) -> dict:
    """took: microseconds, by how many messages of how many bytes."""
    bits = None if asked.lab == HERE else Rate.parse(asked.lab).bits
    protection = {
        mechanism: [
            median(launch["protected_us"][mechanism][str(message)] for launch in machine) for message in MESSAGES
        ]
        for mechanism in faults
    }
    writes = {mechanism: median_of(launches, "written_us") for mechanism, launches in faults.items()}
    reads = {mechanism: median_of(launches, "touched_us") for mechanism, launches in faults.items()}
    page, together = took[100, PAGE] / 100, took[1, 100 * PAGE]
    alone = [took[1, message] for message in MESSAGES]
    transfer = bits and [message * 8e6 / bits for message in MESSAGES]
    return {
        "mpi": asked.mpi,
        "lab": asked.lab,
        "turns": asked.turns,
        "page_bytes": PAGE,
        "table_1_us": {
            "computation_per_page": rounded(median_of(machine, "computed_page_us")),
            "communicating_1_page": rounded(page),
            "communicating_1_page_alone": rounded(took[1, PAGE]),
            "communicating_100_pages": rounded(together),
            "minor_fault": rounded(median_of(machine, "minor_fault_us")),
            "write_fault": {mechanism: rounded(value) for mechanism, value in writes.items()},
            "read_fault": {mechanism: rounded(value) for mechanism, value in reads.items()},
        },
        "table_2": {
            "message_bytes": MESSAGES,
            "protection_us": {mechanism: list(map(rounded, costs)) for mechanism, costs in protection.items()},
            "transfer_us": transfer and list(map(rounded, transfer)),
            "message_us": list(map(rounded, alone)),
        },
        "ratios": {
            "singly_of_together": rounded(100 * page / together),
            "fault_of_page": {
                mechanism: rounded((writes[mechanism] + reads[mechanism]) / 2 / page) for mechanism in faults
            },
            "protection_of_transfer": {
                mechanism: [rounded(cost / wire) for cost, wire in zip(costs, transfer or alone, strict=True)]
                for mechanism, costs in protection.items()
            },
        },
        "papers": {"table_1_us": TABLE_1, "table_2": TABLE_2},
    }


def microseconds(value: float) -> str:
    return f"{value / 1e3:.2f} ms" if value >= 1e3 else f"{value:.0f} us" if value >= 100 else f"{value:.1f} us"


def show(result: dict, console: Console) -> None:
    place = "this host" if result["lab"] == HERE else f"lab of {result['lab']}"
    console.print(
        f"[bold]costs[/]  {result['mpi']}, {place}; others took {result['others_cores']:g} cores", soft_wrap=True
    )
    show_table_1(result, console)
    show_table_2(result, console)


def show_table_1(result: dict, console: Console) -> None:
    made, ratios = result["table_1_us"], result["ratios"]
    table = Table(box=None, pad_edge=False, header_style="dim", title="Table I, Delta Send-Recv", title_justify="left")
    for column in ("Operations", "here", "2012"):
        table.add_column(
            column, justify="left" if column == "Operations" else "right", style="dim" if column == "2012" else ""
        )
    for key, label in (
        ("computation_per_page", "computation (per page)"),
        ("communicating_1_page", "communicating 1 page"),
        ("communicating_1_page_alone", "  alone, not one of 100"),
        ("communicating_100_pages", "communicating 100 pages"),
    ):
        table.add_row(label, microseconds(made[key]), microseconds(TABLE_1[key]) if key in TABLE_1 else "")
    table.add_row("a (minor) page fault", microseconds(made["minor_fault"]), microseconds(TABLE_1["page_fault"]))
    for kind, label in (("write_fault", "a watched write"), ("read_fault", "a guarded read")):
        for mechanism, value in made[kind].items():
            table.add_row(f"  {label}, {mechanism}", microseconds(value))
    console.print(table)
    then = TABLE_1["page_fault"] / TABLE_1["communicating_1_page"]
    faults = ", ".join(f"{value:.3f} {mechanism}" for mechanism, value in ratios["fault_of_page"].items())
    console.print(
        f"a watched write or a guarded read / communicating a page: {faults} [dim](2012: {then:.3f})[/]", soft_wrap=True
    )
    then = 100 * TABLE_1["communicating_1_page"] / TABLE_1["communicating_100_pages"]
    console.print(
        f"100 pages one by one / at once: {ratios['singly_of_together']:.2f} [dim](2012: {then:.2f})[/]", soft_wrap=True
    )


def show_table_2(result: dict, console: Console) -> None:
    made = result["table_2"]
    table = Table(box=None, pad_edge=False, header_style="dim", title="\nTable 2, Early Release", title_justify="left")
    for column in ("Message Size", *(f"{message // 1024} kB" for message in made["message_bytes"])):
        table.add_column(column, justify="left" if column == "Message Size" else "right")

    def row(label: str, values: list[float], style: str = "") -> None:
        table.add_row(label, *map(microseconds, values), style=style)

    for mechanism, costs in made["protection_us"].items():
        row(f"Protection Cost, {mechanism}", costs)
    row("  2005", TABLE_2["protection_us"], "dim")
    if made["transfer_us"]:
        row(f"{result['lab']} Transfer Time", made["transfer_us"])
        row("  2005, 1 Gbps", TABLE_2["transfer_us"], "dim")
    row("a message alone, half a round trip", made["message_us"])
    console.print(table)
    of = "transfer" if made["transfer_us"] else "message"
    then = [a / b for a, b in zip(*TABLE_2.values(), strict=True)]
    for mechanism, shares in result["ratios"]["protection_of_transfer"].items():
        console.print(
            f"protection / {of}, {mechanism}: {', '.join(f'{share:.3f}' for share in shares)}"
            f" [dim](2005: {', '.join(f'{share:.3f}' for share in then)})[/]",
            soft_wrap=True,
        )


def main(arguments: list[str]) -> int:
    return standalone.run("costs", read(arguments), measure, show)
