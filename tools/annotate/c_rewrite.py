"""C and C++: what is written where. Each loop is changed once, for all messages that it fills or reads."""

import re

from c_source import LOOPS, CSource, Found, SourceLoop
from clang_tree import Node, begin, children, end
from edits import Edits
from frontier import is_descending
from outcome import Left
from polynomial import Polynomial

BEGIN = "stretto: what is ready of this message leaves while the loop runs"
COUNTER = "counter"  # an atom, which stands for what the loop's counter is called there


class Rewriter:
    def __init__(self, source: CSource, edits: Edits) -> None:
        self.source, self.edits, self.text = source, edits, edits.text
        self.requests: dict[str, int] = {}  # by function: how many

    def loop(self, found: list[Found]) -> None:
        """All that is to be said in one loop, and before and behind it."""
        loop = found[0].loop
        sends, receives = ([one for one in found if one.decision.what == what] for what in ("send", "receive"))
        at, behind = begin(loop.node).offset, self.behind(loop.node)
        indent, strips = self.indentation(at), [one.slices.strip() for one in found]
        lines = [line for one in sends for line in self.begin(one)]
        if None in strips:
            lines += self.in_rows(loop, sends, receives)
        else:
            lines += self.in_strips(loop, sends, receives, min(strips))
        for one in receives:
            name = begin(one.call).offset
            self.edits.replace(name, name + len(one.decision.call), "MPIX_Delta_recv")
            lines.append(f"MPIX_Delta_recv_end({one.arguments[0]}, {one.arguments[6]}); /* stretto: all has come */")
        self.edits.replace(at, behind, f"\n{indent}".join(lines))

    def begin(self, one: Found) -> list[str]:
        """What stands before the loop. The call becomes the end."""
        is_blocking = one.decision.call == "MPI_Send"
        request = f"&{self.request(one)}" if is_blocking else one.arguments[6]
        at, behind = begin(one.call).offset, self.behind(one.call)
        ended = f"MPIX_Delta_send_end({request}); /* stretto: the rest leaves */"
        if is_blocking:
            ended += f"\n{self.indentation(at)}MPIX_Delta_wait({request}, MPI_STATUS_IGNORE);"
        self.edits.replace(at, behind, ended)
        begun = f"MPIX_Delta_send_begin({', '.join([*one.arguments[:6], request])});"
        if not is_blocking:
            return [f"/* {BEGIN} */", begun]
        declared = f"MPI_Request {request[1:]}; /* {BEGIN} */"
        if one.region[0] is one.loop.node:
            return [declared, begun]
        block = begin(one.region[0]).offset  # the call is outside of the loop's own block
        self.edits.insert(block, f"{declared}\n{self.indentation(block)}")
        return [begun]

    # --- strips: the loop becomes two

    def in_strips(self, loop: SourceLoop, sends: list[Found], receives: list[Found], strip: int) -> list[str]:
        check_jumps(loop.body, ("BreakStmt",))
        counter = self.source.names.text[loop.form.counter]
        first, limit = self.free_name("stretto_begin"), self.free_name("stretto_end")
        down = is_descending(loop.form)
        length = strip * abs(loop.form.step)
        has_last = loop.operator in ("<=", ">=")
        bound = wrapped(loop.bound)
        room = f"{bound} - {counter}" if not down else counter if bound == "0" else f"{counter} - {bound}"
        step = f"{counter} {'-' if down else '+'} {length - has_last}"
        declared = f"{limit} = {room} {'>=' if has_last else '>'} {length} ? {step} : {bound}"
        if sends:
            declared = f"{first} = {counter}, {declared}"
        # The strip's iterations: from low on, below high
        low = limit if loop.operator == ">=" else f"{limit} + 1"
        high = f"{limit} + 1" if loop.operator == "<=" else limit
        unit = self.unit(loop)
        return [
            f"for ({loop.init} {loop.condition};) {{ /* stretto: in strips, each said to be {said(sends, receives)} */",
            f"{unit}const {loop.kind} {declared};",
            *(unit + self.wait_strip(one, counter, low, high, down) for one in receives),
            f"{unit}for (; {counter} {loop.operator} {limit}; {loop.increment}){self.shifted_body(loop, unit)}",
            *(unit + self.send_strip(one, first, low, high, down) for one in sends),
            "}",
        ]

    def send_strip(self, one: Found, first: str, low: str, high: str, down: bool) -> str:
        width, counter = one.slices.width, Polynomial.atom(COUNTER)
        if down:
            at = self.address(one, (counter - 1) * width + one.slices.high, low)
            return self.data("send", at, one, f"{first} - {wrapped(low)} + 1", Polynomial.of(0))
        at = self.address(one, counter * width + one.slices.low, first)
        return self.data("send", at, one, f"{high} - {first}", Polynomial.of(0))

    def wait_strip(self, one: Found, counter: str, low: str, high: str, down: bool) -> str:
        width = one.slices.width
        more = one.slices.high - one.slices.low - width
        address = self.address(one, Polynomial.atom(COUNTER) * width + one.slices.low, low if down else counter)
        iterations = f"{counter} - {wrapped(low)} + 1" if down else f"{high} - {counter}"
        return self.data("wait", address, one, iterations, more)

    def data(self, what: str, address: str, one: Found, iterations: str, more: Polynomial) -> str:
        elements = f"(size_t)({iterations})"
        if one.slices.width != 1:
            elements += f" * {one.slices.width.text(self.source.names.text)}"
        if more != 0:
            elements = f"({elements} + {more.text(self.source.names.text)})"
        return f"MPIX_Delta_{what}_data({address}, {elements} * {self.size_of(one)});"

    # --- rows: each iteration says its own

    def in_rows(self, loop: SourceLoop, sends: list[Found], receives: list[Found]) -> list[str]:
        if sends:
            check_jumps(loop.body, ("ContinueStmt",))
        counter, at = self.source.names.text[loop.form.counter], Polynomial.atom(COUNTER)
        before, after = [], []
        for one in receives:
            address = self.address(one, at * one.slices.width + one.slices.low, counter)
            before.append(
                self.row("wait", address, one, one.slices.high - one.slices.low) + " /* stretto: needed now */"
            )
        for one in sends:
            index = at * one.slices.width + one.slices.low
            if is_descending(loop.form):
                index = (at - 1) * one.slices.width + one.slices.high
            after.append(self.row("send", self.address(one, index, counter), one, one.slices.width))
            after[-1] += " /* stretto: final */"
        indent, unit = self.indentation(begin(loop.node).offset), self.unit(loop)
        body = self.text[begin(loop.body).offset : self.behind(loop.body)]
        if loop.body["kind"] == "CompoundStmt":
            body = body[1:-1].strip("\n").rstrip(" \t")
            body = body.strip() if "\n" not in body else body.removeprefix(indent + unit).rstrip()
        head = self.text[begin(loop.node).offset : self.head_end(loop)]
        return [f"{head} {{", *(unit + line for line in [*before, body, *after]), "}"]

    def row(self, what: str, address: str, one: Found, elements: Polynomial) -> str:
        count = elements.text(self.source.names.text)
        return f"MPIX_Delta_{what}_data({address}, (size_t){wrapped(count)} * {self.size_of(one)});"

    # --- layout

    def head_end(self, loop: SourceLoop) -> int:
        """Behind its closing bracket."""
        found = re.compile(r"\s*\)").match(self.text, end(loop.node["inner"][3]).offset)
        assert found
        return found.end()

    def unit(self, loop: SourceLoop) -> str:
        """By which the loop's body is indented."""
        inside = children(loop.body) if loop.body["kind"] == "CompoundStmt" else [loop.body]
        outer = self.indentation(begin(loop.node).offset)
        inner = self.indentation(begin(inside[0]).offset) if inside else outer
        return inner.removeprefix(outer) if inner.startswith(outer) and inner != outer else "    "

    def shifted_body(self, loop: SourceLoop, unit: str) -> str:
        """The body as it is, further to the right where nothing depends on where its lines begin."""
        body = self.text[self.head_end(loop) : self.behind(loop.node)]
        if re.search(r"\\\n|R\"|\n[ \t]*#", body):
            return body
        return re.sub(r"\n(?=[^\n])", f"\n{unit}", body)

    # --- texts

    def address(self, one: Found, index: Polynomial, counter: str) -> str:
        """Of an element of the message's array, where `counter` is what takes the place of the atom COUNTER."""
        name = self.source.names.text[one.buffer.base]
        dimensions = one.behind_index.count("[")
        row = 1
        for extent in re.findall(r"\[(\d+)\]", one.behind_index):
            row *= int(extent)
        at = index.text({**self.source.names.text, COUNTER: wrapped(counter)})
        at = re.sub(r"^\((.*)\)$", r"\1", at) if index == Polynomial.atom(COUNTER) else at
        if not dimensions:
            return f"&{name}[{at}]"
        if index == Polynomial.atom(COUNTER) * row:
            return f"&{name}[{counter}]" + "[0]" * dimensions
        return f"&{name}[0]" + "[0]" * dimensions + f" + ({at})"

    def size_of(self, one: Found) -> str:
        return f"sizeof {self.source.names.text[one.buffer.base]}[0]" + "[0]" * one.behind_index.count("[")

    def indentation(self, at: int) -> str:
        line = self.text.rfind("\n", 0, at) + 1
        found = re.compile(r"[ \t]*").match(self.text, line)
        assert found
        return found[0]

    def behind(self, node: Node) -> int:
        """Behind a statement, with its semicolon."""
        at = end(node).offset
        if self.text[at - 1] == "}" and node["kind"] in ("CompoundStmt", *LOOPS, "IfStmt", "SwitchStmt"):
            return at
        semicolon = re.compile(r"\s*;").match(self.text, at)
        if not semicolon:
            raise Left("the end of the loop is not found", begin(node).line)
        return semicolon.end()

    def free_name(self, wanted: str) -> str:
        """One that the file does not have. Those of loops are of no concern to each other."""
        name, number = wanted, 2
        while re.search(rf"\b{name}\b", self.text):
            name, number = f"{wanted}_{number}", number + 1
        return name

    def request(self, one: Found) -> str:
        name = self.free_name("stretto_request")
        number = self.requests[one.function] = self.requests.get(one.function, 0) + 1
        return name if number == 1 else self.free_name(f"stretto_request_{number}")


def include(text: str, first_use: int) -> int | None:
    """Where `#include <stretto/stretto.h>` is to stand; None where it is already."""
    if re.search(r'^[ \t]*#[ \t]*include[ \t]*[<"]stretto/stretto\.h[>"]', text, re.M):
        return None
    depth, behind = 0, 0
    for line in re.finditer(r"^[ \t]*#[ \t]*(include|if|ifdef|ifndef|endif)\b([^\n]*)\n?", text[:first_use], re.M):
        word = line[1]
        if word == "include" and re.match(r'[ \t]*[<"]mpi\.h[>"]', line[2]):
            return line.end()
        depth += word.startswith("if") - (word == "endif")
        if word == "include" and depth == 0:
            behind = line.end()
    return behind


def check_jumps(body: Node, kinds: tuple[str, ...]) -> None:
    """No break, or continue, of this very loop."""
    for child in [body, *children(body)] if body["kind"] != "CompoundStmt" else children(body):
        find_jump(child, kinds)


def find_jump(node: Node, kinds: tuple[str, ...]) -> None:
    if node.get("kind") in kinds:
        word = "break" if node["kind"] == "BreakStmt" else "continue"
        raise Left(f"the loop has a {word}", begin(node).line)
    if node.get("kind") in LOOPS or (node.get("kind") == "SwitchStmt" and kinds == ("BreakStmt",)):
        return
    for child in children(node):
        find_jump(child, kinds)


def wrapped(text: str) -> str:
    return text if re.fullmatch(r"[\w.]+(\(\))?|\(\w+\)", text) else f"({text})"


def said(sends: list[Found], receives: list[Found]) -> str:
    return "needed, then final" if sends and receives else "final" if sends else "needed"
