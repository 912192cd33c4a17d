"""Why Stretto helps a job, or does not: sentences from what the runtime's report of one run counted (docs/report.md)."""

import json
import re
from pathlib import Path

LITTLE = 0.02  # a share that is not worth a word
MOST = 0.5
KIB = 1024
# What became of bytes that were sent (runtime/trace/fates.def), where it was nothing that Stretto could hide.
LEFT_ALONE = {
    "send_small": "no messages over the threshold: {share} of the bytes travel in messages under {threshold} KiB",
    "send_near": "links are fast: {share} of the bytes go to ranks of the same host",
    "send_fast": "links are fast: {share} of the bytes go over one on which there is little to hide (STRETTO_FAST_LINK)",
    "send_given_up": "{share} of the bytes were left to the library: sent in pieces, the program was not quicker",
    "send_mode": "{share} of the bytes are sent synchronously or buffered, which stays the library's",
    "send_type": "{share} of the bytes have datatypes that cannot be sent in pieces",
    "send_large": "{share} of the bytes travel in messages over STRETTO_LARGEST",
}


def read(page: Path) -> dict | None:
    """The report's JSON, which stands in its page's `script#stretto`."""
    if not page.exists():
        return None
    found = re.search(r'<script[^>]*id="stretto"[^>]*>(.*?)</script>', page.read_text(errors="replace"), re.S)
    return json.loads(found[1]) if found else None


def reasons(document: dict) -> list[str]:
    """The most telling first."""
    if document["world"] < 2:
        return ["the job has one rank, which waits for nobody"]
    if calm := compute_only(document):
        return [*hidden(document), calm]
    found = [*left_alone(document), *waits(document)]
    if document["why_native"]:
        found.insert(0, f"messages stay the library's: {document['why_native']}")
    return [*hidden(document), *found]


def rank_seconds(document: dict) -> float:
    return max(document["seconds"] * document["ranks"], 1e-9)


def in_library(document: dict) -> dict[str, float]:
    """Seconds of all ranks in calls that stay the library's, by function."""
    seconds: dict[str, float] = {}
    for site in document["sites"]:
        if not site["for_messages"]:
            seconds[site["function"]] = seconds.get(site["function"], 0) + site["waited_s"]
    return seconds


def percent(share: float) -> str:
    return f"{100 * share:.1f} %" if share < 0.1 else f"{100 * share:.0f} %"


def hidden(document: dict) -> list[str]:
    share = document["hidden_s"] / rank_seconds(document)
    if share < LITTLE:
        return []
    return [f"{percent(share)} of the ranks' time was computing while messages came, which plain runs wait for"]


def compute_only(document: dict) -> str:
    waited = document["waited_s"] + sum(in_library(document).values())
    share = waited / rank_seconds(document)
    return f"compute only: {percent(share)} of the ranks' time is waited in MPI" if share < LITTLE else ""


def left_alone(document: dict) -> list[str]:
    """What the bytes that were sent have in common."""
    sent: dict[str, int] = {}
    for site in document["sites"]:
        for fate, messages in site["became"].items():
            if fate.startswith("send_"):
                sent[fate] = sent.get(fate, 0) + messages["bytes"]
    all_bytes = sum(sent.values())
    if not all_bytes:
        return []
    fate, most = max(sent.items(), key=lambda of: of[1])
    if fate not in LEFT_ALONE or most < MOST * all_bytes:
        return []
    threshold = document["threshold_bytes"] / KIB
    return [LEFT_ALONE[fate].format(share=percent(most / all_bytes), threshold=f"{threshold:g}")]


def waits(document: dict) -> list[str]:
    """Where the ranks wait."""
    library = in_library(document)
    waited = document["waited_s"] + sum(library.values())
    sites = [site for site in document["sites"] if site["for_messages"]]
    found = []
    if (most := max(library, key=library.get, default=None)) and sum(library.values()) > MOST * waited:
        share = percent(sum(library.values()) / waited)
        found.append(f"{share} of the wait is in calls that stay the library's, most of it in {most}")
    if (stopped := sum(site["stopped_s"] for site in sites)) > MOST * waited:
        found.append(f"what is received is read at once: {percent(stopped / waited)} of the wait is{first_stop(sites)}")
    if (late := sum(site["before_match_s"] for site in sites)) > MOST * waited:
        found.append(f"senders are late: {percent(late / waited)} of the wait is before a message begins to come")
    return found


def first_stop(sites: list[dict]) -> str:
    """The line that stopped the program longest."""
    stops = [stop for site in sites for stop in site["stopped_by"]]
    if not stops:
        return " for what a call has returned before"
    longest = max(stops, key=lambda stop: stop["seconds"])
    return f" at lines that use it, most of it at {longest['line'].rpartition('/')[2]}"
