"""From what the launches of nbc print to the one JSON object of `stretto bench nbc --json`."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

from page import size as name_of

NATIVE, STRETTO, HELPER = KINDS = ("native", "Stretto", "Stretto, helper")
WAYS = ((NATIVE, "none"), (NATIVE, "tests"), (STRETTO, "none"), (STRETTO, "tests"), (HELPER, "none"))
OVERLAPS = {  # where it is in the figures, whose definition it is
    "nbcbench": ("share", "NBCBench", "1 - (time in the calls) / alone"),
    "osu": ("osu", "OSU", "1 - (overall - computation) / alone, at least 0"),
    "imb": ("imb", "IMB", "(alone + computation - overall) / the shorter of the two"),
}

LONG = 2**20  # bytes: of these a launch for each collective, as all together take minutes

Rows = list[dict]  # what was measured of one collective, one by each turn's launch


@dataclass(frozen=True)
class Launch:
    """With messages of one size; tests: also by their number."""

    kind: str
    collectives: tuple[str, ...]
    bytes: int
    ranks: int
    tests: tuple[int, ...] = ()

    def __str__(self) -> str:
        name = f"{self.collectives[0]}, " if self.bytes >= LONG else ""
        tests = ", by number of tests" if self.tests else ""
        return f"{self.kind}, {name}{name_of(self.bytes)}, {self.ranks} ranks{tests}"


def launches(asked: argparse.Namespace) -> list[Launch]:
    every = [
        *((bytes, asked.ranks) for bytes in asked.sizes),
        *([(asked.at, asked.ranks, tuple(asked.tests))] if asked.tests else []),
        *((asked.at, ranks) for ranks in asked.by_ranks),
    ]
    names = asked.collectives
    return [
        Launch(kind, together, bytes, *more)
        for bytes, *more in every
        for together in ([(name,) for name in names] if bytes >= LONG else [tuple(names)])
        for kind in KINDS
    ]


def derive(asked: argparse.Namespace, made: dict[Launch, list[Rows]], others: float) -> dict:
    def by_kind(figures: Callable[[Rows], object], name: str, *size_ranks_tests: object) -> dict:
        mine: dict[str, Rows] = {kind: [] for kind in KINDS}
        for launch, turns in made.items():
            if (launch.bytes, launch.ranks, launch.tests) == size_ranks_tests:
                mine[launch.kind] += [row for turn in turns for row in turn if row["collective"] == name]
        return {kind: figures(rows) for kind, rows in mine.items()}

    names, ranks = asked.collectives, asked.ranks
    rows = [
        {"collective": name, "bytes": bytes, **by_kind(figures, name, bytes, ranks, ())}
        for name in names
        for bytes in asked.sizes
    ]
    for row in rows:
        row["of_native"] = of_native(row[NATIVE], row[STRETTO], row[HELPER])
    result = {
        "bench": "nbc",
        **{key: getattr(asked, key) for key in ("mpi", "ranks", "lab", "dilate", "reps", "within", "turns")},
        "others_cores": round(others, 3),
        "rows": rows,
    }
    if asked.tests:
        result["by_tests"] = [
            {"collective": name, "bytes": asked.at, **by_kind(by_tests, name, asked.at, ranks, tuple(asked.tests))}
            for name in names
        ]
    if asked.by_ranks:
        result["by_ranks"] = [
            {"collective": name, "bytes": asked.at, "ranks": many, **by_kind(one_test, name, asked.at, many, ())}
            for name in names
            for many in asked.by_ranks
        ]
    return result


def figures(rows: Rows) -> dict:
    """Medians over the launches: seconds, and what follows from them."""
    middle = {key: median(row[key] for row in rows) for key in ("blocking", "init_wait", "init", "compute")}
    skewed = {key: median(row["skewed"][key] for row in rows) for key in ("blocking", "init_wait")}
    ways = {way: hidden(rows, [row[way] for row in rows]) for way in ("none", "tests")}
    return {"reps": min(row["reps"] for row in rows), **middle, "skewed": skewed, **ways}


def hidden(rows: Rows, way: Rows) -> dict:
    """Of operations beside a computation, done so."""
    overhead, overall = (median(one[key] for one in way) for key in ("overhead", "overall"))
    alone, compute = (median(row[key] for row in rows) for key in ("init_wait", "compute"))
    return {
        "number": way[0]["number"],
        "overhead": overhead,
        "overall": overall,
        "share": 1 - overhead / alone,  # NBCBench's
        "osu": max(0.0, 1 - (overall - compute) / alone),
        "imb": (alone + compute - overall) / min(alone, compute),
    }


def by_tests(rows: Rows) -> list[dict]:
    """Without tests, and with more and more of them."""
    return [hidden(rows, list(way)) for way in zip(*([row["none"], *row["by_tests"]] for row in rows), strict=True)]


def one_test(rows: Rows) -> dict:
    number = rows[0]["tests"]["number"]
    return {"number": number, "test_s": median(row["tests"]["testing"] for row in rows) / number}


def of_native(native: dict, ours: dict, helped: dict) -> dict:
    """Stretto's times by the library's blocking collective's; with the computation, by the library's non-blocking one's."""
    return {
        "native": native["init_wait"] / native["blocking"],
        "blocking": ours["init_wait"] / native["blocking"],
        "skewed": ours["skewed"]["init_wait"] / native["skewed"]["blocking"],
        "overall": helped["none"]["overall"] / native["none"]["overall"],
    }
