"""stretto bench surface: pair by message size and delta, under each trigger (Bao et al. 2012, figure 5), and the runtime's own choice."""

import argparse
import json
import shlex
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import geometric_mean, mean

from figures import rounded, version
from heat import write_picture, write_report
from kernels import KERNELS
from measure import Samples, may_raise_priority
from others import Watch, wait_for_quiet
from page import size as name_of
from place import HERE, Place, lab
from plan import (
    TRIGGERS,
    Parser,
    check_folder,
    check_hosts,
    check_mpi,
    count,
    default_dilation,
    default_reps,
    positive,
    sizes,
)
from progress import Progress, Tell
from rich.console import Console
from rich.table import Table
from turns import in_turns
from wrong import Wrong

KERNEL = KERNELS["pair"]
SIZES = [2**k for k in range(13, 21)]  # 8 KiB to 1 MiB
DELTAS = [4096 * pages for pages in (*range(1, 11), 16, 32)]
AUTO = "auto"
WHO = {
    **{name: [name] for name in TRIGGERS.values()},
    AUTO: list(TRIGGERS.values()),
}  # whose fixed deltas the own one meets
WARMUP = 8  # the runtime follows a call site whose messages have become larger within a few
OF_BEST, OF_PLAIN = 0.98, 0.95  # what the runtime's own choice promises

Launch = list[dict]  # what one launch measured, a size each


def read(arguments: list[str]) -> argparse.Namespace:
    top = Parser(prog="stretto bench surface", description=__doc__)
    top.add_argument("--mpi", default="openmpi")
    top.add_argument("--lab", metavar="RATE", default="1gbit", help="link rate of the lab (default: 1gbit); or none")
    top.add_argument("--ratio", type=positive, metavar="R", default=1.0, help="T_compute / T_message (default: 1)")
    top.add_argument("--sizes", type=sizes, metavar="B,B", default=SIZES, help="of messages (default: 8KiB to 1MiB)")
    top.add_argument("--deltas", type=sizes, metavar="B,B", help="default: 4KiB to 40KiB, a page each; 64KiB, 128KiB")
    top.add_argument("--turns", type=count, default=9, metavar="N", help="launches of each, in turns (default: 9)")
    top.add_argument("--reps", type=count, metavar="N", help="of each cell (default: 63; 207 up to 64 KiB)")
    top.add_argument(
        "--attempts", type=count, default=3, metavar="N", help="if a launch was disturbed, again (default: 3 in all)"
    )
    top.add_argument("--patience", type=float, default=20, metavar="S", help="how long to wait for quiet (default: 20)")
    top.add_argument(
        "--quiet", type=float, default=0.15, metavar="CORES", help="others may take so much (default: 0.15)"
    )
    top.add_argument("--json", action="store_true", help="print one JSON object")
    top.add_argument("--report", type=Path, metavar="FILE.html", help="write a page with the picture and its figures")
    top.add_argument("--picture", type=Path, metavar="FILE.svg", help="write the picture alone")
    asked = top.parse_args(arguments)
    check_mpi(asked.mpi)
    check_hosts(asked.mpi, asked.lab)
    asked.dilate = default_dilation(asked.lab)
    for message in asked.sizes:
        if message < 1024 or message % 8 or message > 2**30:
            raise Wrong(f"--sizes: {message}: want multiples of 8 from 1 KiB to 1 GiB")
    for delta in asked.deltas or []:
        if delta < 256 or delta % 32:
            raise Wrong(f"--deltas: {delta}: want multiples of 32, at least 256")
        if delta > asked.sizes[-1]:
            raise Wrong(f"--deltas: {delta}: more than the largest message, {asked.sizes[-1]} bytes")
    asked.deltas = [delta for delta in asked.deltas or DELTAS if delta <= asked.sizes[-1]]
    if not asked.deltas or asked.deltas[0] > asked.sizes[0]:
        raise Wrong(f"--deltas: none fits into a message of {asked.sizes[0]} bytes")
    for option in ("report", "picture"):
        check_folder(option, getattr(asked, option))
    return asked


@dataclass(frozen=True)
class Choice:
    """How Stretto is launched: who says what is ready, and the delta; None: the runtime's own."""

    trigger: str
    delta: int | None

    def fits(self, message: int) -> bool:
        return self.delta is None or self.delta <= message

    @property
    def environment(self) -> dict[str, str]:
        delta = {"STRETTO_DELTA": str(self.delta)} if self.delta else {}
        return {"STRETTO_TRIGGER": self.trigger, **delta}

    def __str__(self) -> str:
        return f"{self.trigger}, deltas: {name_of(self.delta)}"


def choices(deltas: list[int]) -> list[Choice]:
    fixed = [Choice(trigger, delta) for trigger in TRIGGERS.values() for delta in [None, *deltas]]
    return [*fixed, Choice(AUTO, None)]


@dataclass
class Launcher:
    """A launch measures all sizes, one after the other, of one choice: to start it takes longer than to measure."""

    asked: argparse.Namespace
    place: Place
    work: dict[int, list[object]] = field(default_factory=dict)  # by size: as it was calibrated
    others: list[float] = field(default_factory=list)  # cores, of each launch that counts

    def calibrate(self) -> None:
        every = self.run_all("pair", {}, ["--calibrate", self.asked.ratio], {size: [] for size in self.asked.sizes})
        for message, made in zip(self.asked.sizes, every, strict=True):
            reps = -(-(self.asked.reps or default_reps(KERNEL, message, self.asked.dilate)) // self.asked.turns)
            self.work[message] = ["--rounds", made["rounds"], "--compute", made["compute"], "--reps", reps]

    def plain(self) -> Launch:
        return self.calm(
            partial(self.run_all, "pair", {}, ["--run", "message,compute,plain", "--warmup", WARMUP], self.work)
        )

    def stretto(self, choice: Choice) -> Launch:
        fitting = {message: words for message, words in self.work.items() if choice.fits(message)}
        words = ["--run", "delta", "--warmup", WARMUP]
        return self.calm(partial(self.run_all, "pair.stretto", choice.environment, words, fitting))

    def run_all(self, program: str, environment: dict[str, str], common: list, by_size: dict[int, list]) -> Launch:
        words = ["--dilate", self.asked.dilate, *common]
        for k, (message, more) in enumerate(by_size.items()):
            words += [*(["--then"] if k else []), "--bytes", message, *more]
        return self.place.run_all(program, *words, environment=environment)

    def calm(self, launch: Callable[[], Launch]) -> Launch:
        """Again where others were in its way: the calmest counts."""
        tries = []
        while len(tries) < self.asked.attempts:
            watch = Watch()
            made = launch()
            tries.append((watch.cores(), made))
            if tries[-1][0] <= self.asked.quiet:
                break
        others, made = min(tries, key=lambda one: one[0])
        self.others.append(others)
        return made


def measure(asked: argparse.Namespace, tell: Tell) -> tuple[dict, str | None]:
    """The figures, and which results differ."""
    every = choices(asked.deltas)
    with ExitStack() as keep:
        name = None if asked.lab == HERE else keep.enter_context(lab(asked.lab, KERNEL.ranks))
        raised = asked.dilate > 1 and may_raise_priority()
        launcher = Launcher(asked, Place(asked.mpi, KERNEL.ranks, name, raised))
        wait_for_quiet(asked.patience, asked.quiet)
        tell("calibrating")
        launcher.calibrate()
        launches = [(str(choice), partial(launcher.stretto, choice)) for choice in every]
        launches.insert(len(launches) // 2, ("plain again", launcher.plain))  # all others are compared with it
        made = in_turns(asked.turns, {"plain": launcher.plain, **dict(launches)}, tell)
    result = derive(asked, made, launcher.others)
    wrong = [samples.disagreement() for samples in gather(made).values() if not samples.agree()]
    return result, wrong[0] if wrong else None


def gather(made: dict[str, list[Launch]], turns: slice = slice(None)) -> dict[int, Samples]:
    """By message size."""
    every: dict[int, Samples] = {}
    for name, launches in made.items():
        for launch in launches[turns]:
            for measured in launch:
                every.setdefault(measured["bytes"], Samples()).take(measured, delta=name)
    return every


def derive(asked: argparse.Namespace, made: dict[str, list[Launch]], others: list[float]) -> dict:
    every, samples = choices(asked.deltas), gather(made)
    cells = [
        {
            "message_bytes": message,
            "trigger": choice.trigger,
            "delta_bytes": choice.delta,
            "median_s": rounded(samples[message].median(str(choice))),
            "speedup": rounded(samples[message].median("plain") / samples[message].median(str(choice))),
        }
        for message in asked.sizes
        for choice in every
        if choice.fits(message)
    ]
    own = {trigger: of_fixed(trigger, asked, made) for trigger in WHO}
    worst = min(cells, key=lambda cell: cell["speedup"])
    least = min(cell["speedup"] for cell in cells if cell["delta_bytes"] is None)
    auto = min(cell["speedup"] for cell in cells if cell["trigger"] == AUTO)
    return {
        "kernel": KERNEL.name,
        "mpi": version(next(iter(samples.values())).library),
        "lab": asked.lab,
        "dilate": asked.dilate,
        "ratio": asked.ratio,
        "turns": asked.turns,
        "sizes": asked.sizes,
        "deltas": asked.deltas,
        "plain_s": [rounded(samples[message].median("plain")) for message in asked.sizes],
        "measured_ratio": [
            rounded(samples[message].median("compute") / samples[message].median("message"), 3)
            for message in asked.sizes
        ],
        "cells": cells,
        "own": own,
        "worst": worst,
        "holds": {
            "auto": own[AUTO]["geometric_mean"] >= OF_BEST and auto >= OF_PLAIN,
            "of_best": all(figures["geometric_mean"] >= OF_BEST for figures in own.values()),
            "own_of_plain": least >= OF_PLAIN,
            "of_plain": worst["speedup"] >= OF_PLAIN,
        },
        "verified": all(one.agree() for one in samples.values()),
        "others_cores": rounded(mean(others), 3),
        "disturbed_launches": sum(cores > asked.quiet for cores in others),
        "launches": len(others),
    }


def of_fixed(trigger: str, asked: argparse.Namespace, made: dict[str, list[Launch]]) -> dict:
    """The runtime's own choice against the best fixed one, for each size: the best of all turns, which luck chooses too, and
    the one that every other turn would choose, in the turns between."""
    own, fixed = Choice(trigger, None), [Choice(who, delta) for who in WHO[trigger] for delta in asked.deltas]

    def ratio(message: int, chosen: Samples, measured: Samples) -> float:
        best = min((str(choice) for choice in fixed if choice.fits(message)), key=chosen.median)
        return measured.median(best) / measured.median(str(own))

    whole, even, odd = (gather(made, slice(*turns)) for turns in ((None,), (0, None, 2), (1, None, 2)))
    best = [ratio(message, whole[message], whole[message]) for message in asked.sizes]
    halves = ((even, odd), (odd, even)) if odd else ()
    chosen = [geometric_mean([ratio(m, one[m], other[m]) for one, other in halves]) for m in asked.sizes if halves]
    return {
        "of_best": [rounded(value) for value in best],
        "of_chosen": [rounded(value) for value in chosen] or None,  # one turn: there is no other
        "geometric_mean": rounded(geometric_mean(best)),
        "geometric_mean_of_chosen": rounded(geometric_mean(chosen)) if chosen else None,
    }


def show(result: dict, console: Console) -> None:
    place = "this host" if result["lab"] == HERE else f"lab of {result['lab']}"
    dilated = f", dilated by {result['dilate']:g}" if result["dilate"] > 1 else ""
    console.print(
        f"[bold]surface[/]  {result['kernel']}, {result['mpi']}, {place}{dilated}, ratio {result['ratio']:g}; times faster than plain, deltas in KiB",
        soft_wrap=True,
    )
    cells = {(cell["message_bytes"], cell["trigger"], cell["delta_bytes"]): cell for cell in result["cells"]}
    for trigger in TRIGGERS.values():
        table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim")
        for column in (trigger, "own", *(f"{delta / 1024:g}" for delta in result["deltas"]), "of best"):
            table.add_column(column, justify="left" if column == trigger else "right", no_wrap=True)
        for k, message in enumerate(result["sizes"]):
            row = [cells.get((message, trigger, delta)) for delta in [None, *result["deltas"]]]
            best = max((cell["speedup"] for cell in row[1:] if cell), default=0)
            texts = [
                f"{'[bold green]' if not k or cell['speedup'] == best else ''}{cell['speedup']:.2f}" if cell else ""
                for k, cell in enumerate(row)
            ]
            table.add_row(name_of(message), *texts, f"{result['own'][trigger]['of_best'][k]:.2f}")
        console.print(table)
    own = [cells[message, AUTO, None]["speedup"] for message in result["sizes"]]
    console.print(f"auto, own: {', '.join(f'{value:.2f}' for value in own)}", soft_wrap=True)
    for trigger, figures in result["own"].items():
        chosen = figures["geometric_mean_of_chosen"]
        console.print(
            f"own choice, {trigger}: {figures['geometric_mean']:.3f} of the best fixed one"
            + (f" ({chosen:.3f} of what every other turn would choose)" if chosen else ""),
            soft_wrap=True,
        )
    worst, holds = result["worst"], result["holds"]
    console.print(
        f"worst cell: {worst['speedup']:.3f} of plain ({name_of(worst['message_bytes'])}, "
        f"{Choice(worst['trigger'], worst['delta_bytes'])})",
        soft_wrap=True,
    )
    for holding, promise in (
        (
            holds["auto"],
            f"own choice of trigger and delta at least {OF_BEST} of the best, and {OF_PLAIN} of plain everywhere",
        ),
        (holds["of_best"], f"own choice of delta under each trigger at least {OF_BEST} of the best"),
        (holds["own_of_plain"], f"own choice of delta under each trigger at least {OF_PLAIN} of plain everywhere"),
        (holds["of_plain"], f"every cell at least {OF_PLAIN} of plain"),
    ):
        console.print(
            f"{promise}: {'holds' if holding else 'does not hold'}",
            style="green" if holding else "yellow",
            soft_wrap=True,
        )
    if not result["verified"]:
        console.print("the results of the variants differ", style="bold red")
    console.print(
        f"others took {result['others_cores']:g} cores; {result['disturbed_launches']} of {result['launches']} launches disturbed",
        style="dim",
        soft_wrap=True,
    )


def main(arguments: list[str]) -> int:
    asked = read(arguments)
    with Progress("surface") as progress:
        result, disagreement = measure(asked, progress.tell)
    if asked.picture:
        write_picture(asked.picture, result)
    if asked.report:
        write_report(asked.report, result, shlex.join(["stretto", "bench", "surface", *arguments]))
    if asked.json:
        print(json.dumps(result))
    else:
        show(result, Console(highlight=False))
    if disagreement:
        print(f"stretto bench: {disagreement}", file=sys.stderr)
        return 1
    return 0
