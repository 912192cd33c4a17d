"""stretto bench never-slower: whole jobs of many patterns of communication, unmodified, plain and under `stretto run`: none shall be slower."""

import argparse
import json
import os
import shlex
import sys
import time
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from measure import may_raise_priority
from never_slower_figures import DEFAULT, PLAIN, Job, derive, is_enough, summary
from never_slower_picture import write_picture
from never_slower_table import WIDTH, show, show_patterns
from others import Watch, wait_for_quiet
from place import HERE, Failed, Place, find_program, finish, lab, results_of, stretto_run
from plan import MPIS, Parser, check_folder, check_hosts, check_mpi, count, default_dilation, make_folder, positive
from progress import Progress, Tell
from rich.console import Console
from turns import in_turns
from wrong import Wrong

PROGRAM = "patterns"
LITTLE, MUCH = WORKS = ("little", "much")
TOP_RATE = "1gbit"
SLOW_RATE = "100mbit"  # where ranks are more than two: their cores are diluted as much
LIMIT = 120  # seconds of a job, which takes two
LEAST_SHARE = 4  # of a job's seconds its steps have at least one in so many
QUIET = 0.15  # cores that others may take
ONE_PART_OFF = (  # what --settings measures beside the default
    "STRETTO=off",
    "STRETTO=chunk",
    "STRETTO=receive",
    "STRETTO=send",
    "STRETTO_COLLECTIVES=off",
    "STRETTO_HELPER=off",
)
# What makes MPICH's ranks leave their core to others while they wait, as Open MPI's do by mpi_yield_when_idle (place.py).
YIELDING = {"MPIR_CVAR_POLLS_BEFORE_YIELD": "1"} | {
    f"MPIR_CVAR_{name}_POSIX_INTRA_ALGORITHM": "mpir" for name in ("BARRIER", "BCAST", "REDUCE", "ALLREDUCE")
}


@dataclass(frozen=True)
class Case:
    pattern: str
    work: str

    def __str__(self) -> str:
        return f"{self.pattern}, {self.work}"


def read(arguments: list[str]) -> argparse.Namespace:
    """Raises Wrong for what cannot be, before anything is started."""
    top = Parser(prog="stretto bench never-slower", description=__doc__)
    top.add_argument("--mpi", default="openmpi", help=f"one of {', '.join(MPIS)} (default: openmpi)")
    top.add_argument("-n", dest="ranks", type=count, default=4, metavar="RANKS", help="(default: 4)")
    top.add_argument(
        "--lab",
        metavar="RATE",
        help="link rate of the lab, as 1gbit; none: this host (default: 1gbit; 100mbit for more than two ranks)",
    )
    top.add_argument(
        "--dilate", type=positive, metavar="D", help="a core so many times slower (default: 1 Gbit/s over RATE)"
    )
    top.add_argument("--pattern", nargs="+", default=[], metavar="NAME", help="only these (default: all)")
    top.add_argument("--work", choices=(*WORKS, "both"), default="both", help="for each byte (default: both)")
    top.add_argument("--list", action="store_true", help="print the patterns, and what each is")
    top.add_argument(
        "--seconds", type=positive, default=1.75, metavar="S", help="a plain job shall take (default: 1.75)"
    )
    top.add_argument(
        "--turns", type=count, default=15, metavar="N", help="at most so many jobs of each, in turns (default: 15)"
    )
    top.add_argument(
        "--settings",
        nargs="*",
        metavar="NAME=VALUE",
        help=f"also with each of these settings, in the same turns; 'A=1 B=2' is one (without any: {', '.join(ONE_PART_OFF)})",
    )
    top.add_argument("--patience", type=float, default=20, metavar="S", help="how long to wait for quiet (default: 20)")
    top.add_argument("--json", action="store_true")
    top.add_argument("--picture", type=Path, metavar="FILE.svg", help="draw each pattern's ratio and interval")
    top.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the figures, those of each job too")
    asked = top.parse_args(arguments)
    check_mpi(asked.mpi)
    asked.lab = asked.lab or default_lab(asked.mpi, asked.ranks)
    check_hosts(asked.mpi, asked.lab)
    asked.dilate = asked.dilate or default_dilation(asked.lab)
    if asked.dilate < 1:
        raise Wrong(f"--dilate {asked.dilate:g}: want at least 1")
    if asked.ranks < 2:
        raise Wrong("-n: want at least 2 ranks")
    asked.settings = settings(asked.settings)
    check_folder("picture", asked.picture)
    asked.known = known_patterns(asked.mpi)
    asked.cases = cases(asked.known, asked.pattern, asked.work)
    make_folder("keep", asked.keep)
    return asked


def default_lab(mpi: str, ranks: int) -> str:
    if mpi == "mpich4":  # check_hosts says why
        return HERE
    return TOP_RATE if ranks <= 2 else SLOW_RATE


def settings(words: list[str] | None) -> dict[str, dict[str, str]]:
    """By the name of the variant, its environment."""
    if words is None:
        return {}
    found = {}
    for word in words or ONE_PART_OFF:
        ones = word.split()
        if not ones or any(not one.startswith("STRETTO") or "=" not in one for one in ones):
            raise Wrong(f"--settings {word}: want a setting as STRETTO_HELPER=off, or several (docs/settings.md)")
        found[word] = dict(one.split("=", 1) for one in ones)
    return found


def known_patterns(mpi: str) -> list[dict]:
    """As the program itself lists them: name, works, about."""
    return results_of(PROGRAM, finish([str(find_program(PROGRAM, mpi)), "--list"], LIMIT))


def cases(known: list[dict], wanted: list[str], work: str) -> list[Case]:
    names = [pattern["name"] for pattern in known]
    for name in wanted:
        if name not in names:
            raise Wrong(f"--pattern: {name} is unknown (it may be: {', '.join(names)})")
    made = [
        Case(pattern["name"], one)
        for pattern in known
        for one in pattern["works"]
        if (not wanted or pattern["name"] in wanted) and work in (one, "both")
    ]
    if not made:
        raise Wrong(f"--work {work}: {' and '.join(wanted)} {'has' if len(wanted) == 1 else 'have'} none such")
    return made


class Jobs:
    """Launches the jobs of one case: all do the same work, which is calibrated once, plain."""

    def __init__(self, asked: argparse.Namespace, place: Place, case: Case) -> None:
        self.asked, self.place, self.case = asked, place, case
        self.environment = {} if place.lab or place.spins else YIELDING
        self.work: list[object] = []

    def launch(self, under: list[str], environment: dict[str, str], words: list[object]) -> tuple[float, dict]:
        """Its seconds, from before the launcher until all is over, and what it printed."""
        words = [self.case.pattern, "--dilate", self.asked.dilate, *words]
        began = time.monotonic()
        printed = self.place.run(
            PROGRAM, *words, environment=self.environment | environment, timeout=LIMIT, under=under
        )
        return time.monotonic() - began, printed

    def calibrate(self) -> None:
        """So many steps that a plain job takes --seconds: a few of them foretell it, a whole job then tells."""
        seconds = self.asked.seconds
        _, made = self.launch([], {}, ["--work", self.case.work, "--seconds", seconds])
        self.work = ["--rounds", made["rounds"], "--round-seconds", made["round_seconds"], "--steps", made["steps"]]
        if not made["fixed"]:
            took, job = self.launch([], {}, self.work)
            self.work[-1] = scaled(made["steps"], job["loop_s"], took - job["loop_s"], seconds)

    def run(self, under: list[str], environment: dict[str, str]) -> Job:
        seconds, printed = self.launch(under, environment, self.work)
        return Job(seconds, *(printed[name] for name in ("loop_s", "cpu_s", "peak_kib", "checksum")))


def scaled(steps: int, loop: float, start_up: float, seconds: float) -> int:
    """Where a job hardly starts in these seconds, its steps still have a share of them."""
    return max(round(steps * max(seconds - start_up, seconds / LEAST_SHARE) / loop), 1)


def measure_case(asked: argparse.Namespace, place: Place, case: Case, tell: Tell) -> dict[str, list[Job]]:
    tell(f"{case}: calibrating")
    jobs = Jobs(asked, place, case)
    jobs.calibrate()
    under = stretto_run(asked.mpi)
    variants = {PLAIN: partial(jobs.run, [], {}), DEFAULT: partial(jobs.run, under, {})}
    variants |= {name: partial(jobs.run, under, setting) for name, setting in asked.settings.items()}
    return in_turns(asked.turns, variants, lambda what: tell(f"{case}: {what}"), is_enough)


def measure(asked: argparse.Namespace, tell: Tell) -> tuple[dict, dict[Case, dict[str, list[Job]]]]:
    """The result, and of each case all jobs. A job that fails ends its case, not the others."""
    wait_for_quiet(asked.patience, QUIET)
    watch = Watch()
    rows, failed, made = [], [], {}
    with ExitStack() as keep:
        name = None if asked.lab == HERE else keep.enter_context(lab(asked.lab, asked.ranks))
        place = Place(asked.mpi, asked.ranks, name, asked.dilate > 1 and may_raise_priority(), spins=not crowded(asked))
        for case in asked.cases:
            meanwhile = Watch()
            try:
                made[case] = measure_case(asked, place, case, tell)
            except Failed as why:
                failed.append({**asdict(case), "why": str(why)})
                continue
            rows.append(asdict(case) | derive(made[case]) | {"others_cores": round(meanwhile.cores(), 3)})
    result = {
        "mpi": asked.mpi,
        "ranks": asked.ranks,
        "lab": asked.lab,
        "dilate": asked.dilate,
        "yields": asked.lab == HERE and crowded(asked),
        "rows": rows,
        "failed": failed,
        **summary(rows, failed),
        "others_cores": round(watch.cores(), 3),
    }
    return result, made


def crowded(asked: argparse.Namespace) -> bool:
    return asked.ranks > len(os.sched_getaffinity(0))


def write_kept(folder: Path, command: str, result: dict, made: dict[Case, dict[str, list[Job]]]) -> None:
    jobs = {
        str(case): {name: [asdict(job) for job in every] for name, every in by.items()} for case, by in made.items()
    }
    kept = {"command": command, "figures": result, "jobs": jobs}
    (folder / "never-slower.json").write_text(json.dumps(kept, indent=1))


def complaints(result: dict) -> list[str]:
    differ = [f"{row['pattern']}, {row['work']}: results differ" for row in result["rows"] if not row["equal"]]
    return differ + [f"{one['pattern']}, {one['work']}: {one['why']}" for one in result["failed"]]


def main(arguments: list[str]) -> int:
    asked = read(arguments)
    console = Console(highlight=False, width=WIDTH)
    if asked.list:
        show_patterns(asked.known, console)
        return 0
    with Progress("never-slower") as progress:
        result, made = measure(asked, progress.tell)
    if asked.keep:
        write_kept(asked.keep, shlex.join(["stretto", "bench", "never-slower", *arguments]), result, made)
    if asked.picture and result["rows"]:
        write_picture(asked.picture, result)
    if asked.json:
        print(json.dumps(result))
    else:
        show(result, console)
    for complaint in complaints(result):
        print(f"stretto bench: {complaint}", file=sys.stderr)
    return 0 if result["verified"] else 1
