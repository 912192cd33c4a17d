"""C and C++: the calls and loops that the plan names are found in Clang's syntax tree, and looked at: can they be changed for certain?"""

import re
from dataclasses import dataclass, field
from pathlib import Path

from c_expressions import (
    CASTS,
    SCALAR_BYTES,
    TRANSPARENT,
    Element,
    Expressions,
    Names,
    above,
    declared_by,
    in_scalars,
    is_harmless,
    is_only_read,
    is_standard,
    line_of,
    references,
    stripped,
    type_of,
    unqualified,
)
from clang_tree import Node, Tree, begin, children, dump, end, walk
from frontier import Access, Loop, Message, Slices, understood
from outcome import Left
from plan import Compiler, Decision, Place
from polynomial import Polynomial

# Bytes of an element, by MPI's name for it.
MPI_BYTES = {
    "MPI_CHAR": 1, "MPI_SIGNED_CHAR": 1, "MPI_UNSIGNED_CHAR": 1, "MPI_BYTE": 1, "MPI_SHORT": 2, "MPI_UNSIGNED_SHORT": 2,
    "MPI_INT": 4, "MPI_UNSIGNED": 4, "MPI_LONG": 8, "MPI_UNSIGNED_LONG": 8, "MPI_LONG_LONG": 8, "MPI_LONG_LONG_INT": 8,
    "MPI_UNSIGNED_LONG_LONG": 8, "MPI_FLOAT": 4, "MPI_DOUBLE": 8, "MPI_INT8_T": 1, "MPI_UINT8_T": 1, "MPI_INT16_T": 2,
    "MPI_UINT16_T": 2, "MPI_INT32_T": 4, "MPI_UINT32_T": 4, "MPI_INT64_T": 8, "MPI_UINT64_T": 8,
    "MPI_C_FLOAT_COMPLEX": 8, "MPI_C_DOUBLE_COMPLEX": 16,
}  # fmt: skip
# Functions that change no variable of the program.
HARMLESS = {
    name + suffix
    for name in ("sin", "cos", "tan", "exp", "log", "pow", "sqrt", "fabs", "fmin", "fmax", "floor", "ceil", "atan",
                 "atan2", "sinh", "cosh", "tanh", "hypot", "cbrt", "asin", "acos", "fma", "round", "trunc")
    for suffix in ("", "f", "l")
} | {"abs", "labs", "operator[]", "size", "data"}  # fmt: skip
JUMPS = ("GotoStmt", "LabelStmt", "IndirectGotoStmt", "ReturnStmt", "CXXThrowExpr", "CXXTryStmt", "LambdaExpr",
         "GCCAsmStmt", "CoreturnStmt")  # fmt: skip
LOOPS = ("ForStmt", "WhileStmt", "DoStmt", "CXXForRangeStmt")


@dataclass
class SourceLoop:
    node: Node
    form: Loop
    kind: str  # of the counter
    operator: str
    init: str
    condition: str
    bound: str
    increment: str
    body: Node


@dataclass
class Found:
    """A call that is to be annotated."""

    decision: Decision
    call: Node
    loop: SourceLoop
    region: list[Node]  # the statements from the loop to the call, or from the call to the loop
    buffer: Element
    behind_index: str  # what one index of the buffer's array gives: double, double[8]
    slices: Slices
    arguments: list[str]
    peer: Polynomial | None
    tag: Polynomial | None
    function: str


@dataclass
class CSource:
    path: Path
    text: str
    compiler: Compiler
    names: Names = field(default_factory=Names)
    trees: dict[str, Tree] = field(default_factory=dict)

    def find(self, decision: Decision) -> Found:
        tree = self.tree_of(decision.name)
        call = self.node_at(tree, decision.at, "CallExpr", "the call")
        if not re.compile(rf"{decision.call}\s*\(").match(self.text, begin(call).offset):
            raise Left("the call has another name in the source")
        if any("Template" in one.get("kind", "") for one in around(tree, call)):
            raise Left("it stands in a template")
        assert decision.loop
        node = self.node_at(tree, decision.loop, "ForStmt", "the loop")
        region = region_of(tree, node, call)
        self.check_region(tree, region)
        self.check_pragmas(function_of(tree, call), node)
        expressions = Expressions(self.text, self.names, tree, not_of_function(tree, call), self.tree_of)
        loop = self.loop(expressions, node)
        arguments, values = self.arguments(call), children(call)[1:]
        buffer = in_scalars(expressions.pointer(values[0]))
        type_bytes = MPI_BYTES.get(arguments[2])
        if not type_bytes:
            raise Left(f"the size of {arguments[2]} is not known here")
        message = Message(buffer.flat, expressions.value(values[1]) * type_bytes)
        accesses = self.accesses(tree, expressions, loop, buffer)
        slices = understood(loop.form, accesses, message, SCALAR_BYTES.get(buffer.kind), decision)
        needed = (slices.width, slices.low, slices.high, loop.form.first, loop.form.last, message.bytes, message.offset)
        atoms = {buffer.base}.union(*(polynomial.atoms for polynomial in needed))
        for value in values[1:6]:
            atoms |= self.atoms_in(expressions, value)
        if decision.what == "receive":
            for one in (one for part in region for one in walk(part, (node, call))):
                if names_base(expressions, one, buffer.base):
                    raise Left("the message is named between the receive and the loop", line_or_none(one))
        self.check_unchanged(tree, region, call, atoms)
        self.check_hidden(node, atoms | {loop.form.counter})
        self.check_request_or_status(region, call, values[6:])
        return Found(
            decision, call, loop, region, buffer, expressions.kind_behind_index[buffer.base], slices, arguments,
            or_none(expressions, values[3]), or_none(expressions, values[4]), function_of(tree, call)["id"],
        )  # fmt: skip

    # --- what the plan names, in the tree

    def tree_of(self, name: str) -> Tree:
        if name not in self.trees:
            self.trees[name] = dump(self.compiler, name)
        return self.trees[name]

    def node_at(self, tree: Tree, place: Place, kind: str, what: str) -> Node:
        found = []
        for node in (one for one in tree.all() if one.get("kind") == kind):
            where = begin(node)
            if where.line == place.line and self.is_here(where.file):
                if where.in_macro or end(node).in_macro:
                    raise Left(f"{what} comes from a macro", place.line)
                found.append(node)
        for node in found:
            if begin(node).column == place.column:
                return node
        raise Left(f"{what} is of a form that cannot be changed for certain", place.line)

    def is_here(self, file: str) -> bool:
        return Path(file).exists() and self.path.samefile(file)

    def check_region(self, tree: Tree, region: list[Node]) -> None:
        inside = {id(node) for statement in region for node in walk(statement)}
        for statement in region:
            for node in walk(statement):
                kind = node.get("kind")
                in_own_switch = any(one.get("kind") == "SwitchStmt" and id(one) in inside for one in around(tree, node))
                if kind in JUMPS or (kind in ("CaseStmt", "DefaultStmt") and not in_own_switch):
                    raise Left(
                        "there is a jump, or something like it, between the loop and the call", line_or_none(node)
                    )
        text = self.text[begin(region[0]).offset : end(region[-1]).offset]
        if re.search(r"^[ \t]*#(?![ \t]*pragma)", text, re.M):
            raise Left("there is an #if, or something like it, between the loop and the call")

    def check_pragmas(self, function: Node, loop: Node) -> None:
        """Whether this compilation heeds them or not."""
        first, at, last = begin(function).offset, begin(loop).offset, end(function).offset
        if re.search(r"^[ \t]*#[ \t]*pragma[ \t]+(omp|acc)\b|\b_Pragma\b", self.text[first:last], re.M):
            raise Left("its function has pragmas for threads or devices")
        before = self.text[first:at].rstrip().rpartition("\n")[2]
        if re.match(r"[ \t]*#", before):
            raise Left("there is a pragma before the loop", line_of(loop))

    def arguments(self, call: Node) -> list[str]:
        text = self.text[begin(call).offset : end(call).offset]
        if "//" in text or "/*" in text or "#" in text:
            raise Left("there is a comment in the call")
        return split(text[text.index("(") + 1 : -1])

    # --- the loop

    def loop(self, expressions: Expressions, node: Node) -> SourceLoop:
        inside = node["inner"]
        if len(inside) != 5 or not all(inside[at].get("range") for at in (0, 2, 3, 4)) or inside[1].get("range"):
            raise Left("the loop has no counter", line_or_none(node))
        init, _, condition, increment, body = inside
        edges = [begin(part) for part in (init, condition, increment, body)] + [end(part) for part in (increment, body)]
        if any(edge.in_macro for edge in edges):
            raise Left("the loop comes from a macro", line_or_none(node))
        variable, start = counter_of(init)
        counter, kind = (
            variable["id"],
            unqualified(variable["type"].get("desugaredQualType", variable["type"]["qualType"])),
        )
        self.names.atom(counter, variable["name"], {counter}, False)
        step = step_of(increment, counter)
        operator, bound = bound_of(condition, counter)
        if kind == "unsigned int" or (step < 0 and "unsigned" in kind):
            raise Left(f"its counter is {kind}, and may wrap round", line_or_none(node))
        if (
            (operator == "!=" and abs(step) != 1)
            or (operator[0] == "<" and step < 0)
            or (operator[0] == ">" and step > 0)
        ):
            raise Left("its counter may miss its end", line_or_none(node))
        last = expressions.value(bound)
        if operator in ("<", ">", "!="):
            last = last - (1 if step > 0 else -1)
        form = Loop(counter, expressions.value(start), last, step)
        if counter in form.first.atoms | form.last.atoms:
            raise Left("its counter stands in its own bound", line_or_none(node))
        for one in references(body, counter):
            if not is_only_read(expressions.tree, one):
                raise Left("its counter may change in the loop", line_of(one))
        if not re.fullmatch(r"\s*\)\s*", self.text[end(increment).offset : begin(body).offset]):
            raise Left("its head holds more than can be changed for certain", line_or_none(node))
        starts = self.text[begin(init).offset : begin(condition).offset].strip()
        goes_on = self.text[begin(condition).offset : begin(increment).offset].strip().removesuffix(";").rstrip()
        if re.search(r"/[*/]", starts + goes_on):
            raise Left("there is a comment in its head", line_or_none(node))
        ends = text_of_bound(goes_on, variable["name"])
        if ends is None:
            raise Left("its end is of a form that cannot be changed for certain", line_or_none(node))
        if step < 0 and begin(bound).in_macro:
            ends = f"({ends})"  # it is subtracted
        return SourceLoop(node, form, kind, operator, starts, goes_on, ends, expressions.text(increment), body)

    def accesses(self, tree: Tree, expressions: Expressions, loop: SourceLoop, buffer: Element) -> list[Access]:
        """All places in the loop that name the message."""
        found = []
        inside = {id(node) for node in walk(loop.body)}
        for reference in walk(loop.body):
            if not names_base(expressions, reference, buffer.base):
                continue
            element = whole = access_of(tree, reference)
            while is_plain_member(tree.parent(whole)):
                whole = tree.parent(whole)
            reads = is_only_read(tree, whole)
            loops = [one for one in around(tree, reference) if one.get("kind") == "ForStmt" and id(one) in inside]
            try:
                at = in_scalars(expressions.element(element))
                if at.kind != buffer.kind:
                    raise Left("the loop uses the message as another type than the call")
                forms = [self.loop(expressions, one).form for one in reversed(loops)]
                found.append(Access(at.flat, not reads, line_of(whole), tuple(forms)))
            except Left as why:
                raise Left(why.why, line_of(whole)) from None
        return found

    # --- what must not change between a begin and its end

    def atoms_in(self, expressions: Expressions, value: Node) -> set[str]:
        """The variables that an argument depends on."""
        found = set()
        for node in walk(value):
            kind = node.get("kind")
            changes = kind == "UnaryOperator" and node["opcode"] in ("++", "--", "*")
            is_call = kind in ("CallExpr", "CXXOperatorCallExpr", "CXXConstructExpr")
            is_assignment = kind == "CompoundAssignOperator" or (kind == "BinaryOperator" and node["opcode"] == "=")
            if changes or is_call or is_assignment or kind == "ArraySubscriptExpr":
                raise Left("an argument of the call is more than sums and products of variables")
            if kind == "MemberExpr" and "(" not in type_of(node) and not type_of(node).startswith("<"):
                found.add(expressions.name_of(node))
            is_variable = kind == "DeclRefExpr" and node["referencedDecl"]["kind"] in ("VarDecl", "ParmVarDecl")
            if is_variable and not begin(node).in_macro:  # MPI_DOUBLE names a variable of MPI's
                found.add(expressions.name_of(node))
        return found

    def check_unchanged(self, tree: Tree, region: list[Node], call: Node, atoms: set[str]) -> None:
        for atom in sorted(atoms):
            name = self.names.text[atom]
            for declaration in self.names.declared[atom]:
                for statement in region:
                    if any(node.get("kind") == "VarDecl" and node["id"] == declaration for node in walk(statement)):
                        raise Left(f"{name} is declared between the loop and the call")
                    for node in references(statement, declaration):
                        if not is_harmless(tree, node):
                            raise Left(f"{name} may change between the loop and the call", line_of(node))
            lent = self.is_lent(tree, atom)
            if lent or atom in self.names.shared:
                seen: set[str] = set()
                for statement in region:
                    self.check_callees(statement, name, call, seen)
                if lent and seen:
                    raise Left(f"others have the address of {name}, and may change it")

    def is_lent(self, tree: Tree, atom: str) -> bool:
        """May others have the address of this variable? That MPI has it for the time of a call does not count."""
        for declaration in self.names.declared[atom]:
            for node in (node for root in tree.roots for node in references(root, declaration)):
                parent = above(tree, node)
                if is_harmless(tree, node) or is_assigned(parent):
                    continue
                user = above(tree, parent) if parent.get("opcode") == "&" else {}
                while user.get("kind") in CASTS:
                    user = above(tree, user)
                if user.get("kind") != "CallExpr" or not called_by(user).startswith("MPI_"):
                    return True
        return False

    def check_callees(self, node: Node, name: str, call: Node, seen: set[str]) -> None:
        """No function that is called there may change the variable of this name."""
        short = re.split(r"->|\.", name)[-1]
        for one in walk(node):
            if one is call or one.get("kind") not in ("CallExpr", "CXXMemberCallExpr", "CXXOperatorCallExpr"):
                continue
            called = called_by(one)
            if called in HARMLESS | seen or called.startswith(("MPI_", "__builtin_")):
                continue
            seen.add(called)
            tree = self.tree_of(called) if called else Tree([])
            bodies = [body for body in tree.all() if is_definition(body, called)]
            if not bodies:
                raise Left(f"{called or 'a function'} may change {name}", line_or_none(one))
            for body in bodies:
                named = [inner for inner in walk(body) if short in (inner.get("name"), name_by(inner))]
                if any(
                    inner.get("kind") in ("DeclRefExpr", "MemberExpr") and not is_harmless(tree, inner)
                    for inner in named
                ):
                    raise Left(f"{called} may change {name}", line_or_none(one))
                self.check_callees(body, name, call, seen)

    def check_hidden(self, loop: Node, atoms: set[str]) -> None:
        """No declaration in the loop hides a name that is to be written there."""
        texts = {re.split(r"->|\.", self.names.text[atom])[0] for atom in atoms}
        own = {declaration for atom in atoms for declaration in self.names.declared[atom]}
        for node in walk(loop):
            if node.get("kind") == "VarDecl" and node.get("name") in texts and node["id"] not in own:
                raise Left(f"a declaration in the loop hides {node['name']}", line_or_none(node))

    def check_request_or_status(self, region: list[Node], call: Node, values: list[Node]) -> None:
        for node in (node for value in values for node in walk(value)):
            if node.get("kind") in ("CallExpr", "CompoundAssignOperator") or node.get("opcode") in ("++", "--", "="):
                raise Left("an argument of the call does more than name a place")
            if (declaration := declared_by(node)) is None:
                continue
            name = node["referencedDecl"].get("name")
            for statement in region:
                if any(one.get("kind") == "VarDecl" and one["id"] == declaration for one in walk(statement)):
                    raise Left(f"{name} is declared between the loop and the call")
                if statement is not call and references(statement, declaration):
                    raise Left(f"{name} is used between the loop and the call")


# --- questions about a tree


def around(tree: Tree, node: Node):
    parent = tree.parent(node)
    while parent is not None:
        yield parent
        parent = tree.parent(parent)


def line_or_none(node: Node) -> int | None:
    try:
        return line_of(node)
    except Left:
        return None


def region_of(tree: Tree, loop: Node, call: Node) -> list[Node]:
    """The statements of one block from the loop to the call, or from the call to the loop, which may stand in blocks of its own."""
    block = tree.parent(call) or {}
    if block.get("kind") != "CompoundStmt":
        raise Left("the call is a part of another statement")
    top: Node | None = loop
    while top is not None and tree.parent(top) is not block:
        top = tree.parent(top)
        if top is None or top.get("kind") != "CompoundStmt":
            raise Left("the loop and the call are not statements of one block")
    statements = children(block)
    first, last = sorted(next(at for at, one in enumerate(statements) if one is end_) for end_ in (top, call))
    return statements[first : last + 1]


def function_of(tree: Tree, call: Node) -> Node:
    for one in around(tree, call):
        if one.get("kind") in ("FunctionDecl", "CXXMethodDecl", "CXXConstructorDecl", "CXXDestructorDecl"):
            return one
    raise Left("it stands in no function")


def not_of_function(tree: Tree, call: Node) -> set[str]:
    """Variables that the call's function names and that are none of its own automatic ones."""
    function = function_of(tree, call)
    own = {
        node["id"]
        for node in walk(function)
        if node.get("kind") in ("VarDecl", "ParmVarDecl") and node.get("storageClass") not in ("static", "extern")
    }
    return {declaration for node in walk(function) if (declaration := declared_by(node))} - own


def counter_of(init: Node) -> tuple[Node, Node]:
    """Its declaration, and its first value."""
    if init["kind"] == "DeclStmt" and len(children(init)) == 1 and children(children(init)[0]):
        return children(init)[0], children(children(init)[0])[-1]
    if init["kind"] == "BinaryOperator" and init["opcode"] == "=":
        variable, value = children(init)
        if variable["kind"] == "DeclRefExpr" and variable["referencedDecl"]["kind"] in ("VarDecl", "ParmVarDecl"):
            return variable["referencedDecl"], value
    raise Left("the loop has no counter", line_or_none(init))


def step_of(increment: Node, counter: str) -> int:
    inside = children(increment)
    if inside and declared_by(inside[0]) == counter:
        if increment["kind"] == "UnaryOperator" and increment["opcode"] in ("++", "--"):
            return 1 if increment["opcode"] == "++" else -1
        if increment["kind"] == "CompoundAssignOperator" and increment["opcode"] in ("+=", "-="):
            by = stripped(inside[1])
            by = stripped(children(by)[-1]) if by.get("kind") in CASTS else by
            if by["kind"] == "IntegerLiteral" and int(by["value"]) > 0:
                return int(by["value"]) * (1 if increment["opcode"] == "+=" else -1)
    raise Left("the loop's counter does not go by a number", line_or_none(increment))


def bound_of(condition: Node, counter: str) -> tuple[str, Node]:
    """As `counter operator bound`."""
    turned = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "!=": "!="}
    while condition["kind"] in TRANSPARENT:
        condition = children(condition)[-1]
    if condition["kind"] == "BinaryOperator" and condition["opcode"] in turned:
        one, other = children(condition)
        for mine, its, operator in ((one, other, condition["opcode"]), (other, one, turned[condition["opcode"]])):
            inner = stripped(mine)
            while inner.get("kind") in CASTS and inner.get("castKind") == "IntegralCast":
                inner = stripped(children(inner)[-1])
            if declared_by(inner) == counter:
                return operator, its
    raise Left("the loop's end is no bound of its counter", line_or_none(condition))


def text_of_bound(condition: str, counter: str) -> str | None:
    """The n of `i < n`, and of `n > i`. It may be a macro."""
    operator = r"\s*(?:<=|>=|!=|<|>)\s*"
    found = re.fullmatch(rf"{counter}{operator}([^<>=!&|?,;]+)", condition)
    found = found or re.fullmatch(rf"([^<>=!&|?,;]+?){operator}{counter}", condition)
    return found[1].strip() if found else None


def names_base(expressions: Expressions, node: Node, base: str) -> bool:
    if node.get("kind") not in ("DeclRefExpr", "MemberExpr"):
        return False
    try:
        return expressions.name_of(node) == base
    except Left:
        return False


def access_of(tree: Tree, reference: Node) -> Node:
    """u[i][j] of its u."""
    access, node = reference, tree.parent(reference)
    while node is not None:
        kind = node.get("kind")
        if kind in TRANSPARENT or (
            kind in CASTS and node.get("castKind") in ("LValueToRValue", "ArrayToPointerDecay", "NoOp")
        ):
            if node.get("castKind") == "LValueToRValue" and access is not reference and "*" not in type_of(node):
                return access
        elif kind == "ArraySubscriptExpr" and contains(children(node)[0], reference):
            access = node
        elif kind == "CXXOperatorCallExpr" and len(children(node)) == 3 and contains(children(node)[1], reference):
            if not is_standard(stripped(children(node)[1])):
                return access
            access = node
        else:
            return access
        node = tree.parent(node)
    return access


def is_assigned(parent: Node) -> bool:
    kind, operator = parent.get("kind"), parent.get("opcode")
    return kind == "CompoundAssignOperator" or (
        kind in ("BinaryOperator", "UnaryOperator") and operator in ("=", "++", "--")
    )


def contains(node: Node, wanted: Node) -> bool:
    return any(one is wanted for one in walk(node))


def is_plain_member(node: Node | None) -> bool:
    return node is not None and node.get("kind") == "MemberExpr" and not node.get("isArrow")


def called_by(call: Node) -> str:
    callee = stripped(children(call)[0])
    while callee.get("kind") in CASTS:
        callee = stripped(children(callee)[-1])
    return callee.get("referencedDecl", {}).get("name") or callee.get("name", "")


def name_by(node: Node) -> str | None:
    return node.get("referencedDecl", {}).get("name")


def is_definition(node: Node, name: str) -> bool:
    is_function = node.get("kind") in ("FunctionDecl", "CXXMethodDecl") and node.get("name") == name
    return is_function and any(inside.get("kind") == "CompoundStmt" for inside in children(node))


def or_none(expressions: Expressions, node: Node) -> Polynomial | None:
    try:
        return expressions.value(node)
    except Left:
        return None


def split(text: str) -> list[str]:
    """Arguments, at the commas that are in no brackets."""
    parts, depth, quote = [""], 0, ""
    for letter in text:
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "\"'":
            quote = letter
        elif letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
        elif letter == "," and depth == 0:
            parts.append("")
            continue
        parts[-1] += letter
    return [" ".join(part.split()) for part in parts]


def is_inside(node: Node, statements: list[Node]) -> bool:
    return any(one is node for statement in statements for one in walk(statement))
