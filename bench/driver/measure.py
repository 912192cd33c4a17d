"""One measurement: plain, hand and independent in processes without libstretto, Stretto in its own, launched in turns.

All launches do the same work: it is calibrated once, and every result must come to the same bits.
"""

import bz2
import os
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from statistics import median

from costs import Costs, measure_costs
from others import Watch, wait_for_quiet
from place import HERE, Place, lab, stretto_run
from plan import ANNOTATE, BALANCED, COMPILER, OF_PLAIN, UNDER_RUN, Plan
from progress import Tell
from wrong import Wrong

WARMUP = 2
TRIED_STEPS = 48  # of an unmodified program: in its first ones the runtime tries both ways of sending
SWEEP_REPS = 5
MANY, SWEEP_REPS_OF_MANY = 16, 3  # variants
LONG_WARMUP = LONG_SWEEP_REPS = 1  # where one repetition takes seconds: a file
LAUNCH = 180  # seconds: the limit of a launch, and for its repetitions so many times what theory says that they take
AS_LONG = 3
SWEPT = 2  # so many of the sweep's best chunks are measured further
DISTURBED_HAND = 0.7  # of what is possible
DISTURBED_RATIO = 0.15  # of what was asked for
ENOUGH_CHUNKS = 32  # with fewer, latency and not the wire decides how close to ideal one can come


@dataclass
class Samples:
    """Seconds of every repetition, by variant: message, compute, plain, hand:BYTES, independent, delta, which has another name where it was
    measured in several ways (annotated), unmodified (plain, under `stretto run`)."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    checksums: dict[str, set[str]] = field(default_factory=dict)
    wrong: int = 0
    changed: int = 0
    message_bytes: int = 0
    library: str = ""
    calls: dict[str, int] = field(default_factory=dict)

    def take(self, launch: dict, **names: str) -> None:
        """names: what a variant that it ran is called here."""
        self.library = launch["library"]
        self.message_bytes = launch["bytes"]
        self.wrong += launch["wrong"]
        for run in launch["runs"]:
            name = names.get(run["name"], run["name"])
            self.seconds.setdefault(name, []).extend(run["seconds"])
            self.changed += run["changed"]
            if name not in ("message", "compute"):
                self.checksums.setdefault(name, set()).add(run["checksum"])

    def median(self, name: str) -> float:
        return median(self.seconds[name])

    def best_hand(self, way: str = "hand") -> str:
        return min((name for name in self.seconds if name.startswith(f"{way}:")), key=self.median)

    def agree(self) -> bool:
        every = set().union(*self.checksums.values())
        return len(every) == 1 and not self.wrong and not self.changed

    def disagreement(self) -> str:
        found = ", ".join(f"{name} {' '.join(sorted(sums))}" for name, sums in sorted(self.checksums.items()))
        return f"results differ: {found}; {self.wrong} elements wrong, {self.changed} repetitions changed"


@dataclass
class Attempt:
    samples: Samples
    others: float  # cores that other processes took meanwhile
    disturbed_by: list[str]
    compute_seconds: float  # that the work was calibrated for
    swept: dict[str, float] = field(default_factory=dict)  # seconds of each way by hand in its sweep
    timelines: Path | None = None

    @property
    def disturbed(self) -> bool:
        return bool(self.disturbed_by)

    @property
    def unrest(self) -> tuple[int, float]:
        return len(self.disturbed_by), self.others


@dataclass
class Measurement:
    attempt: Attempt  # the one that counts
    attempts: int
    costs: Costs | None
    keep: ExitStack  # temporary folders, until the report has been written


class Measure:
    def __init__(self, plan: Plan, place: Place, folder: Path, tell: Tell) -> None:
        self.plan, self.place, self.folder, self.tell = plan, place, folder, tell
        self.common: list[object] = ["--dilate", plan.dilate]
        if plan.imbalance != BALANCED:
            self.common += ["--imbalance", plan.imbalance]
        if plan.kernel.needs_file:
            self.output = plan.output or folder / "compressed.bz2"
            self.common += ["--file", plan.file, "--output", self.output]
        else:
            self.common += ["--bytes", plan.size, *(("--file", plan.file) if plan.file else ())]
        self.work: list[object] = []
        self.expected = 0.0  # seconds of a repetition
        self.swept: dict[str, float] = {}  # medians of the last sweep, by variant
        self.warmup, self.sweep_reps = (
            (LONG_WARMUP, LONG_SWEEP_REPS) if plan.kernel.needs_file else (WARMUP, SWEEP_REPS)
        )

    def launch(
        self, trigger: str | None, variants: list[str], reps: int, *more: object, trace: Path | None = None
    ) -> dict:
        """With Stretto, triggered so; None: without it."""
        environment = self.plan.environment(trigger) if trigger else {}
        unmodified = self.plan.kernel.unmodified or trigger == UNDER_RUN
        if trace:
            environment["STRETTO_TRACE"] = str(trace)
        if trace and unmodified and self.plan.keep:
            environment["STRETTO_REPORT"] = str(self.plan.keep / "sites.html")
        under = stretto_run(self.plan.mpi) if trigger and unmodified else []
        # A collective of compiled code is on trial first, as one of an unmodified program is.
        is_tried = under or (trigger == COMPILER and self.plan.kernel.plain_under_run)
        learns = is_tried and not self.plan.kernel.needs_file
        warmup = max(self.warmup, ceil(TRIED_STEPS / self.plan.kernel.steps)) if learns else self.warmup
        words = [*self.common, *self.work, "--run", ",".join(variants), "--reps", reps, "--warmup", warmup, *more]
        limit = LAUNCH + AS_LONG * self.expected * len(variants) * (reps + warmup)
        return self.place.run(self.plan.program(trigger), *words, environment=environment, timeout=limit, under=under)

    def calibrate(self) -> float:
        plan = self.plan
        if plan.kernel.needs_file:
            return 0
        self.tell("calibrating")
        made = self.place.run(plan.program(None), *self.common, "--calibrate", plan.ratio)
        self.work = ["--rounds", made["rounds"], "--compute", made["compute"]]
        self.expected = plan.kernel.plain(plan.in_a_step(made["compute"]), made["compute"] / plan.ratio, plan.ranks)
        return made["compute"]

    def sweep(self) -> list[str]:
        """The variants of `hand` that are worth measuring further."""
        ways = ["hand"]
        if self.plan.strategies:
            ways += ["tiled", *(["puts"] if self.plan.kernel.puts else [])]
        return [name for way in ways for name in self.sweep_if_possible(way)]

    def sweep_if_possible(self, way: str) -> list[str]:
        """Some MPIs have no one-sided communication between hosts."""
        try:
            return self.sweep_of(way)
        except Wrong as wrong:
            if way != "puts" or "no one-sided communication" not in str(wrong):
                raise
            self.tell("puts: left out, as this MPI has no one-sided communication here")
            return []

    def sweep_of(self, way: str) -> list[str]:
        depths = [f":{depth}" if depth else "" for depth in self.plan.kernel.depths] or [""]
        every = [f"{way}:{chunk}{depth}" for chunk in self.plan.chunks for depth in depths]
        if len(every) <= SWEPT:
            return every
        self.tell(f"{way}: chunks of {', '.join(f'{chunk / 1024:g}' for chunk in self.plan.chunks)} KiB")
        samples = Samples()
        reps = self.sweep_reps if len(every) <= MANY else SWEEP_REPS_OF_MANY
        samples.take(self.launch(None, every, min(reps, self.plan.reps)))
        self.swept |= {name: samples.median(name) for name in every}
        return sorted(every, key=samples.median)[:SWEPT]

    def turns(self, hands: list[str]) -> Samples:
        samples = Samples()
        plan = self.plan
        by_mpi = ["message", "compute", *plan.kernel.by_mpi, *hands]
        for turn in range(plan.turns):
            reps = plan.reps * (turn + 1) // plan.turns - plan.reps * turn // plan.turns
            triggers = [None, *plan.triggers]
            for trigger in triggers if turn % 2 == 0 else reversed(triggers):
                self.tell(f"turn {turn + 1} of {plan.turns}: {f'Stretto, {trigger}' if trigger else 'plain and hand'}")
                if trigger == UNDER_RUN:
                    samples.take(self.launch(trigger, ["plain"], reps), plain="unmodified")
                    continue
                if trigger in OF_PLAIN:
                    launch = self.launch(trigger, ["plain"], reps)
                    samples.take(launch, plain="delta")
                    continue
                launch = self.launch(trigger, ["delta"] if trigger else by_mpi, reps)
                annotated = plan.beside_annotations and trigger == ANNOTATE
                samples.take(launch, delta="annotated" if annotated else "delta")
                if trigger:
                    samples.calls = launch["calls"]
        return samples

    def record(self, hand: str) -> Path:
        """A few repetitions more of each; the calmest one shows what every rank did when."""
        self.tell("timelines")
        folder = (self.plan.keep or self.folder) / "timelines"
        trace = folder / "trace"
        trace.mkdir(parents=True, exist_ok=True)
        words = ("--timeline", folder, "--takes", self.sweep_reps)
        self.launch(None, [*self.plan.kernel.by_mpi, hand], 1, *words)
        self.launch(self.plan.trigger, ["delta"], 1, *words, trace=trace)
        return folder

    def attempt(self) -> Attempt:
        plan = self.plan
        wait_for_quiet(plan.patience, plan.quiet_cores)
        watch = Watch()
        compute = self.calibrate()
        self.swept = {}
        samples = self.turns(self.sweep())
        others = watch.cores()
        return Attempt(samples, others, disturbed_by(plan, samples, others), compute, self.swept)


def disturbed_by(plan: Plan, samples: Samples, others: float) -> list[str]:
    """What was in the way, as far as it can be seen; latency's own chance rules where messages are short."""
    causes = []
    if others > plan.quiet_cores:
        causes.append(f"others took {others:.2f} cores")
    if samples.message_bytes < ENOUGH_CHUNKS * min(plan.chunks):
        return causes
    compute, message, best = samples.median("compute"), samples.median("message"), samples.best_hand()
    chunks = samples.message_bytes / int(best.split(":")[1])
    if plan.kernel.best_of_chunks(
        plan.in_a_step(compute), message, plan.ranks, chunks
    ) < DISTURBED_HAND * samples.median(best):
        causes.append("the pipeline by hand is far from what it could be")
    if not plan.kernel.needs_file and abs(compute / message / plan.ratio - 1) > DISTURBED_RATIO:
        causes.append(f"the cores changed their speed: the ratio asked for is {compute / message:.2f} by now")
    return causes


def measure(plan: Plan, tell: Tell) -> Measurement:
    """Measures until it was not disturbed, a few times at most; the calmest counts."""
    with ExitStack() as keep:
        folder = Path(keep.enter_context(tempfile.TemporaryDirectory(prefix="stretto-bench-")))
        name = None if plan.lab == HERE else keep.enter_context(lab(plan.lab, plan.ranks))
        raised = plan.dilate > 1 and may_raise_priority()
        work = Measure(plan, Place(plan.mpi, plan.ranks, name, raised), folder, tell)
        best = None
        for number in range(1, plan.attempts + 1):
            made = work.attempt()
            if best is None or made.unrest < best.unrest:
                best = made
            if not made.disturbed or not made.samples.agree():
                best = made
                break
            tell(f"attempt {number} of {plan.attempts} was disturbed: {'; '.join(made.disturbed_by)}")
        # Calls that a compiler has changed are not counted, and no timeline shows them; of what a tool has written some are noted.
        is_noted = plan.trigger not in OF_PLAIN
        costs = measure_costs(plan, raised, tell) if plan.dilate > 1 and is_noted else None
        if is_noted and (plan.report or plan.keep):
            best.timelines = work.record(best.samples.best_hand())
        if plan.kernel.needs_file:
            check_compressed(plan, work.output)
        return Measurement(best, number, costs, keep.pop_all())


def check_compressed(plan: Plan, output: Path) -> None:
    with bz2.open(output) as made, plan.file.open("rb") as source:
        while True:
            want = source.read(2**20)
            if made.read(len(want) or 1) != want:
                raise Wrong(f"{output} does not decompress to {plan.file}")
            if not want:
                return


def may_raise_priority() -> bool:
    return os.geteuid() == 0
