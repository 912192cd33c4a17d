"""Fortran, free and fixed form: the calls and loops that the plan names are found in fparser's tree, and looked at."""

import re
from dataclasses import dataclass, field
from pathlib import Path

from fparser.common.readfortran import FortranStringReader
from fparser.common.sourceinfo import FortranFormat
from fparser.two import Fortran2003 as F
from fparser.two.parser import ParserFactory
from fparser.two.utils import FortranSyntaxError, walk
from frontier import Access, Loop, Message, Slices, extreme, positive_atoms, understood
from outcome import Failure, Left
from plan import FIXED_FORM, Decision
from polynomial import Polynomial

# Bytes of an element, by MPI's name for it.
MPI_BYTES = {
    "mpi_double_precision": 8, "mpi_real": 4, "mpi_integer": 4, "mpi_real8": 8, "mpi_real4": 4, "mpi_integer8": 8,
    "mpi_integer4": 4, "mpi_complex": 8, "mpi_double_complex": 16, "mpi_logical": 4, "mpi_character": 1, "mpi_byte": 1,
}  # fmt: skip
TYPE_BYTES = {
    "doubleprecision": 8, "real": 4, "integer": 4, "real(8)": 8, "real(4)": 4, "real*8": 8, "real*4": 4, "integer*4": 4,
    "integer(4)": 4, "integer(8)": 8, "integer*8": 8, "complex": 8, "complex(8)": 16, "complex*16": 16, "logical": 4,
    "real(kind=8)": 8, "real(kind=4)": 4, "doublecomplex": 16, "real(c_double)": 8, "real(kind=c_double)": 8,
    "real(c_float)": 4, "real(kind=c_float)": 4, "integer(c_int)": 4, "integer(c_long)": 8, "complex(c_double_complex)": 16,
}  # fmt: skip
INTRINSICS = {
    "abs", "acos", "aimag", "aint", "asin", "atan", "atan2", "cmplx", "conjg", "cos", "cosh", "dble", "exp", "float",
    "int", "log", "log10", "max", "min", "mod", "modulo", "nint", "real", "sign", "sin", "sinh", "sqrt", "tan", "tanh",
}  # fmt: skip
DO_CONSTRUCTS = (F.Block_Nonlabel_Do_Construct, F.Block_Label_Do_Construct)
DO_STATEMENTS = (F.Nonlabel_Do_Stmt, F.Label_Do_Stmt)
# What may stand between a begin and its end.
UNDERSTOOD = (
    F.Assignment_Stmt, F.Call_Stmt, F.Continue_Stmt, F.Cycle_Stmt, F.Else_If_Stmt, F.Else_Stmt, F.End_Do_Stmt,
    F.End_If_Stmt, F.Exit_Stmt, F.If_Stmt, F.If_Then_Stmt, *DO_STATEMENTS,
)  # fmt: skip
UNITS = (F.Subroutine_Subprogram, F.Function_Subprogram, F.Main_Program)


@dataclass
class Array:
    lower: list[Polynomial]
    extents: list[Polynomial]  # of all dimensions but the last


@dataclass
class SourceLoop:
    node: F.Block_Nonlabel_Do_Construct
    form: Loop
    counter: str  # as it is written
    start: str
    end: str

    @property
    def statement(self):
        return self.node.content[0]


@dataclass
class Found:
    """A call that is to be annotated."""

    decision: Decision
    call: F.Call_Stmt
    loop: SourceLoop
    unit: F.Base
    region: list
    buffer: str
    slices: Slices
    subscripts: list[Polynomial]  # of the lowest element that an iteration uses
    arguments: list[str]
    peer: Polynomial | None
    tag: Polynomial | None
    kind: str  # of the counter


@dataclass
class FortranSource:
    path: Path
    text: str
    tree: F.Program = field(init=False)
    names: dict[str, str] = field(default_factory=dict)
    constants: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        reader = FortranStringReader(self.text, ignore_comments=True)
        reader.set_format(FortranFormat(not self.is_fixed, False))
        try:
            self.tree = ParserFactory().create(std="f2008")(reader)
        except FortranSyntaxError as why:
            first = str(why).splitlines()[0]
            raise Failure(f"{self.path}: the parser of Fortran (fparser) does not understand it: {first}") from None
        self.constants = named_constants(self.tree)

    @property
    def is_fixed(self) -> bool:
        return self.path.suffix in FIXED_FORM

    def find(self, decision: Decision) -> Found:
        assert decision.loop
        call = only(
            [one for one in walk(self.tree, F.Call_Stmt) if first_line(one) == decision.at.line],
            "the call",
            decision.at.line,
        )
        name = str(call.items[0]).lower()
        if name != decision.call.rstrip("_"):
            raise Left("the call has another name in the source")
        node = beside(call, self.loop_at(decision.loop.line))
        unit = unit_of(call)
        region = region_of(node, call)
        self.check_region(region, node)
        self.check_unit(unit)
        loop = self.loop(node)
        values = list(call.items[1].items) if isinstance(call.items[1], F.Actual_Arg_Spec_List) else []
        if any(isinstance(value, F.Actual_Arg_Spec) for value in values):
            raise Left("an argument of the call has a keyword")
        arguments = [str(value) for value in values]
        if len(values) != (8 if name != "mpi_send" else 7):
            raise Left("the call has an unusual number of arguments")
        buffer, offset = self.buffer(unit, values[0])
        type_bytes = MPI_BYTES.get(arguments[2].lower())
        if not type_bytes:
            raise Left(f"the size of {arguments[2]} is not known here")
        message = Message(offset, self.value(values[1]) * type_bytes)
        accesses = self.accesses(unit, loop, buffer)
        slices = understood(
            loop.form, [access for access, _ in accesses], message, element_bytes(unit, buffer), decision
        )
        kind = counter_kind(unit, loop)
        self.check_counter(unit, loop)
        needed = (slices.width, slices.low, slices.high, loop.form.first, loop.form.last, message.bytes, message.offset)
        between = [name for part in region[1:-1] for name in walk(part, F.Name) if str(name).lower() == buffer]
        if between and decision.what == "receive":
            raise Left("the message is named between the receive and the loop", line_of(between[0]))
        atoms = {buffer}.union(*(polynomial.atoms for polynomial in needed))
        atoms |= {str(inner).lower() for value in values[1:6] for inner in walk(value, F.Name)} - set(self.constants)
        self.check_unchanged(unit, region, call, atoms, buffer)
        self.check_untouched(region, call, values[6:])
        return Found(
            decision, call, loop, unit, region, buffer, slices,
            lowest_subscripts(loop, slices, accesses, decision), arguments,
            self.or_none(values[3]), self.or_none(values[4]), kind,
        )  # fmt: skip

    def loop_at(self, line: int):
        """Where it begins with a branch, flang names its first statement's line."""
        loops = [one.parent for one in walk(self.tree, DO_STATEMENTS)]
        found = [one for one in loops if first_line(one) == line]
        found = found or [one for one in loops if len(one.content) > 1 and first_line(one.content[1]) == line]
        return only(found, "the loop", line)

    # --- expressions

    def value(self, node) -> Polynomial:
        if isinstance(node, F.Parenthesis):
            return self.value(node.items[1])
        if isinstance(node, F.Int_Literal_Constant):
            return Polynomial.of(int(node.items[0]))
        if isinstance(node, F.Name) and str(node).lower() in self.constants:
            return Polynomial.of(self.constants[str(node).lower()])
        if isinstance(node, F.Name):
            return self.atom(str(node))
        if isinstance(node, F.Level_2_Unary_Expr) and node.items[0] in "+-":
            return self.value(node.items[1]) * (-1 if node.items[0] == "-" else 1)
        if isinstance(node, (F.Level_2_Expr, F.Add_Operand)) and node.items[1] in ("+", "-", "*"):
            one, other = self.value(node.items[0]), self.value(node.items[2])
            return one * other if node.items[1] == "*" else one + other if node.items[1] == "+" else one - other
        raise Left(f"{node} is none of sums and products of variables")

    def or_none(self, node) -> Polynomial | None:
        try:
            return self.value(node)
        except Left:
            return None

    def atom(self, name: str) -> Polynomial:
        self.names.setdefault(name.lower(), name)
        return Polynomial.atom(name.lower())

    # --- arrays

    def array(self, unit, name: str) -> Array:
        shape, attributes = shape_of(unit, name)
        if {"pointer", "target"} & attributes:
            raise Left(f"{name} is a pointer or its target")
        bounds = []
        for dimension in shape:
            if isinstance(dimension, F.Explicit_Shape_Spec):
                bounds.append(dimension.items)
            elif isinstance(dimension, F.Assumed_Size_Spec):
                bounds += [spec.items for spec in as_list(dimension.items[0])] + [(dimension.items[1], None)]
            elif isinstance(dimension, F.Assumed_Shape_Spec) and len(shape) == 1 and "allocatable" not in attributes:
                bounds.append((dimension.items[0], None))
            else:
                bounds += self.allocated(unit, name)
                break
        lower = [self.value(low) if low is not None else Polynomial.of(1) for low, _ in bounds]
        extents = [self.value(high) - low + 1 for (_, high), low in zip(bounds[:-1], lower, strict=False)]
        return Array(lower, extents)

    def allocated(self, unit, name: str) -> list[tuple]:
        found = []
        for one in walk(unit, F.Allocation):
            if str(one.items[0]).lower() == name.lower():
                found.append([spec.items for spec in as_list(one.items[1])])
        if len(found) != 1:
            raise Left(f"the bounds of {name} are not known here")
        return found[0]

    def flat(self, array: Array, subscripts: list[Polynomial]) -> Polynomial:
        if len(subscripts) != len(array.lower):
            raise Left("an array has another number of subscripts than dimensions")
        result, size = Polynomial.of(0), Polynomial.of(1)
        for at, subscript in enumerate(subscripts):
            result = result + (subscript - array.lower[at]) * size
            if at < len(array.extents):
                size = size * array.extents[at]
        return result

    def buffer(self, unit, node) -> tuple[str, Polynomial]:
        """Its name, and how many elements of the array stand before it."""
        if isinstance(node, F.Name):
            self.array(unit, str(node))
            return self.known(str(node)), Polynomial.of(0)
        if isinstance(node, F.Part_Ref) and isinstance(node.items[0], F.Name):
            name = str(node.items[0])
            return self.known(name), self.flat(self.array(unit, name), self.subscripts(node))
        raise Left("the message is no array with subscripts")

    def known(self, name: str) -> str:
        self.atom(name)
        return name.lower()

    def subscripts(self, node: F.Part_Ref) -> list[Polynomial]:
        return [self.value(one) for one in as_list(node.items[1])]

    def accesses(self, unit, loop: SourceLoop, buffer: str) -> list[tuple[Access, list[Polynomial]]]:
        array, found = self.array(unit, buffer), []
        for name in walk(loop.node, F.Name):
            if str(name).lower() != buffer:
                continue
            line = line_of(name)
            part = name.parent
            if not isinstance(part, F.Part_Ref) or part.items[0] is not name or isinstance(part.parent, F.Data_Ref):
                raise Left("the loop uses the message otherwise than by subscripts", line)
            try:
                subscripts = self.subscripts(part)
                loops = [one for one in around(part) if isinstance(one, DO_CONSTRUCTS) and is_inside(one, [loop.node])]
                forms = [self.loop(one).form for one in reversed(loops) if one is not loop.node]
                flat = self.flat(array, subscripts)
            except Left as why:
                raise Left(why.why, line) from None
            if any(isinstance(one, F.Call_Stmt) for one in around(part)):
                raise Left("a subroutine in the loop is given the message", line)
            is_written = isinstance(part.parent, F.Assignment_Stmt) and part.parent.items[0] is part
            found.append((Access(flat, is_written, line, tuple(forms)), subscripts))
        return found

    # --- the loop

    def loop(self, node) -> SourceLoop:
        statement = node.content[0]
        line = first_line(statement)
        control = next(iter(walk(statement, F.Loop_Control)), None)
        if control is None or not control.items[1]:
            raise Left("the loop has no counter", line)
        counter, bounds = control.items[1]
        step = self.value(bounds[2]).number if len(bounds) == 3 else 1
        if not step:
            raise Left("the loop's counter does not go by a number", line)
        form = Loop(str(counter).lower(), self.value(bounds[0]), self.value(bounds[1]), step)
        self.atom(str(counter))
        if isinstance(node, F.Block_Label_Do_Construct):
            label = str(next(iter(walk(statement, F.Label))))
            shares = sum(str(other) == label for one in walk(node, F.Label_Do_Stmt) for other in walk(one, F.Label))
            if shares > 1 or not isinstance(node.content[-1], F.Continue_Stmt):
                raise Left("the loop shares its end with another, or ends with a statement of its own", line)
        return SourceLoop(node, form, str(counter), str(bounds[0]), str(bounds[1]))

    def check_counter(self, unit, loop: SourceLoop) -> None:
        """Its value after the loop is used by nobody: with no iteration it would be another."""
        for name in walk(unit, F.Name):
            if str(name).lower() != loop.form.counter or any(
                isinstance(one, F.Specification_Part) for one in around(name)
            ):
                continue
            loops = [one for one in around(name) if isinstance(one, DO_CONSTRUCTS)]
            if not any(control_name(one) == loop.form.counter for one in loops):
                raise Left(f"{name} is used outside of the loops that count it", line_of(name))

    def check_unit(self, unit) -> None:
        if walk(unit, F.Equivalence_Stmt):
            raise Left("there is an EQUIVALENCE")
        if any("mpi_f08" in str(use).lower() for use in walk(unit, F.Use_Stmt)):
            raise Left("`use mpi_f08` is not understood yet")
        lines = self.text.splitlines()[first_line(unit) - 1 : last_line(unit)]
        if any(re.match(r"\s*[!cC*](\w{2,3})?\$", line) for line in lines):
            raise Left("its procedure has directives for threads, devices or the compiler")

    # --- what must not change between a begin and its end

    def check_region(self, region: list, loop) -> None:
        lines = self.text.splitlines()
        first, last = first_line(region[0]), last_line(region[-1])
        for number in range(first, last + 1):
            line = lines[number - 1]
            if line.startswith("#") or ";" in line.split("!")[0]:
                raise Left("there is an #if, or a line of several statements, between the loop and the call", number)
        own_end = loop.content[-1] if isinstance(loop, F.Block_Label_Do_Construct) else None
        for statement in (one for part in region for one in statements_in(part)):
            label = statement.item.label if statement.item is not None else None
            does = statement.items[1] if isinstance(statement, F.If_Stmt) else statement
            if not isinstance(does, UNDERSTOOD) or (label and statement is not own_end and not ends_a_loop(statement)):
                raise Left(
                    "there is a jump, or a statement of another kind, between the loop and the call",
                    first_line(statement),
                )

    def check_unchanged(self, unit, region: list, call, atoms: set[str], buffer: str) -> None:
        calls = False
        for part in region:
            for node in walk(part, (F.Assignment_Stmt, F.Call_Stmt, F.Loop_Control, F.Part_Ref)):
                if node is call or is_inside(node, [call]):
                    continue
                changed: list = []
                if isinstance(node, F.Assignment_Stmt):
                    changed = list(walk(node.items[0], F.Name))[:1]
                elif isinstance(node, F.Loop_Control) and node.items[1]:
                    changed = [node.items[1][0]]
                elif isinstance(node, F.Call_Stmt):
                    called, given = str(node.items[0]).lower(), as_list(node.items[1])
                    if called in ("mpi_send", "mpi_isend", "mpi_recv"):
                        given = given[6:] + (given[:1] if called == "mpi_recv" else [])
                    changed = [name for value in given for name in walk(value, F.Name)]
                    calls |= not called.startswith("mpi_")
                elif isinstance(node, F.Part_Ref) and not is_array(unit, str(node.items[0])):
                    if str(node.items[0]).lower() in INTRINSICS:
                        continue
                    calls = True
                    changed = [one for one in as_list(node.items[1]) if isinstance(one, F.Name)]
                for name in changed:
                    if str(name).lower() in atoms - {buffer}:
                        raise Left(f"{name} may change between the loop and the call", line_of(name))
        if calls:
            own = {str(name).lower() for name in own_names(unit)}
            for atom in sorted(atoms):
                if atom not in own and not atom.startswith("mpi_"):
                    raise Left(f"a procedure is called in the loop that may change {self.names.get(atom, atom)}")

    def check_untouched(self, region: list, call, values: list) -> None:
        """ierr, request and status."""
        names = {str(name).lower() for value in values for name in walk(value, F.Name)} - {"mpi_status_ignore"}
        for part in region:
            for name in walk(part, F.Name):
                if str(name).lower() in names and not is_inside(name, [call]):
                    other = next((one for one in around(name) if isinstance(one, F.Call_Stmt)), None)
                    if other is None or not str(other.items[0]).lower().startswith("mpi_"):
                        raise Left(f"{name} is used between the loop and the call", line_of(name))


# --- questions about a tree


def around(node):
    node = node.parent
    while node is not None:
        yield node
        node = node.parent


def is_inside(node, parts: list) -> bool:
    return any(node is part for part in parts) or any(one is part for one in around(node) for part in parts)


def statement_of(node):
    while getattr(node, "item", None) is None and node.parent is not None:
        node = node.parent
    return node


def line_of(node) -> int | None:
    return first_line(statement_of(node))


def first_line(node) -> int | None:
    item = getattr(node, "item", None)
    if item is not None:
        return item.span[0]
    inside = statements_in(node)
    return first_line(inside[0]) if inside else None


def last_line(node) -> int:
    item = getattr(node, "item", None)
    return item.span[1] if item is not None else last_line(statements_in(node)[-1])


def statements_in(node) -> list:
    if getattr(node, "item", None) is not None:
        return [node]
    return [one for child in getattr(node, "content", None) or [] for one in statements_in(child)]


def ends_a_loop(statement) -> bool:
    return isinstance(statement, F.Continue_Stmt) and isinstance(statement.parent, F.Block_Label_Do_Construct)


def only(found: list, what: str, line: int):
    if len(found) != 1:
        raise Left(f"{what} is of a form that cannot be changed for certain", line)
    return found[0]


def unit_of(node):
    return next(one for one in around(node) if isinstance(one, UNITS))


def beside(call, loop):
    """Of a loop whose first statement is a loop flang may name that one; what it means stands beside the call."""
    loops = [loop, *(one for one in around(loop) if isinstance(one, DO_CONSTRUCTS))]
    return next((one for one in loops if one.parent is call.parent), loop)


def region_of(loop, call) -> list:
    if not isinstance(loop, DO_CONSTRUCTS) or call.parent is not loop.parent:
        raise Left("the loop and the call are not statements of one block")
    block = loop.parent.content
    first, last = sorted(next(at for at, one in enumerate(block) if one is end) for end in (loop, call))
    region = block[first : last + 1]
    if any(isinstance(one, (F.Else_Stmt, F.Else_If_Stmt, F.Case_Stmt)) for one in region):
        raise Left("the loop and the call are not statements of one block")
    return region


def as_list(node) -> list:
    if node is None:
        return []
    return list(node.items) if type(node).__name__.endswith("_List") else [node]


def control_name(loop) -> str | None:
    control = next(iter(walk(loop.content[0], F.Loop_Control)), None)
    return str(control.items[1][0]).lower() if control is not None and control.items[1] else None


def declaration_of(unit, name: str):
    for declaration in walk(unit, F.Type_Declaration_Stmt):
        if unit_of(declaration) is not unit:
            continue
        for entity in walk(declaration, F.Entity_Decl):
            if str(entity.items[0]).lower() == name.lower():
                return declaration, entity
    return None, None


def own_names(unit) -> list:
    common = {str(name).lower() for block in walk(unit, F.Common_Stmt) for name in walk(block, F.Name)}
    entities = [entity for entity in walk(unit, F.Entity_Decl) if unit_of(entity) is unit]
    return [entity.items[0] for entity in entities if str(entity.items[0]).lower() not in common]


def shape_of(unit, name: str) -> tuple[list, set[str]]:
    declaration, entity = declaration_of(unit, name)
    if declaration is None:
        raise Left(f"{name} is not declared in this procedure")
    attributes = {str(one).lower() for one in as_list(declaration.items[1])}
    shape = entity.items[1]
    if shape is None:
        dimension = (
            next(iter(walk(declaration.items[1], F.Dimension_Attr_Spec)), None) if declaration.items[1] else None
        )
        shape = dimension.items[1] if dimension is not None else None
    if shape is None:
        raise Left(f"{name} is not declared as an array here")
    return as_list(shape), attributes


def is_array(unit, name: str) -> bool:
    try:
        return bool(shape_of(unit, name))
    except Left:
        return False


def type_text(declaration) -> str:
    return "".join(str(declaration.items[0]).lower().split())


def element_bytes(unit, buffer: str) -> int | None:
    declaration, _ = declaration_of(unit, buffer)
    return TYPE_BYTES.get(type_text(declaration).replace("kind=", "")) if declaration is not None else None


def counter_kind(unit, loop: SourceLoop) -> str:
    """Its declaration's type, which its bounds must have, too."""
    declaration, _ = declaration_of(unit, loop.counter)
    kind = type_text(declaration) if declaration is not None else "integer"
    if declaration is None and walk(unit, F.Implicit_Stmt):
        raise Left(f"{loop.counter} is not declared in this procedure")
    for atom in loop.form.first.atoms | loop.form.last.atoms:
        other, _ = declaration_of(unit, atom)
        if (type_text(other) if other is not None else "integer") != kind:
            raise Left(f"{atom} is of another kind than the loop's counter")
    return kind


def named_constants(tree) -> dict[str, int]:
    """integer, parameter :: N = 5, where the file has no other N."""
    declared = [str(one.items[0]).lower() for one in walk(tree, F.Entity_Decl)]
    other = {str(name).lower() for one in walk(tree, F.Dummy_Arg_List) for name in walk(one, F.Name)}
    found = {}
    for statement in walk(tree, F.Type_Declaration_Stmt):
        text = str(statement).lower()
        if not re.match(r"integer\b.*\bparameter\b.*::", text):
            continue
        for one in walk(statement, F.Entity_Decl):
            name, value = str(one.items[0]).lower(), one.items[3]
            literal = next(iter(walk(value, F.Int_Literal_Constant)), None) if value is not None else None
            is_literal = literal is not None and str(value).replace("=", "").strip() == str(literal)
            if is_literal and declared.count(name) == 1 and name not in other and literal.items[1] is None:
                found[name] = int(literal.items[0])
    return found


def lowest_subscripts(loop: SourceLoop, slices: Slices, accesses: list, decision: Decision) -> list[Polynomial]:
    for access, subscripts in accesses:
        if decision.what == "send" and not access.writes:
            continue
        if extreme(access, True, positive_atoms((loop.form, *access.inside))).without(loop.form.counter) == slices.low:
            result = subscripts
            for inner in reversed(access.inside):
                lowest = inner.last if inner.step < 0 else inner.first
                replaced = [one.replaced(inner.counter, lowest) for one in result]
                if any(one is None for one in replaced):
                    raise Left("an index is no linear function of the counters", access.line)
                result = replaced
            return result
    raise Left("the lowest element of an iteration is not named in the source")
