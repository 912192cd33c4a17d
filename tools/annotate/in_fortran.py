"""Annotates one source of Fortran."""

from pathlib import Path

from company import by_loop, left, located, settled
from edits import Edits
from fortran_rewrite import Rewriter
from fortran_source import FortranSource, is_inside
from outcome import Left, Note
from plan import Compiler, Decision


def annotate(path: Path, text: str, compiler: Compiler, decisions: list[Decision]) -> tuple[str, list[Note]]:
    source, notes = FortranSource(path, text), []
    found = located(path, source.find, decisions, notes)
    edits = Edits(path, text)
    rewriter = Rewriter(source, edits)
    found = settled(path, found, notes, lambda one, other: is_inside(other.call, one.region))
    for of_loop in by_loop(found):
        before, declared = (
            list(edits.changes),
            {key: (unit, dict(names)) for key, (unit, names) in rewriter.declared.items()},
        )
        try:
            rewriter.loop(of_loop)
        except Left as why:
            edits.changes, rewriter.declared = before, declared
            notes += [left(path, one.decision, why) for one in of_loop]
    rewriter.declarations()
    return edits.result(), notes
