"""Why Stretto helps a job, or does not: the verdict of the runtime's report of one run (docs/report.md)."""

import json
import re
from pathlib import Path


def read(page: Path) -> dict | None:
    """The report's JSON, which stands in its page's `script#stretto`."""
    if not page.exists():
        return None
    found = re.search(r'<script[^>]*id="stretto"[^>]*>(.*?)</script>', page.read_text(errors="replace"), re.S)
    return json.loads(found[1]) if found else None


def reasons(document: dict) -> list[str]:
    """The verdict, then what was seen at the call sites that matter."""
    verdict = document["verdict"]
    return [verdict["sentence"], *(at(site) for site in verdict["sites"])]


def at(site: dict) -> str:
    """MPI_Recv at solver.c:210: touched at solver.c:214."""
    return f"{site['function']} at {site['line'].rpartition('/')[2]}: {site['seen']}"
