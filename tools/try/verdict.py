"""What a trial has shown: of each setting, are its results equal and is it faster; and which one to use."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from statistics import median

from candidates import Setting
from results import Basis, Reference
from speedup import Speedup
from trial import PLAIN, Run, Trial, how_it_ended
from why import read, reasons

EQUAL, DIFFERS, FAILED, HUNG, UNKNOWN = "equal", "differs", "failed", "hung", "unknown"
WORTH = 1.02  # a setting that takes more for granted is surely so many times faster than one that takes less
SHORT = 1  # seconds: of a job that takes less, starting it is much


@dataclass
class Row:
    """A setting, or plain."""

    name: str
    environment: dict[str, str]
    command: list[str]
    results: str
    why_not: str = ""  # results are equal
    kept: str = ""  # the folder of the run that shows it
    speedup: Speedup | None = None
    wall: float | None = None  # seconds, the median of its runs
    cpu: float | None = None
    memory: int | None = None  # bytes, the most of any run

    @property
    def wrong(self) -> bool:
        return self.results in (DIFFERS, FAILED, HUNG)


@dataclass
class Verdict:
    turns: int
    seconds: float
    plain: Row
    rows: list[Row]
    judged_by: list[Basis]
    why: list[str]
    recommended: Row | None = None
    sentence: str = ""
    remarks: list[str] = field(default_factory=list)
    interrupted: bool = False

    @property
    def wrong(self) -> list[Row]:
        return [row for row in self.rows if row.wrong]


def judge(trial: Trial, interrupted: bool) -> Verdict:
    """Of a trial that has one plain run at least."""
    references = references_of(trial)
    verdict = Verdict(
        turns=trial.turns,
        seconds=trial.elapsed,
        plain=Row(PLAIN, {}, trial.command.plain(), EQUAL, **measured(trial.runs[PLAIN])),
        rows=[row_of(trial, setting, references) for setting in trial.settings],
        judged_by=[reference.basis for reference in references],
        why=why(trial),
        interrupted=interrupted,
    )
    verdict.recommended = recommended(trial, verdict.rows)
    verdict.sentence = sentence(verdict)
    verdict.remarks = list(remarks(trial, verdict))
    return verdict


def remarks(trial: Trial, verdict: Verdict) -> Iterator[str]:
    for setting in trial.settings:
        if setting.caution and verdict.recommended and setting.name == verdict.recommended.name:
            yield f"{setting.name} {setting.caution}"
    if verdict.plain.wall and verdict.plain.wall < SHORT:
        yield f"the job takes {verdict.plain.wall:.2f} s, and starting it is part of that: a longer input shows more"


def references_of(trial: Trial) -> list[Reference]:
    plain = trial.runs[PLAIN]
    return [Reference(name, [run.results[name] for run in plain if name in run.results]) for name in plain[0].results]


def row_of(trial: Trial, setting: Setting, references: list[Reference]) -> Row:
    runs = trial.runs[setting.name]
    results, why_not, shown_by = outcome(runs, references)
    return Row(
        setting.name,
        setting.environment,
        trial.command.with_stretto(trial.stretto, setting.environment),
        results,
        why_not,
        str(shown_by.folder) if shown_by else "",
        trial.speedup(setting.name),
        **measured(runs),
    )


def outcome(runs: list[Run], references: list[Reference]) -> tuple[str, str, Run | None]:
    """Of all runs of a setting: the first one that went wrong counts."""
    for run in runs:
        if run.bad:
            return HUNG if run.ended.expired else FAILED, how_it_ended(run), run
        for reference in references:
            if difference := reference.difference(run.results.get(reference.basis.name)):
                return DIFFERS, difference, run
    return (EQUAL if runs else UNKNOWN), "", None


def measured(runs: list[Run]) -> dict:
    timed = [run.ended for run in runs if run.turn and not run.bad]
    if not timed:
        return {}
    return {
        "wall": median(ended.seconds for ended in timed),
        "cpu": median(ended.cpu_seconds for ended in timed),
        "memory": max(ended.memory for ended in timed),
    }


def recommended(trial: Trial, rows: list[Row]) -> Row | None:
    """Of those that surely help, the first to which the fastest makes no difference. Their order is that of candidates.py."""
    helping = [row for row in rows if row.results == EQUAL and row.speedup and row.speedup.low > 1]
    if not helping:
        return None
    fastest = max(helping, key=lambda row: row.speedup.times)
    return next(row for row in helping if row is fastest or trial.speedup(fastest.name, row.name).low <= WORTH)


def sentence(verdict: Verdict) -> str:
    if verdict.recommended:
        return f"Use {verdict.recommended.name}: {verdict.recommended.speedup}, with equal results."
    timed = [row for row in verdict.rows if row.speedup and not row.wrong]
    if verdict.rows and all(row.wrong for row in verdict.rows):
        return "Do not use Stretto for this job: no setting gives its results."
    if not timed:
        return "Nothing can be said yet: no turn was completed."
    best = max(timed, key=lambda row: row.speedup.times)
    if best.speedup.turns < 2:
        return "Nothing can be said yet: one turn shows no difference."
    turns = f"{best.speedup.turns} turns"
    between = f"(between {best.speedup.low:.2f} and {best.speedup.high:.2f})"
    if best.speedup.high < 1:
        return f"No setting helps: the best one, {best.name}, is {best.speedup}."
    return f"No setting helps: {best.name}, the best one, makes no difference that {turns} can show {between}."


def why(trial: Trial) -> list[str]:
    """What one run under `default` has reported."""
    run = trial.reported
    if run is None:
        return []
    for line in (run.folder / "stderr").read_text(errors="replace").splitlines():
        if line.startswith("stretto run: "):  # it runs without Stretto
            return [line.removeprefix("stretto run: ")]
    document = read(run.folder / "report.html")
    if document is None:
        return [f"no report came of the run under default: {how_it_ended(run)}"]
    return reasons(document)


def as_json(verdict: Verdict) -> str:
    document = asdict(verdict)
    document["recommended"] = verdict.recommended.name if verdict.recommended else None
    for row, of in [(document["plain"], verdict.plain), *zip(document["rows"], verdict.rows, strict=True)]:
        if of.speedup and of.speedup.turns < 2:
            row["speedup"] |= {"low": None, "high": None}  # JSON knows no infinity
    return json.dumps(document, indent=2)
