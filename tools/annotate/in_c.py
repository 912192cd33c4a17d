"""Annotates one source of C or C++."""

from pathlib import Path

from c_rewrite import Rewriter, include
from c_source import CSource, is_inside
from company import by_loop, left, located, settled
from edits import Edits
from outcome import Left, Note
from plan import Compiler, Decision


def annotate(path: Path, text: str, compiler: Compiler, decisions: list[Decision]) -> tuple[str, list[Note]]:
    source, notes = CSource(path, text, compiler), []
    found = located(path, source.find, decisions, notes)
    edits = Edits(path, text)
    rewriter = Rewriter(source, edits)
    found = settled(path, found, notes, lambda one, other: is_inside(other.call, one.region))
    for of_loop in by_loop(found):
        before = list(edits.changes)
        try:
            rewriter.loop(of_loop)
        except Left as why:
            edits.changes = before
            notes += [left(path, one.decision, why) for one in of_loop]
    if edits.changes:
        at = include(text, min(change[0] for change in edits.changes))
        if at is not None:
            edits.insert(
                at, "#include <stretto/stretto.h> /* stretto: MPIX_Delta_*; plain MPI with -DSTRETTO_PLAIN */\n"
            )
    return edits.result(), notes
