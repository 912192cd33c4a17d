"""One file: the plan, what is made of it, and whether the result still compiles."""

from pathlib import Path

import in_c
import in_fortran
from edits import read
from outcome import Failure, Left, Note
from plan import Compiler, Decision

# Calls that have annotations here, in small letters.
ANNOTATED = ("mpi_send", "mpi_isend", "mpi_recv")


def annotated(path: Path, flags: list[str]) -> tuple[str, str, list[Note]]:
    """The text before, the text after, and what is to be said."""
    before = read(path)
    compiler = Compiler(path, flags)
    wanted, notes = [], []
    for decision in compiler.plan():
        try:
            check(path, decision, compiler.name == "stretto-fc")
            wanted.append(decision)
        except Left as why:
            notes.append(
                Note(decision.at.file if why.line is None else str(path), decision.at.line, left(decision, why))
            )
    language = in_fortran if compiler.name == "stretto-fc" else in_c
    after, more = language.annotate(path, before, compiler, wanted) if wanted else (before, [])
    if read(path) != before:
        raise Failure(f"{path}: has changed since it was compiled: start anew")
    if after != before and (wrong := compiler.compiles(after)):
        raise Failure(f"{path}: with annotations it {wrong}; it stays as it is")
    return before, after, sorted(notes + more, key=lambda note: (note.file, note.line))


def left(decision: Decision, why: Left) -> str:
    return f"{decision.what} is left as it is: {why.why}"


def check(path: Path, decision: Decision, is_fortran: bool) -> None:
    """What no form of the source can mend. (In Fortran, what is no pointer's target overlaps nothing that is written.)"""
    if not decision.done:
        raise Left(decision.why)
    if decision.call.lower().rstrip("_") not in ANNOTATED:
        raise Left("only MPI_Send, MPI_Isend and MPI_Recv are annotated; Stretto's compiler does it")
    here = Path(decision.at.file)
    if here.name != path.name:
        raise Left(f"it stands in {here}, which is included")
    if decision.turn_before:
        raise Left("it starts in the turn before: exchange at the bottom of the loop, and once in front of it")
    if decision.sweeps:
        raise Left("it begins in the last sweep of several, which has no form in the source")
    if decision.conditions:
        raise Left("it is sent under a condition only: test that before the loop")
    if decision.overlaps and not is_fortran:
        raise Left("arrays may overlap, which only a compiled program compares: declare the pointers restrict")
    if not decision.as_written:
        raise Left(
            "the compiler made other loops of the source's: it stands under a condition that does not change, or its first turns differ"
        )
    if not decision.everywhere:
        raise Left("its function is used where it cannot be done, too")
