"""What an MPI library's header really declares: its functions, with their exact types, and the data that its predefined
handles stand for."""

import re
import subprocess
from dataclasses import dataclass

# Functions come as MPI_X and PMPI_X; data are what Open MPI's handles are addresses of, and Fortran's sentinels.
FUNCTION = re.compile(r"^(?:extern )?(?P<result>[\w ]+?[ *]+)(?P<name>P?MPIX?_[A-Za-z]\w*) ?\((?P<parameters>.*)\)$")
DATUM = re.compile(r"^extern [\w ]+?[ *]+(?:const )?(?P<name>\w+)$")
CALLBACK = re.compile(r"^(?:extern )?int (?P<name>OMPI_C_MPI_\w+|MPIR_Dup_fn) ?\(.*\)$")


@dataclass(frozen=True)
class Parameter:
    declaration: str  # as in the header, up to the name: "const void *"
    name: str
    suffix: str  # what follows the name: "[]", "[][3]"

    def declared(self, name=None):
        return f"{self.declaration}{name or self.name}{self.suffix}"


@dataclass(frozen=True)
class Function:
    name: str  # without MPI_: "Send", "Send_c"; "MPIX_Stream_send" keeps its prefix
    result: str
    parameters: tuple[Parameter, ...]
    variadic: bool = False

    @property
    def symbol(self):
        return self.name if self.name.startswith("MPIX_") else f"MPI_{self.name}"


@dataclass(frozen=True)
class Header:
    functions: dict[str, Function]
    data: list[str]  # variables, and predefined callbacks, that the macros of mpi.h lead to


def preprocess(compiler):
    """The text that `compiler` (a command, as a list) sees for mpi.h."""
    command = [*compiler, "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX", "-E", "-P", "-x", "c", "-"]
    return subprocess.run(command, input="#include <mpi.h>\n", text=True, capture_output=True, check=True).stdout


def exported(library):
    """The symbols that an MPI library offers."""
    table = subprocess.run(["nm", "-D", "--defined-only", library], text=True, capture_output=True, check=True).stdout
    return {line.split()[-1].split("@")[0] for line in table.splitlines()}


def read(text, symbols=None):
    """What the header's text declares; of its functions only those that the library has, if its `symbols` are given."""
    functions, data, profiled = {}, [], set()
    for declaration in declarations(text):
        if declaration.startswith("typedef"):
            continue
        if match := FUNCTION.match(declaration):
            if match["name"].startswith("P"):
                profiled.add(match["name"][1:])
            else:
                functions[match["name"]] = function(match)
        elif match := DATUM.match(declaration) or CALLBACK.match(declaration):
            data.append(match["name"])
    # Without its PMPI_ form it is no function of the interface, and cannot be reached past us. Some headers promise more
    # than their library holds (MPICH's: extensions, conversions that are in its Fortran library).
    if symbols is not None:
        profiled = {name for name in profiled if f"P{name}" in symbols}
        data = [name for name in data if name in symbols]
    return Header({f.name: f for name, f in functions.items() if name in profiled}, sorted(set(data)))


def declarations(text):
    """Each declaration at file scope on one line: attributes and bodies taken out."""
    text = without(text, "__attribute__")
    text = re.sub(r"\s+", " ", text)
    piece, depth = "", 0
    for ch in text:
        if ch == "{":
            depth += 1
        elif ch == "}":
            depth -= 1
        elif depth:
            continue
        elif ch == ";":
            yield piece.strip()
            piece = ""
        else:
            piece += ch


def without(text, keyword):
    """The text without each `keyword ((...))`, whose parentheses may nest."""
    pieces = text.split(keyword)
    kept = [pieces[0]]
    for piece in pieces[1:]:
        depth = 0
        for position, ch in enumerate(piece):
            depth += (ch == "(") - (ch == ")")
            if depth == 0 and ch == ")":
                kept.append(piece[position + 1 :])
                break
    return " ".join(kept)


def function(match):
    symbol, text = match["name"], match["parameters"].strip()
    parts = [] if text in ("", "void") else [part.strip() for part in text.split(",")]
    variadic = "..." in parts
    name = symbol.removeprefix("MPI_")
    return Function(name, match["result"].strip(), tuple(parameter(p, name) for p in parts if p != "..."), variadic)


def parameter(text, where):
    match = re.match(r"^(?P<declaration>.*?[ *])(?P<name>\w+) ?(?P<suffix>(?:\[\w*\] ?)*)$", text)
    if not match:
        raise SystemExit(f"generate: MPI_{where}: cannot read the parameter '{text}' of this mpi.h")
    return Parameter(match["declaration"], match["name"], match["suffix"].strip())
