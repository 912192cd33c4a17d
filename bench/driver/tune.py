"""stretto tune: how large the pieces of a kernel's messages should be. Every size by turns, what the runtime's model foretells, what the runtime does.

Danalis et al., Transformations to Parallel Codes (SC05), section 7, leaves this choice to a model or to trying.
"""

import argparse
import subprocess
import sys
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import standalone
from curves import Column, Curve, Style, along, decades, draw
from figures import rounded, version
from kernels import KERNELS
from measure import Samples, may_raise_priority
from page import size as name_of
from place import HERE, Place, find_program, lab, result_of
from plan import (
    Parser,
    check_folder,
    check_hosts,
    check_mpi,
    count,
    default_dilation,
    default_lab,
    positive,
    size,
    sizes,
)
from progress import Tell
from rich.console import Console
from rich.table import Table
from transport import median_of
from turns import in_turns, ratio_of
from wrong import Wrong

NAME = "tune"
BY_DELTAS = ("pair", "cascade", "ring", "reduce", "lu", "hycom", "mg")
BY_LANES = ("cg", "fft3d", "magnet", "visco")  # of delta collectives
PIECES = [512 * 2**k for k in range(8)]  # to 64 KiB
PLAIN, OWN = "plain", "own"
WARMUP = 16  # messages, from which the runtime has learnt
STYLES = {
    "fixed": Style("fixed", "#14866d", "circle"),
    OWN: Style("the runtime's own", "#b3541e", dash="4 3"),
    PLAIN: Style("plain", "#666666", dash="1 3"),
    "model": Style("foretold", "#2f5f9e", "triangle"),
}


def words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def ratios(text: str) -> list[float]:
    return [positive(word) for word in words(text)]


def read(arguments: list[str]) -> argparse.Namespace:
    top = Parser(prog=f"stretto {NAME}", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    top.add_argument(
        "kernel", choices=BY_DELTAS + BY_LANES, metavar="KERNEL", help=f"{', '.join(BY_DELTAS + BY_LANES)}"
    )
    top.add_argument("--mpi", default="openmpi")
    top.add_argument("-n", dest="ranks", type=count, metavar="RANKS", help="default: the kernel's own")
    top.add_argument(
        "--lab",
        dest="labs",
        type=words,
        metavar="RATE,RATE",
        help="link rates of the lab, or none (default: the kernel's)",
    )
    top.add_argument(
        "--ratio", dest="ratios", type=ratios, metavar="R,R", default=[1.0], help="T_compute / T_message (default: 1)"
    )
    top.add_argument("--size", type=size, metavar="BYTES", help="of a message (default: the kernel's)")
    top.add_argument(
        "--pieces", type=sizes, metavar="B,B", default=PIECES, help="sizes to try (default: 512 B to 64 KiB)"
    )
    top.add_argument("--reps", type=count, default=9, metavar="N", help="of each, in a launch (default: 9)")
    top.add_argument("--turns", type=count, default=5, metavar="N", help="launches of each, in turns (default: 5)")
    top.add_argument(
        "--picture", type=Path, metavar="FILE", help="the surface as curves (SVG): links across, ratios down"
    )
    top.add_argument("--json", action="store_true")
    asked = top.parse_args(arguments)
    kernel = KERNELS[asked.kernel]
    check_mpi(asked.mpi)
    asked.ranks = asked.ranks or kernel.ranks
    if asked.ranks < 2 or (kernel.fixed_ranks and asked.ranks != kernel.ranks):
        raise Wrong(
            f"-n {asked.ranks}: {kernel.name} needs {kernel.ranks if kernel.fixed_ranks else 'at least 2'} ranks"
        )
    asked.labs = asked.labs or [default_lab(kernel, asked.mpi, asked.ranks)]
    for rate in asked.labs:
        check_hosts(asked.mpi, rate)
        default_dilation(rate)  # refuses what is no rate
    asked.size = asked.size or kernel.size
    if asked.size < 1024 or asked.size % kernel.unit:
        raise Wrong(
            f"--size {asked.size}: a message of {kernel.name} is a multiple of {kernel.unit} bytes, at least 1 KiB"
        )
    asked.pieces = [piece for piece in asked.pieces if piece <= asked.size]
    for piece in asked.pieces:
        if piece < 256 or piece % 32:
            raise Wrong(f"--pieces: {piece}: want multiples of 32, at least 256")
    if not asked.pieces:
        raise Wrong(f"--pieces: none fits into a message of {asked.size} bytes")
    check_folder("picture", asked.picture)
    return asked


def with_pieces(kernel: str, piece: int) -> dict[str, str]:
    """What fixes the size of its pieces."""
    return {"STRETTO_COLLECTIVES": f"lane={piece}"} if kernel in BY_LANES else {"STRETTO_DELTA": str(piece)}


def foretold(total: int, rate: float, seconds: float) -> dict[str, int]:
    """Bytes of a delta, by the runtime's model, and by what it learns."""
    command = [str(find_program("foretold")), str(total), f"{rate:.9g}", f"{seconds:.9g}"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    return result_of("foretold", done.stdout)


def measure(asked: argparse.Namespace, tell: Tell) -> dict:
    surfaces = []
    for rate in asked.labs:
        for ratio in asked.ratios:
            where = f"{rate}, ratio {ratio:g}: "
            surfaces.append(measure_one(asked, rate, ratio, lambda text, where=where: tell(where + text)))
    wrong = [one["disagreement"] for one in surfaces if one["disagreement"]]
    chosen = [one["own"]["of_best"] for one in surfaces]
    return {
        "benchmark": NAME,
        "kernel": asked.kernel,
        "mpi": surfaces[0]["mpi"],
        "ranks": asked.ranks,
        "size": asked.size,
        "pieces": "lanes" if asked.kernel in BY_LANES else "deltas",
        "turns": asked.turns,
        "surfaces": surfaces,
        "least_own_of_best": min(chosen),
        "least_own_of_plain": min(one["own"]["speedup"] for one in surfaces),
        "verified": not wrong,
        "disagreement": wrong[0] if wrong else None,
    }


def measure_one(asked: argparse.Namespace, rate: str, ratio: float, tell: Tell) -> dict:
    dilate = default_dilation(rate)
    common = ["--bytes", asked.size, "--dilate", dilate]
    with ExitStack() as keep:
        name = None if rate == HERE else keep.enter_context(lab(rate, asked.ranks))
        place = Place(asked.mpi, asked.ranks, name, dilate > 1 and may_raise_priority())
        tell("calibrating")
        made = place.run(asked.kernel, *common, "--calibrate", ratio)
        common += ["--rounds", made["rounds"], "--compute", made["compute"], "--reps", asked.reps, "--warmup", WARMUP]
        of_model = {}
        if asked.kernel in BY_DELTAS:
            of_model = foretold(asked.size, asked.size / made["T_message"], made["compute"])
        annotated = {"STRETTO_TRIGGER": "annotations"}

        def ours(more: dict[str, str]) -> dict:
            return place.run(f"{asked.kernel}.stretto", *common, "--run", "delta", environment=annotated | more)

        pieces = sorted({*asked.pieces, of_model.get("model", asked.pieces[0])})
        launches = {PLAIN: partial(place.run, asked.kernel, *common, "--run", "message,compute,plain")}
        launches |= {name_of(piece): partial(ours, with_pieces(asked.kernel, piece)) for piece in pieces}
        launches[OWN] = partial(ours, {})
        return derive(asked, rate, ratio, pieces, of_model, in_turns(asked.turns, launches, tell))


def derive(
    asked: argparse.Namespace,
    rate: str,
    ratio: float,
    pieces: list[int],
    of_model: dict[str, int],
    made: dict[str, list[dict]],
) -> dict:
    samples = Samples()
    for name, launches in made.items():
        for launch in launches:
            samples.take(launch, delta=name)
    compute, message = samples.median("compute"), samples.median("message")
    best = min(pieces, key=lambda piece: samples.median(name_of(piece)))
    of_plain = [median_of(launch, PLAIN) for launch in made[PLAIN]]

    def row(name: str) -> dict:
        speedup, between = ratio_of(of_plain, [median_of(launch, "delta") for launch in made[name]])
        took = samples.median(name)
        of_best = rounded(samples.median(name_of(best)) / took)
        return {"median_s": rounded(took), "speedup": speedup, "range": between, "of_best": of_best}

    rows = [{"bytes": piece, **row(name_of(piece))} for piece in pieces]
    return {
        "lab": rate,
        "ratio": ratio,
        "mpi": version(samples.library),
        "measured_ratio": rounded(compute / message, 3),
        "plain_s": rounded(samples.median(PLAIN)),
        "ideal_s": rounded(KERNELS[asked.kernel].ideal(compute, message, asked.ranks)),
        "rows": rows,
        "best_bytes": best,
        "model": next((one for one in rows if one["bytes"] == of_model.get("model")), None),
        "own": {"bytes": of_model.get("learnt"), **row(OWN)},
        "disagreement": None if samples.agree() else samples.disagreement(),
    }


def show(result: dict, console: Console) -> None:
    about = f"{result['kernel']}, {result['mpi']}, {result['ranks']} ranks, messages of {name_of(result['size'])}"
    console.print(f"[bold]{NAME}[/]  {about}; times faster than plain, by KiB of {result['pieces']}", soft_wrap=True)
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim")
    every = (f"{piece / 1024:g}" for piece in sizes_of(result))
    for column in ("link", "ratio", *every, "foretold", "of best", "own", "of best"):
        table.add_column(column, justify="left" if column == "link" else "right", no_wrap=True)
    for one in result["surfaces"]:
        by_size = {row["bytes"]: row for row in one["rows"]}
        cells = [one["lab"], f"{one['ratio']:g}"]
        for piece in sizes_of(result):
            row = by_size.get(piece)
            text = f"{row['speedup']:.2f}" if row else ""
            cells.append(f"[bold green]{text}[/]" if piece == one["best_bytes"] else text)
        model, own = one["model"], one["own"]
        cells += [f"{model['bytes'] / 1024:.3g}", f"{model['of_best']:.2f}"] if model else ["", ""]
        cells += [f"{own['speedup']:.2f}", f"{own['of_best']:.2f}"]
        table.add_row(*cells)
    console.print(table)
    least, of_plain = result["least_own_of_best"], result["least_own_of_plain"]
    console.print(f"the runtime's own choice: at least {least:.2f} of the best size, {of_plain:.2f} times plain")
    if not result["verified"]:
        print(f"stretto {NAME}: {result['disagreement']}", file=sys.stderr)


def sizes_of(result: dict) -> list[int]:
    """Those of every surface; what a model alone foretells stands in its own column."""
    every = [{row["bytes"] for row in one["rows"]} for one in result["surfaces"]]
    return sorted(set.intersection(*every))


def picture(result: dict) -> str:
    rows = [f"ratio {ratio:g}" for ratio in dict.fromkeys(one["ratio"] for one in result["surfaces"])]
    pieces = sorted({row["bytes"] for one in result["surfaces"] for row in one["rows"]})
    columns = []
    for rate in dict.fromkeys(one["lab"] for one in result["surfaces"]):
        by_row = {f"ratio {one['ratio']:g}": curves(one) for one in result["surfaces"] if one["lab"] == rate}
        up = decades([value for its in by_row.values() for curve in its for _, value in curve.points])
        columns.append(Column(rate, f"by the size of {result['pieces']}", "bytes", along(pieces, name_of), up, by_row))
    return draw(f"{NAME}: {result['kernel']}, {result['mpi']}, {result['ranks']} ranks", rows, columns)


def curves(one: dict) -> list[Curve]:
    ends = (one["rows"][0]["bytes"], one["rows"][-1]["bytes"])
    made = [Curve(STYLES["fixed"], [(row["bytes"], row["median_s"]) for row in one["rows"]])]
    made.append(Curve(STYLES[OWN], [(end, one["own"]["median_s"]) for end in ends]))
    made.append(Curve(STYLES[PLAIN], [(end, one["plain_s"]) for end in ends]))
    if one["model"]:
        made.append(Curve(STYLES["model"], [(one["model"]["bytes"], one["model"]["median_s"])]))
    return made


def main(arguments: list[str]) -> int:
    return standalone.run(NAME, read(arguments), measure, show, picture=picture)
