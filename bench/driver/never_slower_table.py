"""What never-slower found, on a terminal."""

from never_slower_figures import AS_FAST, DEFAULT, FASTER, PLAIN
from page import describe_lab
from rich.console import Console
from rich.table import Table

WIDTH = 160  # characters, whatever the terminal has: no figure is cut off


def show(result: dict, console: Console) -> None:
    console.print(
        f"[bold]never-slower[/]  {result['mpi']}, {result['ranks']} ranks, "
        f"{describe_lab(result['lab'], result['ranks'], result['dilate'])}"
        f"{'; ranks that wait yield their core' if result['yields'] else ''}; plain / stretto run, whole jobs",
        soft_wrap=True,
    )
    if result["rows"]:
        console.print(table_of(result["rows"]))
        show_summary(result, console)
    for one in result["failed"]:
        console.print(f"{one['pattern']}, {one['work']}: failed", style="bold red")
    console.print(
        "times faster: medians over turns, and where they lie at 95 %; start-up: job without loop; CPU: of plain's",
        style="dim",
        soft_wrap=True,
    )
    console.print(f"others took {result['others_cores']:g} cores", style="dim")


def table_of(rows: list[dict]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim")
    with_settings = "settings" in rows[0]
    names = ("", "work", "plain, s", "loop", "job", "at 95 %", "turns", "start-up, ms", "CPU", "KiB more", "equal")
    for name in (*names, *(["found"] if with_settings else [])):
        table.add_column(name, justify="left" if name in ("", "work", "found") else "right", no_wrap=True)
    for row in rows:
        job = row["job"]
        cells = (
            row["pattern"],
            row["work"],
            f"{row['plain_s']:.2f}",
            f"{row['loop']['median']:.3f}",
            f"{job['median']:.3f}",
            "-" if job["low"] is None else f"{job['low']:.3f}-{job['high']:.3f}",
            str(row["turns"]),
            " ".join(f"{row['start_up_ms'][name]:.0f}" for name in (PLAIN, DEFAULT)),
            f"{row['cpu']:.2f}",
            f"{row['more_kib']:.0f}",
            "yes" if row["equal"] else "NO",
        )
        table.add_row(*cells, *([found(row)] if with_settings else []), style=style_of(row))
    return table


def style_of(row: dict) -> str:
    if not row["equal"]:
        return "bold red"
    if row["job"]["median"] >= AS_FAST:
        return "green" if (row["job"]["low"] or 0) > AS_FAST else ""
    return "red" if (row["job"]["high"] or 1) < AS_FAST else "yellow"


def found(row: dict) -> str:
    """Whether the default is as good as it is with one part off, or which of these is better. -: too few turns tell nothing."""
    if row["job"]["low"] is None:
        return "-"
    return ", ".join(f"{name} {row['settings'][name]['median']:.2f}" for name in row["missed"]) or "yes"


def show_summary(result: dict, console: Console) -> None:
    worst = result["worst"]
    console.print(
        f"worst {worst['job']['median']:.3f} ({worst['pattern']}, {worst['work']}); "
        f"geometric mean {result['geometric_mean']:.3f}; of {len(result['rows'])} below {AS_FAST}: "
        f"{len(result['below'])}, their whole interval: {len(result['slower'])}",
        soft_wrap=True,
    )
    if any("missed" in row for row in result["rows"]):
        console.print(f"found: no setting makes the default more than {FASTER - 1:.0%} faster", style="dim")


def show_patterns(patterns: list[dict], console: Console) -> None:
    table = Table(box=None, pad_edge=False, show_header=False)
    for pattern in patterns:
        table.add_row(pattern["name"], " ".join(pattern["works"]), pattern["about"])
    console.print(table)
