"""The trial: a plain run to warm up, a run that says why, then turns of plain and every setting, until it is clear."""

import contextlib
import os
import re
import time
from dataclasses import dataclass, field
from pathlib import Path

from candidates import Setting
from command_line import CommandLine
from execution import Ended, execute, uninterrupted
from output_files import BadFile, OutputFiles
from progress_line import Progress, clock
from results import first_difference
from speedup import Speedup, speedup

PLAIN = "plain"
REPORT = "report"
STDOUT = "standard output"
FEWEST = 3  # turns, before anything is said
LEAST_LIMIT, TIMES_PLAIN = 30, 10  # a run hangs after so many seconds, and so many times what plain takes


class PlainFailed(Exception):
    """The job fails as it is: nothing can be compared."""


@dataclass
class Run:
    turn: int  # 0: its time does not count
    folder: Path
    words: list[str]
    ended: Ended
    results: dict[str, Path]

    @property
    def bad(self) -> bool:
        return self.ended.expired or self.ended.status != 0


@dataclass
class Limits:
    turns: int | None = None
    minutes: float | None = 5
    timeout: float | None = None  # seconds of a run, in place of what plain runs suggest


@dataclass
class Trial:
    command: CommandLine
    settings: list[Setting]
    stretto: str  # the command
    outputs: OutputFiles
    folder: Path
    limits: Limits
    progress: Progress
    runs: dict[str, list[Run]] = field(default_factory=dict)
    reported: Run | None = None
    turns: int = 0  # that are complete

    def __post_init__(self) -> None:
        self.runs = {name: [] for name in (PLAIN, *(setting.name for setting in self.settings))}
        self.begun = time.monotonic()
        self.number = self.most = 0  # of the last run, and of the last one that there can be
        self.turn_took = 0.0  # seconds, the last one

    # --- what is run --------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Throws PlainFailed. What was run until then, or until an interruption, is in `runs`."""
        self._warm_up()
        self._ask_why()
        while self._another_turn():
            self._turn()

    def _warm_up(self) -> None:
        self._run_plain(turn=0)
        missing = [name for name in self.outputs.files if name not in self.runs[PLAIN][0].results]
        if missing:
            raise BadFile(f"--output {missing[0]}: the job does not write it")

    def _ask_why(self) -> None:
        """One run under `default` whose report says what was hidden. Its time does not count."""
        words = self.command.with_stretto(self.stretto, {}, f"--report={self._next_folder(REPORT)}/report.html")
        self.reported = self._execute(REPORT, 0, words)
        if "default" in self.runs:
            self.runs["default"].append(self.reported)

    def _turn(self) -> None:
        began, self.most = time.monotonic(), self._most_runs()
        for name in in_order([PLAIN, *(setting.name for setting in self._open())], self.turns):
            if name == PLAIN:
                self._run_plain(self.turns + 1)
            else:
                self.runs[name].append(self._execute(name, self.turns + 1, self._words(name)))
        self.turns += 1
        self.turn_took = time.monotonic() - began
        if self.turns == 1:
            self._warn_of_long_turns()

    def _warn_of_long_turns(self) -> None:
        fewest = FEWEST * self.turn_took / 60
        if self.limits.minutes and fewest > self.limits.minutes and self.turns != self.limits.turns:
            self.progress.say(f"{FEWEST} turns take about {fewest:.0f} minutes; fewer settings (--setting) take less")

    def _run_plain(self, turn: int) -> None:
        run = self._execute(PLAIN, turn, self.command.plain())
        self.runs[PLAIN].append(run)
        if run.bad:
            raise PlainFailed(f"the job fails without Stretto: {how_it_ended(run)}")

    def _words(self, name: str) -> list[str]:
        return self.command.with_stretto(self.stretto, self._setting(name).environment)

    def _setting(self, name: str) -> Setting:
        return next(setting for setting in self.settings if setting.name == name)

    def _execute(self, name: str, turn: int, words: list[str]) -> Run:
        folder = self._next_folder(name)
        self.number += 1
        folder.mkdir()
        self.progress.begin(self._where(name, turn), self._so_far())
        self.outputs.begin()
        try:
            ended = execute(words, folder, self._limit(), self.progress.tick)
        finally:  # an interruption, too, leaves the files as they were
            with uninterrupted():
                results = {STDOUT: folder / "stdout", **self.outputs.take(folder)}
        run = Run(turn, folder, words, ended, results)
        self._share(run)
        self.progress.end(how_it_ended(run), self._so_far())
        return run

    def _next_folder(self, name: str) -> Path:
        return self.folder / f"{self.number:03}-{re.sub(r'[^A-Za-z0-9.-]+', '_', name)}"

    def _share(self, run: Run) -> None:
        """What equals the first plain run's takes no room on the disk."""
        first = self.runs[PLAIN][0].results if self.runs[PLAIN] else {}
        for name, path in run.results.items():
            if name in first and not first_difference(first[name], path):
                with contextlib.suppress(OSError):  # not every file system has links
                    link = path.with_name(path.name + ".link")
                    os.link(first[name], link)
                    link.replace(path)

    # --- when to end --------------------------------------------------------------------------------------------------

    def _another_turn(self) -> bool:
        if not self._open() or self.turns == self.limits.turns:
            return False
        if self.turns < FEWEST:
            return True
        if all(self.speedup(setting.name).settled for setting in self._open()):
            return False
        return self.limits.minutes is None or self.elapsed + self.turn_took <= self.limits.minutes * 60

    def _alive(self) -> list[Setting]:
        """A setting that has failed once is not tried again. One whose results differ is: plain runs may yet differ, too."""
        return [setting for setting in self.settings if not any(run.bad for run in self.runs[setting.name])]

    def _open(self) -> list[Setting]:
        """Those that may yet be recommended: not what is surely slower than plain."""
        known = [(setting, self.speedup(setting.name)) for setting in self._alive()]
        lost = [setting for setting, speed in known if speed and speed.turns >= FEWEST and speed.high < 1]
        return [setting for setting, _ in known if setting not in lost]

    def _limit(self) -> float | None:
        if self.limits.timeout:
            return self.limits.timeout
        plain = [run.ended.seconds for run in self.runs[PLAIN]]
        return max(LEAST_LIMIT, TIMES_PLAIN * max(plain)) if plain else None

    # --- what it looks like -------------------------------------------------------------------------------------------

    @property
    def elapsed(self) -> float:
        return time.monotonic() - self.begun

    def seconds(self, name: str) -> dict[int, float]:
        """By turn."""
        return {run.turn: run.ended.seconds for run in self.runs[name] if run.turn and not run.bad}

    def speedup(self, name: str, over: str = PLAIN) -> Speedup | None:
        """Of the turns that both have; None where there is none."""
        ours, theirs = self.seconds(name), self.seconds(over)
        ratios = [theirs[turn] / ours[turn] for turn in ours if turn in theirs]
        return speedup(ratios) if ratios else None

    def _where(self, name: str, turn: int) -> str:
        if not turn:
            return f"run {self.number}, {'for the report' if name == REPORT else 'to warm up'}"
        most = f" of at most {self.most}" if self.most else ""
        return f"run {self.number}{most}, turn {turn}, {name}"

    def _most_runs(self) -> int:
        """When a turn begins. A trial ends sooner where all is clear. 0: nobody knows yet."""
        turns = self.limits.turns
        if not turns and self.turn_took and self.limits.minutes:
            left = max(0.0, self.limits.minutes * 60 - self.elapsed)
            turns = max(FEWEST, self.turns + 1 + int(left / self.turn_took))
        return self.number + (turns - self.turns) * (1 + len(self._open())) if turns else 0

    def _so_far(self) -> str:
        known = [(setting.name, self.speedup(setting.name)) for setting in self._alive()]
        shown = ", ".join(f"{name} {speed.times:.2f}" for name, speed in known if speed)
        return f"{clock(self.elapsed)} so far{f'; times faster: {shown}' if shown else ''}"


def in_order(names: list[str], turn: int) -> list[str]:
    """Every other turn goes backwards, and after it another one begins: what drifts meets all alike."""
    at = turn // 2 % len(names)
    rotated = names[at:] + names[:at]
    return rotated if turn % 2 == 0 else rotated[::-1]


def how_it_ended(run: Run) -> str:
    if run.ended.expired:
        return f"not finished after {run.ended.seconds:.0f} s, so it was ended"
    took = f"{run.ended.seconds:.2f} s"
    return took if run.ended.status == 0 else f"exit status {run.ended.status} after {took}"
