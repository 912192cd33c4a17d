"""What every rank did when, as one drawing: a row per rank, messages as bands from the sender's row to the receiver's.

Read from what the kernels' harness wrote (KERNEL-VARIANT-RANK.json: compute, call, wait, send, receive) and, for Stretto, from
its own record of when each delta left and came (trace/rank-R.json).
"""

import json
from dataclasses import dataclass, field
from pathlib import Path

ROW, GAP, LEFT, RIGHT, TITLE, AXIS = 22, 26, 64, 16, 26, 26
WIDTH = 1000
LEAST = 0.35  # pixels: shorter events are joined with their neighbours


@dataclass
class Span:
    kind: str  # compute, call, wait
    begin: float
    end: float


@dataclass
class Flight:
    """A message, or a delta of one: where it left and came, and when."""

    source: int
    destination: int
    left: float
    came: float
    bytes: int


@dataclass
class Variant:
    name: str  # plain, stretto, hand
    title: str
    ranks: list[list[Span]]
    flights: list[Flight] = field(default_factory=list)

    @property
    def seconds(self) -> float:
        return max((span.end for rank in self.ranks for span in rank), default=0)


def read_variant(folder: Path, kernel: str, run: str, name: str, title: str) -> Variant | None:
    files = sorted(folder.glob(f"{kernel}-{run}-*.json"), key=lambda path: int(path.stem.rsplit("-", 1)[1]))
    events = [json.loads(path.read_text())["events"] for path in files]
    if not events or not any(events):
        return None
    begin = min(event["begin"] for rank in events for event in rank)
    end = max(event["end"] for rank in events for event in rank)
    ranks = [
        [Span(event["kind"], event["begin"] - begin, event["end"] - begin) for event in rank if "peer" not in event]
        for rank in events
    ]
    left, came = ("send", "receive")
    if name == "stretto":
        events, left, came = read_trace(folder / "trace", begin, end, len(events)), "delta_left", "delta_came"
    return Variant(name, title, ranks, match(events, left, came, begin))


def read_trace(folder: Path, begin: float, end: float, ranks: int) -> list[list[dict]]:
    traces = []
    for rank in range(ranks):
        path = folder / f"rank-{rank}.json"
        events = json.loads(path.read_text())["events"] if path.exists() else []
        traces.append([event for event in events if begin <= event["begin"] and event["end"] <= end])
    return traces


def match(events: list[list[dict]], left: str, came: str, begin: float) -> list[Flight]:
    """The k-th that left A for B is the k-th that came to B from A: MPI does not overtake."""
    leaving: dict[tuple[int, int], list[dict]] = {}
    for rank, some in enumerate(events):
        for event in some:
            if event["kind"] == left:
                leaving.setdefault((rank, event["peer"]), []).append(event)
    flights = []
    for rank, some in enumerate(events):
        taken: dict[int, int] = {}
        for event in some:
            if event["kind"] != came:
                continue
            k = taken[event["peer"]] = taken.get(event["peer"], -1) + 1
            pair = leaving.get((event["peer"], rank), [])
            if k < len(pair):
                sent = pair[k]
                flights.append(
                    Flight(event["peer"], rank, sent["begin"] - begin, event["end"] - begin, event.get("bytes", 0))
                )
    return flights


def joined(spans: list[Span], least: float) -> list[Span]:
    """Neighbours of one kind, and what is too short to be seen, become one."""
    merged: list[Span] = []
    for span in spans:
        if (
            merged
            and span.begin - merged[-1].end < least
            and (span.kind == merged[-1].kind or span.end - span.begin < least)
        ):
            merged[-1].end = max(merged[-1].end, span.end)
        else:
            merged.append(Span(span.kind, span.begin, span.end))
    return merged


def nice_step(seconds: float) -> float:
    """About eight steps of 1, 2 or 5 times a power of ten."""
    raw, power = seconds / 8, 1e-9
    while power * 10 <= raw:
        power *= 10
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= raw)


def label(seconds: float) -> str:
    if seconds == 0:
        return "0"
    return f"{seconds:g} s" if seconds >= 1 else f"{seconds * 1e3:g} ms" if seconds >= 1e-3 else f"{seconds * 1e6:g} µs"


def draw(variants: list[Variant]) -> str:
    """All variants below each other, on one time scale."""
    longest = max(variant.seconds for variant in variants)
    scale = (WIDTH - LEFT - RIGHT) / longest
    parts: list[str] = []
    y = 0.0
    for variant in variants:
        y = draw_variant(parts, variant, y, scale)
    step = nice_step(longest)
    height = y + AXIS
    axis = [f'<line class="axis" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:g}" y2="{y:g}"/>']
    for k in range(int(longest / step) + 1):
        x = LEFT + k * step * scale
        axis.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="0" y2="{y + 4:g}"/>')
        axis.append(f'<text class="tick" x="{x:.1f}" y="{y + 18:g}">{label(float(f"{k * step:.3g}"))}</text>')
    body = "".join(axis + parts)
    return (
        f'<svg class="timeline" viewBox="0 0 {WIDTH} {height:g}" role="img" '
        f'aria-label="timeline of each rank">{body}</svg>'
    )


def draw_variant(parts: list[str], variant: Variant, top: float, scale: float) -> float:
    rows = [top + TITLE + rank * (ROW + GAP) for rank in range(len(variant.ranks))]
    bottom = rows[-1] + ROW
    parts.append(
        f'<text class="variant {variant.name}" x="0" y="{top + 15:g}">{variant.title}'
        f'<tspan class="time" dx="8">{label(float(f"{variant.seconds:.3g}"))}</tspan></text>'
    )
    for flight in variant.flights:
        parts.append(band(flight, rows, scale, len(variant.flights), variant.name))
    for rank, spans in enumerate(variant.ranks):
        y = rows[rank]
        parts.append(f'<text class="rank" x="{LEFT - 10}" y="{y + ROW * 0.7:g}">rank {rank}</text>')
        parts.append(f'<rect class="row" x="{LEFT}" y="{y:g}" width="{variant.seconds * scale:.1f}" height="{ROW}"/>')
        for span in joined(spans, LEAST / scale):
            width = max((span.end - span.begin) * scale, 0.2)
            x = LEFT + span.begin * scale
            parts.append(
                f'<rect class="{span.kind}" x="{x:.2f}" y="{y:g}" width="{width:.2f}" height="{ROW}">'
                f"<title>{span.kind}: {label(float(f'{span.end - span.begin:.3g}'))}</title></rect>"
            )
    end = LEFT + variant.seconds * scale
    parts.append(f'<line class="end" x1="{end:.1f}" x2="{end:.1f}" y1="{top + TITLE - 6:g}" y2="{bottom + 6:g}"/>')
    return bottom + 22


def band(flight: Flight, rows: list[float], scale: float, flights: int, variant: str) -> str:
    """From the edge of the sender's row to the edge of the receiver's."""
    down = flight.destination > flight.source
    y1 = rows[flight.source] + (ROW if down else 0)
    y2 = rows[flight.destination] + (0 if down else ROW)
    x1, x2 = LEFT + flight.left * scale, LEFT + flight.came * scale
    title = f"<title>{flight.bytes} bytes, {flight.source} to {flight.destination}</title>"
    if flights > 4 * len(rows):
        return f'<line class="flight {variant}" x1="{x1:.1f}" y1="{y1:g}" x2="{x2:.1f}" y2="{y2:g}">{title}</line>'
    # A message as a whole: on its way from x1 to x2.
    return f'<path class="message {variant}" d="M{x1:.1f} {y1:g}L{x2:.1f} {y1:g}L{x2:.1f} {y2:g}z">{title}</path>'
