"""Clang's syntax tree of a function, as `-ast-dump=json` prints it: where each node stands in its file, and what is around it."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field

from outcome import Left
from plan import Compiler

Node = dict


@dataclass(frozen=True)
class Spot:
    """The first byte of a token, or the byte behind it."""

    file: str
    offset: int
    line: int
    column: int
    in_macro: bool


@dataclass
class Tree:
    roots: list[Node]
    parents: dict[int, Node] = field(default_factory=dict)  # by id() of the child

    def parent(self, node: Node) -> Node | None:
        return self.parents.get(id(node))

    def around(self, node: Node) -> Iterator[Node]:
        above = self.parent(node)
        while above is not None:
            yield above
            above = self.parent(above)

    def all(self) -> Iterator[Node]:
        for root in self.roots:
            yield from walk(root)


def children(node: Node) -> list[Node]:
    return [child for child in node.get("inner", ()) if isinstance(child, dict)]


def walk(node: Node, without: tuple[Node, ...] = ()) -> Iterator[Node]:
    """It and all inside, but for these parts."""
    if any(node is part for part in without):
        return
    yield node
    for child in children(node):
        yield from walk(child, without)


def spot(location: dict, behind: bool = False) -> Spot:
    in_macro = "expansionLoc" in location
    bare = location["expansionLoc"] if in_macro else location
    if "offset" not in bare:
        raise Left("it has no place in the source")
    return Spot(bare["file"], bare["offset"] + (bare["tokLen"] if behind else 0), bare["line"], bare["col"], in_macro)


def begin(node: Node) -> Spot:
    return spot(node["range"]["begin"])


def end(node: Node) -> Spot:
    """Behind its last token."""
    return spot(node["range"]["end"], behind=True)


def dump(compiler: Compiler, name: str) -> Tree:
    """All functions whose names hold this one."""
    words = ["-fstretto=off", "-fsyntax-only", "-w", "-Xclang", "-ast-dump=json", "-Xclang", f"-ast-dump-filter={name}"]
    text = compiler.must(*words, compiler.path)
    tree, decoder, at = Tree([]), json.JSONDecoder(), text.find("{")
    while at >= 0:
        root, at = decoder.raw_decode(text, at)
        at = text.find("{", at)
        place_all(root)
        tree.roots.append(root)
        note_parents(root, tree.parents)
    return tree


def note_parents(root: Node, parents: dict[int, Node]) -> None:
    for node in walk(root):
        for child in children(node):
            parents[id(child)] = node


def place_all(root: Node) -> None:
    """Clang names a file and a line only where they differ from those before: each place gets its own."""
    file, line = "", 0
    pending: list = [root]
    while pending:
        value = pending.pop()
        if isinstance(value, list):
            pending.extend(reversed(value))
        elif isinstance(value, dict):
            if "offset" in value:
                file, line = value.get("file", file), value.get("line", line)
                value["file"], value["line"] = file, line
            pending.extend(reversed([one for one in value.values() if isinstance(one, (dict, list))]))
