"""What the user asked for."""

import argparse
import bz2
import os
import re
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from kernels import KERNELS, Kernel
from place import HERE, LAB, WHEEL_ABIS, find_program, known_mpis
from wrong import Wrong

sys.path.append(str(LAB))
from rate import BadRate, Rate

AUTO = "auto"  # --lab: the rate where all streams of compress need as long as the work
SAMPLE = 2**21  # bytes of the file that tell how fast it is compressed
ANNOTATE, PAGES, COMPILER, TOOL = "annotate", "pages", "compiler", "tool"
STRATEGIES = "strategies"  # --strategies: by the compiler, beside all other ways of the same exchange
UNDER_RUN = "stretto run"  # plain's program, unmodified
TRIGGERS = {
    ANNOTATE: "annotations",
    PAGES: "pages",
}  # as STRETTO_TRIGGER has them; of COMPILER each call says it by itself, TOOL writes annotations
OF_PLAIN = {COMPILER: ".compiled", TOOL: ".tool"}  # plain's source: what is behind its program's name
MPIS = ("openmpi", "openmpi5", "mpich", "mpich4", "abi")
OTHERS = {  # what is measured besides the kernels
    "overhead": "what each call of Stretto costs, in ns",
    "bandwidth": "bandwidth, latency and message rate of an unchanged program, with and without",
    "nbc": "what is hidden of non-blocking collectives, by the MPI library and with Stretto",
    "delta-collectives": "computation and a collective as one pipeline, against one after the other",
    "costs": "the tables of the papers: a page computed, sent, faulted; protection against transfer",
    "surface": "pair by message size and delta, each trigger; the runtime's own choice against the best",
    "tune": "how large the pieces of a kernel's messages should be: all sizes, foretold, the runtime's own (`stretto tune`)",
    "transport": "pair, cascade or ring within a node by deltas of several sizes, one-sided and two-sided",
    "never-slower": "whole jobs of many patterns of communication, plain and under `stretto run`",
    "mdmp-pingpong": "MDMP's ping-pong by directives, by MPI, and by MPI tuned by hand",
    "mdmp-selectivepingpong": "the same, a part of the elements sent",
    "mdmp-delaypingpong": "the same, with additions for each element",
    "mdmp-selectivedelaypingpong": "the same with both",
    "mdmp-stream": "STREAM in a region of MDMP's, outside of one, and by MPI alone",
    "jacobi": "MDMP's Jacobi iteration, likewise",
    "partitioned": "a message in partitions: by the library, by Stretto, by persistent messages, annotated",
}
CHUNKS = tuple(1024 * k for k in (2, 4, 8, 16, 32, 64))  # the sweep of `hand`
FEW_REPS = 21
SHORT = 2**16  # bytes of a message that is over before a core's other work has averaged out
BALANCED = "none"
IMBALANCES = {  # how much longer the busiest rank's work is in a step, and on p ranks over all steps
    BALANCED: (0, lambda ranks: 0),
    "static": (0.2, lambda ranks: 0.2),
    "rotating": (0.2, lambda ranks: 0.2 / ranks),
}
UNITS = {"": 1, "b": 1, "kib": 2**10, "mib": 2**20, "gib": 2**30, "k": 2**10, "m": 2**20, "g": 2**30}


@dataclass
class Plan:
    kernel: Kernel
    mpi: str
    lab: str  # a rate as the lab writes it, or "none"
    ranks: int
    size: int
    delta: int | None  # None: the runtime's own
    ratio: float
    trigger: str
    strategies: bool  # of Danalis et al. 2005
    release: str | None  # STRETTO_RELEASE of an unmodified program
    imbalance: str
    mechanisms: dict[str, str]  # STRETTO_TRACKER, STRETTO_GUARD, where forced
    reps: int
    dilate: float
    turns: int
    attempts: int
    patience: float
    quiet_cores: float
    json: bool
    report: Path | None
    keep: Path | None
    file: Path | None
    output: Path | None

    @property
    def by_pages(self) -> bool:
        return self.trigger == PAGES

    @property
    def beside_annotations(self) -> bool:
        """Measured in another way, and annotated in the same turns."""
        return self.trigger != ANNOTATE

    @property
    def triggers(self) -> list[str]:
        """Those that are measured beside each other."""
        others = [self.trigger] if self.beside_annotations else []
        return [ANNOTATE, *others, *([UNDER_RUN] if self.kernel.plain_under_run else [])]

    def program(self, trigger: str | None) -> str:
        """The one that is measured with Stretto, triggered so; None: without it. Where a compiler is measured, it compiled all of them."""
        name = f"compiler/{self.kernel.name}" if self.trigger == COMPILER else self.kernel.name
        if trigger is None or trigger == UNDER_RUN or self.kernel.unmodified:
            return name
        return name + OF_PLAIN.get(trigger, ".stretto")

    def environment(self, trigger: str) -> dict[str, str]:
        """How Stretto is launched."""
        if trigger == UNDER_RUN:
            return {}
        delta = {"STRETTO_DELTA": str(self.delta)} if self.delta else {}
        if self.kernel.unmodified:
            release = {"STRETTO_RELEASE": self.release} if self.release else {}
            return {"STRETTO": "all", **release, **delta}
        if trigger == COMPILER:
            return delta
        return {
            "STRETTO_TRIGGER": TRIGGERS[ANNOTATE if trigger == TOOL else trigger],
            **delta,
            **(self.mechanisms if trigger == PAGES else {}),
        }

    def in_a_step(self, compute: float) -> float:
        """T_compute of the rank that the others wait for."""
        return compute * (1 + IMBALANCES[self.imbalance][0])

    def over_all_steps(self, compute: float) -> float:
        """The mean T_compute of the busiest rank, which is what remains where nobody waits."""
        return compute * (1 + IMBALANCES[self.imbalance][1](self.ranks))

    @property
    def chunks(self) -> list[int]:
        if self.kernel.tiles:
            return [tile * self.kernel.unit for tile in self.kernel.tiles if tile * self.kernel.unit <= self.size]
        return [chunk for chunk in CHUNKS if self.kernel.smallest_chunk <= chunk <= self.size] or [self.size]


def size(text: str) -> int:
    """`409600`, `400KiB`, `1MiB`."""
    match = re.fullmatch(r"(\d+)\s*([a-z]*)", text.strip().lower())
    if not match or match[2] not in UNITS:
        raise argparse.ArgumentTypeError(f"'{text}': want a number of bytes, such as 409600, 400KiB or 1MiB")
    return int(match[1]) * UNITS[match[2]]


def sizes(text: str) -> list[int]:
    return sorted({size(word) for word in text.split(",")})


def positive(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError(f"'{text}': want a number greater than 0")
    return value


def numbers(text: str) -> list[int]:
    try:
        return [int(word) for word in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text}: want whole numbers, as 1,32") from None


def count(text: str) -> int:
    if not text.isdigit() or not 0 < int(text) <= 1000:
        raise argparse.ArgumentTypeError(f"'{text}': want a whole number from 1 to 1000")
    return int(text)


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> None:
        print(f"stretto bench: {message}\ntry `stretto bench --help`", file=sys.stderr)
        sys.exit(2)


def parser() -> argparse.ArgumentParser:
    lines = {kernel.name: kernel.about for kernel in KERNELS.values()} | OTHERS
    about = "\n".join(f"  {name:{max(map(len, lines))}}  {line}" for name, line in lines.items())
    top = Parser(
        prog="stretto bench",
        description="Measures a kernel plain, with Stretto and pipelined by hand, side by side.",
        epilog=f"kernels:\n{about}\n\nThe exit status is 0 if all ran and all results were the same.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("kernel", metavar="KERNEL")
    top.add_argument("--mpi", default="openmpi", help=f"one of {', '.join(MPIS)} (default: openmpi)")
    top.add_argument(
        "--lab",
        metavar="RATE",
        help="link rate of the lab, as 1gbit; none: no lab; auto: for compress (default: 1gbit; 100mbit for 4 ranks, 50mbit for fft3d, magnet, visco)",
    )
    top.add_argument("-n", dest="ranks", type=count, metavar="RANKS", help="default: 2 for pair, else 4")
    top.add_argument(
        "--size",
        type=size,
        metavar="BYTES",
        help="of one message (default: 400KiB; cg: 256KiB; lu: 10200, as in NAS class E; 1640: as in class C; the applications: as in their paper)",
    )
    top.add_argument("--delta", type=size, metavar="BYTES", help="delta size (default: the runtime's own choice)")
    top.add_argument("--ratio", type=positive, metavar="R", default=1.0, help="T_compute / T_message (default: 1)")
    top.add_argument(
        "--trigger",
        default=ANNOTATE,
        metavar="WHO",
        help="says what is ready and needed: annotate, or, beside it, pages; compiler: plain, compiled by stretto-cc; tool: plain, changed by "
        "`stretto annotate` (default: annotate)",
    )
    top.add_argument(
        "--strategies",
        action="store_true",
        help="fft3d, magnet, visco: the ways of Danalis et al. 2005, by --trigger compiler",
    )
    top.add_argument(
        "--release",
        metavar="WHEN",
        choices=("matched", "unmatched"),
        help="unmodified programs: when their receives may return (default: matched)",
    )
    top.add_argument(
        "--imbalance",
        choices=IMBALANCES,
        default=BALANCED,
        help="unmodified programs: one rank's work takes 20 %% longer, the same one's or in each step another's (default: none)",
    )
    top.add_argument(
        "--tracker", metavar="M", choices=("userfault", "mprotect", "none"), help="pages: how writes are noticed"
    )
    top.add_argument(
        "--guard", metavar="M", choices=("userfault", "mprotect", "block"), help="pages: how touches are noticed"
    )
    top.add_argument(
        "--reps",
        type=count,
        metavar="N",
        help="repetitions of each variant (default: 21; 63 with cores at their true speed, 207 with messages up to 64 KiB)",
    )
    top.add_argument(
        "--dilate", type=positive, metavar="D", help="a core so many times slower (default: 1 Gbit/s over RATE)"
    )
    top.add_argument(
        "--turns",
        type=count,
        metavar="N",
        help="launches of each program, in turns (default: 3; 9 where --reps has more)",
    )
    top.add_argument(
        "--attempts", type=count, default=3, metavar="N", help="if disturbed, measure again (default: 3 in all)"
    )
    top.add_argument("--patience", type=float, default=20, metavar="S", help="how long to wait for quiet (default: 20)")
    top.add_argument(
        "--quiet", type=float, default=0.15, metavar="CORES", help="others may take so much (default: 0.15)"
    )
    top.add_argument("--file", type=Path, help="compress: what to compress; fft3d: a volume, a byte for each point")
    top.add_argument("--output", type=Path, help="compress: keep the compressed file")
    top.add_argument(
        "--via", choices=("send", "gather"), help="compress: how the streams come to rank 0 (default: send)"
    )
    top.add_argument(
        "--simulate",
        action="store_true",
        help="pair, cascade, ring, reduce: thousands of ranks in one process, in virtual time (KERNEL --simulate --help)",
    )
    top.add_argument("--json", action="store_true", help="print one JSON object")
    top.add_argument("--report", type=Path, metavar="FILE.html", help="write timelines, bars and figures")
    top.add_argument("--keep", type=Path, metavar="FOLDER", help="keep figures and timelines, for `stretto report`")
    return top


def read(arguments: list[str]) -> Plan:
    """Raises Wrong for what cannot be, before anything is started."""
    asked = parser().parse_args(arguments)
    if asked.kernel not in KERNELS:
        raise Wrong(f"no kernel is called '{asked.kernel}': one of {', '.join([*KERNELS, *OTHERS])}")
    if asked.via and asked.kernel != "compress":
        raise Wrong(f"--via {asked.via}: for compress, not for {asked.kernel}")
    if asked.via == "gather":
        asked.kernel = "compress-gather"
    kernel = KERNELS[asked.kernel]
    asked.size = kernel.size if asked.size is None else asked.size
    check_mpi(asked.mpi)
    if kernel.in_fortran and not known_mpis().get(asked.mpi, {}).get("mpifort"):
        raise Wrong(f"--mpi {asked.mpi}: no Fortran compiler came with it; try openmpi")
    if kernel.in_python:
        check_python(asked)
    if asked.strategies:
        if not kernel.tiled:
            raise Wrong(f"--strategies: for fft3d, magnet and visco, which have all of them; not for {kernel.name}")
        asked.trigger = COMPILER if asked.trigger == ANNOTATE else asked.trigger
        if asked.trigger != COMPILER:
            raise Wrong(f"--strategies: one of them is the compiler; not with --trigger {asked.trigger}")
    if asked.trigger not in (*TRIGGERS, *OF_PLAIN):
        raise Wrong(f"--trigger {asked.trigger}: one of {', '.join((*TRIGGERS, *OF_PLAIN))}")
    if kernel.unmodified and asked.trigger == PAGES:
        raise Wrong(f"--trigger pages: {kernel.name} sends no delta messages; it runs unmodified, under `stretto run`")
    if asked.release and not kernel.unmodified:
        raise Wrong(
            f"--release {asked.release}: {kernel.name} has Stretto's annotations; it is for unmodified programs"
        )
    if asked.imbalance != BALANCED and not kernel.unmodified:
        raise Wrong(f"--imbalance {asked.imbalance}: only unmodified programs have steps; not {kernel.name}")
    if asked.trigger in OF_PLAIN:
        check_compiled(kernel, asked.mpi, asked.trigger)
    mechanisms = {"STRETTO_TRACKER": asked.tracker, "STRETTO_GUARD": asked.guard}
    if asked.trigger != PAGES and any(mechanisms.values()):
        raise Wrong("--tracker and --guard are for --trigger pages")
    ranks = asked.ranks or kernel.ranks
    if ranks < 2 or (kernel.fixed_ranks and ranks != kernel.ranks):
        raise Wrong(f"-n {ranks}: {kernel.name} needs {kernel.ranks if kernel.fixed_ranks else 'at least 2'} ranks")
    lab = asked.lab or default_lab(kernel, asked.mpi, ranks)
    if kernel.needs_file:
        check_file(asked.file, ranks)
    elif asked.output or (asked.file and not kernel.takes_file):
        raise Wrong(f"--file and --output are for compress, --file also for fft3d; not for {kernel.name}")
    elif asked.file:
        check_file(asked.file, 1)
    if lab == AUTO:
        if not kernel.needs_file:
            raise Wrong(f"--lab {AUTO}: only for compress, whose work is given; name a rate")
        # Real work cannot be made less: it is stretched until the ranks take half of the cores.
        asked.dilate = asked.dilate or max(2 * ranks / len(os.sched_getaffinity(0)), 1)
        lab = balanced_rate(asked.file, ranks, asked.dilate)
    dilate = asked.dilate or default_dilation(lab)
    if dilate < 1:
        raise Wrong(f"--dilate {dilate:g}: want at least 1")
    check_hosts(asked.mpi, lab)
    if asked.size < 1024 or asked.size % 8 or asked.size > 2**30:
        raise Wrong(f"--size {asked.size}: want a multiple of 8 from 1 KiB to 1 GiB")
    if asked.size % kernel.unit:
        raise Wrong(f"--size {asked.size}: a message of {kernel.name} is a multiple of {kernel.unit} bytes")
    if asked.delta is not None and not 64 <= asked.delta <= 2**30:
        raise Wrong(f"--delta {asked.delta}: want 64 bytes to 1 GiB")
    check_folder("report", asked.report)
    make_folder("keep", asked.keep)
    reps = asked.reps or default_reps(kernel, asked.size, dilate)
    return Plan(
        kernel=kernel,
        mpi=asked.mpi,
        lab=lab,
        ranks=ranks,
        size=asked.size,
        delta=asked.delta,
        ratio=asked.ratio,
        trigger=asked.trigger,
        strategies=asked.strategies,
        release=asked.release,
        imbalance=asked.imbalance,
        mechanisms={name: mechanism for name, mechanism in mechanisms.items() if mechanism},
        reps=reps,
        dilate=dilate,
        turns=min(asked.turns or (3 if reps <= FEW_REPS else 9), reps),
        attempts=asked.attempts,
        patience=asked.patience,
        quiet_cores=asked.quiet,
        json=asked.json,
        report=asked.report,
        keep=asked.keep and asked.keep.absolute(),
        file=asked.file and asked.file.absolute(),
        output=asked.output and asked.output.absolute(),
    )


def default_reps(kernel: Kernel, message_bytes: int, dilate: float) -> int:
    """The shorter a repetition, the more of it is chance: of the launch, of the cores."""
    if kernel.needs_file:
        return FEW_REPS
    if kernel.steps * message_bytes <= SHORT and not kernel.unmodified:  # an application sends many
        return 207
    return FEW_REPS if dilate > 1 else 63


def read_ways(
    top: argparse.ArgumentParser, arguments: list[str], defaults: argparse.Namespace | None = None
) -> argparse.Namespace:
    """What benchmarks have in common whose ways are launched in turns: adds these options, reads all, and checks where they run."""
    top.add_argument("--turns", type=count, default=7, metavar="N", help="launches of each, in turns (default: 7)")
    top.add_argument("--picture", type=Path, metavar="FILE", help="the same as curves (SVG)")
    top.add_argument("--json", action="store_true")
    asked = top.parse_args(arguments, defaults)
    check_mpi(asked.mpi)
    check_hosts(asked.mpi, asked.lab)
    default_dilation(asked.lab)  # refuses what is no rate
    check_folder("picture", asked.picture)
    return asked


def check_mpi(name: str) -> None:
    if name not in MPIS:
        raise Wrong(f"no MPI is called '{name}': one of {', '.join(MPIS)}")


def check_compiled(kernel: Kernel, mpi: str, trigger: str) -> None:
    if not kernel.compiled:
        names = ", ".join(one.name for one in KERNELS.values() if one.compiled)
        raise Wrong(f"--trigger {trigger}: no compiled variant of {kernel.name}; there are {names}")
    if trigger == TOOL and not kernel.by_tool:
        raise Wrong(f"--trigger tool: `stretto annotate` leaves collectives as they are, and with them {kernel.name}")
    try:
        find_program(f"{'compiler/' if trigger == COMPILER else ''}{kernel.name}{OF_PLAIN[trigger]}", mpi)
    except Wrong:
        wrapper, compiler = ("stretto-fc", "flang") if kernel.in_fortran else ("stretto-cc", "clang")
        does = f"{wrapper} has not compiled" if trigger == COMPILER else "`stretto annotate` has not changed"
        raise Wrong(
            f"--trigger {trigger}: {does} {kernel.name} for {mpi}, which needs {compiler} and the plugin: "
            f"run `make compilers`, then `make compiled-kernels MPI={mpi}`"
        ) from None


def check_python(asked: argparse.Namespace) -> None:
    if asked.mpi not in WHEEL_ABIS:
        raise Wrong(f"--mpi {asked.mpi}: mpi4py's wheel does not load it; one of {', '.join(WHEEL_ABIS)}")
    if asked.report or asked.keep:
        raise Wrong(f"--report and --keep: {asked.kernel} has no timelines")


def check_file(path: Path | None, ranks: int) -> None:
    if path is None:
        raise Wrong("compress needs a file: --file FILE")
    if not path.is_file():
        raise Wrong(f"--file {path}: {'not a file' if path.exists() else 'no such file'}")
    if path.stat().st_size < ranks:
        raise Wrong(f"--file {path}: {'is empty' if path.stat().st_size == 0 else 'too short for so many ranks'}")


def check_folder(option: str, path: Path | None) -> None:
    if path and not path.absolute().parent.is_dir():
        raise Wrong(f"--{option} {path}: no such folder")


def make_folder(option: str, path: Path | None) -> None:
    """Where it is missing, in a folder that is there."""
    check_folder(option, path)
    if path:
        try:
            path.mkdir(exist_ok=True)
        except OSError as error:
            raise Wrong(f"--{option} {path}: {error.strerror}") from None


def check_hosts(mpi: str, lab: str) -> None:
    if lab != HERE and mpi == "mpich4":
        raise Wrong("--mpi mpich4: Debian's MPICH 4.0 hangs across hosts now and then; use --lab none")


def default_lab(kernel: Kernel, mpi: str, ranks: int) -> str:
    if mpi == "mpich4":
        return HERE
    if kernel.needs_file:
        return AUTO
    return "1gbit" if ranks <= 2 else kernel.lab


def balanced_rate(path: Path, ranks: int, dilate: float) -> str:
    """The link rate at which p - 1 streams reach rank 0 in the time that each rank computes. Two digits are enough."""
    with path.open("rb") as file:
        file.seek(max(path.stat().st_size - SAMPLE, 0) // 2)
        sample = file.read(SAMPLE)
    began = time.process_time()
    shrunk = len(bz2.compress(sample, 1)) / len(sample)  # level 1, as the kernel
    per_byte = max(time.process_time() - began, 1e-4) / len(sample) * dilate
    bits = 8 * shrunk * (ranks - 1) / per_byte
    return f"{float(f'{bits / 1e6:.2g}'):g}mbit"


def default_dilation(lab: str) -> float:
    """A machine as much slower as the link is slower than 1 Gbit/s keeps the ratio of work and wire."""
    if lab == HERE:
        return 1
    try:
        bits = Rate.parse(lab).bits
    except BadRate as wrong:
        raise Wrong(f"--lab {wrong}, or none") from None
    return max(1e9 / bits, 1) if bits else 1
