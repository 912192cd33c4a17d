"""Which MPI calls of a program pass messages: as its objects have them, and as the compiler's plan tells of them."""

import re
import subprocess
from pathlib import Path

NAMES = [
    "Send",
    "Bsend",
    "Ssend",
    "Rsend",
    "Isend",
    "Ibsend",
    "Issend",
    "Irsend",
    "Recv",
    "Irecv",
    "Sendrecv",
    "Sendrecv_replace",
    "Start",
    "Startall",
    "Barrier",
    "Ibarrier",
    "Bcast",
    "Ibcast",
    "Gather",
    "Igather",
    "Gatherv",
    "Igatherv",
    "Scatter",
    "Iscatter",
    "Scatterv",
    "Iscatterv",
    "Allgather",
    "Iallgather",
    "Allgatherv",
    "Iallgatherv",
    "Alltoall",
    "Ialltoall",
    "Alltoallv",
    "Ialltoallv",
    "Alltoallw",
    "Ialltoallw",
    "Reduce",
    "Ireduce",
    "Allreduce",
    "Iallreduce",
    "Reduce_scatter",
    "Ireduce_scatter",
    "Reduce_scatter_block",
    "Ireduce_scatter_block",
    "Scan",
    "Iscan",
    "Exscan",
    "Iexscan",
]
C_OR_FORTRAN = {spelt: name for name in NAMES for spelt in (f"MPI_{name}", f"mpi_{name.lower()}_")}
RELOCATION = re.compile(r"^\s+[0-9a-f]+:\s+R_X86_64_\w+\s+(\w+)")
LINE = re.compile(r"^; (/?[^:]+):(\d+)")

Call = tuple[str, int, str]  # a file's name, a line, and a function's name without MPI_


def in_objects(folder: Path, objdump: str) -> set[Call]:
    """By the debug information of all objects below a folder, whose compiler is not asked. Line 0, of code that belongs to several, counts for none."""
    calls = set()
    for made in folder.rglob("*.o"):
        words = [objdump, "--disassemble", "--reloc", "--line-numbers", "--no-show-raw-insn", made]
        at = ("", 0)
        for row in subprocess.run(
            words, capture_output=True, text=True, errors="replace", check=True
        ).stdout.splitlines():
            if line := LINE.match(row):
                at = (Path(line[1]).name, int(line[2]))
            elif (found := RELOCATION.match(row)) and found[1] in C_OR_FORTRAN and at[1]:
                calls.add((*at, C_OR_FORTRAN[found[1]]))
    return calls


def in_plan(folder: Path) -> dict[Call, list[dict]]:
    """What the compiler says of each call: once for each function that it was inlined into."""
    import yaml

    said = {}
    for path in sorted(folder.glob("*.yaml")):
        for decision in yaml.safe_load(path.read_text()) or []:
            name = C_OR_FORTRAN.get(decision["call"], decision["call"])
            said.setdefault((Path(decision["at"]["file"]).name, decision["at"]["line"], name), []).append(decision)
    return said
