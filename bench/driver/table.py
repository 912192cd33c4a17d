"""The figures of one kernel on a terminal."""

from rich.console import Console
from rich.table import Table
from strategies import show as show_strategies


def milliseconds(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds * 1e3:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


def label_of(name: str, figures: dict) -> str:
    if name == "unmodified":
        return "plain, stretto run"
    if name == "hand":
        return f"hand, {figures['details']['hand_chunk_bytes'] // 1024 or 1} KiB"
    way = {"pages": "pages", "compiler": "compiled", "tool": "by the tool"}.get(figures["trigger"])
    names = {
        "stretto": f"stretto, {way}",
        "stretto_undilated": f"stretto, {way}, undilated",
        "annotated": "stretto, annotated",
    }
    return names.get(name, name.replace("_", ", ")) if way else name.replace("_", ", ")


def show(figures: dict, console: Console) -> None:
    details, median = figures["details"], figures["median_s"]
    lab = "this host" if figures["lab"] == "none" else f"lab of {figures['lab']}"
    dilated = f", dilated by {details['dilate']:g}" if details["dilate"] > 1 else ""
    imbalance = "" if details["imbalance"] == "none" else f", imbalance {details['imbalance']}"
    delta = f"{figures['delta_bytes']} bytes" if figures["delta_bytes"] else "the runtime's own"
    console.print(
        f"[bold]{figures['kernel']}[/]  {figures['mpi']}, {figures['ranks']} ranks, {lab}{dilated}{imbalance}; "
        f"{figures['message_bytes']} bytes, ratio {details['measured_ratio']:g}, deltas {delta}",
        soft_wrap=True,
    )
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("", "median", "speedup", "of hand", "of ideal"):
        table.add_column(column, justify="left" if not column else "right")
    for name, style in (
        ("plain", ""),
        ("stretto", "bold green"),
        ("stretto_undilated", "green"),
        ("annotated", "green"),
        ("unmodified", "green"),
        ("hand", "cyan"),
        ("independent", "cyan"),
        ("ideal", "dim"),
        ("independent_ideal", "dim"),
    ):
        seconds = median[name] if name in median else details[f"{name}_s"]
        if seconds is None or (name == "stretto_undilated" and details["dilate"] <= 1):
            continue
        times = [
            f"{median['plain'] / seconds:.2f}",
            f"{median['hand'] / seconds:.2f}",
            f"{median['ideal'] / seconds:.2f}",
        ]
        label = label_of(name, figures)
        table.add_row(label, milliseconds(seconds), *times, style=style)
    console.print(table)
    faster = f"{figures['speedup']:.2f} times faster than plain (ideal: {details['ideal_speedup']:.2f})"
    if details["over_independent"]:
        faster += f", {details['over_independent']:.2f} times than overlap of independent computation"
        faster += f" (ideal: {details['ideal_over_independent']:.2f})"
    console.print(faster, soft_wrap=True)
    of_annotated = f"; {details['of_annotated']:.2f} of annotated" if details["of_annotated"] else ""
    console.print(f"{details['formula']}; {figures['hidden']:.0%} hidden{of_annotated}", style="dim", soft_wrap=True)
    if details["strategies"]:
        show_strategies(details["strategies"], console)
    if not figures["verified"]:
        console.print("the results of the variants differ", style="bold red")
    if figures["disturbed"]:
        console.print(
            f"disturbed (best of {details['attempts']} attempts): {'; '.join(details['disturbed_by'])}",
            style="yellow",
            soft_wrap=True,
        )
