"""The report: one HTML file that needs nothing else."""

import datetime
import json
import os
import platform
from dataclasses import dataclass
from pathlib import Path

import jinja2
from strategies import NAMES, tiles
from timeline import Variant, draw, read_variant

BARS = (
    ("plain", "plain"),
    ("unmodified", "plain, stretto run"),
    ("independent", "independent"),
    ("stretto", "Stretto"),
    ("hand", "by hand"),
    ("ideal", "ideal"),
)


@dataclass
class Section:
    """One kernel's measurement."""

    figures: dict
    command: str
    timelines: Path | None

    @staticmethod
    def read(folder: Path) -> "Section":
        """What `stretto bench --keep FOLDER` left."""
        kept = json.loads((folder / "figures.json").read_text())
        timelines = folder / "timelines"
        return Section(kept["figures"], kept["command"], timelines if timelines.is_dir() else None)

    def keep(self, folder: Path) -> None:
        (folder / "figures.json").write_text(json.dumps({"command": self.command, "figures": self.figures}, indent=1))

    def variants(self) -> list[Variant]:
        if not self.timelines:
            return []
        chunk = self.figures["details"]["hand_chunk_bytes"]
        runs = (
            ("plain", "plain", "plain"),
            ("independent", "independent", "overlap of independent computation"),
            ("delta", "stretto", "with Stretto"),
            (f"hand:{chunk}", "hand", f"by hand, chunks of {size(chunk)}"),
        )
        read = (read_variant(self.timelines, self.figures["kernel"], *run) for run in runs)
        return [variant for variant in read if variant]


def size(count: int | None) -> str:
    if not count:
        return "the runtime's own"
    for unit, name in ((2**20, "MiB"), (2**10, "KiB")):
        if count >= unit:
            return f"{count / unit:.3g} {name}"
    return f"{count} B"


def seconds(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.3g} s" if value >= 1 else f"{value * 1e3:.3g} ms" if value >= 1e-3 else f"{value * 1e6:.3g} µs"


def bars(figures: dict) -> list[dict]:
    median = figures["median_s"] | {name: figures["details"].get(f"{name}_s") for name in ("unmodified", "independent")}
    shown = [(name, label) for name, label in BARS if median[name] is not None]
    longest = max(median[name] for name, _ in shown)
    return [
        {
            "name": name,
            "label": label,
            "width": 100 * median[name] / longest,
            "time": seconds(median[name]),
            "speedup": f"{median['plain'] / median[name]:.2f} \u00d7",
        }
        for name, label in shown
    ]


def tile_sizes(figures: dict) -> dict | None:
    """As figure 8 of Danalis et al. 2005, as a table."""
    made = figures["details"].get("strategies")
    sizes, rows = tiles(made) if made else ([], [])
    return {"sizes": sizes, "rows": rows} if sizes else None


def normalized_bars(figures: dict) -> list[dict]:
    """As figures 6 and 7 of Danalis et al. 2005."""
    made = figures["details"].get("strategies")
    if not made:
        return []
    longest = max(made["normalized"].values())
    names = {
        "alltoall": "plain",
        "nonblocking": "hand",
        "messages": "independent",
        "puts": "independent",
        "compiler": "stretto",
        "annotated": "stretto",
        "unmodified": "stretto",
    }
    return [
        {
            "name": names[name],
            "label": NAMES[name],
            "width": 100 * value / longest,
            "value": value,
        }
        for name, value in made["normalized"].items()
    ]


def describe(figures: dict) -> str:
    details = figures["details"]
    place = describe_lab(figures["lab"], figures["ranks"], details["dilate"])
    imbalance = details.get("imbalance", "none")
    place += "" if imbalance == "none" else f", imbalance {imbalance}"
    return (
        f"{figures['mpi']}, {figures['ranks']} ranks on {place}; messages of {size(figures['message_bytes'])}, "
        f"deltas: {size(figures['delta_bytes'])}; T_compute / T_message = {details['measured_ratio']:g}"
    )


def describe_lab(lab: str, hosts: int, dilate: float) -> str:
    place = "one host" if lab == "none" else f"{hosts} hosts, links of {lab}"
    return place + (f", computation dilated by {dilate:g}" if dilate > 1 else "")


def machine() -> str:
    cpu = "unknown processor"
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            cpu = line.split(":", 1)[1].strip()
            break
    return f"{cpu}, {len(os.sched_getaffinity(0))} cores, Linux {platform.release().split('-')[0]}"


def write_page(path: Path, sections: list[Section], title: str = "Stretto") -> None:
    drawn = []
    for section in sections:
        variants = section.variants()
        drawn.append(
            {
                "figures": section.figures,
                "details": section.figures["details"],
                "command": section.command,
                "about": describe(section.figures),
                "bars": bars(section.figures),
                "strategies": normalized_bars(section.figures),
                "tiles": tile_sizes(section.figures),
                "timeline": jinja2.utils.markupsafe.Markup(draw(variants)) if variants else None,
            }
        )
    path.write_text(render("page.html.jinja", title=title, sections=drawn))


def render(template: str, **values: object) -> str:
    loader = jinja2.FileSystemLoader(Path(__file__).parent)
    environment = jinja2.Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"size": size, "seconds": seconds}
    return environment.get_template(template).render(
        machine=machine(), date=datetime.date.today().isoformat(), **values
    )
