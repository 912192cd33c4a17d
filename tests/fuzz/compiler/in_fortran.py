"""Random MPI programs in Fortran (mpif.h), as in_c.py makes them in C. No two names of a procedure are of one memory: Fortran forbids it."""

import random
from dataclasses import dataclass

from in_c import BYTES, WEIGHTS
from tree import Grower, Node, text

TYPES = {"double precision": ("MPI_DOUBLE_PRECISION", 8), "integer": ("MPI_INTEGER", 4), "real": ("MPI_REAL", 4)}


@dataclass
class Array:
    name: str
    how: str  # dummy, assumed, common; local, pointer: made in the procedure
    outer: str = ""


@dataclass
class Message:
    array: Array
    landing: Array
    first: str  # its first element
    count: str
    n: int
    tag: int
    kind: str
    group: int


class Function:
    def __init__(self, program, number):
        self.program, self.number = program, number
        self.random, self.grow = program.random, program.grow
        r = self.random
        self.type = r.choices(tuple(TYPES), (6, 3, 1))[0]
        size = TYPES[self.type][1]
        most = max(0, r.choices(BYTES, WEIGHTS)[0] // size + r.choice((0, 0, 1, -1, 3)))
        self.columns = r.choice((1, 3, 7, 16, 50, 64, 100, 129)) if most else 1
        self.rows = most // self.columns
        self.n = self.rows * self.columns
        self.capacity = self.n + 17
        self.names = self.steps = 0
        self.declared, self.before, self.busy = [], [], set()
        self.scalars = {"integer": ["i", "j", "k", "ierr"]}
        self.parameters = ["rank", "size", "n", "rows", "columns"]
        self.arguments = ["rank", "size", self.known(self.n), self.known(self.rows), self.known(self.columns)]
        self.arrays = []
        shared = r.random() < 0.2  # two at least, for a halo
        for i in range(r.choice((2, 3, 3, 4))):
            short = "abcd"[i]
            how = r.choice(("dummy", "dummy", "dummy", "assumed", "common", "local", "pointer"))
            how = "common" if shared and i < 2 else how
            outer = f"{short}{number}"
            if how == "common":
                short = outer = f"{short}{number}"
            elif how in ("dummy", "assumed"):
                self.parameters.append(short)
                self.arguments.append(outer)
            self.arrays.append(Array(short, how, outer))

    def known(self, value):
        return str(value) if self.random.random() < 0.15 else f"fuzz_int({value})"

    def scalar(self, word, type_):
        self.names += 1
        name = f"{word}{self.names}"
        self.scalars.setdefault(type_, []).append(name)
        return name

    @property
    def whole(self):
        return self.type == "integer"

    # --- values -------------------------------------------------------------------------------------------------------------------------

    def source(self, i, avoid=()):
        r = self.random
        usable = [array for array in self.arrays if array.name not in avoid and array.name not in self.busy]
        if usable and r.random() < 0.65:
            array = r.choice(usable)
            at = r.choice((i, i, i, f"n + 1 - ({i})", f"{i} + 1", f"({i} + 1) / 2"))
            return f"iand({array.name}({at}), 65535)" if self.whole else f"{array.name}({at})"
        one = r.choice((f"mod({i}, 97)", "rank", f"iand({i}, 1023)"))
        return one if self.whole else f"real({one}, kind({self.zero}))"

    @property
    def zero(self):
        return {"double precision": "0d0", "real": "0e0", "integer": "0"}[self.type]

    def number_(self, value):
        return {"double precision": f"{value}d0", "real": f"{value}e0", "integer": str(value)}[self.type]

    def value(self, i, avoid=()):
        r = self.random
        one, other = self.source(i, avoid), self.source(i, avoid)
        if self.whole:
            return r.choice(
                (
                    f"{one} * 3 + {other}",
                    f"{one} + 1",
                    one,
                    f"ieor({one}, {other}) + 5",
                    f"merge({other}, 7, {one} > 40)",
                )
            )
        half = self.number_("0.5")
        return r.choice(
            (
                f"{one} * {half} + {other}",
                f"{one} + 1",
                one,
                f"sqrt(abs({one})) + {other} * {half}",
                f"sin({one}) + rank",
                f"merge({other} * {half}, {half}, {one} > 20)",
            )
        )

    def part(self, *lines):
        return self.grow.part("\n".join(line for line in lines if line))

    # --- filling ------------------------------------------------------------------------------------------------------------------------

    def fill(self, array, first, count, n, late=None):
        """first: the first element, or "1"."""
        r = self.random
        a = array.name
        avoid = (a,) if r.random() < 0.8 else ()
        v = self.value("i", avoid)
        at = "i" if first == "1" else f"{first} - 1 + i"
        loop = f"do i = 1, {count}"
        if late:
            return self.part(
                f"{late} = 0",
                f"do i = 1, {count}",
                f"  if ({r.choice(('mod(i, 3) == 0', 'fuzz_table(i) > 250', 'i > 10'))}) then",
                f"    {late} = {late} + 1",
                f"    {a}({late}) = {v}",
                "  end if",
                "end do",
            )
        shapes = ["up"] * 8 + ["down"] * 4 + ["expression"] * 3 + ["forall", "where", "concurrent", "while", "two", "two", "conditional", "accumulated", "accumulated", "recurrent",
                  "recurrent down", "strided", "exit", "cycle", "indirect", "halves", "edges", "function", "subroutine", "subroutine", "tiled", "triangular", "copied"]  # fmt: skip
        if first == "1" and count == "n":
            shapes += ["grid", "grid", "grid", "grid down", "by rows", "plane"]
        shape = r.choice(shapes)
        self.program.shapes.append(shape)
        store = f"  {a}({at}) = {v}"
        high = f"{first} - 1 + {count}" if first != "1" else count
        free = [b.name for b in self.arrays if b.name != a and b.name not in self.busy]
        if shape == "down":
            return self.part(f"do i = {count}, 1, -1", store, "end do")
        if shape == "expression":
            if free and r.random() < 0.7:
                b = r.choice(free)
                e = (
                    f"iand({b}({first}:{high}), 4095) + 1"
                    if self.whole
                    else f"{b}({first}:{high}) * {self.number_('0.5')} + 1"
                )
            else:
                e = r.choice((self.zero, "rank + 3"))
            return self.part(f"{a}({first}:{high}) = {e}")
        if shape == "forall":
            return self.part(f"forall (i = 1:{count}) {a}({at}) = {self.value('i', (a,))}")
        if shape == "where" and free:
            b = r.choice(free)
            return self.part(
                f"where ({b}({first}:{high}) > 30) {a}({first}:{high}) = {b}({first}:{high})"
                + ("" if r.random() < 0.5 else " + 1")
            )
        if shape == "concurrent":
            return self.part(f"do concurrent (i = 1:{count})", f"  {a}({at}) = {self.value('i', (a,))}", "end do")
        if shape == "while":
            return self.part("i = 1", f"do while (i <= {count})", store, "  i = i + 1", "end do")
        if shape == "two" and free:
            b = r.choice(free)
            other = f"  {b}({r.choice(('i', f'({count}) + 1 - i'))}) = {r.choice((self.number_('3'), v))}"
            both = [store, other]
            r.shuffle(both)
            return self.part(loop, *both, "end do")
        if shape == "conditional":
            otherwise = ["  else", f"    {a}({at}) = {self.number_('2')}"] if r.random() < 0.4 else []
            when = r.choice(("mod(i, 3) == 0", "fuzz_table(i) > 100", f"{self.source('i', avoid)} > 30"))
            return self.part(loop, f"  if ({when}) then", f"  {store}", *otherwise, "  end if", "end do")
        if shape == "accumulated":
            k = self.scalar("k", "integer")
            add = (
                f"  {a}({at}) = iand({a}({at}), 65535) + {v}"
                if self.whole
                else f"  {a}({at}) = {a}({at}) * {self.number_('0.5')} + {v}"
            )
            return self.part(
                f"do {k} = 1, {self.known(r.choice((0, 1, 2, 3)))}", f"  {loop}", f"  {add}", "  end do", "end do"
            )
        if shape in ("recurrent", "recurrent down"):
            other = f"{at} {'-' if shape == 'recurrent' else '+'} 1"
            before = f"iand({a}({other}), 4095)" if self.whole else f"{a}({other}) * {self.number_('0.5')}"
            head = f"do i = 2, {count}" if shape == "recurrent" else f"do i = {count} - 1, 1, -1"
            return self.part(head, f"  {a}({at}) = {before} + {v}", "end do")
        if shape == "strided":
            return self.part(
                f"do i = {r.choice((1, 2))}, {count}, {r.choice((2, 3, 64, 'fuzz_int(2)'))}", store, "end do"
            )
        if shape == "exit":
            return self.part(loop, store, f"  if (i > {n // 2} .and. fuzz_table(i) == 77) exit", "end do")
        if shape == "cycle":
            return self.part(loop, f"  if (i == {n // 3}) cycle", store, "end do")
        if shape == "indirect":
            j = f"1 + mod(i * 7, {count})"
            return self.part(
                loop,
                f"  j = {j}",
                f"  {a}({at.replace('i', 'j') if at == 'i' else f'{first} - 1 + j'}) = {v}",
                "end do",
            )
        if shape == "halves":
            parts = [
                [f"do i = 1, ({count}) / 2", store, "end do"],
                [f"do i = ({count}) / 2 + 1, {count}", store, "end do"],
            ]
            r.shuffle(parts)
            return self.part(*parts[0], *parts[1])
        if shape == "edges":
            edge = [
                f"if (({count}) > 0) {a}({first}) = {self.number_('1')}",
                f"if (({count}) > 0) {a}({high}) = {self.number_('2')}",
            ]
            inner = [f"do i = 2, ({count}) - 1", store, "end do"]
            return self.part(*(edge + inner if r.random() < 0.6 else inner + edge))
        if shape == "function":
            f = f"f{self.program.number}_{self.number}_{len(self.before)}"
            self.before.append(
                self.grow.keep(
                    f"{self.type} function {f}(at, rank)\n  implicit none\n  integer :: at, rank\n  {f} = mod(at, 100) + rank\nend function"
                )
            )
            if not any(name == f for name in self.scalars.get(self.type, ())):
                self.scalars.setdefault(self.type, []).append(f)
            return self.part(loop, f"  {a}({at}) = {f}(i, rank)", "end do")
        if shape == "subroutine":
            f = f"s{self.program.number}_{self.number}_{len(self.before)}"
            self.before.append(
                self.grow.keep(
                    f"subroutine {f}(p, count, rank)\n  implicit none\n  integer :: count, rank, i\n  {self.type} :: p(count)\n  do i = 1, count\n    p(i) = mod(i, 50) + rank\n  end do\nend subroutine"
                )
            )
            return self.part(f"call {f}({a}({first}), {count}, rank)")
        if shape == "tiled":
            return self.part(
                f"do j = 1, {count}, 100", f"  do i = j, min(j + 99, {count})", f"  {store}", "  end do", "end do"
            )
        if shape == "triangular":
            m = 0
            while (m + 1) * (m + 2) // 2 <= n:
                m += 1
            base = "" if first == "1" else f"{first} - 1 + "
            return self.part(
                f"do i = 1, {self.known(m)}",
                "  do j = 1, i",
                f"    {a}({base}i * (i - 1) / 2 + j) = {self.value('j', avoid)}",
                "  end do",
                "end do",
            )
        if shape == "copied" and free:
            b = r.choice(free)
            return self.part(f"{a}({first}:{high}) = {b}({first}:{high})")
        if shape in ("grid", "grid down", "by rows"):
            at = "(i - 1) * columns + j"
            outer = "do i = 1, rows" if shape != "grid down" else "do i = rows, 1, -1"
            inner = "do j = 1, columns"
            heads = [outer, f"  {inner}"] if shape != "by rows" else [inner, f"  {outer}"]
            return self.part(*heads, f"    {a}({at}) = {self.value(at, avoid)}", "  end do", "end do")
        if shape == "plane":
            f = f"s{self.program.number}_{self.number}_{len(self.before)}"
            body = r.choice(
                (
                    "do i = 1, rows\n    do j = 1, columns\n      g(j, i) = j + i * 0.5 + rank\n    end do\n  end do",
                    "g(:, :) = rank + 1",
                    "do i = 1, rows\n    g(:, i) = i\n  end do",
                )
            )
            self.before.append(
                self.grow.keep(
                    f"subroutine {f}(g, rows, columns, rank)\n  implicit none\n  integer :: rows, columns, rank, i, j\n  {self.type} :: g(columns, rows)\n  {body}\nend subroutine"
                )
            )
            return self.part(f"call {f}({a}, rows, columns, rank)")
        return self.part(loop, store, "end do")

    # --- reading ------------------------------------------------------------------------------------------------------------------------

    def note(self, s):
        self.steps += 1
        kind = {"integer": "fuzz_note_int({step}, {s})", "real": "fuzz_note({step}, dble({s}))"}.get(
            self.type, "fuzz_note({step}, {s})"
        )
        return "call " + kind.format(step=self.number * 1000 + self.steps, s=s)

    def read(self, array, first, count, n, another=None):
        r = self.random
        a = array.name
        s = self.scalar("s", self.type)
        at = "i" if first == "1" else f"{first} - 1 + i"

        def add(at):
            one = f"{a}({at})" + (f" + {another.name}({at})" if another else "")
            if self.whole:
                return f"  {s} = iand({s}, 65535) * 31 + iand({one}, 1048575)"
            return f"  {s} = {s} * {self.number_('0.75')} + {one}"

        start = f"{s} = {self.number_('1')}"
        high = f"{first} - 1 + {count}" if first != "1" else count
        free = [b for b in self.arrays if b.name != a and b.name not in self.busy]
        shapes = (
            ["up"] * 5
            + ["down"] * 2
            + [
                "map",
                "map",
                "map",
                "in place",
                "expression",
                "sum",
                "some",
                "exit",
                "stencil",
                "both ends",
                "overwritten",
                "sparse",
                "subroutine",
            ]
        )
        if first == "1" and count == "n":
            shapes += ["grid", "grid", "by rows"]
        shape = r.choice(shapes)
        self.program.shapes.append(f"read {shape}")
        loop = f"do i = 1, {count}"
        if shape == "down":
            return self.part(start, f"do i = {count}, 1, -1", add(at), "end do", self.note(s))
        if shape == "map" and free:
            b = r.choice(free).name
            e = f"iand({a}({at}), 65535) + 1" if self.whole else f"{a}({at}) * {self.number_('0.5')} + 1"
            return self.part(loop, f"  {b}({r.choice(('i', 'i', f'({count}) + 1 - i'))}) = {e}", "end do")
        if shape == "in place":
            e = f"iand({a}({at}), 65535) + 1" if self.whole else f"{a}({at}) * {self.number_('0.5')} + 1"
            return self.part(r.choice((loop, f"do i = {count}, 1, -1")), f"  {a}({at}) = {e}", "end do")
        if shape == "expression" and free:
            b = r.choice(free).name
            e = (
                f"iand({a}({first}:{high}), 4095) + 1"
                if self.whole
                else f"{a}({first}:{high}) * {self.number_('0.5')} + 1"
            )
            return self.part(f"{b}({first}:{high}) = {e}")
        if shape == "sum" and self.whole:
            return self.part(f"{s} = sum(iand({a}({first}:{high}), 255))", self.note(s))
        if shape == "some":
            return self.part(
                start, loop, "  if (fuzz_table(i) > 100) then", add(at), "  end if", "end do", self.note(s)
            )
        if shape == "exit":
            return self.part(start, loop, add(at), f"  if ({a}({at}) == 37) exit", "end do", self.note(s))
        if shape == "stencil":
            return self.part(
                start, f"do i = 2, {count} - 1", add(f"{at} - 1"), add(f"{at} + 1"), "end do", self.note(s)
            )
        if shape == "both ends":
            return self.part(start, loop, add(at), add(f"{high} + 1 - i"), "end do", self.note(s))
        if shape == "overwritten":
            return self.part(
                f"do i = 1, {count}, {r.choice((1, 2, 5))}", f"  {a}({at}) = {self.number_('9')}", "end do"
            )
        if shape == "sparse":
            return self.part(start, f"do i = 1, {count}, {r.choice((2, 7, 100))}", add(at), "end do", self.note(s))
        if shape == "subroutine":
            f = f"s{self.program.number}_{self.number}_{len(self.before)}"
            body = (
                "s = iand(s, 65535) * 3 + iand(p(i), 65535)" if self.whole else f"s = s * {self.number_('0.5')} + p(i)"
            )
            self.before.append(
                self.grow.keep(
                    f"subroutine {f}(p, count, s)\n  implicit none\n  integer :: count, i\n  {self.type} :: p(count), s\n  do i = 1, count\n    {body}\n  end do\nend subroutine"
                )
            )
            return self.part(start, f"call {f}({a}({first}), {count}, {s})", self.note(s))
        if shape in ("grid", "by rows"):
            heads = ["do i = 1, rows", "  do j = 1, columns"]
            if shape == "by rows":
                heads = ["do j = 1, columns", "  do i = 1, rows"]
            return self.part(start, *heads, f"  {add('(i - 1) * columns + j')}", "  end do", "end do", self.note(s))
        return self.part(start, loop, add(at), "end do", self.note(s))

    def between(self, array=None):
        r = self.random
        if r.random() < 0.65:
            return []
        free = [one for one in self.arrays if one.name not in self.busy]
        if not free:
            return []
        one = array if array in free and r.random() < 0.5 else r.choice(free)
        at = r.choice(("1", "n / 2 + 1", "n + 1", "n + 3"))
        what = r.choice(("touch", "touch", "load", "loop", "work", "nap", "part"))
        if what == "touch":
            return [self.part(f"{one.name}({at}) = {self.number_('11')}")]
        if what == "load":
            s = self.scalar("s", self.type)
            return [self.part(f"{s} = {one.name}({at})", self.note(s))]
        if what == "loop":
            return [self.fill(one, "1", "n", self.n) if r.random() < 0.5 else self.read(one, "1", "n", self.n)]
        if what == "work":
            return [self.part(f"call fuzz_work({one.name})")]
        if what == "nap":
            return [self.part(f"call fuzz_nap({r.choice((1, 300, 1500))})")]
        return [self.part("do i = n / 3 + 1, n / 2", f"  {one.name}(i) = {self.number_('8')}", "end do")]

    # --- messages -----------------------------------------------------------------------------------------------------------------------

    def message(self, array, landing, part="whole"):
        r, n = self.random, self.n
        first, count, value = "1", "n", n
        if part == "lower":
            count, value = "n / 2", n // 2
        elif part == "upper":
            first, count, value = "n / 2 + 1", "n - n / 2", n - n // 2
        elif part == "shifted":
            first = str(r.choice((2, 8, 17)))
        elif part == "known":
            count = str(n)
        kind = r.choice(("basic", "basic", "basic", "bytes"))
        return Message(array, landing, first, count, value, r.choice((0, 0, 1, self.number)), kind, self.grow.group())

    def envelope(self, message, array, peer, count=None):
        what = array.name if message.first == "1" and self.random.random() < 0.8 else f"{array.name}({message.first})"
        count = count or message.count
        size = TYPES[self.type][1]
        type_ = f"({count}) * {size}, MPI_BYTE" if message.kind == "bytes" else f"{count}, {TYPES[self.type][0]}"
        return f"{what}, {type_}, {peer}, {message.tag}, MPI_COMM_WORLD"

    def some_messages(self):
        r = self.random
        sources, landings = list(self.arrays), list(self.arrays)
        r.shuffle(sources)
        r.shuffle(landings)
        if r.random() < 0.12:
            return [self.message(sources[0], landings[0], "lower"), self.message(sources[0], landings[0], "upper")]
        wanted = r.choices((1, 2), (3, 1))[0]
        return [
            self.message(a, b, r.choice(("whole", "whole", "whole", "shifted", "known")))
            for a, b in zip(sources[:wanted], landings[:wanted], strict=True)
        ]

    def sender(self, messages, to):
        r, nodes, waits = self.random, [], []
        if r.random() < 0.15:
            nodes += [self.part("call fuzz_nap(800)")]
        in_turn = r.random() < 0.5
        if not in_turn:
            for message in messages:
                nodes += [
                    self.fill(message.array, message.first, message.count, message.n),
                    *self.between(message.array),
                ]
        for message in messages:
            if in_turn:
                if message.array.name not in self.busy:
                    nodes += [self.fill(message.array, message.first, message.count, message.n)]
                nodes += self.between(message.array)
            # What another name may reach MPI may have while a procedure runs: a dummy argument need not be so.
            if message.array.how == "common" and r.random() < 0.4:
                q = self.scalar("request", "integer")
                nodes += [
                    self.grow.of(
                        message.group, f"call MPI_Isend({self.envelope(message, message.array, to)}, {q}, ierr)"
                    )
                ]
                waits += [self.grow.of(message.group, f"call MPI_Wait({q}, MPI_STATUS_IGNORE, ierr)")]
                self.busy.add(message.array.name)
            else:
                nodes += [
                    self.grow.of(message.group, f"call MPI_Send({self.envelope(message, message.array, to)}, ierr)")
                ]
            if r.random() < 0.2:
                self.steps += 1
                nodes += [self.grow.of(message.group, f"call fuzz_note_int({self.number * 1000 + self.steps}, ierr)")]
        nodes += self.between() + waits
        for message in messages:
            self.busy.discard(message.array.name)
        if r.random() < 0.35:
            message = r.choice(messages)
            nodes += [self.fill(message.array, message.first, message.count, message.n)]
        return nodes

    def receiver(self, messages, source):
        r, nodes, reads = self.random, [], []
        if r.random() < 0.15:
            nodes += [self.part("call fuzz_nap(800)")]
        all_first = len(messages) > 1 and r.random() < 0.6
        for message in messages:
            status, look = "MPI_STATUS_IGNORE", []
            if r.random() < 0.4:
                status = self.scalar("status", "status")
                if r.random() < 0.7:
                    c = self.scalar("bytes", "integer")
                    self.steps += 2
                    look = [
                        self.grow.of(
                            message.group,
                            f"call MPI_Get_count({status}, MPI_BYTE, {c}, ierr)\ncall fuzz_note_int({self.number * 1000 + self.steps}, {c})\ncall fuzz_note_int({self.number * 1000 + self.steps - 1}, {status}(MPI_TAG))",
                        )
                    ]
            nodes += [
                self.grow.of(
                    message.group, f"call MPI_Recv({self.envelope(message, message.landing, source)}, {status}, ierr)"
                )
            ]
            early = r.random() < 0.5
            nodes += (look if early else []) + self.between(message.landing)
            if all_first:
                reads.append(message)
            elif r.random() < 0.9:
                nodes += [self.read(message.landing, message.first, message.count, message.n)]
            nodes += [] if early else look
        if all_first and all(message.first == "1" for message in reads) and r.random() < 0.6:
            nodes += [self.read(reads[0].landing, "1", reads[0].count, reads[0].n, reads[1].landing)]
        else:
            nodes += [self.read(message.landing, message.first, message.count, message.n) for message in reads]
        return nodes + self.between()

    def sides(self, sends, receives):
        return [
            self.grow.block(
                "if (mod(rank, 2) == 0) then", [self.grow.block("if (rank + 1 < size) then", sends, "end if")], "else"
            ),
            Node("", [Node("continue", receives, "")]),
            self.grow.keep("end if"),
        ]

    def exchange(self):
        r = self.random
        self.busy = set()
        pattern = r.choice(
            (
                "pair",
                "pair",
                "pair",
                "pair",
                "chain",
                "chain",
                "both",
                "pipeline",
                "pipeline",
                "gather",
                "counted",
                "sendrecv",
                "persistent",
                "halo",
                "halo",
                "halo",
                "halo",
                "scatter",
                "collective",
                "collective",
                "collective",
                "collective",
            )
        )
        shared = sum(array.how == "common" for array in self.arrays)
        if shared < {"persistent": 1, "halo": 2}.get(pattern, 0):
            pattern = "pair"
        self.program.shapes.append(pattern)
        if pattern == "pair":
            messages = self.some_messages()
            nodes = self.sides(self.sender(messages, "rank + 1"), self.receiver(messages, "rank - 1"))
        elif pattern == "collective":
            nodes = self.collective()
        elif pattern == "halo":
            nodes = self.halo()
        elif pattern == "chain":
            messages = self.some_messages()
            to, source = self.scalar("to", "integer"), self.scalar("from", "integer")
            head = f"{to} = MPI_PROC_NULL\n{source} = MPI_PROC_NULL\nif (rank + 1 < size) {to} = rank + 1\nif (rank > 0) {source} = rank - 1"
            sends, receives = self.sender(messages, to), self.receiver(messages, source)
            nodes = [self.grow.keep(head), *sends, *receives]
        elif pattern == "both":
            there, back = self.some_messages(), self.some_messages()
            even = [*self.sender(there, "rank + 1"), *self.receiver(back, "rank + 1")]
            nodes = self.sides(even, [*self.receiver(there, "rank - 1"), *self.sender(back, "rank - 1")])
        elif pattern in ("gather", "scatter"):
            messages = self.some_messages()
            p = self.scalar("p", "integer")
            root = self.receiver(messages, p) if pattern == "gather" else self.sender(messages, p)
            leaf = self.sender(messages, "0") if pattern == "gather" else self.receiver(messages, "0")
            nodes = [
                self.grow.block(
                    "if (rank == 0) then", [self.grow.block(f"do {p} = 1, size - 1", root, "end do")], "else"
                ),
                Node("", [Node("continue", leaf, "")]),
                self.grow.keep("end if"),
            ]
        elif pattern == "pipeline":
            landing = r.choice(self.arrays)
            array = r.choice(self.arrays)
            message = self.message(array, landing)
            e = (
                f"iand({landing.name}(i), 65535) + 3"
                if self.whole
                else f"{landing.name}(i) * {self.number_('0.5')} + 1"
            )
            head = r.choice(("do i = 1, n", "do i = 1, n", "do i = n, 1, -1"))
            compute = self.part(head, f"  {array.name}(i) = {e}", "end do")
            nodes = [
                self.grow.of(message.group, f"if (rank > 0) call MPI_Recv({self.envelope(message, landing, 'rank - 1')}, MPI_STATUS_IGNORE, ierr)"),
                *self.between(landing), compute, *self.between(array),
                self.grow.of(message.group, f"if (rank + 1 < size) call MPI_Send({self.envelope(message, array, 'rank + 1')}, ierr)"),
            ]  # fmt: skip
        elif pattern == "persistent":
            # Only what others may reach may be MPI's until its wait, as with MPI_Isend.
            a = r.choice([array for array in self.arrays if array.how == "common"])
            b = r.choice([array for array in self.arrays if array is not a])
            message = self.message(a, b)
            g, q, k = message.group, self.scalar("request", "integer"), self.scalar("t", "integer")
            status = self.scalar("status", "status")
            each = [self.fill(a, message.first, message.count, message.n), *self.between(a)]
            each += [self.grow.of(g, f"call MPI_Start({q}, ierr)")]
            self.busy.add(a.name)
            each += [
                self.grow.of(
                    g,
                    f"call MPI_Recv({self.envelope(message, b, 'mod(rank + size - 1, size)')}, MPI_STATUS_IGNORE, ierr)",
                )
            ]
            each += [self.read(b, message.first, message.count, message.n)]
            each += [self.grow.of(g, f"call MPI_Wait({q}, {status}, ierr)")]
            self.busy.discard(a.name)
            nodes = [
                self.grow.of(g, f"call MPI_Send_init({self.envelope(message, a, 'mod(rank + 1, size)')}, {q}, ierr)"),
                self.grow.around(f"do {k} = 1, {r.choice((1, 2, 3))}", each, "end do", ("", "")),
                self.grow.of(g, f"call MPI_Request_free({q}, ierr)"),
            ]
        elif pattern == "counted":
            message = self.message(r.choice(self.arrays), r.choice(self.arrays))
            k, got, status = (
                self.scalar("many", "integer"),
                self.scalar("got", "integer"),
                self.scalar("status", "status"),
            )
            sends = [
                self.grow.keep(f"{k} = 0"),
                self.fill(message.array, "1", "n", self.n, late=k),
                *self.between(message.array),
            ]
            sends += [
                self.grow.of(
                    message.group, f"call MPI_Send({self.envelope(message, message.array, 'rank + 1', k)}, ierr)"
                )
            ]
            receives = [
                self.grow.keep(f"{got} = 0"),
                self.grow.of(
                    message.group,
                    f"call MPI_Recv({self.envelope(message, message.landing, 'rank - 1')}, {status}, ierr)\ncall MPI_Get_count({status}, {TYPES[self.type][0]}, {got}, ierr)"
                    if message.kind == "basic"
                    else f"call MPI_Recv({self.envelope(message, message.landing, 'rank - 1')}, {status}, ierr)\ncall MPI_Get_count({status}, MPI_BYTE, {got}, ierr)\n{got} = {got} / {TYPES[self.type][1]}",
                ),
            ]
            receives += [self.read(message.landing, "1", got, self.n)]
            nodes = self.sides(sends, receives)
        else:
            a, b = r.sample(self.arrays, 2)
            message = self.message(a, b)
            nodes = [self.fill(a, "1", message.count, self.n), *self.between(a)]
            nodes += [
                self.grow.of(
                    message.group,
                    f"call MPI_Sendrecv({a.name}, n, {TYPES[self.type][0]}, mod(rank + 1, size), 5, {b.name}, n, {TYPES[self.type][0]}, mod(rank + size - 1, size), 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)",
                )
            ]
            nodes += [self.read(b, "1", "n", self.n)]
        self.busy = set()
        if r.random() < 0.15:
            nodes = [
                self.grow.around(
                    f"if ({r.choice(('n > 5', 'rows > columns', 'fuzz_int(1) == 1'))}) then", nodes, "end if", ("", "")
                )
            ]
        if r.random() < 0.3:
            t = self.scalar("t", "integer")
            nodes = [self.grow.around(f"do {t} = 1, {r.choice((2, 3))}", nodes, "end do", ("", ""))]
        return nodes

    def halo(self):
        """With both neighbours at once: both receives, both sends, one wait for all, or one for each. As with MPI_Isend, in common blocks."""
        r, t = self.random, TYPES[self.type][0]
        out, into = r.sample([array for array in self.arrays if array.how == "common"], 2)
        left, right = self.scalar("left", "integer"), self.scalar("right", "integer")
        q = self.scalar("requests", "requests")
        leftwards, rightwards = self.grow.group(), self.grow.group()
        half, second, n = "n / 2", "n / 2 + 1", self.n // 2
        around = r.random() < 0.5  # a ring, or a line
        head = f"{left} = mod(rank + size - 1, size)\n{right} = mod(rank + 1, size)"
        if not around:
            head = f"{left} = rank - 1\n{right} = rank + 1\nif (rank == 0) {left} = MPI_PROC_NULL\nif (rank == size - 1) {right} = MPI_PROC_NULL"
        before = [self.grow.keep(f"{head}\n{q} = MPI_REQUEST_NULL")]

        def call(group, name, first, peer, tag, request):
            array = into if name == "Irecv" else out
            what = array.name if first == "1" and r.random() < 0.5 else f"{array.name}({first})"
            return self.grow.of(
                group, f"call MPI_{name}({what}, {half}, {t}, {peer}, {tag}, MPI_COMM_WORLD, {q}({request}), ierr)"
            )

        receives = [call(rightwards, "Irecv", "1", left, 6, 1), call(leftwards, "Irecv", second, right, 5, 2)]
        sends = [call(leftwards, "Isend", "1", left, 5, 3), call(rightwards, "Isend", second, right, 6, 4)]

        def fills():
            both = [self.fill(out, "1", half, n), self.fill(out, second, half, n)]
            r.shuffle(both)
            return both

        order = r.choice(("first", "first", "between", "last"))
        at_top = r.random() < 0.4  # of a loop in steps of time: what is sent was written in the step before
        nodes = []
        if at_top:
            nodes += [*receives, *sends] if order == "first" else [*sends, *receives]
        else:
            nodes += receives if order == "first" else []
            if order == "first":
                self.busy.add(into.name)
            nodes += fills() + (receives if order == "between" else []) + sends + (receives if order == "last" else [])
        self.busy |= {into.name, out.name}
        nodes += self.between()
        if r.random() < 0.7:
            nodes += [self.grow.keep(f"call MPI_Waitall(4, {q}, MPI_STATUSES_IGNORE, ierr)")]
        else:
            waits = [self.grow.keep(f"call MPI_Wait({q}({k}), MPI_STATUS_IGNORE, ierr)") for k in (1, 2, 3, 4)]
            r.shuffle(waits)
            nodes += waits
        self.busy -= {into.name, out.name}
        reads = [self.read(into, "1", half, n), self.read(into, second, half, n)]
        r.shuffle(reads)
        nodes += [*reads, *self.between()]
        if not at_top:
            return [*before, *nodes]
        step, turns = self.scalar("t", "integer"), r.choice((1, 2, 3, 4))
        if r.random() < 0.2:  # the last exchange, behind which nothing is written
            nodes += [self.part(f"if ({step} == {turns}) exit")]
        nodes += [*fills(), *self.between()]
        return [*before, self.grow.around(f"do {step} = 1, {turns}", nodes, "end do", ("", ""))]

    def collective(self):
        """Every rank fills its contribution, or the root alone; all call; then the result is read."""
        r, t = self.random, TYPES[self.type][0]
        array, landing = r.sample(self.arrays, 2)
        a, b, root = array.name, landing.name, r.choice(("0", "size - 1"))
        blocks = f"{a}, n / size, {t}, {b}, n / size, {t}"
        name, arguments = r.choice(
            (
                ("Alltoall", blocks),
                ("Alltoall", blocks),
                ("Allgather", blocks),
                ("Gather", f"{blocks}, {root}"),
                ("Scatter", f"{blocks}, {root}"),
                ("Bcast", f"{a}, n, {t}, {root}"),
                ("Allreduce", f"{a}, {b}, n, {t}, MPI_SUM"),
                ("Reduce", f"{a}, {b}, n, {t}, MPI_MAX, {root}"),
            )
        )
        fills = [self.fill(array, "1", "n", self.n)]
        if name == "Alltoall" and r.random() < 0.3:  # a part of each rank's block in each iteration
            v = self.value("i", (a,))
            fills += [
                self.part(
                    "do i = 1, n / size",
                    "  do j = 0, size - 1",
                    f"    {a}(j * (n / size) + i) = {v}",
                    "  end do",
                    "end do",
                )
            ]
        if name in ("Bcast", "Scatter") and r.random() < 0.6:
            fills = [self.grow.around(f"if (rank == {root}) then", fills, "end if", ("", ""))]
        nodes = [*fills, *self.between(array)]
        nodes += [self.grow.of(self.grow.group(), f"call MPI_{name}({arguments}, MPI_COMM_WORLD, ierr)")]
        nodes += self.between(landing)
        for _ in range(r.choice((0, 1, 1, 2))):
            nodes += [self.read(array if name == "Bcast" else landing, "1", "n", self.n)]
        if r.random() < 0.3:
            nodes += [self.fill(array, "1", "n", self.n)]
        return nodes

    # --- the whole ----------------------------------------------------------------------------------------------------------------------

    def tree(self):
        r = self.random
        body = [
            self.grow.around("! an exchange", self.exchange(), "", instead=None) for _ in range(r.choice((1, 1, 2, 3)))
        ]
        head = [
            f"subroutine part{self.program.number}_{self.number}({', '.join(self.parameters)})",
            "  implicit none",
            "  include 'mpif.h'",
        ]
        head += ["  integer :: rank, size, n, rows, columns", "  integer, external :: fuzz_int, fuzz_table"]
        tail, init = [], []
        for array in self.arrays:
            shape = {
                "dummy": "(n + 17)",
                "assumed": "(*)",
                "common": f"({self.capacity})",
                "local": "(:)",
                "pointer": "(:)",
            }[array.how]
            more = {"local": ", allocatable", "pointer": ", pointer"}.get(array.how, "")
            head.append(f"  {self.type}{more} :: {array.name}{shape}")
            if array.how == "common":
                head.append(f"  common /com{self.program.number}_{array.name}/ {array.name}")
            if array.how in ("local", "pointer"):
                init += [f"allocate({array.name}({self.capacity}))", self.setting(array.name, r.randrange(1000))]
                tail += [self.note_array(array.name), f"deallocate({array.name})"]
        for type_, names in self.scalars.items():
            for name in dict.fromkeys(names):
                many = {"status": "(MPI_STATUS_SIZE)", "requests": "(4)"}.get(type_)
                head.append(f"  integer :: {name}{many}" if many else f"  {type_} :: {name}")
        return Node(
            "",
            [
                *self.before,
                Node(
                    "\n".join(head),
                    [*(self.grow.keep(one) for one in init), *body, *(self.grow.keep(one) for one in tail)],
                    "end subroutine",
                ),
            ],
        )

    def setting(self, name, seed):
        value = f"mod(i * {seed % 13 + 3} + rank * 17 + {seed % 31}, 1009)"
        return f"do i = 1, {self.capacity}\n  {name}(i) = {value}{'' if self.whole else ' * ' + self.number_('0.25')}\nend do"

    def note_array(self, name):
        self.program.noted += 1
        return f"call fuzz_note_array({self.program.noted}, {name}, {self.capacity * TYPES[self.type][1]})"

    def calls(self):
        """(declarations, node)"""
        r, declared, nodes = self.random, [], []
        for array in self.arrays:
            if array.how in ("local", "pointer"):
                continue
            if array.how == "common":
                declared += [
                    f"  {self.type} :: {array.outer}({self.capacity})",
                    f"  common /com{self.program.number}_{array.outer}/ {array.outer}",
                ]
            else:
                declared.append(f"  {self.type}, allocatable :: {array.outer}(:)")
                nodes.append(f"allocate({array.outer}({self.capacity}))")
            nodes.append(self.setting(array.outer, r.randrange(1000)))
        nodes.append(f"call part{self.program.number}_{self.number}({', '.join(self.arguments)})")
        for array in self.arrays:
            if array.how not in ("local", "pointer"):
                nodes.append(self.note_array(array.outer))
            if array.how not in ("local", "pointer", "common"):
                nodes.append(f"deallocate({array.outer})")
        return declared, Node("! one function", [self.grow.keep(one) for one in nodes], "", self.grow.group())


class Program:
    def __init__(self, number):
        self.number, self.random, self.grow = number, random.Random(f"fortran.{number}"), Grower()
        self.shapes, self.noted = [], 0
        functions = [Function(self, k) for k in range(1, 1 + self.random.choice((1, 1, 2, 2, 3)))]
        trees = [one.tree() for one in functions]
        calls = [one.calls() for one in functions]
        declared = [line for lines, _ in calls for line in lines]
        head = f"subroutine fuzz_{number}(rank, size)\n  implicit none\n  integer :: rank, size, i\n  integer, external :: fuzz_int"
        self.tree = Node(
            "", [*trees, Node("\n".join([head, *declared]), [node for _, node in calls], "end subroutine")]
        )

    def source(self, gone=frozenset()):
        return (
            "\n".join(line if len(line) <= 120 else self.split(line) for line in text(self.tree, gone).splitlines())
            + "\n"
        )

    @staticmethod
    def split(line):
        """A line of free form has 132 characters at most."""
        parts = []
        while len(line) > 120:
            at = max(line.rfind(" ", 20, 120), 60)
            parts.append(line[:at] + " &")
            line = "    " + line[at:]
        return "\n".join([*parts, line])
