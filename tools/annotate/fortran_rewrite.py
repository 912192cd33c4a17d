"""Fortran: what is written where. A line of free form has up to 132 columns, one of fixed form 72."""

import re

from edits import Edits
from fortran_source import (
    DO_CONSTRUCTS,
    F,
    FortranSource,
    Found,
    SourceLoop,
    around,
    first_line,
    last_line,
    statements_in,
    walk,
)
from frontier import is_descending
from outcome import Left
from polynomial import Polynomial


class Rewriter:
    def __init__(self, source: FortranSource, edits: Edits) -> None:
        self.source, self.edits = source, edits
        self.starts = [0]
        for line in edits.text.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))
        self.lines = edits.text.splitlines()
        self.declared: dict[int, tuple[object, dict[str, str]]] = {}  # by unit: names and their types

    # --- lines

    def before(self, line: int, text: list[str]) -> None:
        self.edits.insert(self.starts[line - 1], "".join(f"{one}\n" for one in text))

    def behind(self, line: int, text: list[str]) -> None:
        self.before(line + 1, text)

    def replace(self, first: int, last: int, text: list[str]) -> None:
        self.edits.replace(self.starts[first - 1], self.starts[last], "".join(f"{one}\n" for one in text))

    def indentation(self, line: int) -> str:
        found = re.match(r"[ \t]*", self.lines[line - 1])
        assert found
        indent = found[0]
        return indent if not self.source.is_fixed or len(indent) > 6 else " " * 6

    def comment(self, indent: str, text: str) -> list[str]:
        return [f"!{indent[1:]}stretto: {text}" if self.source.is_fixed else f"{indent}! stretto: {text}"]

    def statement(self, indent: str, text: str) -> list[str]:
        """Broken behind commas where it is too long for a line."""
        columns, lines = (72 if self.source.is_fixed else 130), []
        line = indent + text
        while len(line) > columns:
            at = line.rfind(", ", 0, columns - 2) + 1
            if at <= len(indent):
                raise Left("a line would be too long")
            head, rest = line[:at], line[at:].lstrip()
            lines.append(head if self.source.is_fixed else f"{head} &")
            line = f"     &{indent[6:]}    {rest}" if self.source.is_fixed else f"{indent}    {rest}"
        return [*lines, line]

    # --- declarations

    def names_of(self, unit) -> dict[str, str]:
        return self.declared.setdefault(id(unit), (unit, {}))[1]

    def declare(self, unit, wanted: str, kind: str, shared: bool) -> str:
        names = self.names_of(unit)
        name, number = wanted, 2
        while re.search(rf"\b{name}\b", self.edits.text, re.I) or (
            name in names and not (shared and names[name] == kind)
        ):
            name, number = f"{wanted}_{number}", number + 1
        names[name] = kind
        return name

    def declarations(self) -> None:
        for unit, names in self.declared.values():
            specification = [
                one for one in walk(unit, (F.Use_Stmt, F.Implicit_Stmt, F.Include_Stmt)) if is_of(one, unit)
            ]
            relevant = [
                one for one in specification if not isinstance(one, F.Include_Stmt) or "mpif.h" in str(one).lower()
            ]
            line = max([last_line(statements_in(unit)[0]), *(last_line(one) for one in relevant)])
            indent = self.indentation(first_line(relevant[-1]) if relevant else line)
            text = []
            if not any("strettof.h" in str(one) for one in specification):
                text += self.comment(indent, "the interfaces of MPIX_Delta_*, and what they need")
                text += self.statement(indent, "include 'stretto/strettof.h'")
            for kind in sorted(set(names.values())):
                of_kind = ", ".join(name for name, its in names.items() if its == kind)
                text += self.statement(indent, f"{kind} :: {of_kind}")
            self.behind(line, text)

    # --- a loop

    def loop(self, found: list[Found]) -> None:
        loop = found[0].loop
        sends, receives = ([one for one in found if one.decision.what == what] for what in ("send", "receive"))
        strips = [one.slices.strip() for one in found]
        first, last = first_line(loop.statement), last_line(loop.node)
        indent = self.indentation(first)
        for one in sends:
            self.before(first, self.begin(one, indent))
        if None in strips:
            self.in_rows(loop, sends, receives, first, last)
        else:
            self.in_strips(loop, sends, receives, min(strips), first, last, indent)
        for one in receives:
            line, its_indent = first_line(one.call), self.indentation(first_line(one.call))
            self.replace(
                line,
                last_line(one.call),
                self.statement(its_indent, f"call MPIX_Delta_recv({', '.join(one.arguments)})"),
            )
            self.behind(last, self.comment(indent, "all has come"))
            ended = f"call MPIX_Delta_recv_end({one.arguments[0]}, {one.arguments[6]}, {one.arguments[7]})"
            self.behind(last, self.statement(indent, ended))

    def begin(self, one: Found, indent: str) -> list[str]:
        """What stands before the loop. The call becomes the end."""
        is_blocking, error = len(one.arguments) == 7, one.arguments[-1]
        request = self.declare(one.unit, "stretto_request", "integer", False) if is_blocking else one.arguments[6]
        line, its_indent = first_line(one.call), self.indentation(first_line(one.call))
        ended = self.comment(its_indent, "the rest leaves")
        ended += self.statement(its_indent, f"call MPIX_Delta_send_end({request}, {error})")
        if is_blocking:
            ended += self.statement(its_indent, f"call MPIX_Delta_wait({request}, MPI_STATUS_IGNORE, {error})")
        self.replace(line, last_line(one.call), ended)
        arguments = ", ".join([*one.arguments[:6], request, error])
        return [
            *self.comment(indent, "what is ready leaves while the loop runs"),
            *self.statement(indent, f"call MPIX_Delta_send_begin({arguments})"),
        ]

    def in_strips(self, loop: SourceLoop, sends, receives, strip: int, first: int, last: int, indent: str) -> None:
        check_jumps(loop, F.Exit_Stmt)
        one = (sends + receives)[0]
        begin, end = (self.declare(one.unit, f"stretto_{word}", one.kind, True) for word in ("begin", "end"))
        down, step = is_descending(loop.form), loop.form.step
        length = strip * abs(step)
        limit = f"max({loop.end}, {begin} - {length - 1})" if down else f"min({loop.end}, {begin} + {length - 1})"
        said = "needed, then final" if sends and receives else "final" if sends else "needed"
        inner = indent + "  "
        head = self.comment(indent, f"in strips, each said to be {said}")
        head += self.statement(indent, f"do {begin} = {loop.start}, {loop.end}, {-length if down else length}")
        head += self.statement(inner, f"{end} = {limit}")
        for one in receives:
            head += self.statement(inner, self.data("wait", one, begin, end, down))
        label = next((f"{one} " for one in walk(loop.statement, F.Label)), "")
        name = getattr(loop.statement.item, "name", None)
        by = f", {step}" if step != 1 else ""
        head += self.statement(inner, f"{f'{name}: ' if name else ''}do {label}{loop.counter} = {begin}, {end}{by}")
        self.replace(first, last_line(loop.statement), head)
        for number in range(last_line(loop.statement) + 1, last + 1):
            self.shift(number)
        tail = [line for one in sends for line in self.statement(inner, self.data("send", one, begin, end, down))]
        self.behind(last, [*tail, *self.statement(indent, "end do")])

    def shift(self, number: int) -> None:
        """Two columns to the right, where there is room for it and no literal may go on from line to line."""
        before, line = self.lines[number - 2 : number]
        behind = self.lines[number] if number < len(self.lines) else ""
        if not self.source.is_fixed:
            if line.strip() and len(line) <= 130 and not before.rstrip().endswith("&"):
                self.edits.insert(self.starts[number - 1], "  ")
        elif re.match(r"[ \d]{5} ", line) and len(line) <= 70 and not re.match(r" {5}[^ 0]", behind):
            self.edits.insert(self.starts[number - 1] + 6, "  ")

    def data(self, what: str, one: Found, begin: str, end: str, down: bool) -> str:
        width, low, high = one.slices.width, one.slices.low, one.slices.high
        if down and what == "send" and high - low != width:
            raise Left("the accesses to the message do not fill it element by element")
        more = high - low - width if what == "wait" else Polynomial.of(0)
        assert width.number is not None and more.number is not None
        count = f"({begin} - {end} + 1)" if down else f"({end} - {begin} + 1)"
        size = one.slices.element_bytes
        size_text = f"{count}*{width.number * size}" + (f" + {more.number * size}" if more != 0 else "")
        return f"call MPIX_Delta_{what}_data({self.element(one, end if down else begin)}, {size_text})"

    def in_rows(self, loop: SourceLoop, sends, receives, first: int, last: int) -> None:
        if sends:
            check_jumps(loop, F.Cycle_Stmt)
        indent = self.indentation(first_line(loop.node.content[1]))
        for one in receives:
            self.behind(last_line(loop.statement), self.row("wait", one, loop, indent, "needed now"))
        for one in sends:
            if is_descending(loop.form) and one.slices.high - one.slices.low != one.slices.width:
                raise Left("the accesses to the message do not fill it element by element")
            self.before(first_line(loop.node.content[-1]), self.row("send", one, loop, indent, "final"))

    def row(self, what: str, one: Found, loop: SourceLoop, indent: str, said: str) -> list[str]:
        elements = one.slices.width if what == "send" else one.slices.high - one.slices.low
        size = (elements * one.slices.element_bytes).text(self.source.names)
        called = f"call MPIX_Delta_{what}_data({self.element(one, loop.counter)}, {size})"
        return [*self.comment(indent, said), *self.statement(indent, called)]

    def element(self, one: Found, counter: str) -> str:
        """The lowest one of an iteration."""
        names = {**self.source.names, one.loop.form.counter: counter}
        subscripts = ", ".join(subscript.text(names) for subscript in one.subscripts)
        return f"{self.source.names[one.buffer]}({subscripts})"


def is_of(statement, unit) -> bool:
    return (
        next(
            (one for one in around(statement) if isinstance(one, type(unit)) or "Subprogram" in type(one).__name__),
            None,
        )
        is unit
    )


def check_jumps(loop: SourceLoop, kind) -> None:
    """No exit, or cycle, of this very loop."""
    for jump in walk(loop.node, kind):
        nearest = next(one for one in around(jump) if isinstance(one, DO_CONSTRUCTS))
        if nearest is loop.node or jump.items[1] is not None:
            raise Left(f"the loop has an {jump}" if kind is F.Exit_Stmt else f"the loop has a {jump}", first_line(jump))
