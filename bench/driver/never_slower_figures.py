"""From the jobs of never-slower to its rows: ratios of jobs of the same turn, their medians, intervals of these, and when turns are enough."""

import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from statistics import geometric_mean, median

from place import TRY

sys.path.append(str(TRY))
from speedup import order_statistic

PLAIN, DEFAULT = "plain", "stretto run"
NARROW = 0.01  # an interval's end is at most so far from its median
AS_FAST = 0.98  # of plain: what is not slower
FASTER = 1.02  # of the default: what it should have found


@dataclass
class Job:
    """One launch: seconds until it had ended, of them in its steps; CPU seconds of all ranks; a rank's largest memory."""

    job_s: float
    loop_s: float
    cpu_s: float
    peak_kib: float
    checksum: str

    @property
    def start_up_s(self) -> float:
        return self.job_s - self.loop_s


@dataclass
class Ratio:
    """A median, and the interval that it lies in at a confidence of 95 %; None: too few turns to tell."""

    median: float
    low: float | None
    high: float | None

    @property
    def narrow(self) -> bool:
        return self.low is not None and self.high / self.median <= 1 + NARROW and self.low / self.median >= 1 - NARROW


def interval(values: list[float]) -> tuple[float, float] | None:
    """Between which of the values their median lies, by the order statistics of whatever distribution. None: five turns cannot tell."""
    ordered, rank = sorted(values), order_statistic(len(values))
    return (ordered[rank - 1], ordered[-rank]) if rank else None


def ratio(values: list[float]) -> Ratio:
    return Ratio(median(values), *(interval(values) or (None, None)))


def of_turns(some: list[Job], others: list[Job], figure: str) -> Ratio:
    """Of each turn, since the machine drifts."""
    return ratio([getattr(a, figure) / getattr(b, figure) for a, b in zip(some, others, strict=True)])


def is_enough(made: dict[str, list[Job]]) -> bool:
    """Its ratio is known to a hundredth, or is not below 0.98."""
    job = of_turns(made[PLAIN], made[DEFAULT], "job_s")
    return job.low is not None and (job.narrow or job.low > AS_FAST)


def derive(made: dict[str, list[Job]]) -> dict:
    """A pattern's row."""
    plain, default = made[PLAIN], made[DEFAULT]
    row = {
        "turns": len(plain),
        "plain_s": median(job.job_s for job in plain),
        "loop": asdict(of_turns(plain, default, "loop_s")),
        "job": asdict(of_turns(plain, default, "job_s")),
        "start_up_ms": {name: 1e3 * median(job.start_up_s for job in jobs) for name, jobs in made.items()},
        "cpu": of_turns(default, plain, "cpu_s").median,
        "more_kib": median(b.peak_kib - a.peak_kib for a, b in zip(plain, default, strict=True)),
        "equal": len({job.checksum for jobs in made.values() for job in jobs}) == 1,
    }
    if len(made) > 2:
        row |= of_settings(made)
    return row


def of_settings(made: dict[str, list[Job]]) -> dict:
    """How much faster the default would be with each of the settings, and which of them it should have found."""
    faster = {
        name: of_turns(made[DEFAULT], jobs, "job_s") for name, jobs in made.items() if name not in (PLAIN, DEFAULT)
    }
    missed = [name for name, one in faster.items() if one.low is not None and one.median > FASTER and one.low > 1]
    return {"settings": {name: asdict(one) for name, one in faster.items()}, "missed": missed}


def summary(rows: list[dict], failed: list[dict]) -> dict:
    """What the table ends with."""
    if not rows:
        return {"verified": False}
    worst = min(rows, key=lambda row: row["job"]["median"])
    return {
        "worst": {name: worst[name] for name in ("pattern", "work", "job")},
        "geometric_mean": geometric_mean([row["job"]["median"] for row in rows]),
        "below": named(row for row in rows if row["job"]["median"] < AS_FAST),
        "slower": named(row for row in rows if row["job"]["high"] and row["job"]["high"] < AS_FAST),
        "verified": all(row["equal"] for row in rows) and not failed,
    }


def named(rows: Iterable[dict]) -> list[str]:
    return [f"{row['pattern']}, {row['work']}" for row in rows]
