"""stretto-fc compiles sources with directives as it does others: what it makes, prints and tells names the user's files."""

import re
import subprocess

import pytest
from launch import launch
from test_fortran_jacobi import FLANGS, FORTRAN, cache, done_well, fc, gfortran, printed  # noqa: F401 (fixtures)

if not (FORTRAN and FLANGS):
    pytest.skip("no flang with a plugin: `make compilers`, then `make`", allow_module_level=True)

ANY = FORTRAN[0], FLANGS[-1]
RING = """subroutine pass(x, n, next, prev)
    use stretto_mdmp
    implicit none
    integer, intent(in) :: n, next, prev
    integer, intent(inout) :: x(0:n)
{}
end subroutine
"""
EXCHANGE = "!$mdmp recv(x(0:0), prev)\n!$mdmp send(x(n), 1, next)"
MAIN = """program ring
    use stretto_mdmp
    use mpi
    implicit none
    integer :: x(0:3), rank, ranks, ierr
    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
    x = rank
!$mdmp commregion ring comm(MPI_COMM_WORLD)
    call pass(x, 3, mod(rank + 1, ranks), mod(rank + ranks - 1, ranks))
!$mdmp commregionfinished
    print *, 'from', x(0) - mod(rank + ranks - 1, ranks)
    call MPI_Finalize(ierr)
end program
"""


def goes_round(program, mpi=ANY[0]):
    result = launch(mpi, 3, program)
    assert printed(result) == [["from", "0"]] * 3, result


def write(folder, **files):
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)


@pytest.mark.parametrize("flang", FLANGS)
@pytest.mark.parametrize("fortran", FORTRAN)
def test_several_files_in_one_command(fortran, flang, fc, tmp_path):  # noqa: F811
    write(tmp_path, source__pass_f90=RING.format(EXCHANGE), ring_f90=MAIN)
    done_well(fc(fortran, flang, "source/pass.f90", "ring.f90", "-o", "ring"))
    goes_round(tmp_path / "ring", fortran)
    assert not list(tmp_path.glob("stretto-fc-*"))  # what was rewritten is gone


def test_objects_are_where_they_are_without_directives(fc, tmp_path):  # noqa: F811
    write(tmp_path, source__pass_f90=RING.format(EXCHANGE), ring_f90=MAIN)
    done_well(fc(*ANY, "-c", "source/pass.f90", "ring.f90"))
    assert (tmp_path / "pass.o").exists() and (tmp_path / "ring.o").exists()
    done_well(fc(*ANY, "-c", "source/pass.f90", "-o", "other.o"))
    done_well(fc(*ANY, "other.o", "ring.o", "-o", "ring"))
    goes_round(tmp_path / "ring")


@pytest.mark.parametrize("flang", FLANGS)
def test_preprocessed_text_has_the_calls_and_names_the_users_file(flang, fc, tmp_path):  # noqa: F811
    write(tmp_path, pass_F90=RING.format(EXCHANGE), ring_f90=MAIN)
    shown = done_well(fc(ANY[0], flang, "-E", "pass.F90")).stdout
    assert "call" in shown and "stretto-fc-" not in shown and '"pass.F90"' in shown, shown
    done_well(fc(ANY[0], flang, "-E", "pass.F90", "-o", "shown.f90"))
    assert (tmp_path / "shown.f90").read_text() == shown
    done_well(fc(ANY[0], flang, "shown.f90", "ring.f90", "-o", "ring"))
    goes_round(tmp_path / "ring")


@pytest.mark.parametrize("off", ["-fstretto=all", "-fstretto=off"])
@pytest.mark.parametrize("optimised", ["-O0", "-O2"])
@pytest.mark.parametrize("flang", FLANGS)
def test_debug_information_names_the_users_file_and_lines(flang, optimised, off, fc, tmp_path):  # noqa: F811
    write(tmp_path, pass_f90=RING.format(EXCHANGE))
    done_well(fc(ANY[0], flang, "-g", optimised, off, "-c", "pass.f90"))
    said = subprocess.run(
        ["readelf", "--debug-dump=info", "--debug-dump=decodedline", "-W", "pass.o"],
        capture_output=True, text=True, cwd=tmp_path, timeout=60,
    ).stdout  # fmt: skip
    assert "stretto-fc-" not in said, said
    assert re.search(r"DW_AT_name\s.*: pass\.f90", said), said
    lines = {int(line) for line in re.findall(r"^pass\.f90\s+(\d+)\s", said, re.M)}
    assert {6, 7} <= lines <= set(range(0, 10)), said


def test_what_is_told_of_other_calls_names_the_users_file(fc, tmp_path):  # noqa: F811
    text = "subroutine s(b, n)\nuse mpi\nuse stretto_mdmp\ninteger n, b(n), ierr\ndo i = 1, n\nb(i) = i\nend do\n"
    text += "call MPI_Send(b, n, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, ierr)\n!$mdmp send(b, 1)\nend\n"
    write(tmp_path, s_f90=text)
    said = done_well(fc(*ANY, "-O2", "-Rpass=stretto", "-Rpass-missed=stretto", "-c", "s.f90")).stderr
    assert "s.f90:8:" in said and "send at line 8 starts inside the loop at line 5" in said, said
    assert "stretto-fc-" not in said, said


def test_directives_in_an_included_file(fc, tmp_path):  # noqa: F811
    """Beside the source, and where -I says; errors name it."""
    write(tmp_path, source__pass_F90=RING.format("#include <exchange.inc>"), ring_f90=MAIN)
    write(tmp_path, source__direct_F90=RING.format("    include 'beside.inc'"), folder__exchange_inc=EXCHANGE + "\n")
    write(tmp_path, source__beside_inc="    include '../folder/exchange.inc'\n    x(1) = y\n")
    done_well(fc(*ANY, "source/pass.F90", "ring.f90", "-Ifolder", "-o", "ring"))
    goes_round(tmp_path / "ring")
    done = fc(*ANY, "-c", "source/direct.F90")
    assert done.returncode == 1 and "source/beside.inc:2:12: error: " in done.stderr, done.stderr
    write(tmp_path, folder__exchange_inc="\n!$mdmp send(x, -1)\n")
    done = fc(*ANY, "-c", "source/pass.F90", "-Ifolder")
    assert "folder/exchange.inc:2:16: error: send: a rank is not negative" in done.stderr, done.stderr


def test_macros_and_branches_of_the_preprocessor(fc, tmp_path):  # noqa: F811
    text = "#ifdef TWICE\n!$mdmp recv(x(FIRST), prev)\n!$mdmp send(x(n), next)\n#else\n!$mdmp recv(x(FIRST), prev)\n"
    write(tmp_path, pass_F90=RING.format(text + "!$mdmp send(x(n), next)\n#endif"), ring_f90=MAIN)
    for flags in (["-DTWICE"], []):
        done_well(fc(*ANY, "-DFIRST=0", *flags, "pass.F90", "ring.f90", "-o", "ring"))
        goes_round(tmp_path / "ring")


def test_sources_in_a_response_file(fc, tmp_path):  # noqa: F811
    write(tmp_path, pass_f90=RING.format(EXCHANGE), ring_f90=MAIN, all_txt="pass.f90 ring.f90 -o ring\n")
    done_well(fc(*ANY, "@all.txt"))
    goes_round(tmp_path / "ring")


def test_words_that_are_no_keywords_are_names(fc, tmp_path):  # noqa: F811
    """Variables with the names of directives, clauses and statements; a loop that ends at a label; constructs with names."""
    write(
        tmp_path,
        pass_f90="""subroutine pass(send, n, tag, none)
    use, non_intrinsic :: stretto_mdmp, only: mdmp_none
    integer, intent(in) :: n, tag, none
    integer, intent(inout) :: send(0:n)
    integer :: recv(0:n), do, if, end, type(3), all
    do = 1; if = 2; end = 3; type(1) = 4; all = n
    recv = send
    outer: do k = 1, 1
        do 10 l = 1, 2
            if (l == 3) exit
10      continue
!$mdmp commregion
        block
            integer :: comm
            comm = none
            !$mdmp recv(recv(0), comm)
!$mdmp send(send(all), tag); ! not part of it
        end block
        if (do > if) return
!$mdmp commregionfinished
    end do outer
    send(0) = recv(0)
end subroutine
""".replace("; ! not part of it", " ! a comment").replace("        if (do > if) return\n", ""),
        ring_f90=MAIN,
    )
    done_well(fc(*ANY, "-g", "pass.f90", "ring.f90", "-o", "ring"))
    goes_round(tmp_path / "ring")


@pytest.mark.parametrize("fortran", FORTRAN)
def test_none_tags_and_a_communicator(fortran, fc, tmp_path):  # noqa: F811
    write(
        tmp_path,
        all_f90="""program all
    use stretto_mdmp
    use mpi
    implicit none
    integer :: rank, ierr, half, a, b, c, other
    !$mdmp commregion
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_split(MPI_COMM_WORLD, rank/2, rank, half, ierr)
    a = 10*rank; b = 10*rank + 1; c = -1; other = 1 - mod(rank, 2)
    !$mdmp commregion comm(half)
    !$mdmp recv(c, none)
    !$mdmp send(a, none)
    if (mod(rank, 2) == 0) then
        !$mdmp send(a, other, tag(7))
        !$mdmp send(b, other, tag(rank + 8), comm(half))
    else
        !$mdmp recv(a, other, comm(half), tag(rank + 7))
        !$mdmp recv(b, other, tag(7))
    end if
    !$mdmp commregionfinished
    !$mdmp commregionfinished
    if (mod(rank, 2) == 0) print *, 'wrong', c + 1
    if (mod(rank, 2) == 1) print *, 'wrong', abs(a - 10*(rank - 1) - 1) + abs(b - 10*(rank - 1))
end program
""",
    )
    done_well(fc(fortran, FLANGS[-1], "all.f90", "-o", "all"))
    assert printed(launch(fortran, 4, tmp_path / "all")) == [["wrong", "0"]] * 4


def test_standard_input_is_no_place_for_directives(fc, tmp_path):  # noqa: F811
    done = fc(*ANY, "-c", "-", input=RING.format(EXCHANGE))
    assert done.returncode == 1 and "is compiled from a file: give its name" in done.stderr, done.stderr
    done_well(fc(*ANY, "-c", "-", "-o", "plain.o", input="subroutine s\nend subroutine\n"))
    assert "s_" in subprocess.run(["nm", tmp_path / "plain.o"], capture_output=True, text=True, timeout=60).stdout


MISUSES = {
    "more_is_sent": ("call s(1, 5)", "call r(1, 4)", ["recv(x(1:n))", "send(x(1:n))", "misuse.F90:{send}", "misuse.F90:{recv}"]),
    "less_is_sent": ("call s(2, 3)", "call r(1, 4)", ["recv(x(1:n))", "send(x(1:n))", "misuse.F90:{send}", "misuse.F90:{recv}"]),
    "a_copy": ("call copied", "call r(1, 4)", ["send(x(index))", "a copy of this section", "misuse.F90:{copied}"]),
    "not_allocated": ("call absent", "call r(1, 4)", ["send(y)", "is not allocated", "misuse.F90:{absent}"]),
    "beyond": ("call beyond", "call r(1, 4)", ["send(x(8))", "ends 3 elements behind the first one", "misuse.F90:{beyond}"]),
    "with_gaps": ("call gaps(x(1:9:2))", "call r(1, 4)", ["send(z(1))", "not one behind the other", "misuse.F90:{gaps}"]),
    "reductions_differ": (
        "call total(2)", "call greatest(2)",
        ["reduce(+: x(1:n))", "is of +, and rank 1's of max: reduce(max: x(1:n)) at", "misuse.F90:{total}", "misuse.F90:{greatest}"],
    ),
    "reduces_more": ("call total(2)", "call total(3)", ["has 2 elements of 4 bytes, and rank 1 has 3", "misuse.F90:{total}"]),
    "roots_differ": ("call all(0)", "call all(1)", ["its root is 0, and rank 1's is 1: bcast(x) at", "misuse.F90:{all}"]),
    "of_a_section": ("call section", "call r(1, 4)", ["send(x)", "with a count stands the first element", "misuse.F90:{section}"]),
}  # fmt: skip
MISUSE = """program misuse
    use stretto_mdmp
    use mpi
    implicit none
    integer :: x(10), index(3), rank, ierr
    integer, allocatable :: y(:)
    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    x = 1; index = [3, 1, 2]
!$mdmp commregion
    if (rank == 0) then
        ZERO
    else
        ONE
    end if
!$mdmp commregionfinished
    call MPI_Finalize(ierr)
contains
    subroutine s(m, n)
        integer, intent(in) :: m, n
        if (m == 2) x = 2
!$mdmp send(x(1:n), 1) HERE send
    end subroutine
    subroutine r(m, n)
        integer, intent(in) :: m, n
        if (m == 2) x = 2
!$mdmp recv(x(1:n), 0) HERE recv
    end subroutine
    subroutine total(n)
        integer, intent(in) :: n
!$mdmp reduce(+: x(1:n)) HERE total
    end subroutine
    subroutine greatest(n)
        integer, intent(in) :: n
!$mdmp reduce(max: x(1:n)) HERE greatest
    end subroutine
    subroutine all(of)
        integer, intent(in) :: of
!$mdmp bcast(x, root(of)) HERE all
    end subroutine
    subroutine copied
!$mdmp send(x(index), 1) HERE copied
    end subroutine
    subroutine absent
!$mdmp send(y, 1) HERE absent
    end subroutine
    subroutine beyond
!$mdmp send(x(8), 4, 1) HERE beyond
    end subroutine
    subroutine gaps(z)
        integer, intent(in) :: z(:)
!$mdmp send(z(1), 2, 1) HERE gaps
    end subroutine
    subroutine section
!$mdmp send(x, 2, 1) HERE section
    end subroutine
end program
"""


@pytest.mark.parametrize("flang", FLANGS)
@pytest.mark.parametrize("wrong", MISUSES)
def test_what_is_wrong_at_run_time_ends_the_job_and_names_the_line(wrong, flang, fc, tmp_path):  # noqa: F811
    zero, one, words = MISUSES[wrong]
    text = MISUSE.replace("HERE", "! HERE").replace("ZERO", zero).replace("ONE", one)
    write(tmp_path, misuse_F90=text)
    lines = {line.split()[-1]: number for number, line in enumerate(text.splitlines(), 1) if "! HERE" in line}
    done_well(fc(ANY[0], flang, "-g", "misuse.F90", "-o", "misuse"))
    result = launch(ANY[0], 2, tmp_path / "misuse")
    assert result.rc and not result.hung, result
    assert all(word.format(**lines) in result.stderr for word in words), result


def test_calls_name_the_line_that_they_say(tmp_path):
    text = "program p\nuse mdmp_calls\ninteger :: x(5)\nx = 1\ncall mdmp_region_begin(line=__LINE__)\n"
    text += "call mdmp_send(x, 7, line=__LINE__, file=__FILE__)\nend program\n"
    (tmp_path / "calls.F90").write_text(text)
    result = launch(ANY[0], 2, gfortran(ANY[0], "calls-line", tmp_path / "calls.F90"))
    assert result.rc and not result.hung and "calls.F90:6" in result.stderr, result
