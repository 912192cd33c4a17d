"""Collectives as pictures: what is hidden, what remains, by size, by number of tests, by number of ranks (Hoefler et al. 2007, figures 3 to 5)."""

from functools import reduce
from operator import getitem
from pathlib import Path

from curves import Column, Curve, Style, along, decades, draw, octaves, share
from jinja2.utils import markupsafe
from nbc_figures import HELPER, KINDS, NATIVE, OVERLAPS, STRETTO, WAYS
from page import describe_lab, render
from page import size as name_of

BROWN, GREEN, PURPLE, INK = "#b3541e", "#14866d", "#7a5ea8", "#22262b"
STYLES = {
    (NATIVE, "none"): Style("native", BROWN, "circle"),
    (NATIVE, "tests"): Style("native, with tests", BROWN, "circle", "4 3", hollow=True),
    (STRETTO, "none"): Style("Stretto", GREEN, "square"),
    (STRETTO, "tests"): Style("Stretto, with tests", GREEN, "square", "4 3", hollow=True),
    (HELPER, "none"): Style("Stretto, with the helper", PURPLE, "triangle"),
}
BY_KIND = {kind: STYLES[kind, "none"] for kind in KINDS}
BLOCKING = Style("MPI_X", INK, dash="1 3")
SKEWED = Style("Stretto, ranks one after the other", GREEN, dash="1 3")


def picture(result: dict) -> str:
    names = list(dict.fromkeys(row["collective"] for row in result["rows"]))
    columns = by_size(result["rows"], names)
    if "by_tests" in result:
        columns.append(by_tests(result["by_tests"]))
    if "by_ranks" in result:
        columns.append(by_ranks(result["by_ranks"], names))
    return draw("non-blocking collectives: what is hidden, and what remains", names, columns)


def by_size(rows: list[dict], names: list[str]) -> list[Column]:
    across = along(sorted({row["bytes"] for row in rows}), name_of)

    def curve(style: Style, name: str, *keys: str) -> Curve:
        mine = [row for row in rows if row["collective"] == name]
        return Curve(style, [(row["bytes"], reduce(getitem, keys, row)) for row in mine])

    hidden = {name: [curve(STYLES[way], name, *way, "share") for way in WAYS] for name in names}
    overhead = {
        name: [curve(BLOCKING, name, NATIVE, "blocking"), *(curve(STYLES[way], name, *way, "overhead") for way in WAYS)]
        for name in names
    }
    blocking = {
        name: [
            curve(BY_KIND[NATIVE], name, "of_native", "native"),
            curve(SKEWED, name, "of_native", "skewed"),
            curve(BY_KIND[STRETTO], name, "of_native", "blocking"),
        ]
        for name in names
    }
    unit = "message, or block"
    return [
        Column("hidden", "share of the operation", unit, across, share(), hidden),
        Column("overhead", "time in the calls", unit, across, decades(values(overhead)), overhead),
        Column(
            "used as blocking", "MPI_Ix and MPI_Wait by MPI_X", unit, across, octaves(values(blocking)), blocking, 1
        ),
    ]


def values(curves: dict[str, list[Curve]]) -> list[float]:
    return [value for row in curves.values() for curve in row for _, value in curve.points]


def by_tests(rows: list[dict]) -> Column:
    numbers = [way["number"] for way in rows[0][NATIVE]]
    none = numbers[1] / 4  # on a logarithmic scale nothing is nowhere
    across = along([none, *numbers[1:]], lambda number: "none" if number == none else f"{number}")
    curves = {
        row["collective"]: [
            Curve(BY_KIND[kind], [(way["number"] or none, way["share"]) for way in row[kind]]) for kind in KINDS
        ]
        for row in rows
    }
    return Column(
        "hidden, by tests", f"share of {name_of(rows[0]['bytes'])}", "number of tests", across, share(), curves
    )


def by_ranks(rows: list[dict], names: list[str]) -> Column:
    across = along(sorted({row["ranks"] for row in rows}), str)
    curves = {
        name: [
            Curve(BY_KIND[kind], [(row["ranks"], row[kind]["test_s"]) for row in rows if row["collective"] == name])
            for kind in KINDS
        ]
        for name in names
    }
    about = f"MPI_Test, {name_of(rows[0]['bytes'])}"
    return Column("one test", about, "number of ranks", across, decades(values(curves)), curves)


def write_picture(path: Path, result: dict) -> None:
    path.write_text(picture(result))


def write_report(path: Path, result: dict, command: str) -> None:
    place = describe_lab(result["lab"], result["ranks"], result["dilate"])
    path.write_text(
        render(
            "nbc.html.jinja",
            title="Stretto: what is hidden of non-blocking collectives",
            result=result,
            ways=WAYS,
            kinds=KINDS,
            overlaps=OVERLAPS.values(),
            about=f"{result['mpi']}, {result['ranks']} ranks on {place}",
            picture=markupsafe.Markup(picture(result)),
            command=command,
        )
    )
