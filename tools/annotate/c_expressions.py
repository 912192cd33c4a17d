"""Expressions of C and C++ as polynomials, and what array an lvalue is an element of."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from clang_tree import Node, Tree, begin, children, end, walk
from outcome import Left
from polynomial import Polynomial

TRANSPARENT = ("ParenExpr", "ConstantExpr", "ExprWithCleanups", "MaterializeTemporaryExpr", "CXXBindTemporaryExpr")
CASTS = ("ImplicitCastExpr", "CStyleCastExpr", "CXXStaticCastExpr", "CXXFunctionalCastExpr")
# In which an index cannot wrap round without being undefined: signed ones, and unsigned ones as long as an address.
INDEX_TYPES = {
    "char", "signed char", "short", "int", "long", "long long", "unsigned long", "unsigned long long",
}  # fmt: skip
SCALAR_BYTES = {
    "char": 1, "signed char": 1, "unsigned char": 1, "short": 2, "unsigned short": 2, "int": 4, "unsigned int": 4,
    "float": 4, "double": 8, "long": 8, "unsigned long": 8, "long long": 8, "unsigned long long": 8,
    "_Complex float": 8, "_Complex double": 16,
}  # fmt: skip


def type_of(node: Node) -> str:
    kind = node.get("type", {})
    return kind.get("desugaredQualType", kind.get("qualType", ""))


def unqualified(text: str) -> str:
    return " ".join(re.sub(r"\b(const|volatile|restrict|__restrict)\b", " ", text).split())


def line_of(node: Node) -> int:
    return begin(node).line


def stripped(node: Node) -> Node:
    """Without parentheses and casts that change no value."""
    while True:
        kind, inside = node.get("kind"), children(node)
        if (kind in TRANSPARENT and inside) or (
            kind in CASTS and node.get("castKind") in ("NoOp", "LValueToRValue", "BitCast", "ArrayToPointerDecay")
        ):
            node = inside[-1]
        else:
            return node


@dataclass
class Names:
    """The variables that polynomials were made of, by atom."""

    text: dict[str, str] = field(default_factory=dict)
    declared: dict[str, set[str]] = field(default_factory=dict)  # the declarations that an atom's value depends on
    shared: set[str] = field(default_factory=set)  # those that others may change, too: global ones, members

    def atom(self, key: str, text: str, declarations: set[str], shared: bool) -> str:
        if not text.isascii():
            raise Left(f"{text} is a name of more than ASCII")
        self.text[key], self.declared[key] = text, declarations
        if shared:
            self.shared.add(key)
        return key

    def quotient(self, one: Polynomial, operator: str, other: Polynomial) -> str:
        """n / 2 and n % 8 are atoms of their own."""
        atoms = one.atoms | other.atoms
        keys = {atom: atom for atom in atoms}
        key, text = (f"(({one.text(names)}) {operator} ({other.text(names)}))" for names in (keys, self.text))
        declarations = set().union(*(self.declared[atom] for atom in atoms))
        return self.atom(key, text, declarations, bool(atoms & self.shared))


@dataclass(frozen=True)
class Element:
    """`flat` elements of type `kind` from the first one of what `base` names."""

    base: str
    flat: Polynomial
    kind: str


class Expressions:
    def __init__(
        self, source: str, names: Names, tree: Tree, globals_: set[str], tree_of: Callable[[str], Tree]
    ) -> None:
        self.source, self.names, self.tree, self.globals, self.tree_of = source, names, tree, globals_, tree_of
        self.constants: dict[str, int | None] = {}
        self.kind_behind_index: dict[str, str] = {}  # by base: what one index of it gives

    def text(self, node: Node) -> str:
        first, last = begin(node), end(node)
        if first.in_macro or last.in_macro:
            raise Left("it comes from a macro", first.line)
        return self.source[first.offset : last.offset]

    # --- values

    def value(self, node: Node) -> Polynomial:
        kind, inside = node.get("kind"), children(node)
        if kind in TRANSPARENT and inside:
            return self.value(inside[-1])
        if kind in CASTS:
            return self.cast(node, inside[-1])
        if kind == "IntegerLiteral":
            return Polynomial.of(int(node["value"]))
        if kind == "UnaryExprOrTypeTraitExpr" and node.get("name") == "sizeof":
            return Polynomial.of(self.size_of(node))
        if kind == "UnaryOperator" and node["opcode"] in "+-":
            return self.value(inside[0]) * (-1 if node["opcode"] == "-" else 1)
        if kind == "BinaryOperator" and node["opcode"] in "+-*":
            self.check_type(node)
            one, other = self.value(inside[0]), self.value(inside[1])
            return one * other if node["opcode"] == "*" else one + other if node["opcode"] == "+" else one - other
        if kind == "BinaryOperator" and node["opcode"] in "/%":
            self.check_type(node)
            return Polynomial.atom(self.names.quotient(self.value(inside[0]), node["opcode"], self.value(inside[1])))
        if kind == "DeclRefExpr" and (number := self.constant(node["referencedDecl"])) is not None:
            return Polynomial.of(number)
        if kind in ("DeclRefExpr", "MemberExpr", "CXXMemberCallExpr"):
            return Polynomial.atom(self.name_of(node))
        raise Left("an expression is none of sums and products of variables", line_of(node))

    def constant(self, declared: Node) -> int | None:
        """The value of an enumerator, or of a constant integer."""
        is_constant = declared["kind"] == "VarDecl" and declared["type"]["qualType"].startswith("const ")
        if declared["kind"] != "EnumConstantDecl" and not is_constant:
            return None
        key = f"{declared['kind']} {declared['name']}"
        if key not in self.constants:
            found = [
                one
                for one in (*self.tree.all(), *self.tree_of(declared["name"]).all())
                if one.get("kind") == declared["kind"] and one.get("name") == declared["name"]
            ]
            numbers = {number_in(one) for one in found}
            self.constants[key] = numbers.pop() if len(numbers) == 1 else None
        return self.constants[key]

    def cast(self, node: Node, inside: Node) -> Polynomial:
        if node.get("castKind") not in ("IntegralCast", "NoOp", "LValueToRValue"):
            raise Left("an expression is none of sums and products of variables", line_of(node))
        return self.value(inside)

    def check_type(self, node: Node) -> None:
        if unqualified(type_of(node)) not in INDEX_TYPES:
            raise Left(f"an index is computed as {type_of(node)}, and may wrap round", line_of(node))

    def size_of(self, node: Node) -> int:
        inside = children(node)
        kind = node["argType"].get("desugaredQualType", node["argType"]["qualType"]) if "argType" in node else ""
        kind = kind or (type_of(stripped(inside[0])) if inside else "")
        count, scalar = scalars_in(kind)
        if scalar not in SCALAR_BYTES:
            raise Left(f"the size of {kind} is not known here", line_of(node))
        return count * SCALAR_BYTES[scalar]

    def name_of(self, node: Node) -> str:
        """The atom of a variable, a member, or the size of a vector."""
        kind = node["kind"]
        if kind == "DeclRefExpr":
            declared = node["referencedDecl"]
            if declared["kind"] not in ("VarDecl", "ParmVarDecl", "EnumConstantDecl"):
                raise Left("an expression is none of sums and products of variables", line_of(node))
            shared = declared["id"] in self.globals or "&" in declared["type"]["qualType"]
            if declared["kind"] == "EnumConstantDecl":
                shared = False
            return self.names.atom(declared["id"], declared["name"], {declared["id"]}, shared)
        if kind == "CXXMemberCallExpr":
            member = children(node)[0]
            owner = stripped(children(member)[0]) if children(member) else {}
            if member.get("name") != "size" or len(children(node)) != 1 or not is_standard(owner):
                raise Left("a function is called in an expression", line_of(node))
            inner = self.name_of(owner)
            key = inner + ".size()"
            return self.names.atom(key, self.names.text[inner] + ".size()", self.names.declared[inner], False)
        inside = children(node)
        owner = stripped(inside[0]) if inside else {}
        arrow = "->" if node.get("isArrow") else "."
        if owner.get("kind") == "CXXThisExpr":
            key, text, declarations = "this", "", set()
        elif owner.get("kind") in ("DeclRefExpr", "MemberExpr"):
            key = self.name_of(owner)
            text, declarations = self.names.text[key] + arrow, self.names.declared[key]
        else:
            raise Left("an expression is none of sums and products of variables", line_of(node))
        member = node["referencedMemberDecl"]
        return self.names.atom(f"{key}{arrow}{member}", text + node["name"], declarations | {member}, True)

    # --- elements of arrays

    def element(self, node: Node) -> Element:
        """Of which array is this lvalue an element?"""
        while node.get("kind") in TRANSPARENT or (node.get("kind") in CASTS and node.get("castKind") == "NoOp"):
            node = children(node)[-1]
        kind, inside = node.get("kind"), children(node)
        if kind == "ArraySubscriptExpr":
            return self.step(self.pointer(inside[0]), self.value(inside[1]), type_of(node))
        if kind == "CXXOperatorCallExpr" and len(inside) == 3 and is_standard(stripped(inside[1])):
            return self.step(self.vector(stripped(inside[1])), self.value(inside[2]), self.kind_of_vector(inside[1]))
        if kind in ("DeclRefExpr", "MemberExpr"):
            base, declared = self.name_of(node), unqualified(type_of(node))
            self.kind_behind_index[base] = first_dimension(declared)[1] if "[" in declared else declared
            return Element(base, Polynomial.of(0), declared)
        raise Left("the message is no array with an index", line_of(node))

    def kind_of_vector(self, node: Node) -> str:
        return unqualified(element_type(type_of(stripped(node))))

    def vector(self, node: Node) -> Element:
        base = self.name_of(node)
        self.kind_behind_index[base] = self.kind_of_vector(node)
        return Element(base, Polynomial.of(0), self.kind_behind_index[base])

    def step(self, base: Element, index: Polynomial, kind: str) -> Element:
        return Element(base.base, base.flat + index, unqualified(kind))

    def pointer(self, node: Node) -> Element:
        """What a pointer points to: `flat` of its own elements from where the array begins."""
        while node.get("kind") in TRANSPARENT or (
            node.get("kind") in CASTS and node.get("castKind") in ("NoOp", "BitCast")
        ):
            node = children(node)[-1]
        kind, inside = node.get("kind"), children(node)
        if kind in CASTS and node.get("castKind") == "ArrayToPointerDecay":
            array = self.element(inside[-1])
            dimension, rest = first_dimension(array.kind)
            return Element(array.base, array.flat * dimension, rest)
        if kind in CASTS and node.get("castKind") == "LValueToRValue":
            variable = stripped(node)
            base = self.name_of(variable)
            self.kind_behind_index[base] = pointee(type_of(variable))
            return Element(base, Polynomial.of(0), self.kind_behind_index[base])
        if kind == "UnaryOperator" and node["opcode"] == "&":
            return self.element(inside[0])
        if kind == "BinaryOperator" and node["opcode"] in "+-" and "*" in type_of(inside[0]):
            self.check_type(inside[1])
            offset = self.value(inside[1])
            base = self.pointer(inside[0])
            return self.step(base, offset if node["opcode"] == "+" else -offset, base.kind)
        if kind == "CXXMemberCallExpr":
            member = children(node)[0]
            owner = stripped(children(member)[0]) if children(member) else {}
            if member.get("name") == "data" and is_standard(owner):
                return self.vector(owner)
        raise Left("the message is no array with an index", line_of(node))


def number_in(declaration: Node) -> int | None:
    """Of a constant whose value is written as a number, or was computed by Clang."""
    for node in children(declaration)[-1:]:
        while "value" not in node and (node.get("kind") in CASTS or node.get("kind") in TRANSPARENT) and children(node):
            node = children(node)[-1]
        if re.fullmatch(r"-?\d+", str(node.get("value", ""))) and node.get("kind") in (
            "ConstantExpr",
            "IntegerLiteral",
        ):
            return int(node["value"])
    return None


def is_standard(node: Node) -> bool:
    """A variable that is a std::vector or std::array of plain elements."""
    if node.get("kind") not in ("DeclRefExpr", "MemberExpr"):
        return False
    text = unqualified(type_of(node)).replace("class ", "").replace("struct ", "")
    return bool(re.match(r"std::(__1::)?(vector|array)<", text)) and not re.search(r"<bool\b", text)


def element_type(text: str) -> str:
    inside = unqualified(text).partition("<")[2]
    depth = 0
    for at, letter in enumerate(inside):
        if letter in "<([":
            depth += 1
        elif letter in ">)]":
            depth -= 1
        if depth < 0 or (depth == 0 and letter == ","):
            return inside[:at].strip()
    return inside


def first_dimension(kind: str) -> tuple[int, str]:
    """double[8][4] -> 8, double[4]."""
    found = re.fullmatch(r"([^\[]*?)\s*\[(\d+)\](.*)", kind)
    if not found:
        raise Left(f"the extents of {kind} are not known when it is compiled")
    return int(found[2]), (found[1] + found[3]).strip()


def scalars_in(kind: str) -> tuple[int, str]:
    """double[8][4] -> 32, double."""
    count, kind = 1, unqualified(kind)
    while "[" in kind:
        dimension, kind = first_dimension(kind)
        count *= dimension
    return count, kind


def pointee(kind: str) -> str:
    kind = unqualified(kind)
    if found := re.fullmatch(r"(.*?)\s*\(\* ?\)((?:\[\d+\])+)", kind):
        return found[1] + found[2]
    if not kind.endswith("*"):
        raise Left("the message is no array with an index")
    return kind[:-1].strip()


def in_scalars(element: Element) -> Element:
    """double[4] elements counted as doubles."""
    count, kind = scalars_in(element.kind)
    return Element(element.base, element.flat * count, kind)


def above(tree: Tree, node: Node) -> Node:
    """What is around it but for parentheses and casts that change nothing; an empty node at the top."""
    parent = tree.parent(node)
    while parent is not None and (
        parent.get("kind") in TRANSPARENT or (parent.get("kind") in CASTS and parent.get("castKind") == "NoOp")
    ):
        parent = tree.parent(parent)
    return parent or {}


def is_only_read(tree: Tree, node: Node) -> bool:
    """Is this lvalue looked at, and nothing else?"""
    parent = above(tree, node)
    return parent.get("kind") == "ImplicitCastExpr" and parent.get("castKind") == "LValueToRValue"


def is_harmless(tree: Tree, node: Node) -> bool:
    """May a variable be named so without a change of its own value? (Elements of an array are not the array's value.)"""
    parent = above(tree, node)
    if is_only_read(tree, node) or parent.get("castKind") == "ArrayToPointerDecay":
        return True
    if parent.get("kind") == "CXXOperatorCallExpr":
        return len(children(parent)) == 3 and is_standard(stripped(children(parent)[1]))
    if parent.get("kind") != "MemberExpr":
        return False
    if above(tree, parent).get("kind") == "CXXMemberCallExpr":
        return parent.get("name") in ("size", "data", "begin", "end", "empty")
    return True


def references(node: Node, declaration: str) -> list[Node]:
    """To a variable, or to a member of any object."""
    return [one for one in walk(node) if declaration in (declared_by(one), one.get("referencedMemberDecl"))]


def declared_by(node: Node) -> str | None:
    return node["referencedDecl"]["id"] if node.get("kind") == "DeclRefExpr" else None
