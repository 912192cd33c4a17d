"""stretto bench KERNEL --simulate: the kernel by many ranks in one process, over a simulated MPI library and network, in virtual time.

Each rank has its own copy of the kernel and of libstretto (simulation/). What is measured depends on the options alone: twice the same to the bit.
"""

import argparse
import re
import time
from pathlib import Path

import standalone
from curves import Column, Curve, Scale, Style, along, draw
from kernels import KERNELS
from place import finish, prefix, result_of
from plan import Parser, check_folder, positive, size
from progress import Tell
from rate import BadRate, Rate
from rich.console import Console
from rich.table import Table
from wrong import Wrong

SIMULATED = ("pair", "cascade", "ring", "reduce")
OF_A_FRAME = 1448 / 1538  # TCP's data in an Ethernet frame of 1500 bytes, with all that is around it
MOST = 4096  # ranks
LIMIT = 3600  # seconds of a launch
ASLEEP = 1e6  # --dilate: so much of the work is slept, which takes no real time there
DELTAS, IDEAL = Style("with Stretto", "#14866d", "square"), Style("ideal", "#22262b", dash="1 3")


def ranks(text: str) -> list[int]:
    words = text.split(",")
    if not all(word.isdigit() and 2 <= int(word) <= MOST for word in words):
        raise argparse.ArgumentTypeError(f"'{text}': want whole numbers from 2 to {MOST}, as 4,64,1024")
    return sorted({int(word) for word in words})


def seconds(text: str) -> float:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(ns|us|ms)", text.strip())
    if not match or not float(match[1]):
        raise argparse.ArgumentTypeError(f"'{text}': want a time, such as 300ns, 30us or 1ms")
    return float(match[1]) * {"ns": 1e-9, "us": 1e-6, "ms": 1e-3}[match[2]]


def read(arguments: list[str]) -> argparse.Namespace:
    top = Parser(prog="stretto bench KERNEL --simulate", description=__doc__.split("\n\n")[0].partition(": ")[2])
    top.add_argument("kernel", metavar="KERNEL", choices=SIMULATED, help=", ".join(SIMULATED))
    top.add_argument("--simulate", action="store_true", help=argparse.SUPPRESS)
    top.add_argument(
        "-n", dest="ranks", type=ranks, metavar="N,N", help="how many ranks (default: the kernel's; pair: 2)"
    )
    top.add_argument("--size", type=size, default=409600, metavar="BYTES", help="of one message (default: 400KiB)")
    top.add_argument("--delta", type=size, metavar="BYTES", help="delta size (default: the runtime's own choice)")
    top.add_argument("--ratio", type=positive, default=1.0, metavar="R", help="T_compute / T_message (default: 1)")
    top.add_argument("--rate", default="1gbit", metavar="RATE", help="of each link (default: 1gbit)")
    top.add_argument("--latency", type=seconds, default=30e-6, metavar="T", help="of a message (default: 30us)")
    top.add_argument("--call", type=seconds, default=1e-6, metavar="T", help="of a call of MPI (default: 1us)")
    top.add_argument("--picture", type=Path, metavar="FILE", help="times faster by number of ranks, as a curve (SVG)")
    top.add_argument("--json", action="store_true", help="print one JSON object")
    asked = top.parse_args(arguments)
    try:
        asked.bits = Rate.parse(asked.rate).bits
    except BadRate as bad:
        raise Wrong(f"--rate: {bad}") from None
    if not asked.bits:
        raise Wrong("--rate: a simulated link has a rate")
    asked.ranks = asked.ranks or [KERNELS[asked.kernel].ranks]
    if asked.kernel == "pair" and asked.ranks != [2]:
        raise Wrong("pair has 2 ranks")
    check_folder("picture", asked.picture)
    return asked


def measure(asked: argparse.Namespace, tell: Tell) -> dict:
    kernel = KERNELS[asked.kernel]
    run, program = prefix() / "simulation/simulated-run", prefix() / f"bench/simulated/{asked.kernel}.so"
    for path in (run, program):
        if not path.exists():
            raise Wrong(f"{path} is missing: run `make simulated` first; it needs the MPICH that `make setup` builds")

    def launch(n: int, variant: str, compute: float, stretto: bool) -> dict:
        network = ["--rate", asked.bits / 8 * OF_A_FRAME, "--latency", asked.latency, "--call", asked.call]
        work = ["--bytes", asked.size, "--rounds", 1e-9, "--compute", compute, "--dilate", ASLEEP]
        settings = {"STRETTO": ""} if stretto else {"STRETTO": "off"}
        settings |= {"STRETTO_DELTA": str(asked.delta)} if asked.delta and stretto else {}
        words = [
            "env",
            *(f"{name}={value}" for name, value in settings.items() if value),
            run,
            "-n",
            n,
            *network,
            program,
        ]
        command = [*words, *work, "--run", variant, "--warmup", 1, "--reps", 1]
        return result_of(asked.kernel, finish([str(word) for word in command], LIMIT))

    tell("a message")
    message = launch(kernel.ranks, "message", asked.ratio * 1e-3, False)["runs"][0]["seconds"][0]
    compute, rows = asked.ratio * message, []
    for n in asked.ranks:
        begin, made = time.monotonic(), {}
        for name, variant in (("plain", "plain"), ("stretto", "delta")):
            tell(f"{n} ranks, {name}")
            made[name] = launch(n, variant, compute, name == "stretto")["runs"][0]
        plain, ours = (made[name]["seconds"][0] for name in ("plain", "stretto"))
        ideal = kernel.ideal(compute, message, n)
        rows.append(
            {
                "ranks": n,
                "plain": plain,
                "stretto": ours,
                "ideal": ideal,
                "speedup": round(plain / ours, 4),
                "ideal_speedup": round(kernel.plain(compute, message, n) / ideal, 4),
                "of_ideal": round(ideal / ours, 4),
                "verified": made["plain"]["checksum"] == made["stretto"]["checksum"],
                "real_s": round(time.monotonic() - begin, 1),
            }
        )
    what = {name: getattr(asked, name) for name in ("kernel", "size", "delta", "ratio", "rate", "latency", "call")}
    times = {"T_message_s": message, "T_compute_s": compute}
    return {**what, **times, "verified": all(row["verified"] for row in rows), "rows": rows}


def show(result: dict, console: Console) -> None:
    console.print(
        f"[bold]{result['kernel']}[/] simulated  messages of {result['size']} bytes, {result['rate']}, T_message "
        f"{result['T_message_s'] * 1e3:.3f} ms, T_compute {result['T_compute_s'] * 1e3:.3f} ms; ms of virtual time"
    )
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in ("ranks", "plain", "Stretto", "ideal", "times faster", "ideally", "of ideal", "real seconds"):
        table.add_column(name, justify="right")
    for row in result["rows"]:
        times = (f"{row[name] * 1e3:.2f}" for name in ("plain", "stretto", "ideal"))
        faster = (f"{row[name]:.2f}" for name in ("speedup", "ideal_speedup", "of_ideal"))
        table.add_row(str(row["ranks"]), *times, *faster, f"{row['real_s']:.1f}")
    console.print(table)
    if not result["verified"]:
        console.print("the results of plain and Stretto differ")


def picture(result: dict) -> str:
    rows = result["rows"]
    across = along([row["ranks"] for row in rows], "{:g}".format)
    most = max(row["ideal_speedup"] for row in rows)
    up = Scale(1, 10, [1, 10])
    while up.high < most:
        up = Scale(1, up.high * 10, [*up.ticks, up.high * 10])
    curves = [
        Curve(style, [(row["ranks"], row[name]) for row in rows])
        for style, name in ((DELTAS, "speedup"), (IDEAL, "ideal_speedup"))
    ]
    about = f"{result['kernel']}, simulated: {result['rate']}, messages of {result['size']} bytes"
    return draw(about, [""], [Column("times faster than plain", "virtual time", "ranks", across, up, {"": curves})])


def main(arguments: list[str]) -> int:
    asked = read(arguments)
    return standalone.run(f"{asked.kernel}, simulated", asked, measure, show, picture=picture)
