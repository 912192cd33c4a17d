"""stretto try: does Stretto help a job, and with which setting? Runs it plain and with several, in turns, and compares."""

import argparse
import contextlib
import json
import os
import shlex
import shutil
import signal
import sys
import tempfile
from pathlib import Path

from candidates import BadSetting, Setting, chosen, listed
from command_line import CommandLine, read
from execution import SIGNALS
from launchers import Unclear
from output_files import BadFile, OutputFiles
from progress_line import Progress
from result_table import text
from trial import PLAIN, Limits, PlainFailed, Trial
from verdict import Verdict, as_json, judge

EXAMPLES = """examples:
  stretto try -- mpirun -n 4 ./app input
  stretto try --output result.dat --minutes 20 -- mpirun -n 4 ./app input
  stretto try --setting default --setting 'STRETTO=chunk STRETTO_TRIALS=off' -- srun -n 4 ./app
  stretto try -- ./my_launcher 4 stretto run ./app
"""
LAST_LINES = 10  # of what a failing job wrote


class Wrong(Exception):
    """The command line is wrong."""


class Unforeseen(Exception):
    """A full disk, say."""


class Interrupted(Exception):
    def __init__(self, number: int) -> None:
        self.number = number


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> None:
        print(f"{self.prog}: {message}\ntry `{self.prog} --help`", file=sys.stderr)
        sys.exit(2)


def positive(kind):
    def convert(word: str):
        value = kind(word)
        if not value > 0:
            raise argparse.ArgumentTypeError(f"{word}: must be more than 0")
        return value

    convert.__name__ = kind.__name__  # in argparse's messages
    return convert


def parser() -> argparse.ArgumentParser:
    top = Parser(
        prog="stretto try",
        usage="stretto try [option …] [--] mpirun -n 4 ./app …",
        description="Does Stretto help a job, and with which setting? Runs it plain and with several, in turns, and compares.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--turns", type=positive(int), metavar="N", help="at most so many turns, whatever they take")
    top.add_argument(
        "--minutes", type=positive(float), metavar="M", help="at most so long, but three turns (default: 5)"
    )
    top.add_argument(
        "--setting", action="append", default=[], metavar="NAME", help="only this one, or 'K=V …'; may be repeated"
    )
    top.add_argument("--list-settings", action="store_true", help="name the settings, each with its reason")
    top.add_argument(
        "--output", action="append", default=[], metavar="FILE", help="a file that the job writes; may be repeated"
    )
    top.add_argument(
        "--timeout", type=positive(float), metavar="S", help="of a run (default: 10 times plain, 30 at least)"
    )
    top.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the output of every run there, and the report")
    top.add_argument("--json", action="store_true", help="print one object, for programs to read")
    top.add_argument("command", nargs=argparse.REMAINDER, metavar="mpirun -n 4 ./app …", help="the job")
    return top


def command_line(words: list[str]) -> CommandLine:
    words = words[1:] if words[:1] == ["--"] else words
    if not words:
        raise Wrong("no job was given: stretto try -- mpirun -n 4 ./app")
    if not shutil.which(words[0]):
        raise Wrong(f"{words[0]}: no such program")
    try:
        return read(words)
    except Unclear as why:
        raise Wrong(
            f"{why}, so where the application begins cannot be told: put `stretto run` in front of it, as in\n"
            "    stretto try -- mpirun -n 4 stretto run ./app"
        ) from None


def stretto_command() -> str:
    """This installation's, by its short name where that finds it."""
    own = Path(os.environ.get("STRETTO_PREFIX") or Path(__file__).parents[2] / "build/release") / "bin/stretto"
    found = shutil.which("stretto")
    return "stretto" if found and os.path.samefile(found, own) else str(own)


def folder_of(options: argparse.Namespace) -> Path:
    if not options.keep:
        return Path(tempfile.mkdtemp(prefix="stretto-try-"))
    folder = options.keep.absolute()
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Wrong(f"--keep {options.keep}: is not an empty folder")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def tidy(trial: Trial, wrong: set[str]) -> None:
    """Without --keep only what shows a fault stays, beside the first plain run."""
    if not wrong:
        shutil.rmtree(trial.folder)
        return
    kept = wrong | {str(trial.runs[PLAIN][0].folder)}
    for folder in trial.folder.iterdir():
        if str(folder) not in kept:
            shutil.rmtree(folder)


def show_failure(trial: Trial, why: str, options: argparse.Namespace) -> None:
    trial.progress.say(f"{why}. Its output: {trial.folder}")
    if options.json:
        print(json.dumps({"error": why, "kept": str(trial.folder)}))
    run = trial.runs[PLAIN][-1]
    for name in ("stdout", "stderr"):
        lines = (run.folder / name).read_text(errors="replace").splitlines()[-LAST_LINES:]
        if lines:
            print(f"---- the end of its {name}", *lines, sep="\n", file=sys.stderr)


def show(verdict: Verdict, options: argparse.Namespace, folder: Path) -> None:
    document = as_json(verdict)
    print(document if options.json else text(verdict), flush=True)
    if options.keep:
        (folder / "result.json").write_text(document + "\n")


def conduct(trial: Trial, options: argparse.Namespace) -> int:
    """The exit status."""
    status, interrupted = 0, False
    try:
        trial.run()
    except PlainFailed as why:
        show_failure(trial, str(why), options)
        return 1
    except Interrupted as signal_:
        status, interrupted = 128 + signal_.number, True
    trial.progress.clear()
    if not trial.runs[PLAIN]:
        trial.progress.say("interrupted before a plain run had ended: nothing is known")
        shutil.rmtree(trial.folder)
        return status
    verdict = judge(trial, interrupted)
    show(verdict, options, trial.folder)
    if not options.keep:
        tidy(trial, {row.kept for row in verdict.wrong})
    return status or (1 if verdict.wrong else 0)


def limits(options: argparse.Namespace) -> Limits:
    minutes = options.minutes or (None if options.turns else Limits.minutes)
    return Limits(options.turns, minutes, options.timeout)


def try_(options: argparse.Namespace) -> int:
    command, settings = command_line(options.command), chosen(options.setting)
    folder = folder_of(options)
    try:
        return try_in(folder, command, settings, options)
    except BadFile:
        if not options.keep:
            shutil.rmtree(folder)
        raise
    except OSError as wrong:
        raise Unforeseen(
            f"{wrong}. What there is lies in {folder}, the --output files from before in {folder}/before"
        ) from None


def try_in(folder: Path, command: CommandLine, settings: list[Setting], options: argparse.Namespace) -> int:
    outputs, progress = OutputFiles(options.output, folder / "before"), Progress()
    for name, value in sorted(os.environ.items()):
        if name == "STRETTO" or (name.startswith("STRETTO_") and name not in OWN_VARIABLES):
            progress.say(f"{name}={value} is set, and so it is for every setting that does not say otherwise")
    progress.say(f"plain: {shlex.join(command.plain())}")
    return conduct(Trial(command, settings, stretto_command(), outputs, folder, limits(options), progress), options)


# They say where Stretto is, not what it does.
OWN_VARIABLES = ("STRETTO_PREFIX", "STRETTO_LIBRARIES", "STRETTO_MPIS", "STRETTO_LIBRARY", "STRETTO_LAB_STATE")


def interrupt(number: int, _: object) -> None:
    raise Interrupted(number)


def main() -> int:
    options = parser().parse_args()
    if options.list_settings:
        print(listed())
        return 0
    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # as nohup asks for
            signal.signal(number, interrupt)
    try:
        return try_(options)
    except (Wrong, BadSetting, BadFile) as wrong:
        print(f"stretto try: {wrong}", file=sys.stderr)
        return 2
    except (Unforeseen, OSError) as wrong:
        print(f"stretto try: {wrong}", file=sys.stderr)
        return 1
    except Interrupted as signal_:
        return 128 + signal_.number


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError):
        sys.exit(main())
