"""A wrong directive in Fortran is an error with its file, line and column, and says what to write instead; none is ignored."""

import re
import subprocess

import pytest
from launch import library, mpis
from test_fortran_jacobi import FLANGS, FORTRAN, cache, done_well, fc  # noqa: F401 (fixtures)

if not (FORTRAN and FLANGS):
    pytest.skip("no flang with a plugin: `make compilers`, then `make`", allow_module_level=True)

FREE = """program wrong
    use stretto_mdmp
    implicit none
    integer :: x(10), next, i
    next = 0
!$mdmp commregion
{}
!$mdmp commregionfinished
end program
"""

FIXED = """      program wrong
      use stretto_mdmp
      integer x(10), next
{}
      x = 1
      end
"""


def send(inside):
    return FREE.format(f"!$mdmp send({inside}")


# The column that a message names is that behind @.
IN_FREE_FORM = {
    "no_name": ("!$mdmp@", "a directive has a name", "commregion, commregionfinished, send, recv, reduce and bcast"),
    "no_word": ("!$mdmp @(x, next)", "begins with its name"),
    "unknown": ("!$mdmp @scatter(x, next)", "there is no directive 'scatter'", "there are commregion"),
    "misspelt": ("!$mdmp @sent(x, next)", "there is no directive 'sent'", "did you mean 'send'?"),
    "receive": ("!$mdmp @receive(x, next)", "write recv"),
    "end_commregion": ("!$mdmp @endcommregion", "write commregionfinished"),
    "no_brackets": ("!$mdmp send @x, next", "send needs '(' here", "write send(section, partner)"),
    "nothing": ("!$mdmp send@", "send says nothing", "send(element, count, partner)"),
    "nothing_in_brackets": ("!$mdmp recv(@)", "recv says nothing"),
    "not_closed": ("!$mdmp send@(x(1:3), next", "this '(' is not closed", "or end the line with '&'"),
    "closes_too_much": ("!$mdmp send(x(1:3), next)@)", "leave ')' behind the brackets out"),
    "closes_the_wrong_one": ("!$mdmp send(x(1:3@], next)", "']' closes nothing here"),
    "text_without_end": ("!$mdmp send(x(1:3), next, tag(@'a))", "this text has no end"),
    "no_section": ("!$mdmp send(@, next)", "an argument is missing before ','"),
    "no_partner": ("!$mdmp send(x(1:3)@)", "send has no partner", "write send(x(1:3), partner), a rank or none"),
    "no_partner_but_a_tag": ("!$mdmp send(x(1:3), tag(3)@)", "send has no partner"),
    "nothing_behind_a_comma": ("!$mdmp send(x(1:3), @)", "an argument is missing behind ','"),
    "four_arguments": ("!$mdmp send(x(1), 3, next, @next)", "too many arguments: 'next'"),
    "section_and_count": ("!$mdmp send(x(1:3), @3, next)", "the section says how many: leave the count '3' out"),
    "count_is_a_range": ("!$mdmp send(x(1), @1:3, next)", "a count is one number"),
    "negative_count": ("!$mdmp send(x(1), @-1, next)", "a count is not negative"),
    "expression": ("!$mdmp send(x(1:3) @+ 1, next)", "is an expression", "assign it to a variable"),
    "in_brackets": ("!$mdmp send(@(x), next)", "is an expression"),
    "constant": ("!$mdmp send(@5, next)", "'5' is no variable"),
    "address": ("!$mdmp send(@&x, next)", "takes the element, not its address"),
    "brackets_of_c": ("!$mdmp send(x@[1:3], next)", "Fortran's sections have round brackets: write x(lower:upper)"),
    "component_of_c": ("!$mdmp send(x@.y, next)", "a component stands behind '%'"),
    "no_component": ("!$mdmp send(x%@(1), next)", "behind '%' stands the name of a component"),
    "empty_brackets": ("!$mdmp send(x@(), next)", "these brackets are empty"),
    "missing_index": ("!$mdmp send(x@(1,), next)", "an index is missing"),
    "negative_rank": ("!$mdmp recv(x, @-1)", "a rank is not negative: write none"),
    "any_source": ("!$mdmp recv(x, @MPI_ANY_SOURCE)", "MPI_ANY_SOURCE is none: write a rank, or none"),
    "partners": ("!$mdmp recv(x, @1:2)", "the partner is one rank, not a section"),
    "argument_with_a_name": ("!$mdmp recv(x, @partner=next)", "arguments have no names: write next alone"),
    "tag_with_equals": ("!$mdmp recv(x, next, @tag=3)", "write tag(3)"),
    "tag_without_number": ("!$mdmp recv(x, next, @tag())", "tag needs a number"),
    "tag_alone": ("!$mdmp recv(x, next, @tag)", "write tag(...)"),
    "two_tags": ("!$mdmp recv(x, next, tag(1), @tag(2))", "recv has one tag: leave the second out"),
    "tag_with_two_numbers": ("!$mdmp recv(x, next, @tag(1, 2))", "tag has one number"),
    "negative_tag": ("!$mdmp recv(x, next, tag(@-3))", "a tag is not negative"),
    "any_tag": ("!$mdmp recv(x, next, tag(@mpi_any_tag))", "MPI_ANY_TAG is none"),
    "tag_behind": ("!$mdmp recv(x, next) @tag(3)", "clauses stand inside the brackets"),
    "unknown_clause": ("!$mdmp recv(x(1:3), next, @cumm(3))", "no clause 'cumm'", "did you mean 'comm'?"),
    "clause_before_the_partner": ("!$mdmp recv(x, next, tag(1), @next)", "clauses come last"),
    "two_communicators": ("!$mdmp recv(x, next, comm(next), @comm(next))", "recv has one communicator"),
    "no_communicator": ("!$mdmp recv(x, next, @comm())", "comm needs a communicator"),
    "number_for_a_communicator": ("!$mdmp recv(x, next, comm(@0))", "'0' is no communicator"),
    "two_directives": ("!$mdmp recv(x, next)@; send(x, next)", "a directive ends with its line"),
    "region_with_a_tag": ("!$mdmp commregion @tag(3)", "commregion has no tag"),
    "region_with_two_names": ("!$mdmp commregion a @b", "commregion has one name, 'a' already: leave 'b' out"),
    "region_with_brackets": ("!$mdmp commregion @(next)", "is no clause and no name"),
    "region_end_with_a_name": ("!$mdmp commregionfinished @a", "takes nothing: leave 'a' out"),
    "behind_a_statement": ("x = 1 @!$mdmp send(x, next)", "a directive has a line of its own"),
    "within_a_statement": ("x = 1 + &\n  @!$mdmp send(x, next)\n  2", "within a statement, which began at line 7"),
    "a_blank_too_many": ("@! $mdmp send(x, next)", "write !$mdmp, a blank, and the directive"),
    "letters_exchanged": ("@!$mpdm send(x, next)", "write !$mdmp, a blank, and the directive"),
    "reduction": ("!$mdmp @reduction(+: x)", "there is no directive 'reduction'", "write reduce"),
    "broadcast": ("!$mdmp @broadcast(x, root(0))", "write bcast"),
    "no_operation": ("!$mdmp reduce(@x)", "reduce has no operation", "write reduce(+: x)", "+ * min max .and. .or. iand ior ieor"),
    "no_operation_of_a_section": ("!$mdmp reduce(@x(1:3), root(0))", "reduce has no operation", "write reduce(+: x(1:3))"),
    "no_name_of_an_operation": ("!$mdmp reduce(@: x)", "the operation is missing before ':'"),
    "unknown_operation": ("!$mdmp reduce(@mean: x)", "there is no operation 'mean'", "there are + * min max"),
    "operation_of_c": ("!$mdmp reduce(@&&: x)", "there is no operation '&&'", "write .and."),
    "operation_of_mpi": ("!$mdmp reduce(@MPI_SUM: x)", "write +"),
    "nothing_to_reduce": ("!$mdmp reduce(+:@)", "reduce has no section", "write reduce(+: section) or reduce(+: element, count)"),
    "reduce_with_a_tag": ("!$mdmp reduce(+: x, @tag(3))", "reduce has no tag"),
    "reduce_with_a_partner": ("!$mdmp reduce(+: x(1:3), @next)", "the section says how many"),
    "reduce_three_arguments": ("!$mdmp reduce(+: x(1), 3, @next)", "too many arguments: 'next'", "root(rank) and comm(communicator)"),
    "two_roots": ("!$mdmp reduce(+: x, root(0), @root(1))", "reduce has one root: leave the second out"),
    "no_root": ("!$mdmp bcast(x(1:3)@)", "bcast has no root: write root(rank)"),
    "root_without_its_name": ("!$mdmp bcast(x(1:3), @next)", "bcast: write root(next)"),
    "root_behind_a_count": ("!$mdmp bcast(x(1), 3, @next)", "bcast: write root(next)"),
    "root_with_equals": ("!$mdmp bcast(x, @root=next)", "write root(next)"),
    "root_alone": ("!$mdmp bcast(x, @root)", "write root(...)"),
    "root_without_a_rank": ("!$mdmp bcast(x, @root())", "root needs a rank"),
    "root_of_two": ("!$mdmp bcast(x, @root(0, 1))", "root is one rank"),
    "negative_root": ("!$mdmp bcast(x, root(@-1))", "a root is a rank of the communicator"),
    "root_of_none": ("!$mdmp bcast(x, root(@none))", "a root is a rank of the communicator"),
    "root_of_a_send": ("!$mdmp send(x, next, @root(0))", "send has a partner, and no root"),
    "root_behind": ("!$mdmp bcast(x) @root(0)", "clauses stand inside the brackets"),
    "misspelt_root": ("!$mdmp bcast(x(1:3), @rot(0))", "no clause 'rot'", "did you mean 'root'?"),
    "goes_on_nowhere": ("!$mdmp send(x, @&\nx = 1", "no line that begins with !$mdmp follows"),
    "comes_from_nowhere": ("!$mdmp@& send(x, next)", "leave it out, or end that line with '&'"),
    "two_branches": ("#ifdef A\n!$mdmp send(x, next)\n#endif\n!$mdmp @send(x, next)", "one exchange", "a statement between"),
    "region_of_a_loop": ("do i = 1, 3\n!$mdmp commregion\nend do\n!$mdmp @commregionfinished", "in another construct"),
    "return_in_a_region": ("if (next > 3) @return", "return leaves the region of line 6"),
    "exit_from_a_region": (
        "do i = 1, 3\n!$mdmp commregion\nif (i > 2) @exit\n!$mdmp commregionfinished\nend do", "exit leaves the region of line 8",
    ),
    "in_forall": ("forall (i = 1:3)\n!$mdmp @send(x, next)\nend forall", "no directive may stand in forall (line 7)"),
    "in_do_concurrent": ("do concurrent (i = 1:3)\n!$mdmp @send(x, next)\nend do", "in do concurrent (line 7)"),
}  # fmt: skip

PROGRAMS = {
    "no_use": ("program p\ninteger x\nx = 1\n!$mdmp @send(x, 0)\nend program\n", "this needs `use stretto_mdmp` in program p"),
    "before_declarations": (
        "program p\nuse stretto_mdmp\n!$mdmp @send(x, 0)\ninteger :: x\nend program\n",
        "behind the declarations, and one follows at line 4",
    ),
    "no_region_begins": ("use stretto_mdmp\n!$mdmp @commregionfinished\nend\n", "no commregion is open"),
    "no_region_ends": (
        "subroutine s\nuse stretto_mdmp\n!$mdmp @commregion\nend subroutine\n",
        "no end in subroutine s: write commregionfinished",
    ),
    "in_a_module": ("module m\nuse stretto_mdmp\n!$mdmp @commregion\nend module\n", "among the statements of a program"),
    "between_procedures": ("program p\nuse stretto_mdmp\ncontains\n!$mdmp @commregion\nend program\n", "and here is none"),
    "outside": ("!$mdmp @commregion\nprogram p\nuse stretto_mdmp\nend program\n", "and here is none"),
    "in_a_type": (
        "module m\nuse stretto_mdmp\ntype t\n!$mdmp @send(x, 0)\ninteger :: i\nend type\nend module\n", "the definition of a type",
    ),
    "in_an_interface": (
        "program p\nuse stretto_mdmp\ninterface\nsubroutine s(x)\ninteger x\n!$mdmp @send(x, 0)\nend subroutine\n"
        "end interface\nend program\n",
        "here is an interface",
    ),
    "in_a_pure_procedure": (
        "pure subroutine s(x)\nuse stretto_mdmp\ninteger, intent(in) :: x\n!$mdmp @send(x, 0)\nend subroutine\n",
        "subroutine s is pure, and communicates nothing",
    ),
}  # fmt: skip

# What flang itself says: its line and column are the user's.
OF_FLANG = {
    "not_declared": ("    !$mdmp send(@y, next)", "'y'"),
    "index_not_declared": ("    !$mdmp send(x(1:@k), next)", "'k'"),
    "partner_not_declared": ("    !$mdmp send(x(1:3), @k)", "'k'"),
    "in_the_second_line": ("    !$mdmp send(x(1:3), &\n    !$mdmp&    @k)", "'k'"),
    "partner_is_real": ("    !$mdmp send(x(1:3), @1.0)", "REAL(4)", "INTEGER(4)"),
    "partner_is_an_array": ("    !$mdmp send(x(1:3), @x(1:2))", "has rank 1"),
    "count_is_an_array": ("    !$mdmp send(x(1), @x(1:2), next)", "has rank 1"),
    "tag_not_declared": ("    !$mdmp send(x(1:3), next, tag(@k))", "'k'"),
    "receives_into_a_constant": ("    !$mdmp recv(@c, next)", "not definable"),
    "receives_into_copies": ("    !$mdmp recv(@x(i), next)", "vector subscript"),
    "sends_copies_of_components": ("    !$mdmp send(@t(i)%k, next)", "vector subscript"),
    "pointers_in_a_type": ("    !$mdmp send(@p, next)", "cannot have an allocatable or pointer direct component 'q'"),
    "function": ("    !$mdmp send(@f(3), next)", "'f'"),
    "root_not_declared": ("    !$mdmp bcast(x(1:3), root(@k))", "'k'"),
    "reduces_a_constant": ("    !$mdmp reduce(+: @c)", "not definable"),
    "broadcasts_copies": ("    !$mdmp bcast(@x(i), root(0))", "vector subscript"),
    "broadcasts_pointers": (
        "    !$mdmp bcast(@p, root(0))",
        "cannot have an allocatable or pointer direct component 'q'",
    ),
}
FOR_FLANG = """program wrong
    use stretto_mdmp
    implicit none
    type part
        integer, pointer :: q
    end type
    type cell
        integer :: k
    end type
    integer, parameter :: c = 5
    integer :: x(10), next, i(3)
    type(part) :: p
    type(cell) :: t(10)
    next = 0; i = 2
!$mdmp commregion
{}
!$mdmp commregionfinished
contains
    function f(n)
        integer :: n, f(n)
        f = n
    end function
end program
"""


# That no function is of such elements: the column is that of a word which stands before the section.
REDUCED = {
    "a_type": ("+: t", "TYPE(cell)"),
    "texts": ("max: s", "CHARACTER"),
    "logicals_added": ("*: l", "LOGICAL(4)"),
    "numbers_and": (".and.: x", "INTEGER(4)"),
    "bits_of_reals": ("ior: r", "REAL(4)"),
    "greatest_of_complex": ("max: z", "COMPLEX(4)"),
}


def place(text):
    """The text without its mark, and the mark's line and column."""
    before, _, after = text.partition("@")
    assert "@" not in after
    return before + after, before.count("\n") + 1, len(before) - before.rfind("\n")


def is_told(done, name, line, column, *words):
    assert done.returncode == 1, done.stderr
    first = [each for each in done.stderr.splitlines() if f"{name}:{line}:{column}: error: " in each]
    assert first and all(word in done.stderr for word in words), done.stderr
    assert "stretto-fc-" not in done.stderr  # the folder of what was rewritten


def refused(fc, tmp_path, name, text, *words):  # noqa: F811
    text, line, column = place(text)
    (tmp_path / name).write_text(text)
    done = fc(FORTRAN[0], FLANGS[-1], "-fsyntax-only", name)
    is_told(done, name, line, column, *words)
    assert done.stderr.count(": error: ") == 1, done.stderr
    caret = done.stderr.splitlines()[2]
    assert len(caret) == column and caret.endswith("^"), done.stderr


@pytest.mark.parametrize("wrong", IN_FREE_FORM)
def test_a_wrong_directive_is_named(wrong, fc, tmp_path):  # noqa: F811
    text, *words = IN_FREE_FORM[wrong]
    refused(fc, tmp_path, "wrong.F90", FREE.format(text), *words)


@pytest.mark.parametrize("wrong", PROGRAMS)
def test_a_directive_where_none_may_stand_is_named(wrong, fc, tmp_path):  # noqa: F811
    text, *words = PROGRAMS[wrong]
    refused(fc, tmp_path, "wrong.f90", text, *words)


IN_FIXED_FORM = {
    "not_in_column_1": ("      @!$mdmp send(x, next)", "begins in column 1"),
    "beyond_column_72": (f"c$mdmp send(x(1:3),{' ' * 52} @next)", "ends at column 72", "!$mdmp&"),
    "within_a_statement": ("      x = 1 +\n@c$mdmp send(x, next)\n     & 2", "goes on at line 6"),
    "second_line_wrong": ("c$mdmp send(x(1:3),\nc$mdmp&  @-1)", "a rank is not negative"),
}


@pytest.mark.parametrize("wrong", IN_FIXED_FORM)
def test_a_wrong_directive_of_fixed_form_is_named(wrong, fc, tmp_path):  # noqa: F811
    text, *words = IN_FIXED_FORM[wrong]
    refused(fc, tmp_path, "wrong.f", FIXED.format(text), *words)


@pytest.mark.parametrize("flang", FLANGS)
@pytest.mark.parametrize("wrong", OF_FLANG)
def test_errors_of_flang_are_at_the_users_line_and_column(wrong, flang, fc, tmp_path):  # noqa: F811
    text, *words = OF_FLANG[wrong]
    text, line, column = place(FOR_FLANG.format(text))
    (tmp_path / "wrong.f90").write_text(text)
    is_told(fc(FORTRAN[0], flang, "-fsyntax-only", "wrong.f90"), "wrong.f90", line, column, *words)


@pytest.mark.parametrize("flang", FLANGS)
@pytest.mark.parametrize("wrong", REDUCED)
def test_a_reduction_of_other_elements_is_an_error_of_its_line(wrong, flang, fc, tmp_path):  # noqa: F811
    words, type_ = REDUCED[wrong]
    declared = "    character(3) :: s(2)\n    logical :: l\n    real :: r(3)\n    complex :: z\n    next = 0; i = 2"
    text = FOR_FLANG.replace("    next = 0; i = 2", declared).format(f"    !$mdmp reduce({words})")
    (tmp_path / "wrong.f90").write_text(text)
    done = fc(FORTRAN[0], flang, "-fsyntax-only", "wrong.f90")
    line = text[: text.index("!$mdmp reduce")].count("\n") + 1
    assert done.returncode == 1 and re.search(rf"wrong\.f90:{line}:\d+: error: ", done.stderr), done.stderr
    assert type_ in done.stderr.upper().replace("TYPE(CELL)", "TYPE(cell)"), done.stderr


def test_all_errors_are_told_at_once_and_nothing_is_compiled(fc, tmp_path):  # noqa: F811
    (tmp_path / "wrong.f90").write_text(FREE.format("!$mdmp sent(x, next)\nx = 1\n!$mdmp recv(x)"))
    (tmp_path / "other.f90").write_text("!$mdmp commregion\nend\n")
    done = fc(FORTRAN[0], FLANGS[-1], "-c", "wrong.f90", "other.f90")
    assert done.returncode == 1 and [line for line in done.stderr.splitlines() if ": error: " in line][2:], done.stderr
    assert not list(tmp_path.glob("*.o"))


@pytest.mark.parametrize("fortran", FORTRAN)
def test_gfortran_refuses_a_program_whose_directives_it_would_ignore(fortran, fc, tmp_path):  # noqa: F811
    (tmp_path / "program.f90").write_text(FREE.format("!$mdmp send(x, next)"))
    command = [mpis()[fortran]["mpifort"], f"-I{library(fortran).parent}", "-c", "program.f90"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode and "stretto_mdmp" in done.stderr, done.stderr
    done_well(fc(fortran, FLANGS[-1], "-c", "program.f90"))


@pytest.mark.parametrize("flang", FLANGS)
def test_flang_alone_refuses_a_program_whose_directives_it_would_ignore(flang, fc, tmp_path):  # noqa: F811
    """Also with the folders that stretto-fc would name."""
    (tmp_path / "program.f90").write_text(FREE.format("!$mdmp send(x, next)"))
    folders = fc(FORTRAN[0], flang, "-showme:compile").stdout.split()
    assert folders
    done = subprocess.run(
        [flang, *folders, "-c", "program.f90"], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert done.returncode and "stretto_mdmp" in done.stderr, done.stderr


def test_gfortran_refuses_a_section_that_is_a_copy(tmp_path):
    text = "use mdmp_calls\ninteger :: a(9), i(2)\ni = 2\ncall mdmp_send(a(i), 0)\nend\n"
    (tmp_path / "program.f90").write_text(text)
    command = [mpis()[FORTRAN[0]]["mpifort"], f"-I{library(FORTRAN[0]).parent}", "-c", "program.f90"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode and "vector subscripts" in done.stderr, done.stderr
