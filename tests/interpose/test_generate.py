"""The generator: every function of the standard and of a header has a class, or the build stops and says which has none."""

import os
import re
import subprocess
import sys

from launch import BUILD, ROOT, library, mpis

GENERATE = ROOT / "runtime" / "front" / "generate"
CLASSES = ROOT / "runtime" / "front" / "classes.toml"


def generate(header, out, classes=CLASSES):
    command = [sys.executable, GENERATE, "--classes", classes, "--header", header, "--out", out, "cc"]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def preprocessed(mpi):
    source = "#include <mpi.h>\n"
    return subprocess.run(
        [mpis()[mpi]["mpicc"], "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX", "-E", "-P", "-x", "c", "-"],
        input=source, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip


def listed(mpi):
    """functions.txt of the build: symbol -> class."""
    text = (BUILD / "runtime" / "generated" / mpi / "functions.txt").read_text()
    return {line.split("\t")[1]: line.split("\t")[0] for line in text.splitlines()}


def exported(object_):
    table = subprocess.run(["nm", "-D", "--defined-only", object_], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1].split("@")[0] for line in table.splitlines()}


def test_every_function_of_the_header_has_a_class_and_both_our_names(mpi):
    functions, ours, theirs = listed(mpi), exported(library(mpi)), exported(mpis()[mpi]["library"])
    # Found here in another way than the generator's: any MPI_X that the header names and the library has as PMPI_X.
    named = {name for name in re.findall(r"\bMPIX?_[A-Z]\w+", preprocessed(mpi)) if f"P{name}" in theirs}
    assert named == functions.keys()
    wrapped = {name for name, class_ in functions.items() if class_ != "unwrapped"}
    assert not {name for name in wrapped if name not in ours or f"P{name}" not in ours}
    assert len(wrapped) > 350


# Functions that a library has and that no header declares to a program which includes mpi.h: Open MPI's mpi-ext.h (docs/interposition.md,
# Limits) and what MPI 3.0 removed.
EXTENSIONS = re.compile(r"MPIX_(\w+_init|Comm_(i?agree|ack_failed|failure_\w+|get_failed|is_revoked|revoke|shrink))")
EXTENSIONS_OF_MPICH = re.compile(r"MPIX_(Grequest_(class_\w+|start)|Type_iov(_len)?)")
REMOVED = re.compile(r"MPI_(Address|Errhandler_(create|get|set)|Type_(extent|hindexed|hvector|lb|struct|ub))")
NO_FUNCTIONS_OF_C = re.compile(r"MPI_\w+(_F90|_FN|_NULL)")
OUR_OWN = re.compile(r"MPIX_(Delta_\w+|Parrived_any)")
PROVIDED = re.compile(r"MPI_(P(send|recv)_init|Pready(_list|_range)?|Parrived)")  # docs/partitioned.md
SUPPORT = re.compile(r"MPIX_Query_\w+_support")


def functions(object_):
    """The names of MPI's functions that an object offers."""
    table = subprocess.run(["nm", "-D", "--defined-only", object_], capture_output=True, text=True, check=True).stdout
    lines = [line.split() for line in table.splitlines()]
    names = {words[-1].split("@")[0] for words in lines if words[-2] in "TtWiV"}
    return {name for name in names if re.match(r"P?MPIX?_[A-Z]", name)}


def test_each_function_that_the_library_offers_under_either_name_is_ours_too(mpi):
    theirs, ours = functions(mpis()[mpi]["library"]), functions(library(mpi))
    unwrapped = {name for name, class_ in listed(mpi).items() if class_ == "unwrapped"}
    left = {name for name in theirs - ours if name.removeprefix("P") not in unwrapped}
    reasons = [NO_FUNCTIONS_OF_C, REMOVED]
    if mpi.startswith("openmpi"):
        reasons += [EXTENSIONS, SUPPORT]
    if mpi == "abi":
        reasons += [EXTENSIONS_OF_MPICH]  # which its mpi.h does not declare, and which have no name to profile by
    left = {name for name in left if not any(reason.fullmatch(name.removeprefix("P")) for reason in reasons)}
    assert not left
    beyond = {name for name in ours - theirs if not OUR_OWN.fullmatch(name)}
    if mpi == "openmpi":  # which is of MPI 3.1
        beyond = {name for name in beyond if not PROVIDED.fullmatch(name.removeprefix("P"))}
    assert not beyond


def test_what_is_not_wrapped_is_only_conversions_and_pcontrol(mpi):
    conversion = re.compile(r"MPI_\w+_(f2c|c2f|fromint|toint|f082c|c2f08|f2f08|f082f)$")
    unwrapped = {name for name, class_ in listed(mpi).items() if class_ == "unwrapped"}
    assert not {name for name in unwrapped if not conversion.match(name) and name != "MPI_Pcontrol"}


def test_a_function_without_a_class_stops_the_build(mpi, tmp_path):
    header = tmp_path / "mpi.h"
    header.write_text(
        preprocessed(mpi) + "int MPI_Sendall(const void *buf, int n);\nint PMPI_Sendall(const void *buf, int n);\n"
    )
    result = generate(header, tmp_path / "out")
    assert result.returncode != 0 and "without a class: Sendall" in result.stderr, result


def test_a_function_of_the_standard_without_a_class_stops_the_build(mpi, tmp_path):
    classes, header = tmp_path / "classes.toml", tmp_path / "mpi.h"
    header.write_text(preprocessed(mpi))
    classes.write_text(CLASSES.read_text().replace('"Iallreduce", ', ""))
    result = generate(header, tmp_path / "out", classes)
    assert result.returncode != 0 and "without a class: Iallreduce" in result.stderr, result


def test_a_function_in_two_classes_stops_the_build(tmp_path):
    classes = tmp_path / "classes.toml"
    classes.write_text(CLASSES.read_text().replace('"Barrier", ', '"Barrier", "Send", ', 1))
    result = generate(os.devnull, tmp_path / "out", classes)
    assert result.returncode != 0 and "Send stands in two classes" in result.stderr, result


def test_a_handled_function_whose_arguments_are_not_the_standards_stops_the_build(mpi, tmp_path):
    header = tmp_path / "mpi.h"
    header.write_text(re.sub(r"(\bP?MPI_Ssend ?\()", r"\1int context, ", preprocessed(mpi)))
    result = generate(header, tmp_path / "out")
    assert result.returncode != 0 and "MPI_Ssend has 7 parameters in this mpi.h, 6 in the standard" in result.stderr, (
        result
    )


def test_a_parameter_that_cannot_be_read_stops_the_build(mpi, tmp_path):
    header = tmp_path / "mpi.h"
    header.write_text(preprocessed(mpi) + "int MPI_Bcast(void (*)(int), int);\nint PMPI_Bcast(void (*)(int), int);\n")
    result = generate(header, tmp_path / "out")
    assert result.returncode != 0 and "cannot read the parameter" in result.stderr, result


def test_the_classes_say_what_may_block():
    """Spot checks of the promise that whatever may block is handled, or comes after a hand-over."""
    functions = listed(next(iter(mpis())))
    for name in (
        "MPI_Win_fence",
        "MPI_File_write_all",
        "MPI_Comm_dup",
        "MPI_Comm_spawn",
    ):
        assert functions[name] == "after hand_over", name
    for name in ("MPI_Barrier", "MPI_Allreduce", "MPI_Neighbor_alltoall"):
        assert functions[name] == "offered hand_over", name
    assert functions["MPI_Abort"] == "after hand_over_at_once"
    assert functions["MPI_Win_create"] == "after open_window"
    assert functions["MPI_Comm_idup"] == "after wait_for_matches"
    for name in ("MPI_Ibarrier", "MPI_Iallreduce", "MPI_Ineighbor_alltoall"):
        assert functions[name] == "offered wait_for_matches", name
    for name in (
        "MPI_Send",
        "MPI_Recv",
        "MPI_Waitany",
        "MPI_Mprobe",
        "MPI_Startall",
        "MPI_Comm_free",
        "MPI_Request_get_status",
    ):
        assert functions[name] == "handled", name
