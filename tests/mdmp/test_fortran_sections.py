"""Every kind of array and section of Fortran arrives where it belongs, and nothing beside it is touched: by directives and by the library form."""

import dataclasses

import pytest
from launch import BUILD, launch, library
from test_fortran_jacobi import FLANGS, FORTRAN, cache, done_well, fc, gfortran  # noqa: F401 (fixtures)

REAL = "reshape([(real(i), i = 1, size(a))], shape(a))"


@dataclasses.dataclass
class Shape:
    """Rank 0's `a` has `value` in it, rank 1's `a` has `before`; the section is sent, and rank 1's `a` is to be as `wanted` then."""

    declared: str  # of NAME
    section: str  # of a
    value: str = REAL
    before: str = "-1"
    count: str = ""
    ready: str = ""  # statements that make `NAME` ready
    parts: str = "{}"  # what is compared
    section_wanted: str = ""  # where a count says what is sent


def real(dimensions, section, **more):
    return Shape(f"real :: NAME({dimensions})", section, **more)


def of_type(type_, value, before):
    return Shape(f"{type_} :: NAME(9)", "a(2:8:3)", f"[({value}, i = 1, 9)]", before)


WITH_CELLS = "a%cells%x = [(real(i, 8), i = 1, 6)]; a%cells%k = [(i, i = 11, 16)]"
SHAPES = {
    "a_column": real("9, 7", "a(2:8, 3)"),
    "a_row": real("9, 7", "a(4, 2:6)"),
    "with_a_stride": real("9, 7", "a(1:9:2, 3)"),
    "in_the_other_order": real("9, 7", "a(8:2:-3, 5)"),
    "a_part_of_two_dimensions": real("9, 7", "a(2:8:2, 1:7:3)"),
    "of_three_dimensions": real("4, 5, 6", "a(2:3, :, 1:6:2)"),
    "a_plane": real("4, 5, 6", "a(3, :, :)"),
    "an_element": real("9, 7", "a(4, 5)"),
    "all_of_it": real("9, 7", "a"),
    "all_of_a_dimension": real("9, 7", "a(:, 2)"),
    "from_a_lower_bound": real("-3:5, 0:6", "a(-3:0, 0)"),
    "no_element": real("9, 7", "a(5:4, 3)"),
    "more_than_fits_an_eager_message": Shape("real, save :: NAME(300, 500)", "a(1:299:2, :)"),
    "elements_in_their_order": real("9, 7", "a(4, 2)", count="20", section_wanted="reshape(a, [63])(13:32)"),
    "allocated": Shape("real, allocatable :: NAME(:, :)", "a(2:4, 0:2:2)", ready="allocate (NAME(0:5, -1:3))"),
    "all_that_is_allocated": Shape("real, allocatable :: NAME(:, :)", "a", ready="allocate (NAME(0:5, -1:3))"),
    "behind_a_pointer": Shape("real, pointer :: NAME(:)", "a(2:5)", ready="allocate (NAME(7))"),
    "int1": of_type("integer(1)", "int(i, 1)", "-1_1"),
    "int2": of_type("integer(2)", "int(i, 2)", "-1_2"),
    "int4": of_type("integer", "i", "-1"),
    "int8": of_type("integer(8)", "int(i, 8)", "-1_8"),
    "double": of_type("real(8)", "real(i, 8)", "-1"),
    "complex": of_type("complex", "cmplx(i, -i)", "-1"),
    "double_complex": of_type("complex(8)", "cmplx(i, -i, 8)", "-1"),
    "bool": Shape("logical :: NAME(9)", "a(2:8:3)", "[(mod(i, 3) == 2, i = 1, 9)]", ".false."),
    "bool1": Shape("logical(1) :: NAME(9)", "a(2:8:3)", "[(logical(mod(i, 3) == 2, 1), i = 1, 9)]", ".false."),
    "text": Shape("character(5) :: NAME(9)", "a(2:8:3)", "[(repeat(achar(64 + i), 5), i = 1, 9)]", "'-----'"),
    "a_part_of_texts": Shape("character(5) :: NAME(9)", "a(2:8)(2:4)", "[(repeat(achar(64 + i), 5), i = 1, 9)]", "'-----'"),
    "a_part_of_a_text": Shape("character(9) :: NAME", "a(3:7)", "'abcdefghi'", "'---------'"),
    "a_number": Shape("real :: NAME", "a", "7.0"),
    "imaginary_parts": Shape("complex :: NAME(9)", "a%im", "[(cmplx(i, -i), i = 1, 9)]", "(-1, 0)"),
    "a_component_of_elements": Shape(
        "type(cell) :: NAME(6)", "a(2:6:2)%k", "[(cell(real(i, 8), i, 2*i), i = 1, 6)]", "cell(-1, -1, -1)",
        parts="[{0}%x, real({0}%k, 8), real({0}%l, 8)]",
    ),
    "elements_with_components": Shape(
        "type(cell) :: NAME(6)", "a(1:5:2)", "[(cell(real(i, 8), i, 2*i), i = 1, 6)]", "cell(-1, -1, -1)",
        parts="[{0}%x, real({0}%k, 8), real({0}%l, 8)]",
    ),
    "a_sequence_type": Shape(
        "type(pair) :: NAME(6)", "a(4:2:-1)", "[(pair(i, [real(i), 2.0*i]), i = 1, 6)]", "pair(-1, -1)",
        parts="[real({0}%n), {0}%x(1), {0}%x(2)]",
    ),
    "an_array_in_a_component": Shape(
        "type(pair) :: NAME(6)", "a(3)%x(1:2)", "[(pair(i, [real(i), 2.0*i]), i = 1, 6)]", "pair(-1, -1)",
        parts="[real({0}%n), {0}%x(1), {0}%x(2)]",
    ),
    "a_component_of_an_element": Shape(
        "type(pair) :: NAME(6)", "a(3)%x", "[(pair(i, [real(i), 2.0*i]), i = 1, 6)]", "pair(-1, -1)",
        parts="[real({0}%n), {0}%x(1), {0}%x(2)]",
    ),
    "in_an_allocated_component": Shape(
        "type(holder) :: NAME", "a%cells(2:5)%x", "", "",
        ready="allocate (NAME%cells(6)); NAME%cells = cell(-1, -1, -1)",
        parts="[{0}%cells%x, real({0}%cells%k, 8)]",
    ),
}  # fmt: skip

TYPES = """
module types
    use, intrinsic :: iso_c_binding
    implicit none
    type, bind(c) :: cell
        real(c_double) :: x
        integer(c_int) :: k, l
    end type
    type :: pair
        sequence
        integer :: n
        real :: x(2)
    end type
    type :: holder
        type(cell), allocatable :: cells(:)
    end type
    real :: of_the_module(9, 7)
end module
"""

# The same through dummy arguments; `in_place` is told apart from a copy by what a later exchange receives.
DUMMIES = """
subroutine dummies(rank, wrong)
    use types
    use USED
    implicit none
    integer, intent(in) :: rank
    integer, intent(inout) :: wrong
    real :: a(0:20, 5), b(0:20, 5), e(0:20, 5), v(12)
    integer :: i
    b = reshape([(real(i), i = 1, size(b))], shape(b))
    e = -1
    e(2:20:6, 2:4) = b(2:20:6, 2:4)
    e(1, 5) = b(1, 5)
    e(3:7, 1) = b(3:7, 1)
    a = merge(b, -1.0, rank == 0)
    call shaped(a(2:20:3, 2:4))
    call sized(a, 21)
    call explicit(a, 21, 5)
    if (rank == 1 .and. any(a /= e)) wrong = wrong + 1
    if (rank == 0) then ! elements come in Fortran's order, into another shape
        SEND(b(2:8:3, 2:5), 1)
    else if (rank == 1) then
        RECV(v, 0)
        if (any(v /= reshape(b(2:8:3, 2:5), [12]))) wrong = wrong + 1
    end if
    of_the_module = rank
    if (rank == 0) then
        SEND(of_the_module(2:8:2, 3), 1)
    else if (rank == 1) then
        RECV(of_the_module(2:8:2, 3), 0)
        if (count(of_the_module == 0) /= 4 .or. any(of_the_module(2:8:2, 3) /= 0)) wrong = wrong + 1
    end if
contains
    subroutine shaped(x)
        real, intent(inout) :: x(:, :)
        if (rank == 0) then
            SEND(x(1:7:2, :), 1)
        else if (rank == 1) then
            RECV(x(1:7:2, :), 0)
        end if
    end subroutine
    subroutine sized(x, n)
        integer, intent(in) :: n
        real, intent(inout) :: x(n, *)
        if (rank == 0) call constant(x, n)
        if (rank == 1) then
            RECV(x(2, 5), 0)
        end if
    end subroutine
    subroutine constant(x, n)
        integer, intent(in) :: n
        real, intent(in) :: x(n, *)
        SEND(x(2, 5), 1)
    end subroutine
    subroutine explicit(x, n, m)
        integer, intent(in) :: n, m
        real, intent(inout) :: x(n, m)
        if (rank == 0) then
            SEND(x(4:8, 1), 1)
        else if (rank == 1) then
            RECV(x(4:8, 1), 0)
        end if
    end subroutine
end subroutine
"""

ONE = """
subroutine {name}(rank, wrong)
    use types
    use USED
    implicit none
    integer, intent(in) :: rank
    integer, intent(inout) :: wrong
    {declared}
    integer :: i
    i = 0
    {ready}
    {fill}
    if (rank == 0) then
        SEND({section}, 1)
    else if (rank == 1) then
        RECV({section}, 0)
        {compare} then
            wrong = wrong + 1
            print *, '{name}: another value than was sent, or another place'
        end if
    end if
    if (i < 0) print *, i
end subroutine
"""

MAIN = """
program sections
    use mpi
    use USED
    implicit none
    integer :: rank, wrong, ierr
    wrong = 0
    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    BEGIN
    {calls}
    END
    print *, 'wrong', wrong
    call MPI_Finalize(ierr)
end program
"""


def subroutine(name, shape):
    declared = "\n    ".join(shape.declared.replace("NAME", each) for each in "abe")
    ready = "\n    ".join(shape.ready.replace("NAME", each) for each in "abe") if shape.ready else ""
    section = shape.section + (f", {shape.count}" if shape.count else "")
    sent = shape.section.replace("a", "b", 1), shape.section.replace("a", "e", 1)
    if name == "in_an_allocated_component":
        fill = WITH_CELLS.replace("a%", "b%") + "\n    if (rank == 0) a%cells = b%cells\n    "
    else:
        fill = f"b = {shape.value.replace('(a)', '(b)')}\n    a = {shape.before}\n    e = {shape.before}\n    "
        fill += "if (rank == 0) a = b\n    "
    if name == "elements_in_their_order":
        fill += "e = reshape([(merge(real(i), -1.0, i > 12 .and. i < 33), i = 1, 63)], shape(e))"
    else:
        fill += f"{sent[1]} = {sent[0]}"
    differ = ".neqv." if "logical" in shape.declared else "/="
    compare = f"({shape.parts.format('a')} {differ} {shape.parts.format('e')})"
    scalar = "(" not in shape.declared.split("::")[1] and shape.parts == "{}"
    compare = f"if {compare}" if scalar else f"if (any{compare})"
    return ONE.format(name=name, declared=declared, ready=ready, fill=fill, section=section, compare=compare)


def source(directives):
    text = TYPES + DUMMIES + "".join(subroutine(name, shape) for name, shape in SHAPES.items())
    text += MAIN.format(calls="\n    ".join(f"call {name}(rank, wrong)" for name in [*SHAPES, "dummies"]))
    lines = []
    for line in text.splitlines():
        word, _, rest = line.strip().partition("(")
        if word in ("SEND", "RECV") and directives:
            line = f"!$mdmp {word.lower()}({rest}"
        elif word in ("SEND", "RECV"):
            section, _, partner = rest.removesuffix(")").rpartition(", ")
            if section.endswith(", 20"):
                section, partner = section.removesuffix(", 20"), f"{partner}, count=20"
            line = f"call mdmp_{word.lower()}({section}, {partner}, line=__LINE__, file=__FILE__)"
        elif word == "BEGIN":
            line = "!$mdmp commregion" if directives else "call mdmp_region_begin()"
        elif word == "END":
            line = "!$mdmp commregionfinished" if directives else "call mdmp_region_end()"
        lines.append(line.replace("USED", "stretto_mdmp" if directives else "mdmp_calls"))
    return "\n".join(lines) + "\n"


def check(result):
    assert result.rc == 0 and result.stdout.split() == ["wrong", "0"] * 2, result


@pytest.mark.parametrize("optimised", ["-O0", "-O2"])
@pytest.mark.parametrize("flang", FLANGS)
@pytest.mark.parametrize("fortran", FORTRAN)
def test_sections_by_directives(fortran, flang, optimised, fc, tmp_path):  # noqa: F811
    (tmp_path / "sections.f90").write_text(source(directives=True))
    done_well(fc(fortran, flang, optimised, "-g", "sections.f90", "-o", "sections"))
    check(launch(fortran, 2, tmp_path / "sections"))


@pytest.mark.parametrize("flang", FLANGS)
def test_sections_by_calls_and_flang(flang, fc, tmp_path):  # noqa: F811
    (tmp_path / "sections.F90").write_text(source(directives=False))
    done_well(fc(FORTRAN[0], flang, "sections.F90", "-o", "sections"))
    check(launch(FORTRAN[0], 2, tmp_path / "sections"))


@pytest.mark.parametrize("fortran", FORTRAN)
def test_sections_by_calls_and_gfortran(fortran):
    if not library(fortran).exists():
        pytest.skip("libstretto is not built for this MPI")
    file = BUILD / "tests" / fortran / "sections.F90"
    file.parent.mkdir(parents=True, exist_ok=True)
    text = source(directives=False)
    if not file.exists() or file.read_text() != text:
        file.write_text(text)
    check(launch(fortran, 2, gfortran(fortran, "sections", file)))
