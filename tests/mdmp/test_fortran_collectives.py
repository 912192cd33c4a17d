"""MDMP's reductions and broadcasts in Fortran: of every type of number, of sections, by directives and by the library form."""

import re

import pytest
from launch import BUILD, launch, library
from test_fortran_jacobi import FLANGS, FORTRAN, cache, done_well, fc, gfortran  # noqa: F401 (fixtures)

NUMBERS = ["integer(1)", "integer(2)", "integer(4)", "integer(8)", "real(4)", "real(8)", "real(10)"]
COMPLEX = ["complex(4)", "complex(8)"]
LOGICAL = ["logical(1)", "logical(2)", "logical(4)", "logical(8)"]

NUMBER = """
subroutine number_{number}(rank, ranks, wrong)
    use USED
    implicit none
    integer, intent(in) :: rank, ranks
    integer, intent(inout) :: wrong
    {type} :: x(4), total, greatest(2), least, product
    integer :: k, factorial
    x = rank + 1; total = rank; greatest = [rank, -rank]; least = -rank; product = rank + 1
    REDUCE(+: x(2:4:2))
    REDUCE(+: total)
    REDUCE(*: product)
    factorial = 1
    do k = 2, ranks
        factorial = factorial*k
    end do
    if (any(x /= [rank + 1, ranks*(ranks + 1)/2, rank + 1, ranks*(ranks + 1)/2])) wrong = wrong + 1
    if (total /= ranks*(ranks - 1)/2 .or. product /= factorial) wrong = wrong + 1
{order}end subroutine
"""
ORDER = """    REDUCE(max: greatest(1), 2)
    REDUCE(Min: least)
    if (any(greatest /= [ranks - 1, 0]) .or. least /= 1 - ranks) wrong = wrong + 1
"""
BITS = """    greatest = [2**rank, 2**rank + 8]
    least = 1
    REDUCE(ior: greatest(1))
    REDUCE(iand: greatest(2))
    REDUCE(ieor: least)
    if (greatest(1) /= 2**ranks - 1 .or. greatest(2) /= merge(9, 8, ranks == 1) .or. least /= mod(ranks, 2)) wrong = wrong + 1
"""
LOGICALS = """
subroutine logical_{number}(rank, ranks, wrong)
    use USED
    implicit none
    integer, intent(in) :: rank, ranks
    integer, intent(inout) :: wrong
    {type} :: every(3), some
    every = [.true., rank /= 1, .true.]; some = rank == 1
    REDUCE(.and.: every)
    REDUCE(.or.: some)
    if (any(every .neqv. [.true., ranks < 2, .true.]) .or. (some .neqv. ranks > 1)) wrong = wrong + 1
end subroutine
"""
SECTIONS = """
subroutine sections(rank, ranks, wrong)
    use USED
    use mpi
    implicit none
    integer, intent(in) :: rank, ranks
    integer, intent(inout) :: wrong
    type :: cell
        real :: x
        integer :: k
    end type
    type(cell) :: cells(4)
    character(5) :: words(3)
    real :: a(9, 7), b(9, 7)
    real, allocatable :: d(:)
    integer :: i, root
    do root = 0, ranks - 1
        b = reshape([(real(i), i = 1, size(b))], shape(b))
        a = b + 100*rank
        REDUCE(+: a(8:2:-3, 2:4), root(root))
        BCAST(a(9, :), root(root))
        BCAST(a(3, 6), 5, root(root), comm(MPI_COMM_WORLD))
        if (rank == root) b(8:2:-3, 2:4) = ranks*b(8:2:-3, 2:4) + 50*ranks*(ranks - 1) - 100*rank
        b = b + 100*rank
        b(9, :) = b(9, :) + 100*(root - rank)
        b(3:7, 6) = b(3:7, 6) + 100*(root - rank)
        if (any(a /= b)) wrong = wrong + 1
    end do
    allocate (d(-2:50000))
    d = rank
    BCAST(d, root(ranks - 1))
    if (any(d /= ranks - 1)) wrong = wrong + 1
    cells = cell(rank, rank); words = achar(64 + rank)
    BCAST(cells(2:3), root(1))
    BCAST(words(2)(2:3), root(0))
    REDUCE(max: cells%k)
    if (any(cells%x /= [rank, 1, 1, rank]) .or. any(cells%k /= [ranks - 1, 1, 1, ranks - 1])) wrong = wrong + 1
    if (words(2) /= achar(64 + rank)) wrong = wrong + 1
end subroutine
"""
BETWEEN = """
subroutine between(rank, ranks, wrong)
    use USED
    implicit none
    integer, intent(in) :: rank, ranks
    integer, intent(inout) :: wrong
    integer :: out, in, turn
    do turn = 1, 3
        out = rank*turn
        {exchange}
        REDUCE(+: in)
        out = in + rank
        {exchange}
        if (in /= turn*ranks*(ranks - 1)/2 + mod(rank + ranks - 1, ranks)) wrong = wrong + 1
    end do
end subroutine
"""
EXCHANGE = """!$mdmp recv(in, mod(rank + ranks - 1, ranks))
        !$mdmp send(out, mod(rank + 1, ranks))"""
EXCHANGE_BY_CALLS = """call mdmp_exchange_begin()
        call mdmp_recv(in, mod(rank + ranks - 1, ranks))
        call mdmp_send(out, mod(rank + 1, ranks))
        call mdmp_exchange_end()"""
MAIN = """
program collectives
    use mpi
    use USED
    implicit none
    integer :: rank, ranks, wrong, ierr
    wrong = 0
    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
    BEGIN
{calls}
    END
    print *, 'wrong', wrong
    call MPI_Finalize(ierr)
end program
"""
CLAUSE = re.compile(r"\b(root|comm)\((.*)\)$")


def at_commas(words):
    depth, parts = 0, [""]
    for c in words:
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [part.strip() for part in parts]


def call_of(word, words):
    """The library form of a directive."""
    op, words = words.split(":", 1) if word == "REDUCE" else ("", words)
    section, *others = at_commas(words)
    arguments = [f"{found[1]}={found[2]}" if (found := CLAUSE.match(one)) else f"count={one}" for one in others]
    first = [f"'{op.strip()}'"] if op else []
    return f"call mdmp_{word.lower()}({', '.join([*first, section, *arguments])}, line=__LINE__, file=__FILE__)"


def source(directives):
    parts, names = [], []
    for k, its in enumerate([*NUMBERS, *COMPLEX]):
        order = (ORDER if its in NUMBERS else "") + (BITS if its.startswith("integer") else "")
        parts.append(NUMBER.format(number=k, type=its, order=order))
        names.append(f"number_{k}")
    for k, its in enumerate(LOGICAL):
        parts.append(LOGICALS.format(number=k, type=its))
        names.append(f"logical_{k}")
    parts += [SECTIONS, BETWEEN.format(exchange=EXCHANGE if directives else EXCHANGE_BY_CALLS)]
    calls = "\n".join(f"    call {name}(rank, ranks, wrong)" for name in [*names, "sections", "between"])
    lines = []
    for line in ("".join(parts) + MAIN.format(calls=calls)).splitlines():
        word, _, rest = line.strip().partition("(")
        if word in ("REDUCE", "BCAST"):
            rest = rest.removesuffix(")")
            line = f"    !$mdmp {word.lower()}({rest})" if directives else call_of(word, rest)
        elif word == "BEGIN":
            line = "!$mdmp commregion" if directives else "call mdmp_region_begin()"
        elif word == "END":
            line = "!$mdmp commregionfinished" if directives else "call mdmp_region_end()"
        lines.append(line.replace("USED", "stretto_mdmp" if directives else "mdmp_calls"))
    return "\n".join(lines) + "\n"


def check(result):
    assert result.rc == 0 and result.stdout.split() == ["wrong", "0"] * 3, result


@pytest.mark.parametrize("optimised", ["-O0", "-O2"])
@pytest.mark.parametrize("flang", FLANGS)
@pytest.mark.parametrize("fortran", FORTRAN)
def test_reductions_and_broadcasts_by_directives(fortran, flang, optimised, fc, tmp_path):  # noqa: F811
    (tmp_path / "collectives.f90").write_text(source(directives=True))
    done_well(fc(fortran, flang, optimised, "-g", "collectives.f90", "-o", "collectives"))
    check(launch(fortran, 3, tmp_path / "collectives"))


@pytest.mark.parametrize("flang", FLANGS)
def test_reductions_and_broadcasts_by_calls_and_flang(flang, fc, tmp_path):  # noqa: F811
    (tmp_path / "collectives.F90").write_text(source(directives=False))
    done_well(fc(FORTRAN[0], flang, "collectives.F90", "-o", "collectives"))
    check(launch(FORTRAN[0], 3, tmp_path / "collectives"))


@pytest.mark.parametrize("fortran", FORTRAN)
def test_reductions_and_broadcasts_by_calls_and_gfortran(fortran):
    if not library(fortran).exists():
        pytest.skip("libstretto is not built for this MPI")
    file = BUILD / "tests" / fortran / "collectives.F90"
    file.parent.mkdir(parents=True, exist_ok=True)
    text = source(directives=False)
    if not file.exists() or file.read_text() != text:
        file.write_text(text)
    check(launch(fortran, 3, gfortran(fortran, "collectives", file, "-Wno-conversion", "-ffree-line-length-none")))


FIXED = """      program fixed
      use stretto_mdmp
      integer total(3), rank, ranks, ierr
      include 'mpif.h'
!$mdmp commregion
      call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
      call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
      total = rank
c$mdmp reduce(max:
c$mdmp&       total(1:2),
c$mdmp&       root(0))
c$mdmp bcast(total(1), 2, root(0))
!$mdmp commregionfinished
      print *, 'wrong', total(1) + total(2) - 2*ranks + 2
      end
"""


@pytest.mark.parametrize("flang", FLANGS)
def test_collectives_in_fixed_form(flang, fc, tmp_path):  # noqa: F811
    (tmp_path / "fixed.f").write_text(FIXED)
    done_well(fc(FORTRAN[0], flang, "-g", "fixed.f", "-o", "fixed"))
    check(launch(FORTRAN[0], 3, tmp_path / "fixed"))


@pytest.mark.parametrize("flang", FLANGS)
def test_names_of_functions_may_be_variables(flang, fc, tmp_path):  # noqa: F811
    """Those that say of what type the elements are."""
    text = "program p\nuse stretto_mdmp\ninteger :: huge(3), not\nhuge = 2; not = 1\n!$mdmp commregion\n"
    text += "!$mdmp reduce(max: huge)\n!$mdmp reduce(ior: not)\n!$mdmp reduce(min: huge(1:not), root(0))\n"
    text += "!$mdmp commregionfinished\nprint *, 'wrong', sum(huge) - 7 + not\nend program\n"
    (tmp_path / "names.f90").write_text(text)
    done_well(fc(FORTRAN[0], flang, "names.f90", "-o", "names"))
    check(launch(FORTRAN[0], 3, tmp_path / "names"))


WRONG_CALLS = {
    "of_a_type": ("call mdmp_reduce('+', t, line=__LINE__, file=__FILE__)", "its elements are no numbers"),
    "of_texts": ("call mdmp_reduce('max', c, line=__LINE__, file=__FILE__)", "its elements are no numbers"),
    "sum_of_logicals": ("call mdmp_reduce('+', l, line=__LINE__, file=__FILE__)", "are bool of 4 bytes, of which there is no +"),
    "unknown": ("call mdmp_reduce('sum', x, line=__LINE__, file=__FILE__)", "there is no such operation"),
    "quadruple": ("call mdmp_reduce('+', q, line=__LINE__, file=__FILE__)", "its elements are no numbers"),
    "no_rank": ("call mdmp_bcast(x, 7, line=__LINE__, file=__FILE__)", "its root is 7"),
}  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG_CALLS)
def test_what_is_wrong_in_a_call_ends_the_job_and_names_the_line(wrong):
    call, words = WRONG_CALLS[wrong]
    text = "program p\nuse mdmp_calls\ntype :: cell\ninteger :: k\nend type\ntype(cell) :: t(2)\ninteger :: x(5)\n"
    text += "character(3) :: c\nlogical :: l\nreal(16) :: q\nx = 1; c = 'a'; l = .true.; q = 1; t%k = 1\n"
    text += (
        f"call mdmp_region_begin(line=__LINE__)\n{call}\nif (x(1) + t(1)%k + q > 5 .and. l) print *, c\nend program\n"
    )
    file = BUILD / "tests" / FORTRAN[0] / f"wrong-{wrong}.F90"
    file.parent.mkdir(parents=True, exist_ok=True)
    if not file.exists() or file.read_text() != text:
        file.write_text(text)
    result = launch(FORTRAN[0], 2, gfortran(FORTRAN[0], f"wrong-{wrong}", file, "-ffree-line-length-none"))
    assert result.rc and not result.hung and words in result.stderr and f"wrong-{wrong}.F90:13" in result.stderr, result
