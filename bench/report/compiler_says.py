"""What a run waited for and paid, beside what the compiler said of the same calls: a page of `stretto run --report` and plans of the plugin.

A plan names calls by file and line, so does a report; files by their last names, since a compiler is given one path and a program another.
"""

import html
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SCRIPT = re.compile(r'<script type="application/json" id="stretto">(.*?)</script>', re.S)
# A call site's two rows in the table of the page: its name and numbers, then what stopped it and what became of it.
SITE = re.compile(
    r'<tr class="site"><td>(?P<function>.*?) <span class="soft"[^>]*>(?P<place>.*?)</span>.*?</td></tr>\n<tr><td class="why" colspan="10">.*?(?=</td></tr>)'
)


class Unreadable(Exception):
    """One line."""


@dataclass(frozen=True)
class Site:
    function: str
    line: str  # solver.c:40; empty where it is not known
    hidden: float
    waited: float
    cost: float
    says: tuple[str, ...]  # nothing: no plan names it


def place_of(line: str) -> tuple[str, str]:
    """/home/me/solver.c:40 (and what may stand behind) -> solver.c, 40."""
    found = re.search(r"([^/\s]+):(\d+)", line)
    return (found[1], found[2]) if found else ("", "")


def plan_files(paths: list[Path]) -> Iterator[Path]:
    for path in paths:
        yield from sorted(path.glob("*.yaml")) if path.is_dir() else [path]


def read_plans(paths: list[Path]) -> dict[tuple[str, str], list[str]]:
    import yaml  # only who asks for plans needs it

    says: dict[tuple[str, str], list[str]] = {}
    for path in plan_files(paths):
        try:
            for decision in yaml.safe_load(path.read_text()) or []:
                key = (Path(decision["at"]["file"]).name, str(decision["at"]["line"]))
                if decision["says"] not in says.setdefault(key, []):
                    says[key].append(decision["says"])
        except OSError as why:
            raise Unreadable(f"{path}: {why.strerror}") from None
        except (yaml.YAMLError, KeyError, TypeError, ValueError):
            raise Unreadable(f"{path}: is no plan: make it by STRETTO_PASS_OPTIONS=-stretto-plan={path}") from None
    return says


def read_page(path: Path) -> tuple[str, dict]:
    try:
        text = path.read_text()
    except (OSError, UnicodeDecodeError) as why:
        raise Unreadable(f"{path}: {getattr(why, 'strerror', None) or 'is no page'}") from None
    found = SCRIPT.search(text)
    if not found:
        raise Unreadable(f"{path}: is no page of `stretto run --report`")
    return text, json.loads(found[1])


def sites_of(document: dict, says: dict[tuple[str, str], list[str]]) -> list[Site]:
    """Calls of messages, the ones that took most first. One that was inlined in several places is one."""
    times: dict[tuple[str, str], list[float]] = {}
    for site in document["sites"]:
        if site["for_messages"]:
            sums = times.setdefault((site["function"], site["line"]), [0.0, 0.0, 0.0])
            for at, which in enumerate(("hidden_s", "waited_s", "cost_s")):
                sums[at] += site[which]
    sites = [
        Site(function, ":".join(place_of(line)).strip(":"), *sums, tuple(says.get(place_of(line), ())))
        for (function, line), sums in times.items()
    ]
    return sorted(sites, key=lambda site: -(site.waited + site.cost))


def table(sites: list[Site]) -> str:
    lines = [f"{'waited':>10} {'hidden':>10} {'cost':>10}  call"]
    for site in sites:
        times = " ".join(f"{seconds * 1e3:7.1f} ms" for seconds in (site.waited, site.hidden, site.cost))
        lines.append(f"{times}  {site.function} at {site.line or 'an unknown line'}")
        lines += [f"{'':34}the compiler says: {text}" for text in site.says or ["nothing: no plan names this call"]]
    return "\n".join(lines)


def with_plans(text: str, says: dict[tuple[str, str], list[str]]) -> str:
    """The page, with a line of the compiler's under each call site that it knows."""

    def more(row: re.Match) -> str:
        its = says.get(place_of(html.unescape(row["place"])), ())
        return row[0] + "".join(f"<br>the compiler says: <b>{html.escape(words)}</b>" for words in its)

    return SITE.sub(more, text)
