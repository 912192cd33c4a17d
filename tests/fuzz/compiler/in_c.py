"""Random MPI programs in C whose loops fill messages before they are sent, and read them when they have come.

Every program is right: nothing is touched while MPI has it, ranks block on each other in one order only, and all memory that is read has
been written. All ranks run the same text; what a rank sends to another follows from its number.
"""

import random
from dataclasses import dataclass

from tree import Grower, Node, text

# Bytes of a message: nothing, less than a frame, both sides of the frame's threshold, more.
BYTES = (0, 8, 200, 4000, 15000, 16384, 17000, 20000, 24000, 33000, 48000, 66000, 80000, 100000, 130000, 200000, 400000)
WEIGHTS = (1, 1, 2, 2, 2, 3, 4, 6, 6, 6, 6, 6, 5, 4, 3, 2, 1)
ONLY = ()  # names of patterns that most exchanges shall have; of any other, none
TYPES = {
    "double": ("MPI_DOUBLE", 8),
    "int": ("MPI_INT", 4),
    "float": ("MPI_FLOAT", 4),
    "long": ("MPI_LONG", 8),
    "unsigned char": ("MPI_UNSIGNED_CHAR", 1),
    "struct cell": (None, 16),
}
INDICES = ("int", "int", "int", "long", "long", "unsigned", "size_t")


@dataclass
class Array:
    name: str  # in the function
    type: str
    how: str  # global, pointer, parameter, restrict, member, fixed, local
    memory: int  # arrays of one memory are aliases
    outer: str = ""  # what the caller has for it

    @property
    def bytes(self):
        return TYPES[self.type][1]


@dataclass
class Message:
    array: Array
    offset: str
    count: str
    n: int  # what count is, where it is known
    tag: int
    kind: str  # of its type: basic, bytes, derived
    group: int
    comm: str
    landing: Array = None  # the receiver's array
    late: bool = False  # its count is computed by the filling loop


class Function:
    """One function of a program, with one exchange or more."""

    def __init__(self, program, number):
        self.program, self.number = program, number
        self.random, self.grow = program.random, program.grow
        r = self.random
        self.type = r.choices(tuple(TYPES), (10, 5, 2, 2, 3, 2))[0]
        size = TYPES[self.type][1]
        most = max(0, r.choices(BYTES, WEIGHTS)[0] // size + r.choice((0, 0, 1, -1, 3)))
        # rows * columns elements, or none
        self.columns = r.choice((1, 3, 7, 16, 50, 64, 100, 129)) if most else 1
        self.rows = most // self.columns
        self.n = self.rows * self.columns
        self.capacity = self.n + 16  # what is touched
        self.room = self.capacity + 64  # one more name may begin later
        self.steps = 0
        self.names = 0
        self.arrays = []
        self.before = []  # functions that stand before this one
        self.start = []  # of the caller: declarations
        self.parameters, self.arguments = ["int rank", "int size", "int n", "int rows", "int columns"], []
        self.arguments = ["rank", "size", self.known(self.n), self.known(self.rows), self.known(self.columns)]
        self.has_derived = False
        self.in_memory = r.random() < 0.3  # the count and the rank may be in memory that stores may meet
        if self.in_memory:
            self.program.globals.append(self.grow.keep(f"int count{program.number}_{number};"))
            self.start += [
                f"count{program.number}_{number} = fuzz_int({self.n});",
                f"int *me{number} = malloc(sizeof *me{number});\n*me{number} = rank;",
            ]
            self.parameters.append("int *me")
            self.arguments.append(f"me{number}")
        self.make_arrays()

    def known(self, value):
        """A number that the compiler knows, or not."""
        return str(value) if self.random.random() < 0.15 else f"fuzz_int({value})"

    def name(self, word):
        self.names += 1
        return f"{word}{self.names}"

    # --- arrays -------------------------------------------------------------------------------------------------------------------------

    def make_arrays(self):
        r, k = self.random, self.number
        wanted = r.choice((2, 3, 3, 4, 5))
        restrict = r.random() < 0.35
        members = []
        for i in range(wanted):
            how = r.choice(
                ("global", "pointer", "parameter", "parameter", "parameter", "restrict", "member", "fixed", "local")
            )
            if how == "parameter" and restrict:
                how = "restrict"
            short = "abcde"[i]
            t, capacity = self.type, self.room
            name = f"{short}{k}"
            memory = i
            if how == "global":
                self.program.globals.append(self.grow.keep(f"static {t} {name}[{capacity}];"))
                array = Array(name, t, how, memory, name)
            elif how == "pointer":
                self.program.globals.append(self.grow.keep(f"static {t} *{name};"))
                self.start.append(f"{name} = malloc({capacity} * sizeof({t}));")
                array = Array(name, t, how, memory, name)
            elif how in ("member", "fixed"):
                members.append(f"{t} *{short}" if how == "member" else f"{t} {short}[{capacity}]")
                if how == "member":
                    self.start.append(f"s{k}.{short} = malloc({capacity} * sizeof({t}));")
                array = Array(f"s->{short}", t, how, memory, f"s{k}.{short}")
            elif how == "local":
                array = Array(name, t, how, memory, "")
            else:
                self.start.append(f"{t} *{name} = malloc({capacity} * sizeof({t}));")
                self.parameters.append(f"{t} *{'restrict ' if how == 'restrict' else ''}{short}")
                self.arguments.append(name)
                array = Array(short, t, how, memory, name)
            self.arrays.append(array)
        plain = [array for array in self.arrays if array.how in ("parameter", "member", "pointer")]
        if plain and r.random() < 0.4:  # one more name for the same memory
            of = r.choice(plain)
            self.parameters.append(f"{self.type} *other")
            later = r.choice((0, 0, 1, 16, 63))
            self.arguments.append(f"{of.outer} + {later}")
            self.arrays.append(Array("other", self.type, "parameter", of.memory, ""))
        if members:
            fields = " ".join(f"{member};" for member in ["int k", *members])
            self.program.globals.append(self.grow.keep(f"struct s{k} {{ {fields} }};\nstatic struct s{k} s{k};"))
            self.parameters.append(f"struct s{k} *s")
            self.arguments.append(f"&s{k}")
        self.table = r.choice(("fuzz_table", "fuzz_table", "t"))
        if self.table == "t":
            self.parameters.append("const unsigned char *t")
            self.arguments.append("fuzz_table")

    def setting(self, array, seed):
        """All of an array is written once."""
        i, name = "i", array.name if array.how == "local" else array.outer
        value = f"({i} * {seed % 13 + 3} + rank * 17 + {seed % 31}) % 1009"
        if self.type == "struct cell":
            body = f"{{ {name}[{i}].x = {value} * 0.25; {name}[{i}].k = {value}; {name}[{i}].m = {i} & 7; }}"
        elif self.type in ("double", "float"):
            body = f"{name}[{i}] = {value} * 0.25{'f' if self.type == 'float' else ''};"
        else:
            body = f"{name}[{i}] = ({self.type})({value});"
        return f"for (int {i} = 0; {i} < {self.room}; ++{i}) {body}"

    # --- values -------------------------------------------------------------------------------------------------------------------------

    def load(self, array, at):
        return f"{array.name}[{at}]" + (".x" if self.type == "struct cell" else "")

    def source(self, i, avoid=()):
        """Something to compute with: a whole number for whole types. i: an index within [0, n)."""
        r = self.random
        usable = [array for array in self.arrays if array.memory not in avoid and array.memory not in self.busy]
        whole = self.type not in ("double", "float", "struct cell")
        what = r.choice(("array", "array", "array", "table", "index", "far"))
        if what in ("array", "far") and usable:
            array = r.choice(usable)
            at = (
                f"{i}"
                if what == "array"
                else r.choice((f"n - 1 - ({i})", f"{i} + 1", f"({i}) / 2", f"(({i}) * 7ul + 3) % {self.capacity}"))
            )
            loaded = self.load(array, at)
            return f"({loaded} & 0xffff)" if whole else loaded
        if what == "table":
            return f"{self.table}[({i} + {r.randrange(200)}) & 65535]"
        return r.choice((f"(int)(({i}) & 1023)", "rank", f"(int)(({i}) % 97)"))

    def value(self, i, avoid=()):
        r = self.random
        one, other = self.source(i, avoid), self.source(i, avoid)
        if self.type in ("double", "float", "struct cell"):
            return r.choice((
                f"{one} * 0.5 + {other}", f"{one} + 1", f"sqrt(fabs((double)({one}))) + {other} * 0.25", f"{one}", f"{one} * 0.125 - {other}",
                f"({one}) > 20 ? {other} * 0.5 : 3", f"sin((double)({one})) + rank",
                f"sqrt(1 + sqrt(2 + sqrt(fabs((double)({one}))))) * 0.5",
            ))  # fmt: skip
        return r.choice(
            (f"{one} * 3 + {other}", f"{one} + 1", f"{one}", f"({one} ^ {other}) + 5", f"{one} > 40 ? {other} : 7")
        )

    def store(self, target, at, value, add=False):
        """target: the text before [at]."""
        r = self.random
        if self.type == "struct cell":
            fields = [f"{target}[{at}].x {'+=' if add else '='} {value};"]
            if r.random() < 0.7:
                fields.append(f"{target}[{at}].k = (int)(({at}) & 1023) + 7;")
            if r.random() < 0.5:
                fields.append(f"{target}[{at}].m = 5;")
            r.shuffle(fields)
            return " ".join(fields)
        if self.type in ("double", "float"):
            return f"{target}[{at}] {'+=' if add else '='} {value};"
        if add:
            return f"{target}[{at}] = ({self.type})((({target}[{at}] & 0xffffff) + ({value})) & 0xffffff);"
        return f"{target}[{at}] = ({self.type})({value});"

    # --- loops --------------------------------------------------------------------------------------------------------------------------

    def target(self, message_or_array, offset="0"):
        """(declarations, text before [i]) for an array from offset on."""
        array = message_or_array
        if offset == "0" and self.random.random() < 0.8:
            return "", array.name
        if self.random.random() < 0.5:
            return "", f"({array.name} + {offset})"
        q = self.name("q")
        return f"{self.type} *{q} = {array.name} + {offset};", q

    def fill(self, array, offset, count, n, late=None):
        """A loop that writes array[offset .. offset + count), or some of it. late: the variable that takes how many it wrote."""
        r = self.random
        self.filled = array
        declared, a = self.target(array, offset)
        integer = r.choice(INDICES)
        i, j, k = self.name("i"), self.name("j"), self.name("k")
        avoid = (array.memory,) if r.random() < 0.8 else ()
        is_whole = offset == "0" and count == "n"
        # An index into what comes before or behind is right for a message that is all of the array only.
        index = i if offset == "0" else f"{i}"
        v = self.value(index, avoid)
        if late:
            when = r.choice(
                (f"{self.table}[{i} & 65535] & 1", f"{self.table}[{i} & 65535] > {r.choice((0, 100, 250))}")
            )
            return self.lines(declared, f"{late} = 0;", f"for (int {i} = 0; {i} < {count}; ++{i})",
                              f"  if ({when}) {{ {self.store(a, late, v)} ++{late}; }}")  # fmt: skip
        shapes = {
            self.up: 14, self.down: 8, self.walk: 5, self.unrolled: 3, self.sparse: 3, self.tiled: 4, self.conditional: 4, self.indirect: 2,
            self.rotated: 2, self.accumulated: 4, self.recurrent: 4, self.copied: 4, self.called: 5, self.left: 3, self.with_another: 5,
            self.in_two_parts: 3, self.triangular: 2, self.until: 3, self.backwards_tiled: 1, self.ends_first: 2, self.strided_step: 2,
        }  # fmt: skip
        if is_whole:
            shapes |= {
                self.grid: 8,
                self.by_columns: 2,
                self.cube: 3,
                self.rows_copied: 2,
                self.grid_down: 3,
                self.deep: 2,
            }
        if self.names_of(array.memory) > 1:
            shapes[self.with_another] = 25
        shape = r.choices(list(shapes), list(shapes.values()))[0]
        self.program.shapes.append(shape.__name__)
        return self.lines(declared, shape(a, count, n, integer, i, j, k, v, avoid))

    def lines(self, *texts):
        body = "\n".join(one for one in texts if one)
        return self.grow.part("{\n" + "\n".join("  " + line for line in body.split("\n")) + "\n}")

    def head(self, integer, i, count, begin="0"):
        if integer in ("int", "long"):
            return (
                f"for ({integer} {i} = {begin}; {i} < {count}; {self.random.choice((f'++{i}', f'{i}++', f'{i} += 1'))})"
            )
        return f"for ({integer} {i} = {begin}; {i} < ({integer})({count}); ++{i})"

    def up(self, a, count, n, integer, i, j, k, v, avoid):
        return f"{self.head(integer, i, count)}\n  {{ {self.store(a, i, v)} }}"

    def down(self, a, count, n, integer, i, j, k, v, avoid):
        if integer in ("unsigned", "size_t"):
            return f"for ({integer} {i} = {count}; {i}-- > 0;)\n  {{ {self.store(a, i, v)} }}"
        return f"for ({integer} {i} = {count} - 1; {i} >= 0; --{i})\n  {{ {self.store(a, i, v)} }}"

    def walk(self, a, count, n, integer, i, j, k, v, avoid):
        p = self.name("p")
        if self.type == "struct cell":
            return f"for (struct cell *{p} = {a}; {p} < {a} + ({count}); ++{p})\n  {p}->x = {p}->k + rank;"
        cast = "" if self.type in ("double", "float") else f"({self.type})"
        if self.random.random() < 0.5:
            return (
                f"double x{i} = 0;\nfor ({self.type} *{p} = {a}; {p} != {a} + ({count}); ++{p}) {{\n  x{i} = x{i} * 0.5 + {p}[0] * 0.25 + 1;\n  *{p} = {cast}(x{i});\n}}"
                if self.type in ("double", "float")
                else f"unsigned x{i} = 0;\nfor ({self.type} *{p} = {a}; {p} != {a} + ({count}); ++{p}) {{\n  x{i} = (x{i} * 5 + 1) & 255;\n  *{p} = {cast}(x{i});\n}}"
            )
        return f"{self.type} *{p} = {a}, *end{p} = {a} + ({count});\nint {i} = 0;\nwhile ({p} < end{p}) {{\n  *{p}++ = {cast}({v});\n  ++{i};\n}}"

    def unrolled(self, a, count, n, integer, i, j, k, v, avoid):
        tail = f"if (({count}) % 2) {{ {self.store(a, f'({count}) - 1', '1')} }}"
        return f"for (long {i} = 0; {i} + 1 < ({count}); {i} += 2) {{\n  {self.store(a, i, v)}\n  {self.store(a, f'{i} + 1', v)}\n}}\n{tail if self.random.random() < 0.5 else ''}".rstrip(
            "\n"
        )

    def sparse(self, a, count, n, integer, i, j, k, v, avoid):
        step = self.random.choice((2, 3, 5, 64))
        return f"for (long {i} = {self.random.choice((0, 0, 1))}; {i} < ({count}); {i} += {step})\n  {{ {self.store(a, i, v)} }}"

    def strided_step(self, a, count, n, integer, i, j, k, v, avoid):
        step = self.name("step")
        return f"const int {step} = fuzz_int({self.random.choice((1, 2, 3))});\nfor (int {i} = 0; {i} < ({count}); {i} += {step})\n  {{ {self.store(a, i, v)} }}"

    def tiled(self, a, count, n, integer, i, j, k, v, avoid):
        t = self.random.choice((8, 100, 1024))
        return f"for (int {j} = 0; {j} < ({count}); {j} += {t})\n  for (int {i} = {j}; {i} < ({count}) && {i} < {j} + {t}; ++{i})\n    {{ {self.store(a, i, v)} }}"

    def backwards_tiled(self, a, count, n, integer, i, j, k, v, avoid):
        t = self.random.choice((16, 500))
        return f"for (int {j} = (({count}) - 1) / {t}; {j} >= 0; --{j})\n  for (int {i} = {j} * {t}; {i} < ({count}) && {i} < ({j} + 1) * {t}; ++{i})\n    {{ {self.store(a, i, v)} }}"

    def conditional(self, a, count, n, integer, i, j, k, v, avoid):
        when = self.random.choice(
            (f"{self.table}[{i} & 65535] > 100", f"{i} % 3 == 0", f"{self.source(i, avoid)} > 30")
        )
        other = f" else {{ {self.store(a, i, '2')} }}" if self.random.random() < 0.4 else ""
        return f"{self.head(integer, i, count)}\n  if ({when}) {{ {self.store(a, i, v)} }}{other}"

    def indirect(self, a, count, n, integer, i, j, k, v, avoid):
        at = self.random.choice(
            (
                f"({i} ^ 1) < ({count}) ? ({i} ^ 1) : {i}",
                f"{self.table}[{i} & 65535] % ({count})",
                f"({i} * 7ul + 1) % ({count})",
            )
        )
        return f"for (int {i} = 0; {i} < ({count}); ++{i})\n  {{ const long {j} = {at}; {self.store(a, j, v)} }}"

    def rotated(self, a, count, n, integer, i, j, k, v, avoid):
        by = self.random.choice((1, 5))
        return f"for (int {i} = 0; {i} < ({count}); ++{i})\n  {{ const int {j} = ({i} + {by}) % ({count}); {self.store(a, j, v)} }}"

    def accumulated(self, a, count, n, integer, i, j, k, v, avoid):
        sweeps = self.known(self.random.choice((0, 1, 2, 3))) if self.random.random() < 0.8 else "1 + n % 2"
        inner = f"{self.head(integer, i, count)}\n    {{ {self.store(a, i, v, add=self.random.random() < 0.8)} }}"
        setup = f"{self.head(integer, i, count)} {{ {self.store(a, i, '1')} }}\n" if self.random.random() < 0.5 else ""
        again = (
            f"\n  {self.head('int', j, count)} {{ {self.store(a, j, '1', add=True)} }}"
            if self.random.random() < 0.15
            else ""
        )
        outer = self.random.choice(
            (f"for (int {k} = 0; {k} < sweeps{k}; ++{k})", f"for (int {k} = sweeps{k}; {k} > 0; --{k})")
        )
        return f"const int sweeps{k} = {sweeps};\n{setup}{outer} {{\n  {inner}{again}\n}}"

    def recurrent(self, a, count, n, integer, i, j, k, v, avoid):
        x, whole = (".x" if self.type == "struct cell" else ""), self.type not in ("double", "float", "struct cell")
        before = f"{a}[{i} - 1]{x}"
        before = f"({before} & 0xfff)" if whole else f"{before} * 0.5"
        ahead = f"{a}[{i}]{x}"
        ahead = f"({ahead} & 0xfff)" if whole else f"{ahead} * 0.5"
        ways = [
            f"for (int {i} = 1; {i} < ({count}); ++{i})\n  {{ {self.store(a, i, f'{before} + {v}')} }}",
            f"for (int {i} = 0; {i} + 1 < ({count}); ++{i}) {{\n  {self.store(a, i, ahead)}\n  {self.store(a, f'{i} + 1', f'{ahead} + 1')}\n}}",
            f"for (int {i} = ({count}) - 1; {i} > 0; --{i}) {{\n  {self.store(a, i, ahead)}\n  {self.store(a, f'{i} - 1', f'{ahead} + 2')}\n}}",
        ]
        return self.random.choice(ways)

    def copied(self, a, count, n, integer, i, j, k, v, avoid):
        r = self.random
        memories = {array.memory for array in self.arrays if a == array.name or a.startswith(f"({array.name} ")}
        others = [b for b in self.arrays if b.memory not in self.busy and b.memory not in memories and memories]
        if not others or r.random() < 0.2:
            byte = r.choice((0, 0, 1)) if self.type not in ("double", "float", "struct cell") else 0
            return f"memset({a}, {byte}, (size_t)({count}) * sizeof({self.type}));"
        b = r.choice(others).name
        return r.choice((
            f"memcpy({a}, {b}, (size_t)({count}) * sizeof({self.type}));",
            f"memmove({a}, {b}, (size_t)({count}) * sizeof({self.type}));",
            f"for (int {i} = 0; {i} < ({count}); ++{i})\n  {a}[{i}] = {b}[{i}];",
            f"for (int {i} = ({count}) - 1; {i} >= 0; --{i})\n  {a}[{i}] = {b}[{i}];",
            f"for (int {j} = 0; {j} < ({count}); {j} += 256)\n  memcpy({a} + {j}, {b} + {j}, (size_t)(({count}) - {j} < 256 ? ({count}) - {j} : 256) * sizeof({self.type}));",
        ))  # fmt: skip

    def called(self, a, count, n, integer, i, j, k, v, avoid):
        """The loop, or what is in it, is a function."""
        r, t = self.random, self.type
        f = f"f{self.number}_{self.name('')}"
        how = r.choice(("INLINE", "INLINE", "NOINLINE", "", ""))  # the last: where LLVM inlines little we do
        f += f"_{self.program.number}"
        store = self.store("p", "i", r.choice(("i % 100 + 1", "i & 63", "seed")))
        if r.random() < 0.5:
            self.before.append(
                self.grow.keep(
                    f"{how} void {f}({t} *p, int count, int seed) {{\n  for (int i = 0; i < count; ++i) {{ {store} }}\n  (void)seed;\n}}"
                )
            )
            call = f"{f}({a}, {count}, rank);"
        else:
            self.before.append(
                self.grow.keep(f"{how} void {f}({t} *p, long i, int seed) {{\n  {store}\n  (void)seed;\n}}")
            )
            call = f"for (int {i} = 0; {i} < ({count}); ++{i})\n  {f}({a}, {i}, rank);"
            if r.random() < 0.3:
                return f"void (*volatile by{i})({t} *, long, int) = {f};\n" + call.replace(f"{f}(", f"by{i}(")
        return call

    def left(self, a, count, n, integer, i, j, k, v, avoid):
        """A loop that may be left early."""
        limit = self.random.choice((0, n // 2, n + 5))
        way = self.random.choice(
            (
                f"if ({self.table}[{i} & 65535] == 77 && {i} > {limit}) break;",
                f"if ({i} == fuzz{i}) break;",
                f"if ({i} > fuzz{i}) continue;",
            )
        )
        return f"const int fuzz{i} = fuzz_int({limit});\n(void)fuzz{i};\nfor (int {i} = 0; {i} < ({count}); ++{i}) {{\n  {way}\n  {self.store(a, i, v)}\n}}"

    def until(self, a, count, n, integer, i, j, k, v, avoid):
        return self.random.choice((
            f"int {i} = 0;\nif (({count}) > 0) do {{\n  {self.store(a, i, v)}\n}} while (++{i} < ({count}));",
            f"int {i} = 0;\nwhile ({i} < ({count})) {{\n  {self.store(a, i, v)}\n  ++{i};\n}}",
            f"int {i} = 0;\nagain{i}:\nif ({i} < ({count})) {{\n  {self.store(a, i, v)}\n  ++{i};\n  goto again{i};\n}}",
        ))  # fmt: skip

    def with_another(self, a, count, n, integer, i, j, k, v, avoid):
        """Another array is written in the same loop: it may be the same memory."""
        free = [b for b in self.arrays if b.memory not in self.busy]
        if not free:
            return self.up(a, count, n, integer, i, j, k, v, avoid)
        b = self.random.choice(free)
        aliases = [one for one in free if one.memory == self.filled.memory and one is not self.filled]
        if aliases and self.random.random() < 0.8:
            b = aliases[0]
        at = self.random.choice((i, f"({count}) - 1 - {i}", f"{i} / 2"))
        both = [self.store(a, i, v), self.store(b.name, at, self.random.choice(("3", v)))]
        self.random.shuffle(both)
        if self.random.random() < 0.3:  # it may be left early
            both.append(f"if ({self.table}[{i} & 65535] == 77 && {i} > n / 3) break;")
        return f"for (int {i} = 0; {i} < ({count}); ++{i}) {{\n  " + "\n  ".join(both) + "\n}"

    def in_two_parts(self, a, count, n, integer, i, j, k, v, avoid):
        first, second = (("0", f"({count}) / 2"), (f"({count}) / 2", count))
        if self.random.random() < 0.5:
            first, second = second, first
        return "\n".join(
            f"for (int {i} = {low}; {i} < ({high}); ++{i})\n  {{ {self.store(a, i, v)} }}"
            for low, high in (first, second)
        )

    def ends_first(self, a, count, n, integer, i, j, k, v, avoid):
        edge = f"if (({count}) > 0) {{ {self.store(a, '0', '1')} {self.store(a, f'({count}) - 1', '2')} }}"
        inner = f"for (int {i} = 1; {i} < ({count}) - 1; ++{i})\n  {{ {self.store(a, i, v)} }}"
        return self.random.choice((f"{edge}\n{inner}", f"{inner}\n{edge}"))

    def triangular(self, a, count, n, integer, i, j, k, v, avoid):
        m = 0
        while (m + 1) * (m + 2) // 2 <= n:
            m += 1
        m = self.known(m)
        at = f"{i} * ({i} + 1) / 2 + {j}"
        return f"const int m{i} = {m};\nfor (int {i} = 0; {i} < m{i}; ++{i})\n  for (int {j} = 0; {j} <= {i}; ++{j})\n    {{ {self.store(a, at, self.value(at, avoid))} }}"

    def grid(self, a, count, n, integer, i, j, k, v, avoid):
        at = f"{i} * columns + {j}"
        inner = self.random.choice(
            (
                f"for ({integer} {j} = 0; {j} < ({integer})columns; ++{j})",
                f"for (int {j} = columns - 1; {j} >= 0; --{j})",
                f"for (int {j} = {i} % 2; {j} < columns; ++{j})",
            )
        )
        if "%" in inner:
            integer = "int"
        return f"for ({integer} {i} = 0; {i} < ({integer})rows; ++{i})\n  {inner}\n    {{ {self.store(a, at, self.value(at, avoid))} }}"

    def grid_down(self, a, count, n, integer, i, j, k, v, avoid):
        at = f"{i} * columns + {j}"
        if self.random.random() < 0.5:
            head = f"{self.type} (*g{i})[columns] = ({self.type} (*)[columns]){a};\n"
            return f"{head}for (int {i} = rows - 1; {i} >= 0; --{i})\n  for (int {j} = 0; {j} < columns; ++{j})\n    {{ {self.store(f'g{i}[{i}]', j, self.value(at, avoid))} }}"
        return f"for (int {i} = rows; {i}-- > 0;)\n  for (int {j} = 0; {j} < columns; ++{j})\n    {{ {self.store(a, at, self.value(at, avoid))} }}"

    def by_columns(self, a, count, n, integer, i, j, k, v, avoid):
        at = f"{i} * columns + {j}"
        return f"for (int {j} = 0; {j} < columns; ++{j})\n  for (int {i} = 0; {i} < rows; ++{i})\n    {{ {self.store(a, at, self.value(at, avoid))} }}"

    def cube(self, a, count, n, integer, i, j, k, v, avoid):
        """Three deep: planes of two rows, and the row that is left."""
        at = f"({k} * 2 + {i}) * columns + {j}"
        order = [
            f"for (int {k} = 0; {k} < (rows + 1) / 2; ++{k})",
            f"for (int {i} = 0; {i} < 2 && {k} * 2 + {i} < rows; ++{i})",
            f"for (int {j} = 0; {j} < columns; ++{j})",
        ]
        return f"{order[0]}\n  {order[1]}\n    {order[2]}\n      {{ {self.store(a, at, self.value(at, avoid))} }}"

    def deep(self, a, count, n, integer, i, j, k, v, avoid):
        """Four deep, the last one a sum."""
        at = f"{i} * columns + {j}"
        sweeps = self.random.choice((1, 2))
        body = f"double x{i} = 0;\n      for (int l{i} = 0; l{i} < 3; ++l{i}) x{i} += l{i} * 0.5 + ({at}) % 7;\n      {self.store(a, at, f'x{i}')}"
        return f"for (int {k} = 0; {k} < {sweeps}; ++{k})\n  for (int {i} = 0; {i} < rows; ++{i})\n    for (int {j} = 0; {j} < columns; ++{j}) {{\n      {body}\n    }}"

    def rows_copied(self, a, count, n, integer, i, j, k, v, avoid):
        memories = {array.memory for array in self.arrays if a == array.name or a.startswith(f"({array.name} ")}
        others = [b for b in self.arrays if b.memory not in self.busy and b.memory not in memories and memories]
        if not others:
            return f"for (int {i} = 0; {i} < rows; ++{i})\n  memset({a} + {i} * columns, 0, columns * sizeof({self.type}));"
        b = self.random.choice(others).name
        return f"for (int {i} = 0; {i} < rows; ++{i})\n  memcpy({a} + {i} * columns, {b} + {i} * columns, columns * sizeof({self.type}));"

    # --- reading ------------------------------------------------------------------------------------------------------------------------

    def take(self, array, at):
        """What a checksum adds."""
        if self.type == "struct cell":
            return self.random.choice((f"{array}[{at}].x", f"{array}[{at}].x + {array}[{at}].k", f"{array}[{at}].m"))
        return f"{array}[{at}]"

    def read(self, array, offset, count, n, another=None):
        """A loop that reads array[offset .. offset + count), and what it found is noted. another: a second array, read in the same loop."""
        r = self.random
        declared, a = self.target(array, offset)
        i, j, s = self.name("i"), self.name("j"), self.name("s")
        whole = self.type not in ("double", "float", "struct cell")
        start = f"unsigned long {s} = 1;" if whole else f"double {s} = 1;"
        note = self.note(s, whole)

        def add(at, factor="31" if whole else "0.75", base=None):
            one = self.take(base or a, at)
            if another:
                one = f"{one} + {self.take(another.name, at)}"
            return f"{s} = {s} * {factor} + ({'unsigned long' if whole else 'double'})({one});"

        integer = r.choice(INDICES)
        free = [b for b in self.arrays if b.memory not in self.busy and b.memory != array.memory]
        shapes = ["up"] * 5 + ["down"] * 2 + ["walk", "tiled", "found", "some", "stencil", "indirect", "called", "twice", "map", "map", "map", "in place", "in place",
                  "copied", "overwritten", "backwards and forwards", "sparse", "by the end"]  # fmt: skip
        if offset == "0" and count == "n":
            shapes += ["grid", "grid", "by columns", "grid down"]
        shape = r.choice(shapes)
        self.program.shapes.append(f"read {shape}")
        if shape == "map" and not free:
            shape = "up"
        if shape == "up":
            body = f"{self.head(integer, i, count)}\n  {add(i)}"
        elif shape == "down":
            body = f"for (int {i} = ({count}) - 1; {i} >= 0; --{i})\n  {add(i)}"
        elif shape == "walk":
            p = self.name("p")
            body = f"for ({self.type} *{p} = {a}, *end{p} = {a} + ({count}); {p} < end{p}; ++{p})\n  {s} = {s} * 3 + {self.take(p, 0)};"
        elif shape == "tiled":
            body = f"for (int {j} = 0; {j} < ({count}); {j} += 100)\n  for (int {i} = {j}; {i} < ({count}) && {i} < {j} + 100; ++{i})\n    {add(i)}"
        elif shape == "found":
            body = (
                f"for (int {i} = 0; {i} < ({count}); ++{i}) {{\n  {add(i)}\n  if ({self.take(a, i)} == 37) break;\n}}"
            )
        elif shape == "some":
            body = f"for (int {i} = 0; {i} < ({count}); ++{i})\n  if ({self.table}[{i} & 65535] > {r.choice((20, 240))}) {add(i)}"
        elif shape == "stencil":
            body = f"for (int {i} = 1; {i} + 1 < ({count}); ++{i})\n  {{ {add(f'{i} - 1')} {add(f'{i} + 1')} }}"
        elif shape == "indirect":
            body = f"for (int {i} = 0; {i} < ({count}); ++{i})\n  {{ const long {j} = ({i} * 13ul) % ({count}); {add(j)} }}"
        elif shape == "called":
            f = f"f{self.number}_{self.name('')}"
            result = "unsigned long" if whole else "double"
            how = r.choice(("INLINE", "NOINLINE"))
            self.before.append(
                self.grow.keep(
                    f"{how} {result} {f}(const {self.type} *p, int count) {{\n  {result} s = 0;\n  for (int i = 0; i < count; ++i) s = s * 3 + {self.take('p', 'i')};\n  return s;\n}}"
                )
            )
            body = f"{s} += {f}({a}, {count});"
        elif shape == "twice":
            body = f"for (int {j} = 0; {j} < 2; ++{j})\n  for (int {i} = 0; {i} < ({count}); ++{i})\n    {add(i)}"
        elif shape == "map":
            b = r.choice(free)
            value = self.load(array, i) if offset == "0" else f"{a}[{i}]" + (".x" if self.type == "struct cell" else "")
            value = f"({value} & 0xffff) + 1" if whole else f"{value} * 0.5 + 1"
            at = r.choice((i, i, f"({count}) - 1 - {i}"))
            body = f"{self.head('int', i, count)}\n  {{ {self.store(b.name, at, value)} }}"
            note = ""
            start = ""
        elif shape == "in place":
            body = f"{self.head(integer, i, count)}\n  {{ {self.store(a, i, '1', add=True)} }}"
            if r.random() < 0.3:
                body = f"for (int {i} = ({count}) - 1; {i} >= 0; --{i})\n  {{ {self.store(a, i, '1', add=True)} }}"
            start = note = ""
        elif shape == "copied":
            if not free:
                body = f"{self.head(integer, i, count)}\n  {add(i)}"
            else:
                body, start, note = (
                    f"memcpy({r.choice(free).name}, {a}, (size_t)({count}) * sizeof({self.type}));",
                    "",
                    "",
                )
        elif shape == "overwritten":  # some of it is written, and never read
            step = r.choice((1, 2, 5))
            body = f"for (int {i} = 0; {i} < ({count}); {i} += {step})\n  {{ {self.store(a, i, '9')} }}"
            start = note = ""
        elif shape == "backwards and forwards":
            body = f"for (int {i} = 0; {i} < ({count}); ++{i})\n  {{ {add(i)} {add(f'({count}) - 1 - {i}')} }}"
        elif shape == "sparse":
            body = f"for (int {i} = {r.choice((0, 1))}; {i} < ({count}); {i} += {r.choice((2, 7, 100))})\n  {add(i)}"
        elif shape == "by the end":
            body = f"for (int {i} = 0; {i} < ({count}) / 2; ++{i})\n  {add(i)}"
        elif shape == "by columns":
            body = f"for (int {j} = 0; {j} < columns; ++{j})\n  for (int {i} = 0; {i} < rows; ++{i})\n    {add(f'{i} * columns + {j}')}"
        elif shape == "grid down":
            body = f"for (int {i} = rows - 1; {i} >= 0; --{i})\n  for (int {j} = 0; {j} < columns; ++{j})\n    {add(f'{i} * columns + {j}')}"
        else:
            body = f"for (int {i} = 0; {i} < rows; ++{i})\n  for (int {j} = 0; {j} < columns; ++{j})\n    {add(f'{i} * columns + {j}')}"
        return self.lines(declared, start, body, note)

    def note(self, s, whole):
        self.steps += 1
        return f"fuzz_note{'_int' if whole else ''}({self.number * 1000 + self.steps}, {s});"

    # --- statements between -------------------------------------------------------------------------------------------------------------

    def between(self, message=None, after_receive=False):
        """Statements that stand between a loop and a call, or behind a call; mostly none. Only what is not busy is touched."""
        r = self.random
        if (
            after_receive and message.array.memory not in self.busy and r.random() < 0.2
        ):  # ahead of the loop, which begins elsewhere
            s, whole = self.name("s"), self.type not in ("double", "float", "struct cell")
            one = self.load(message.array, r.choice(("n / 2", "n - (n > 0)", "0")))
            kind = "unsigned long" if whole else "double"
            load = self.grow.part(f"const {kind} {s} = {one};")
            self.notes.append(
                self.grow.of(load.group, self.note(s, whole))
            )  # a call here would keep the receive as it is
            return [load]
        if r.random() < 0.6:
            return []
        free = [array for array in self.arrays if array.memory not in self.busy]
        what = r.choice(
            (
                "touch",
                "touch",
                "load",
                "other loop",
                "call",
                "nap",
                "time",
                "work",
                "rewrite",
                "member",
                "swap",
                "swap",
                "count",
            )
        )
        if not free or what == "time":
            return [self.grow.part("(void)MPI_Wtime();")]
        array = message.array if message and message.array in free and r.random() < 0.5 else r.choice(free)
        at = r.choice(("0", "n / 2", "n / 2", "n", "n + 3", "(rank * 31) % (n + 1)"))
        if what == "touch":
            return [self.grow.part(self.store(array.name, at, r.choice(("11", "4", "rank")), add=r.random() < 0.3))]
        if what == "load":
            s, whole = self.name("s"), self.type not in ("double", "float", "struct cell")
            return [
                self.grow.part(
                    f"const {'unsigned long' if whole else 'double'} {s} = {self.load(array, at)};\n{self.note(s, whole)}"
                )
            ]
        if what == "other loop":
            return [self.fill(array, "0", "n", self.n)] if r.random() < 0.6 else [self.read(array, "0", "n", self.n)]
        if what == "call":
            f = f"f{self.number}_{self.name('')}"
            self.before.append(
                self.grow.keep(f"NOINLINE void {f}({self.type} *p, int n) {{\n  {self.store('p', 'n / 2', '6')}\n}}")
            )
            return [self.grow.part(f"{f}({array.name}, n);")]
        if what == "nap":
            return [self.grow.part(f"fuzz_nap({r.choice((1, 300, 2000))});")]
        if what == "work":
            return [self.grow.part(f"fuzz_work({array.name});")]
        if what == "swap":  # the two buffers of a step, one of which the next step reads
            pointers = [b for b in free if b.how in ("pointer", "member") and self.names_of(b.memory) == 1]
            if len(pointers) < 2 or self.busy or self.bound:
                return []
            one, other = r.sample(pointers, 2)
            p = self.name("p")
            return [self.grow.part(f"{self.type} *{p} = {one.name};\n{one.name} = {other.name};\n{other.name} = {p};")]
        if what == "count":
            if not self.in_memory:
                return []
            c = f"count{self.program.number}_{self.number}"
            return [self.grow.part(f"if ({c} > 8) {r.choice((f'{c} = {c} / 2', f'--{c}'))};")]
        if what == "member":
            return [self.grow.part("fuzz_table[65535] = fuzz_table[65535];")]
        return [self.grow.part(f"for (int i = n / 3; i < n / 2; ++i) {{ {self.store(array.name, 'i', '8')} }}")]

    def names_of(self, memory):
        return len([b for b in self.arrays if b.memory == memory])

    # --- messages -----------------------------------------------------------------------------------------------------------------------

    def message(self, array, landing, part="whole"):
        r, n = self.random, self.n
        tag = r.choice((0, 0, 1, self.number))
        kind = r.choice(("basic", "basic", "basic", "basic", "bytes", "derived"))
        if self.type == "struct cell" and kind == "basic":
            kind = "bytes"
        offset, count, value = "0", "n", n
        if part == "lower":
            count, value = "n / 2", n // 2
        elif part == "upper":
            offset, count, value = "n / 2", "n - n / 2", n - n // 2
        elif part == "shifted":
            offset, count = str(r.choice((1, 7, 16))), "n"
        elif part == "shorter" and n >= 64:
            count, value = r.choice((("n - 3", n - 3), ("n / 3", n // 3), ("n - n % 8", n - n % 8)))
        elif part == "known":
            count = str(n)
        elif part == "whole" and self.in_memory and r.random() < 0.4:
            count = f"count{self.program.number}_{self.number}"
        if kind == "derived":
            if value % 4 or self.type == "struct cell":
                kind = "bytes"
            else:
                self.has_derived = True
        comm = r.choice(("MPI_COMM_WORLD", "MPI_COMM_WORLD", "fuzz_comm"))
        return Message(array, offset, count, value, tag, kind, self.grow.group(), comm, landing)

    def envelope(self, message, array, peer, count=None):
        offset = "" if message.offset == "0" else f" + {message.offset}"
        count = count or message.count
        if self.in_memory and self.random.random() < 0.4:
            peer = peer.replace("rank", "*me")
        if message.kind == "bytes":
            what = f"(int)(({count}) * sizeof({self.type})), MPI_BYTE"
        elif message.kind == "derived":
            what = f"({count}) / 4, four"
        else:
            what = f"{count}, {TYPES[self.type][0]}"
        return f"{array.name}{offset}, {what}, {peer}, {message.tag}, {message.comm}"

    def send(self, message, to, late=None):
        """(the statements of the call, those that complete it)"""
        r, group = self.random, message.group
        how = r.choices(("send", "isend", "ssend", "now"), (10, 3, 0.5, 1))[0]
        envelope = self.envelope(message, message.array, to, late)
        if how == "send":
            if r.random() < 0.1:
                e = self.name("e")
                self.steps += 1
                note = f"fuzz_note({self.number * 1000 + self.steps}, {e});"
                return [self.grow.of(group, f"const int {e} = MPI_Send({envelope});\n{note}")], []
            return [self.grow.of(group, f"MPI_Send({envelope});")], []
        if how == "ssend":
            return [self.grow.of(group, f"MPI_Ssend({envelope});")], []
        q = self.name("request")
        begin = self.grow.of(group, f"MPI_Request {q};\nMPI_Isend({envelope}, &{q});")
        wait = self.grow.of(group, f"MPI_Wait(&{q}, MPI_STATUS_IGNORE);")
        if how == "now":
            return [begin, wait], []
        return [begin], [wait]

    def receive(self, message, source):
        """(the call, what completes it, and what looks at its status)"""
        r, group, array = self.random, message.group, message.landing
        more = message.offset == "0" and message.n + 4 <= self.capacity and r.random() < 0.2
        # A count in memory may have changed on the way: the sender's is at most n.
        count = "n" if message.count.startswith("count") else None
        if more and message.kind != "derived":
            count = f"{count or message.count} + 4"
        envelope = self.envelope(message, array, source, count)
        if r.random() < 0.08:
            tag = f", {message.tag}, {message.comm}"
            envelope = envelope.removesuffix(tag) + f", MPI_ANY_TAG, {message.comm}"
        status, looks = "MPI_STATUS_IGNORE", []
        if r.random() < 0.45:
            name = self.name("status")
            declared = f"MPI_Status {name};"
            status = f"&{name}"
            c = self.name("count")
            self.steps += 2
            base = self.number * 1000 + self.steps
            look = f"int {c};\nMPI_Get_count({status}, MPI_BYTE, &{c});\nfuzz_note({base}, {c});"
            if r.random() < 0.6:
                look += f"\nfuzz_note({base - 1}, {name}.MPI_SOURCE * 1000 + {name}.MPI_TAG);"
            if r.random() < 0.7:
                looks = [self.grow.part(look)]
        else:
            declared = ""
        if r.random() < 0.2:
            q = self.name("request")
            call = f"MPI_Request {q};\nMPI_Irecv({envelope}, &{q});"
            done = [self.grow.of(group, f"{declared}\nMPI_Wait(&{q}, {status});".strip())]
        else:
            call, done = f"{declared}\nMPI_Recv({envelope}, {status});".strip(), []
            if r.random() < 0.2:  # what it returns is looked at
                otherwise = r.choice(("exit(1);", "{ fuzz_note(1, 1); MPI_Abort(MPI_COMM_WORLD, 1); }"))
                call = f"{declared}\nif (MPI_Recv({envelope}, {status}) != MPI_SUCCESS) {otherwise}".strip()
        for look in looks:  # without the message there is no status
            look.group = group
        return [self.grow.of(group, call)], done, looks

    # --- exchanges ----------------------------------------------------------------------------------------------------------------------

    def sender(self, messages, to, blocking_only=False):
        """Fill and send, in one of several orders."""
        r, nodes, waits = self.random, [], []
        order = (
            r.choice(("in turn", "in turn", "all filled", "all filled", "one loop")) if len(messages) > 1 else "in turn"
        )
        if r.random() < 0.2:
            nodes += [self.grow.part(f"fuzz_nap({r.choice((300, 1500))});")]

        def fill(message):
            return [
                self.fill(message.array, message.offset, message.count, message.n)
                for _ in range(r.choice((1, 1, 1, 1, 2)))
            ]

        def leave(message, open_):
            calls, done = self.send(message, to)
            if done:
                self.busy_sends.add(message.array.memory)
                self.busy.add(message.array.memory)
            waits.extend(done)
            return calls

        if order == "in turn":
            for message in messages:
                if message.array.memory not in self.busy:
                    nodes += fill(message)
                nodes += self.between(message)
                nodes += leave(message, nodes)
        elif order == "all filled":
            for message in messages:
                nodes += fill(message) + self.between(message)
            for message in messages:
                nodes += leave(message, nodes)
        else:
            i = self.name("i")
            bodies = [
                self.store(m.array.name if m.offset == "0" else f"({m.array.name} + {m.offset})", i, self.value(i))
                for m in messages
            ]
            least = " && ".join(f"{i} < ({m.count})" for m in messages)
            nodes += [self.grow.part(f"for (int {i} = 0; {least}; ++{i}) {{\n  " + "\n  ".join(bodies) + "\n}")]
            nodes += self.between(messages[0])
            for message in messages:
                nodes += leave(message, nodes)
        nodes += self.between()
        if waits:
            if r.random() < 0.4:
                free = [array for array in self.arrays if array.memory not in self.busy]
                if free:
                    nodes += [self.fill(r.choice(free), "0", "n", self.n)]
            nodes += waits
            for message in messages:
                self.busy.discard(message.array.memory)
        if r.random() < 0.35:  # written again, when it has gone
            message = r.choice(messages)
            nodes += [self.fill(message.array, message.offset, message.count, message.n)]
        return nodes

    def receive_all(self, messages, source):
        """MPI_Irecv for each, and one wait for all."""
        r, q = self.random, self.name("requests")
        nodes = [self.grow.keep(f"MPI_Request {q}[{len(messages)}];")]
        nodes += [self.grow.keep(f"for (int i = 0; i < {len(messages)}; ++i) {q}[i] = MPI_REQUEST_NULL;")]
        statuses = "MPI_STATUSES_IGNORE"
        if r.random() < 0.3:
            statuses = self.name("statuses")
            nodes += [self.grow.keep(f"MPI_Status {statuses}[{len(messages)}];")]
        for k, message in enumerate(messages):
            call = f"MPI_Irecv({self.envelope(message, message.landing, source)}, &{q}[{k}]);"
            nodes += [self.grow.of(message.group, call)]
            self.busy.add(message.landing.memory)
        nodes += self.between()
        nodes += [self.grow.keep(f"MPI_Waitall({len(messages)}, {q}, {statuses});")]
        for message in messages:
            self.busy.discard(message.landing.memory)
        reads = [self.read(m.landing, m.offset, m.count, m.n) for m in messages]
        r.shuffle(reads)
        for read in reads:
            nodes += [*self.aside(), read]
        if statuses != "MPI_STATUSES_IGNORE":
            for k, message in enumerate(messages):
                self.steps += 1
                note = f"fuzz_note({self.number * 1000 + self.steps}, {statuses}[{k}].MPI_SOURCE);"
                nodes += [self.grow.of(message.group, note)]
        return nodes + self.between()

    def aside(self):
        """A call that few ways pass by, or none."""
        r = self.random
        if r.random() < 0.85:
            return []
        self.steps += 1
        what = r.choice(("fuzz_nap(1);", f"fuzz_note({self.number * 1000 + self.steps}, rank);", "exit(1);"))
        when = "fuzz_int(0)" if what == "exit(1);" else r.choice(("fuzz_int(0)", "fuzz_int(rank & 1)", "n > 4000"))
        return [self.grow.part(f"if ({when}) {what}")]

    def receiver(self, messages, source):
        r, nodes = self.random, []
        self.notes = []
        if r.random() < 0.15 and len({message.landing.memory for message in messages}) == len(messages):
            return self.receive_all(messages, source)
        if r.random() < 0.15:
            nodes += [self.grow.part(f"fuzz_nap({r.choice((300, 1500))});")]
        all_first = len(messages) > 1 and r.random() < 0.6
        reads = []
        for message in messages:
            call, done, looks = self.receive(message, source)
            if done:
                self.busy.add(message.landing.memory)
            nodes += call
            if done:
                nodes += self.between()
                nodes += done
                self.busy.discard(message.landing.memory)
            early = r.random() < 0.5
            if early:
                nodes += looks
            one = Message(message.landing, message.offset, message.count, message.n, 0, "", message.group, "")
            nodes_after = self.between(one, True)
            reads_one = [lambda m=message: [self.read(m.landing, m.offset, m.count, m.n)]]
            if r.random() < 0.15:
                reads_one = []
            if r.random() < 0.15:
                reads_one.append(lambda m=message: [self.read(m.landing, m.offset, m.count, m.n)])
            nodes += nodes_after + self.aside()
            if all_first:
                reads += reads_one
            else:
                for read in reads_one:
                    nodes += read()
            if not early:
                nodes += looks
        whole = [m for m in messages if m.offset == "0"]
        if all_first and len(whole) > 1 and r.random() < 0.6:
            shorter = min(whole[:2], key=lambda m: m.n)
            one, other = whole[:2]
            nodes += [self.read(one.landing, "0", shorter.count, shorter.n, other.landing)]
        else:
            for read in reads:
                nodes += read()
        nodes += self.between()
        return nodes + self.notes

    def some_messages(self, most=3):
        """Messages of one sender: of arrays, or of parts of one."""
        r = self.random
        wanted = r.choices((1, 2, 3), (10, 5, 1))[0]
        wanted = min(wanted, most)
        sources, landings = list(self.arrays), list(self.arrays)
        r.shuffle(sources)
        r.shuffle(landings)
        if wanted == 2 and r.random() < 0.3:  # two halves
            a, b = sources[0], landings[0]
            return [self.message(a, b, "lower"), self.message(a, b, "upper")][:: r.choice((1, -1))]
        if wanted == 2 and r.random() < 0.15 and len({b.memory for b in landings}) > 1:  # one array, twice
            other = next(b for b in landings if b.memory != landings[0].memory)
            return [self.message(sources[0], landings[0]), self.message(sources[0], other)]
        messages, taken, landed = [], set(), set()
        for array in sources:
            if len(messages) == wanted:
                break
            landing = next((b for b in landings if b.memory not in landed), None)
            if array.memory in taken or not landing:
                continue
            taken.add(array.memory)
            landed.add(landing.memory)
            messages.append(
                self.message(
                    array, landing, r.choice(("whole", "whole", "whole", "whole", "shifted", "shorter", "known"))
                )
            )
        return messages

    def roles(self, messages, one, other):
        """Each message's two ends have been made for `one` and `other` (texts): with the condition that both meet."""

    def exchange(self):
        r = self.random
        self.busy, self.busy_sends = set(), set()
        self.bound = False  # is a persistent request bound to memory that a pointer names?
        pattern = r.choice((
            self.pair, self.pair, self.pair, self.pair, self.chain, self.chain, self.nobody, self.both_ways, self.ring, self.ring_early,
            self.pipeline, self.pipeline, self.gather, self.scatter, self.to_oneself, self.counted, self.counted, self.sendrecv, self.if_found, self.all_alike,
            self.chunks, self.halo, self.halo, self.directives, self.directives, self.persistent, self.persistent, self.collective, self.collective, self.collective, self.collective, self.collective,
        ))  # fmt: skip
        if ONLY and r.random() < 0.7:
            pattern = getattr(self, r.choice(ONLY))
        self.program.shapes.append(pattern.__name__)
        nodes = pattern()
        self.busy, self.bound = set(), False
        if self.in_memory:
            nodes = [self.grow.keep(f"count{self.program.number}_{self.number} = n;"), *nodes]
        # A condition that all ranks see alike, and steps of time.
        if r.random() < 0.15:
            when = r.choice(
                ("n > 5", "rows > columns", f"fuzz_table[{r.randrange(999)}] > 60", f"fuzz_int({r.randrange(2)})")
            )
            nodes = [self.grow.around(f"if ({when}) {{", nodes)]
        if r.random() < 0.3:
            t = self.name("t")
            nodes = [self.grow.around(f"for (int {t} = 0; {t} < {r.choice((2, 2, 3))}; ++{t}) {{", nodes)]
            if r.random() < 0.3:
                nodes[0].children.insert(0, self.grow.part(f"if ({t} == 1) continue;"))
        return nodes

    def pair(self):
        messages = self.some_messages()
        sends = self.wrapped(self.sender(messages, "rank + 1"))
        self.busy = set()
        receives = self.receiver(messages, "rank - 1")
        if self.random.random() < 0.3:
            outer = [array for array in messages if array.array.memory not in self.busy][:1]
            filled = [self.fill(one.array, one.offset, one.count, one.n) for one in outer]
        else:
            filled = []
        return [
            *filled,
            self.grow.block("if (rank % 2 == 0) {", [self.grow.block("if (rank + 1 < size) {", sends)], "} else {"),
            self.grow.block("", receives, ""),
            self.grow.keep("}"),
        ]

    def wrapped(self, nodes):
        return nodes

    def ends(self):
        """Names of the neighbours, MPI_PROC_NULL where there are none."""
        to, source = self.name("to"), self.name("from")
        return to, source

    def chain(self):
        """Everybody sends to the next and then receives from the one before: the last one's send is to nobody."""
        messages = self.some_messages()
        to, source = self.ends()
        head = [
            self.grow.keep(
                f"const int {to} = rank + 1 < size ? rank + 1 : MPI_PROC_NULL, {source} = rank > 0 ? rank - 1 : MPI_PROC_NULL;"
            )
        ]
        # The sends are complete before the receives begin: their memory is free again.
        sends = self.sender(messages, to)
        return [self.grow.block("{", [*head, *sends, *self.receiver(messages, source)])]

    def nobody(self):
        messages = self.some_messages()
        to, source = self.ends()
        head = [
            self.grow.keep(
                f"const int {to} = rank % 2 == 0 && rank + 1 < size ? rank + 1 : MPI_PROC_NULL, {source} = rank % 2 ? rank - 1 : MPI_PROC_NULL;"
            )
        ]
        sends, receives = self.sender(messages, to), self.receiver(messages, source)
        if self.random.random() < 0.5:  # under a condition
            sends = self.on_condition(sends, f"{to} >= 0")
            receives = self.on_condition(receives, f"{source} >= 0")
        return [self.grow.block("{", [*head, *sends, *receives])]

    def on_condition(self, nodes, when):
        """The calls alone, each under its condition; the loops run anyway."""
        changed = []
        for node in nodes:
            if node.before.startswith(("MPI_Send(", "MPI_Ssend(", "MPI_Recv(")):
                node = Node(f"if ({when}) {node.before}", group=node.group)
            changed.append(node)
        return changed

    def both_ways(self):
        there, back = self.some_messages(2), self.some_messages(2)
        even = [*self.sender(there, "rank + 1"), *self.receiver(back, "rank + 1")]
        self.busy = set()
        odd = [*self.receiver(there, "rank - 1"), *self.sender(back, "rank - 1")]
        return [
            self.grow.block("if (rank % 2 == 0) {", [self.grow.block("if (rank + 1 < size) {", even)], "} else {"),
            self.grow.block("", odd, ""),
            self.grow.keep("}"),
        ]

    def two_arrays(self):
        """One to send and one to receive into, of different memory."""
        by_memory = {}
        for array in self.arrays:
            by_memory.setdefault(array.memory, []).append(array)
        one, other = self.random.sample(sorted(by_memory), 2)
        return self.random.choice(by_memory[one]), self.random.choice(by_memory[other])

    def ring(self):
        """Isend to the right, receive from the left, wait."""
        array, landing = self.two_arrays()
        message = self.message(array, landing)
        q, g = self.name("request"), message.group
        nodes = [self.fill(array, "0", message.count, message.n), *self.between(message)]
        nodes += [
            self.grow.of(g, f"MPI_Request {q};\nMPI_Isend({self.envelope(message, array, '(rank + 1) % size')}, &{q});")
        ]
        self.busy.add(array.memory)
        nodes += self.between()
        receives = self.receiver([message], "(rank + size - 1) % size")
        wait = self.grow.of(g, f"MPI_Wait(&{q}, MPI_STATUS_IGNORE);")
        nodes += [*receives, wait]
        self.busy.discard(array.memory)
        if self.random.random() < 0.5:
            nodes += [self.fill(array, "0", message.count, message.n)]
        return [self.grow.block("{", nodes)]

    def persistent(self):
        """Made once; in each round filled, started, and waited for. One message to the right, or two."""
        r = self.random
        array, landing = self.two_arrays()
        parts = r.choice((("whole",), ("whole",), ("lower", "upper")))
        messages = [self.message(array, landing, part) for part in parts]
        for message in messages:
            message.group = messages[0].group
        q, t, g, many = self.name("requests"), self.name("t"), messages[0].group, len(messages)
        self.bound = True
        places = list(range(many))
        nodes = [self.grow.of(g, f"MPI_Request {q}[{many}];")]
        for place, message in zip(places, messages, strict=True):
            nodes += [
                self.grow.of(g, f"MPI_Send_init({self.envelope(message, array, '(rank + 1) % size')}, &{q}[{place}]);")
            ]
        each = []
        for message in r.sample(messages, many):  # in the order in which they are started, or in another one
            each += [self.fill(array, message.offset, message.count, message.n), *self.between(message)]
        # All ranks send before they receive: nobody may wait for one part here.
        start = f"MPI_Startall({many}, {q});" if many > 1 or r.random() < 0.5 else f"MPI_Start(&{q}[0]);"
        each += [self.grow.of(g, start)]
        self.busy.add(array.memory)
        each += self.between()
        each += self.receiver(messages, "(rank + size - 1) % size")
        each += [self.grow.of(g, f"MPI_Waitall({many}, {q}, MPI_STATUSES_IGNORE);")]
        self.busy.discard(array.memory)
        nodes += [self.grow.around(f"for (int {t} = 0; {t} < {r.choice((1, 2, 3))}; ++{t}) {{", each)]
        nodes += [self.grow.of(g, f"MPI_Request_free(&{q}[{place}]);") for place in places]
        return [self.grow.block("{", nodes)]

    def elements(self, count):
        """So many, as MPI's calls take them: a count and a type."""
        of_mpi = TYPES[self.type][0]
        return f"{count}, {of_mpi}" if of_mpi else f"(int)(({count}) * sizeof({self.type})), MPI_BYTE"

    @staticmethod
    def neighbours(left, right):
        """Of a line of ranks."""
        return f"const int {left} = rank > 0 ? rank - 1 : MPI_PROC_NULL, {right} = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;"

    def reduced_or_broadcast(self, *arrays):
        """A reduction or a broadcast of a part of one of them: MDMP's directive where the compiler knows it, MPI's call else."""
        r = self.random
        name = r.choice(arrays).name
        begin, count = r.choice((("0", "n / 2"), ("n / 2", "n / 2"), ("0", "n"), ("0", "rows")))
        section = f"{name}[{begin}:{count}]" if r.random() < 0.5 else f"{name}[{begin}], {count}"
        what, root = self.elements(count), r.choice(("0", "size - 1"))
        at = f"{name} + {begin}"
        if self.type == "struct cell" or r.random() < 0.3:
            words, call = f"bcast({section}, root({root}))", f"MPI_Bcast({at}, {what}, {root}, MPI_COMM_WORLD);"
        else:
            operations = {"+": "MPI_SUM", "min": "MPI_MIN", "max": "MPI_MAX"}
            if self.type not in ("double", "float"):
                operations |= {"|": "MPI_BOR", "^": "MPI_BXOR", "&&": "MPI_LAND"}
            if self.type == "unsigned char":  # whose sums Open MPI 4.1 cuts off at 255, but for the last few of a call
                del operations["+"]
            op = r.choice(tuple(operations))
            words, call = (
                f"reduce({op}: {section})",
                f"MPI_Allreduce(MPI_IN_PLACE, {at}, {what}, {operations[op]}, MPI_COMM_WORLD);",
            )
            if r.random() < 0.3:
                words = f"reduce({op}: {section}, root({root}))"
                mine = f"rank == {root}"
                call = f"MPI_Reduce({mine} ? MPI_IN_PLACE : {at}, {mine} ? {at} : NULL, {what}, {operations[op]}, {root}, MPI_COMM_WORLD);"
        return self.grow.of(
            self.grow.group(), f"#ifdef STRETTO_MDMP_DIRECTIVES\n#pragma {words}\n#else\n{call}\n#endif"
        )

    def directives(self):
        """With both neighbours in each step of time: MDMP's directives where the compiler knows them, MPI's calls else."""
        r = self.random
        out, into = self.two_arrays()
        left, right, q, t, group = *map(self.name, ("left", "right", "requests", "t")), self.grow.group()
        half = "n / 2"
        what = self.elements(half)
        tags = r.choice((("", ""), (", tag(3)", ", tag(4)")))
        # Of each: the directive, and the call.
        receives = [
            (f"recv({into.name}[0], {half}, {left}{tags[0]})", f"MPI_Irecv({into.name}, {what}, {left}, 6"),
            (
                f"recv({into.name}[{half}], {half}, {right}{tags[1]})",
                f"MPI_Irecv({into.name} + {half}, {what}, {right}, 5",
            ),
        ]
        sends = [
            (f"send({out.name}[0], {half}, {left}{tags[1]})", f"MPI_Isend({out.name}, {what}, {left}, 5"),
            (f"send({out.name}[{half}], {half}, {right}{tags[0]})", f"MPI_Isend({out.name} + {half}, {what}, {right}, 6"),
        ]  # fmt: skip
        together = [*receives, *sends]
        r.shuffle(together)
        if r.random() < 0.2:  # written in brackets: the same range
            one = r.randrange(4)
            words, call = together[one]
            together[one] = (
                words.replace(f", {half},", ",").replace("[0]", f"[0:{half}]").replace(f"[{half}]", f"[{half}:{half}]"),
                call,
            )
        calls = [f"  {call}, MPI_COMM_WORLD, &{q}[{k}]);" for k, (_, call) in enumerate(together)]
        exchange = self.grow.of(
            group,
            "\n".join([
                "#ifdef STRETTO_MDMP_DIRECTIVES", *(f"#pragma {words}" for words, _ in together), "#else",
                "{", f"  MPI_Request {q}[4];", *calls, f"  MPI_Waitall(4, {q}, MPI_STATUSES_IGNORE);", "}", "#endif",
            ]),
        )  # fmt: skip
        ends = self.neighbours(left, right)
        fills = [self.fill(out, "0", half, self.n // 2), self.fill(out, half, half, self.n // 2)]
        r.shuffle(fills)
        self.busy |= {into.memory, out.memory}
        beside = self.between()
        self.busy -= {into.memory, out.memory}
        reads = [self.read(into, "0", half, self.n // 2), self.read(into, half, half, self.n // 2)]
        r.shuffle(reads)
        turn = [exchange, *beside, *self.aside(), *reads]
        turn = [*turn, *fills] if r.random() < 0.6 else [*fills, *turn]
        while r.random() < 0.4:
            turn.insert(
                r.choice((r.randrange(len(turn) + 1), turn.index(exchange) + 1)), self.reduced_or_broadcast(out, into)
            )
        region = lambda word: self.grow.keep(f"#ifdef STRETTO_MDMP_DIRECTIVES\n#pragma {word}\n#endif")  # noqa: E731
        return [
            self.grow.block("{", [
                self.grow.keep(ends), region("commregion"),
                self.grow.around(f"for (int {t} = 0; {t} < {r.choice((1, 2, 3, 4))}; ++{t}) {{", turn),
                region("commregionfinished"),
            ])
        ]  # fmt: skip

    def halo(self):
        """With both neighbours at once: both receives, both sends, one wait for all, or one for each."""
        r = self.random
        out, into = self.two_arrays()
        left, right, q = self.name("left"), self.name("right"), self.name("requests")
        leftwards, rightwards = self.grow.group(), self.grow.group()
        half = "n / 2"
        what = self.elements(half)
        ends = self.neighbours(left, right)
        nodes = [
            self.grow.keep(ends),
            self.grow.keep(f"MPI_Request {q}[4] = {{MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL}};"),
        ]  # fmt: skip
        receives = [
            self.grow.of(rightwards, f"MPI_Irecv({into.name}, {what}, {left}, 6, MPI_COMM_WORLD, &{q}[0]);"),
            self.grow.of(leftwards, f"MPI_Irecv({into.name} + {half}, {what}, {right}, 5, MPI_COMM_WORLD, &{q}[1]);"),
        ]
        sends = [
            self.grow.of(leftwards, f"MPI_Isend({out.name}, {what}, {left}, 5, MPI_COMM_WORLD, &{q}[2]);"),
            self.grow.of(rightwards, f"MPI_Isend({out.name} + {half}, {what}, {right}, 6, MPI_COMM_WORLD, &{q}[3]);"),
        ]
        order = r.choice(("first", "first", "between", "last"))
        at_top = r.random() < 0.4  # of a loop in steps of time: what is sent was written in the step before
        if at_top:
            nodes, before = [], nodes
            starts = [*receives, *sends] if order == "first" else [*sends, *receives]
            if order == "between":
                r.shuffle(starts)
            nodes += starts
        else:
            if order == "first":
                nodes += receives
                self.busy.add(into.memory)
            nodes += [self.fill(out, "0", half, self.n // 2), self.fill(out, half, half, self.n // 2)]
            if order == "between":
                nodes += receives
            nodes += sends
            if order == "last":
                nodes += receives
        self.busy |= {into.memory, out.memory}
        nodes += self.between()
        if r.random() < 0.7:
            nodes += [self.grow.keep(f"MPI_Waitall(4, {q}, MPI_STATUSES_IGNORE);")]
        else:
            waits = [self.grow.keep(f"MPI_Wait(&{q}[{k}], MPI_STATUS_IGNORE);") for k in range(4)]
            r.shuffle(waits)
            nodes += waits
        self.busy -= {into.memory, out.memory}
        reads = [self.read(into, "0", half, self.n // 2), self.read(into, half, half, self.n // 2)]
        r.shuffle(reads)
        nodes += [*self.aside(), *reads, *self.between()]
        if not at_top:
            return [self.grow.block("{", nodes)]
        t, turns = self.name("t"), r.choice((1, 2, 3, 4))
        if r.random() < 0.2:  # the last exchange, behind which nothing is written
            nodes += [self.grow.part(f"if ({t} == {turns - 1}) break;")]
        fills = [self.fill(out, "0", half, self.n // 2), self.fill(out, half, half, self.n // 2)]
        r.shuffle(fills)
        nodes += [*fills, *self.between()]
        return [self.grow.block("{", [*before, self.grow.around(f"for (int {t} = 0; {t} < {turns}; ++{t}) {{", nodes)])]

    def ring_early(self):
        """Irecv from the left, fill, send to the right, wait, read."""
        array, landing = self.two_arrays()
        message = self.message(array, landing)
        q, g = self.name("request"), message.group
        nodes = [
            self.grow.of(
                g, f"MPI_Request {q};\nMPI_Irecv({self.envelope(message, landing, '(rank + size - 1) % size')}, &{q});"
            )
        ]
        self.busy.add(landing.memory)
        nodes += [self.fill(array, "0", message.count, message.n), *self.between(message)]
        nodes += [self.grow.of(g, f"MPI_Send({self.envelope(message, array, '(rank + 1) % size')});")]
        nodes += self.between()
        nodes += [self.grow.of(g, f"MPI_Wait(&{q}, MPI_STATUS_IGNORE);")]
        self.busy.discard(landing.memory)
        nodes += [self.read(landing, "0", message.count, message.n), *self.between()]
        return [self.grow.block("{", nodes)]

    def sendrecv(self):
        array, landing = self.two_arrays()
        message = self.message(array, landing)
        message.comm = "MPI_COMM_WORLD"
        what = {"bytes": f"(int)(n * sizeof({self.type})), MPI_BYTE", "derived": "n / 4, four"}.get(
            message.kind, f"n, {TYPES[self.type][0]}"
        )
        nodes = [self.fill(array, "0", "n", self.n), *self.between(message)]
        nodes += [
            self.grow.of(
                message.group,
                f"MPI_Sendrecv({array.name}, {what}, (rank + 1) % size, 5, {landing.name}, {what}, (rank + size - 1) % size, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);",
            )
        ]
        nodes += [self.read(landing, "0", "n", self.n)]
        return nodes

    def pipeline(self):
        """Receive, compute, send: in place or from one array to another, also in one loop over several steps."""
        r = self.random
        array, landing = self.two_arrays()
        if r.random() < 0.4:
            array = landing
        message = self.message(array, landing)
        i, g = self.name("i"), message.group
        whole = self.type not in ("double", "float", "struct cell")
        value = self.load(landing, i)
        value = (
            f"({value} & 0xffff) + 3" if whole else f"{value} * 0.5 + {self.source(i, (array.memory, landing.memory))}"
        )
        direction = r.choice((f"for (int {i} = 0; {i} < n; ++{i})",) * 3 + (f"for (int {i} = n - 1; {i} >= 0; --{i})",))
        compute = self.grow.part(f"{direction} {{\n  {self.store(array.name, i, value)}\n}}")
        status = r.choice(("MPI_STATUS_IGNORE", "MPI_STATUS_IGNORE", "&status"))
        always = r.random() < 0.4  # from and to nobody at the ends
        source = "(rank > 0 ? rank - 1 : MPI_PROC_NULL)" if always else "rank - 1"
        to = "(rank + 1 < size ? rank + 1 : MPI_PROC_NULL)" if always else "rank + 1"
        receive = f"MPI_Recv({self.envelope(message, landing, source)}, {status});"
        look, declared = [], ""
        if status == "&status":
            self.steps += 1
            declared = "MPI_Status status;"
            look = [self.grow.of(g, f"fuzz_note({self.number * 1000 + self.steps}, rank > 0 ? status.MPI_TAG : 0);")]
        send = f"MPI_Send({self.envelope(message, array, to)});"
        if not always:
            receive, send = f"if (rank > 0) {receive}", f"if (rank + 1 < size) {send}"
        nodes = [
            self.grow.of(g, f"{declared}\n{receive}".strip()),
            *self.between(),
            compute,
            *self.between(message),
            self.grow.of(g, send),
            *look,
        ]
        return [self.grow.block("{", nodes)]

    def gather(self):
        """One after the other sends to rank 0, which reads each."""
        messages = self.some_messages(2)
        p = self.name("p")
        receives = self.receiver(messages, p)
        self.busy = set()
        sends = self.sender(messages, "0")
        return [
            self.grow.block(
                "if (rank == 0) {", [self.grow.block(f"for (int {p} = 1; {p} < size; ++{p}) {{", receives)], "} else {"
            ),
            self.grow.block("", sends, ""),
            self.grow.keep("}"),
        ]

    def scatter(self):
        messages = self.some_messages(2)
        p = self.name("p")
        sends = self.sender(messages, p)
        self.busy = set()
        receives = self.receiver(messages, "0")
        return [
            self.grow.block(
                "if (rank == 0) {", [self.grow.block(f"for (int {p} = 1; {p} < size; ++{p}) {{", sends)], "} else {"
            ),
            self.grow.block("", receives, ""),
            self.grow.keep("}"),
        ]

    def all_alike(self):
        """One message is filled, and sent to everybody."""
        messages = self.some_messages(2)
        p = self.name("p")
        fills = [self.fill(one.array, one.offset, one.count, one.n) for one in messages]
        sends = [self.grow.of(one.group, f"MPI_Send({self.envelope(one, one.array, p)});") for one in messages]
        receives = self.receiver(messages, "0")
        loop = self.grow.block(f"for (int {p} = 1; {p} < size; ++{p}) {{", sends)
        return [
            self.grow.block("if (rank == 0) {", [*fills, *self.between(messages[0]), loop], "} else {"),
            self.grow.block("", receives, ""),
            self.grow.keep("}"),
        ]

    def chunks(self):
        """A message in pieces, by hand."""
        r = self.random
        array, landing = r.choice(self.arrays), r.choice(self.arrays)
        message = self.message(array, landing)
        message.kind = "bytes" if message.kind == "derived" else message.kind
        parts, b, c = r.choice((2, 4, 5)), self.name("part"), self.name("piece")
        message.offset, message.count, message.n = f"{b} * (n / {parts})", f"n / {parts}", self.n // parts
        send = f"MPI_Send({self.envelope(message, array, 'rank + 1')});"
        sends = [self.fill(array, message.offset, message.count, message.n), *self.between(message)]
        sends += [self.grow.of(message.group, send)]
        message.offset = f"{c} * (n / {parts})"
        receive = f"MPI_Recv({self.envelope(message, landing, 'rank - 1')}, MPI_STATUS_IGNORE);"
        receives = [self.grow.of(message.group, receive)]
        after = []
        if r.random() < 0.6:
            receives += [self.read(landing, message.offset, message.count, message.n)]
        if r.random() < 0.6:
            after = [self.read(landing, "0", "n", self.n)]
        inner = self.grow.block(f"for (int {b} = 0; {b} < {parts}; ++{b}) {{", sends)
        return [
            self.grow.block("if (rank % 2 == 0) {", [self.grow.block("if (rank + 1 < size) {", [inner])], "} else {"),
            self.grow.block("", [self.grow.block(f"for (int {c} = 0; {c} < {parts}; ++{c}) {{", receives), *after], ""),
            self.grow.keep("}"),
        ]

    def to_oneself(self):
        array, landing = self.two_arrays()
        message = self.message(array, landing)
        q, g = self.name("request"), message.group
        nodes = [self.fill(array, "0", message.count, message.n)]
        if self.random.random() < 0.5:
            nodes += [self.grow.of(g, f"MPI_Request {q};\nMPI_Isend({self.envelope(message, array, 'rank')}, &{q});")]
            self.busy.add(array.memory)
            nodes += [self.grow.of(g, f"MPI_Recv({self.envelope(message, landing, 'rank')}, MPI_STATUS_IGNORE);")]
            nodes += [self.read(landing, "0", message.count, message.n)]
        else:
            nodes += [self.grow.of(g, f"MPI_Request {q};\nMPI_Irecv({self.envelope(message, landing, 'rank')}, &{q});")]
            self.busy.add(landing.memory)
            nodes += [self.fill(array, "0", message.count, message.n)]
            nodes += [self.grow.of(g, f"MPI_Send({self.envelope(message, array, 'rank')});")]
        nodes += [self.grow.of(g, f"MPI_Wait(&{q}, MPI_STATUS_IGNORE);")]
        self.busy = set()
        nodes += [self.read(landing, "0", message.count, message.n)]
        return [self.grow.block("{", nodes)]

    def counted(self):
        """The filling loop says how much there is to send."""
        r = self.random
        array, landing = self.arrays[0], r.choice(self.arrays)
        array = r.choice(self.arrays)
        message = self.message(array, landing)
        message.kind = "bytes" if message.kind == "derived" else message.kind
        k, got, g = self.name("many"), self.name("got"), message.group
        filled = self.fill(array, "0", "n", self.n, late=k)
        call = f"MPI_Send({self.envelope(message, array, 'rank + 1', k)});"
        told = r.random() < 0.4  # the number goes before
        unless = "if (%s > 0) " if told and r.random() < 0.5 else ""
        sends = [self.grow.keep(f"int {k} = 0;"), filled, *self.between(message)]
        if told:
            sends += [self.grow.of(g, f"MPI_Send(&{k}, 1, MPI_INT, rank + 1, 9, MPI_COMM_WORLD);")]
        sends += [self.grow.of(g, (unless % k if unless else "") + call)]
        self.busy = set()
        receives = [self.grow.keep(f"int {got} = 0;")]
        if told:
            receives += [
                self.grow.of(g, f"MPI_Recv(&{got}, 1, MPI_INT, rank - 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);")
            ]
            receives += [
                self.grow.of(
                    g,
                    (unless % got if unless else "")
                    + f"MPI_Recv({self.envelope(message, landing, 'rank - 1', got)}, MPI_STATUS_IGNORE);",
                )
            ]
        else:
            status = self.name("status")
            unit = "MPI_BYTE" if message.kind == "bytes" else TYPES[self.type][0]
            receives += [
                self.grow.of(
                    g,
                    f"MPI_Status {status};\nMPI_Recv({self.envelope(message, landing, 'rank - 1')}, &{status});\nMPI_Get_count(&{status}, {unit}, &{got});",
                )
            ]
            if unit == "MPI_BYTE":
                receives += [self.grow.of(g, f"{got} /= (int)sizeof({self.type});")]
        receives += [self.read(landing, "0", got, self.n), *self.between()]
        return [
            self.grow.block("if (rank % 2 == 0) {", [self.grow.block("if (rank + 1 < size) {", sends)], "} else {"),
            self.grow.block("", receives, ""),
            self.grow.keep("}"),
        ]

    def if_found(self):
        """It is sent only where the filling loop has found something; the receiver looks for it in the table, too."""
        r = self.random
        array, landing = r.choice(self.arrays), r.choice(self.arrays)
        message = self.message(array, landing)
        found, i, limit = self.name("found"), self.name("i"), r.choice((0, 200, 253, 255))
        search = f"if ({self.table}[{i} & 65535] > {limit}) {found} = 1;"
        body = [self.store(array.name, i, self.value(i, (array.memory,))), search]
        r.shuffle(body)
        # The search is no part that may go: both ranks must find the same.
        sends = [
            self.grow.keep(f"int {found} = 0;\nfor (int {i} = 0; {i} < n; ++{i}) {{\n  {body[0]}\n  {body[1]}\n}}")
        ]
        sends += self.between(message)
        sends += [self.grow.of(message.group, f"if ({found}) MPI_Send({self.envelope(message, array, 'rank + 1')});")]
        self.busy = set()
        receives = [self.grow.keep(f"int {found} = 0;\nfor (int {i} = 0; {i} < n; ++{i})\n  {search}")]
        receives += [
            self.grow.of(
                message.group,
                f"if ({found}) MPI_Recv({self.envelope(message, landing, 'rank - 1')}, MPI_STATUS_IGNORE);",
            )
        ]
        receives += [self.read(landing, "0", "n", self.n)]
        return [
            self.grow.block("if (rank % 2 == 0) {", [self.grow.block("if (rank + 1 < size) {", sends)], "} else {"),
            self.grow.block("", receives, ""),
            self.grow.keep("}"),
        ]

    def blocks_alike(self, body, avoid=()):
        """A part of each rank's block in each iteration: rows, or elements."""
        r = self.random
        i, p, j, row = self.name("i"), self.name("p"), self.name("j"), r.choice((1, 1, 4, 10))
        integer, m = r.choice(("int", "long", "long")), self.name("m")
        at = f"{p} * {m} + {i}" if row == 1 else f"({p} * {m} + {i}) * {row} + {j}"
        loops = [
            f"for ({integer} {i} = 0; {i} < {m}; ++{i})",
            r.choice(
                (f"for ({integer} {p} = 0; {p} < size; ++{p})",) * 3
                + (f"for ({integer} {p} = size - 1; {p} >= 0; --{p})",)
            ),
        ]
        if r.random() < 0.15:
            loops.reverse()
        if row > 1:
            loops.append(f"for ({integer} {j} = 0; {j} < {row}; ++{j})")
        return self.grow.part(
            f"const {integer} {m} = n / size / {row};\n" + "\n".join(loops) + f" {{\n  {body(at)}\n}}"
        )

    # --- collectives --------------------------------------------------------------------------------------------------------------------

    def collective(self):
        """Every rank fills its contribution, or the root alone; all call; then the result is read."""
        r, g = self.random, self.grow.group()
        array, landing = self.two_arrays()
        names = ["Alltoall", "Alltoall", "Alltoall", "Allgather", "Gather", "Scatter", "Bcast", "Bcast", "Alltoallv"]
        if self.type != "struct cell":
            names += ["Allreduce", "Allreduce", "Reduce", "Reduce_scatter_block"]
        name, root = r.choice(names), r.choice(("0", "size - 1", "size / 2"))
        comm = r.choice(("MPI_COMM_WORLD", "MPI_COMM_WORLD", "fuzz_comm"))
        in_memory = self.in_memory and r.random() < 0.4
        n = "*me * 0 + n" if in_memory else "n"
        if self.type == "struct cell" or (r.random() < 0.2 and "educe" not in name):
            whole, part, unit = (
                f"(int)(({n}) * sizeof({self.type}))",
                f"(int)(({n}) / size * sizeof({self.type}))",
                "MPI_BYTE",
            )
        else:
            whole, part, unit = n, f"({n}) / size", TYPES[self.type][0]
        a, b, before = array.name, landing.name, []
        operation = r.choice(("MPI_SUM", "MPI_MAX"))
        buffers = {
            "Alltoall": f"{a}, {part}, {unit}, {b}, {part}, {unit}",
            "Allgather": f"{a}, {part}, {unit}, {b}, {part}, {unit}",
            "Gather": f"{a}, {part}, {unit}, {b}, {part}, {unit}, {root}",
            "Scatter": f"{a}, {part}, {unit}, {b}, {part}, {unit}, {root}",
            "Bcast": f"{a}, {whole}, {unit}, {root}",
            "Allreduce": f"{a}, {b}, {whole}, {unit}, {operation}",
            "Reduce": f"{a}, {b}, {whole}, {unit}, {operation}, {root}",
            "Reduce_scatter_block": f"{a}, {b}, {part}, {unit}, {operation}",
        }  # fmt: skip
        if name == "Alltoallv":
            c, d, k = self.name("counts"), self.name("displs"), self.name("k")
            to = r.choice((k, f"(size - 1 - {k})"))  # where each block lies
            before = [
                self.grow.keep(
                    f"int {c}[64], {d}[64];\nfor (int {k} = 0; {k} < size; ++{k}) {c}[{k}] = {part}, {d}[{k}] = ({part}) * {to};"
                )
            ]
            buffers[name] = f"{a}, {c}, {d}, {unit}, {b}, {c}, {d}, {unit}"
        elif name == "Allreduce" and r.random() < 0.15:
            buffers[name] = buffers[name].replace(a, "MPI_IN_PLACE", 1)
        fills = [self.fill(array, "0", "n", self.n) for _ in range(r.choice((1, 1, 1, 1, 2)))]
        alike = name.startswith("Alltoall") and r.random() < 0.4
        if alike:
            fills += [self.blocks_alike(lambda at: self.store(a, at, self.value(at, (array.memory,))))]
        if name in ("Bcast", "Scatter") and r.random() < 0.6:
            fills = [self.grow.around(f"if (rank == {root}) {{", fills)]
        nodes = [*before, *fills, *self.between()]
        nodes += [self.grow.of(g, f"MPI_{name}({buffers[name]}, {comm});")]
        nodes += self.between()
        result = array if name == "Bcast" else landing
        for _ in range(r.choice((0, 1, 1, 1, 1, 2))):
            nodes += [self.read(result, "0", "n", self.n)]
        if alike and r.random() < 0.7:
            s = self.name("s")
            double = self.type in ("double", "float", "struct cell")
            found = self.blocks_alike(
                lambda at: f"{s} = {s} * {0.5 if double else 3} + {self.take(b, at)};", (landing.memory,)
            )
            found.before = "\n".join(
                (f"{'double' if double else 'unsigned long'} {s} = 1;", found.before, self.note(s, not double))
            )
            nodes += [found]
        if r.random() < 0.35:  # the contribution, written again
            nodes += [self.fill(array, "0", "n", self.n)]
        if r.random() < 0.3:  # and back
            nodes += [
                self.grow.of(self.grow.group(), f"MPI_Alltoall({b}, {part}, {unit}, {a}, {part}, {unit}, {comm});")
            ]
            nodes += [self.read(array, "0", "n", self.n)]
        return [self.grow.block("{", nodes)]

    # --- the whole ----------------------------------------------------------------------------------------------------------------------

    def tree(self):
        r = self.random
        body = []
        for _ in range(r.choice((1, 1, 2, 3))):
            body.append(self.grow.around("/* an exchange */", self.exchange(), "", instead=None))
        head, tail = [], []
        for array in self.arrays:
            if array.how == "local":
                t = self.type
                small = self.room * array.bytes <= 60000 and r.random() < 0.4
                head.append(
                    f"{t} {array.name}[{self.room}];"
                    if small
                    else f"{t} *{array.name} = malloc({self.room} * sizeof({t}));"
                )
                head.append(self.setting(array, r.randrange(1000)))
                tail.append(f'fuzz_note_array("{array.name}", {array.name}, {self.room} * sizeof({t}));')
                if not small:
                    tail.append(f"free({array.name});")
        if self.has_derived:
            head.append(
                f"MPI_Datatype four;\nMPI_Type_contiguous(4, {TYPES[self.type][0] or 'MPI_BYTE'}, &four);\nMPI_Type_commit(&four);"
            )
            tail.append("MPI_Type_free(&four);")
        head.append("(void)rank, (void)size, (void)n, (void)rows, (void)columns;")
        how = r.choice(("NOINLINE", "NOINLINE", "NOINLINE", "static", "extern"))
        how = "" if how == "extern" else how
        name = f"part{self.program.number}_{self.number}"
        declared = f"void {name}({', '.join(self.parameters)});\n" if not how else ""
        function = self.grow.block(
            f"{declared}{how} void {name}({', '.join(self.parameters)}) {{".strip(),
            [*(self.grow.keep(line) for line in head), *body, *(self.grow.keep(line) for line in tail)],
        )
        return Node("", [*self.before, function])

    def calls(self):
        """What the program does about this function: (before, call, after)."""
        r = self.random
        outside = [array for array in self.arrays if array.outer and array.how != "local"]
        begin = list(self.start) + [self.setting(array, r.randrange(1000)) for array in outside]
        call = f"part{self.program.number}_{self.number}({', '.join(self.arguments)});"
        after = [f"free(me{self.number});"] if self.in_memory else []
        for array in outside:
            after.append(f'fuzz_note_array("{array.outer}", {array.outer}, {self.room} * sizeof({array.type}));')
            if array.how not in ("global", "fixed"):
                after.append(f"free({array.outer});")
        nodes = (
            [self.grow.keep(line) for line in begin] + [self.grow.keep(call)] + [self.grow.keep(line) for line in after]
        )
        return Node("{", nodes, "}", self.grow.group())


class Program:
    def __init__(self, number):
        self.number, self.random, self.grow = number, random.Random(f"c.{number}"), Grower()
        self.globals, self.shapes = [], []
        functions = [Function(self, k) for k in range(1, 1 + self.random.choice((1, 1, 2, 2, 3)))]
        trees = [one.tree() for one in functions]
        main = self.grow.block(
            f"void fuzz_{number}(int rank, int size);\nvoid fuzz_{number}(int rank, int size) {{",
            [one.calls() for one in functions],
        )
        self.tree = Node("", [self.grow.keep('#include "fuzz.h"'), *self.globals, *trees, main])

    def source(self, gone=frozenset()):
        return text(self.tree, gone)
