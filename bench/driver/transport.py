"""stretto bench transport: pair, cascade or ring within a node by deltas of several sizes, one-sided and two-sided (Danalis et al. 2005, figure 8)."""

import argparse
import sys
from functools import partial
from statistics import median

import standalone
from curves import Column, Curve, Style, along, decades, draw
from figures import rounded, version
from kernels import KERNELS
from measure import Samples
from page import size as name_of
from place import HERE, Place
from plan import Parser, count, positive, read_ways, size, sizes
from progress import Tell
from rich.console import Console
from rich.table import Table
from turns import in_turns, ratio_of
from wrong import Wrong

NAME = "transport"
TRANSPORTS = ("one-sided", "two-sided")
DELTAS = [512 * 2**k for k in range(8)]  # to 64 KiB
STYLES = {
    "one-sided": Style("one-sided", "#14866d", "circle"),
    "two-sided": Style("two-sided", "#b3541e", "square"),
    "plain": Style("plain", "#666666", dash="4 3"),
    "ideal": Style("ideal", "#2f5f9e", dash="1 3"),
}
WARMUP = 4


def read(arguments: list[str]) -> argparse.Namespace:
    top = Parser(prog=f"stretto bench {NAME}", description=__doc__)
    top.add_argument("kernel", nargs="?", choices=("pair", "cascade", "ring"), default="pair", help="default: pair")
    top.add_argument("--mpi", default="openmpi")
    top.add_argument("-n", dest="ranks", type=count, metavar="RANKS", help="default: 2 for pair, else 4")
    top.add_argument("--size", type=size, default=2**20, metavar="BYTES", help="of one message (default: 1MiB)")
    top.add_argument("--deltas", type=sizes, metavar="B,B", default=DELTAS, help="default: 512 B to 64 KiB")
    top.add_argument("--ratio", type=positive, metavar="R", default=1.0, help="T_compute / T_message (default: 1)")
    top.add_argument("--reps", type=count, default=40, metavar="N", help="of each, in a launch (default: 40)")
    top.set_defaults(lab=HERE)
    asked = read_ways(top, arguments)
    asked.ranks = asked.ranks or KERNELS[asked.kernel].ranks
    if asked.ranks < 2 or (KERNELS[asked.kernel].fixed_ranks and asked.ranks != KERNELS[asked.kernel].ranks):
        raise Wrong(f"-n {asked.ranks}: {asked.kernel} needs {KERNELS[asked.kernel].ranks} ranks")
    if asked.size % 8:
        raise Wrong(f"--size {asked.size}: want a multiple of 8")
    for delta in asked.deltas:
        if delta < 256 or delta % 32 or delta > asked.size:
            raise Wrong(f"--deltas: {delta}: want multiples of 32 from 256 to the message's {asked.size} bytes")
    return asked


def measure(asked: argparse.Namespace, tell: Tell) -> dict:
    place = Place(asked.mpi, asked.ranks, None)
    words = ["--bytes", asked.size]
    tell("calibrating")
    made = place.run(asked.kernel, *words, "--calibrate", asked.ratio)
    words += ["--rounds", made["rounds"], "--compute", made["compute"], "--reps", asked.reps, "--warmup", WARMUP]

    def annotated(transport: str, delta: int) -> dict:
        environment = {"STRETTO_TRANSPORT": transport, "STRETTO_DELTA": str(delta), "STRETTO_TRIGGER": "annotations"}
        return place.run(f"{asked.kernel}.stretto", *words, "--run", "delta", environment=environment)

    launches = {"plain": partial(place.run, asked.kernel, *words, "--run", "message,compute,plain")}
    for delta in asked.deltas:
        for transport in TRANSPORTS:
            launches[f"{transport}, {name_of(delta)}"] = partial(annotated, transport, delta)
    return derive(asked, in_turns(asked.turns, launches, tell))


def derive(asked: argparse.Namespace, made: dict[str, list[dict]]) -> dict:
    samples = Samples()
    for name, launches in made.items():
        for launch in launches:
            samples.take(launch, delta=name)
    compute, message = samples.median("compute"), samples.median("message")
    ideal = KERNELS[asked.kernel].ideal(compute, message, asked.ranks)
    plain = [median_of(launch, "plain") for launch in made["plain"]]
    rows = []
    for delta in asked.deltas:
        row: dict = {"delta_bytes": delta}
        for transport in TRANSPORTS:
            name = f"{transport}, {name_of(delta)}"
            speedup, between = ratio_of(plain, [median_of(launch, "delta") for launch in made[name]])
            row[transport] = {
                "median_s": rounded(samples.median(name)),
                "speedup": speedup,
                "range": between,
                "of_ideal": rounded(ideal / samples.median(name)),
            }
        rows.append(row)
    times = {transport: [row[transport]["median_s"] for row in rows] for transport in TRANSPORTS}
    return {
        "benchmark": NAME,
        "kernel": asked.kernel,
        "mpi": version(samples.library),
        "ranks": asked.ranks,
        "size": asked.size,
        "ratio": asked.ratio,
        "measured_ratio": rounded(compute / message, 3),
        "turns": asked.turns,
        "plain_s": rounded(samples.median("plain")),
        "ideal_s": rounded(ideal),
        "rows": rows,
        "worst_of_best": {transport: rounded(max(its) / min(its)) for transport, its in times.items()},
        "verified": samples.agree(),
        "disagreement": None if samples.agree() else samples.disagreement(),
    }


def median_of(launch: dict, name: str) -> float:
    return median(seconds for run in launch["runs"] if run["name"] == name for seconds in run["seconds"])


def show(result: dict, console: Console) -> None:
    console.print(
        f"[bold]{NAME}[/]  {result['kernel']}, {result['mpi']}, {result['ranks']} ranks on this host, messages of "
        f"{name_of(result['size'])}, ratio {result['measured_ratio']:g}; plain {result['plain_s'] * 1e6:.0f} us, ideal {result['ideal_s'] * 1e6:.0f} us",
        soft_wrap=True,
    )
    table = Table(box=None, pad_edge=False, header_style="dim")
    figures = ("us", "times plain", "of ideal")
    for column in ("delta", *(f"{transport}\n{what}" for transport in TRANSPORTS for what in figures)):
        table.add_column(column, justify="right", no_wrap=True)
    for row in result["rows"]:
        words = [name_of(row["delta_bytes"])]
        for transport in TRANSPORTS:
            one = row[transport]
            low, high = one["range"]
            words += [
                f"{one['median_s'] * 1e6:.0f}",
                f"{one['speedup']:.2f} ({low:.2f}-{high:.2f})",
                f"{one['of_ideal']:.2f}",
            ]
        table.add_row(*words)
    console.print(table)
    for transport, ratio in result["worst_of_best"].items():
        console.print(f"the worst size of a delta by the best, {transport}: {ratio:.2f}")
    if not result["verified"]:
        print(f"stretto bench: {result['disagreement']}", file=sys.stderr)


def picture(result: dict) -> str:
    deltas = [row["delta_bytes"] for row in result["rows"]]
    curves = [
        Curve(STYLES[transport], [(row["delta_bytes"], row[transport]["median_s"]) for row in result["rows"]])
        for transport in TRANSPORTS
    ]
    curves += [
        Curve(STYLES[name], [(delta, result[f"{name}_s"]) for delta in (deltas[0], deltas[-1])])
        for name in ("plain", "ideal")
    ]
    up = decades([value for curve in curves for _, value in curve.points])
    column = Column(
        "time", "by the size of a delta", "bytes of a delta", along(deltas, name_of), up, {result["kernel"]: curves}
    )
    return draw(f"{NAME}: {result['kernel']}, {result['mpi']}, on one host", [result["kernel"]], [column])


def main(arguments: list[str]) -> int:
    return standalone.run(NAME, read(arguments), measure, show, picture=picture)
