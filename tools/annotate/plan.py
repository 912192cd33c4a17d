"""What the compiler's plugin decided about each MPI call of a file (compiler/pass/Plan.h): Stretto's own compilers are run, and say it."""

import os
import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import yaml
from outcome import Failure

LANGUAGES = {
    "stretto-cc": (".c",),
    "stretto-c++": (".cc", ".cpp", ".cxx", ".c++", ".C"),
    "stretto-fc": (".f", ".for", ".ftn", ".f90", ".f95", ".f03", ".f08", ".F", ".FOR", ".F90", ".F95", ".F03", ".F08"),
}
HERE = Path(__file__).resolve().parents[2]  # the checkout, or share/stretto
PREFIX = Path(os.environ.get("STRETTO_PREFIX") or HERE / "build/release")
HEADERS = next((folder for folder in (HERE / "include", PREFIX / "include") if folder.is_dir()), HERE)
FIXED_FORM = (".f", ".for", ".ftn", ".F", ".FOR")


@dataclass(frozen=True)
class Place:
    file: str
    line: int
    column: int


@dataclass(frozen=True)
class Mark:
    """An access to the message: first + t * step bytes from the buffer on, where that is a number."""

    at: Place
    first: int | None
    step: int | None


@dataclass(frozen=True)
class Decision:
    call: str
    what: str  # send, receive
    at: Place
    done: bool
    why: str = ""  # not done
    loop: Place | None = None
    direction: str = ""
    name: str = ""  # of the function
    marks: tuple[Mark, ...] = ()
    loads: tuple[Place, ...] = ()  # of the message, outside the loop
    sweeps: int = 0
    conditions: int = 0
    overlaps: int = 0
    crosses: int = 0
    turn_before: bool = False
    as_written: bool = True
    everywhere: bool = True


def wrapper_of(path: Path) -> str:
    for wrapper, suffixes in LANGUAGES.items():
        if path.suffix in suffixes:
            return wrapper
    raise Failure(f"{path}: is no source of C, C++ or Fortran, by its name")


class Compiler:
    """The one of Stretto's compilers that fits a file, with the user's flags."""

    def __init__(self, path: Path, flags: list[str]) -> None:
        self.path, self.name = path, wrapper_of(path)
        self.command = [str(PREFIX / "bin" / self.name)]
        self.flags = flags

    def run(self, *words: str | Path, **variables: str) -> subprocess.CompletedProcess:
        command = [*self.command, *self.flags, f"-I{HEADERS}", *map(str, words)]
        try:
            return subprocess.run(command, capture_output=True, env={**os.environ, **variables}, errors="replace")
        except OSError as why:
            raise Failure(f"{self.command[0]}: {why.strerror}: is this installation complete?") from None

    def must(self, *words: str | Path, **variables: str) -> str:
        done = self.run(*words, **variables)
        if done.returncode:
            raise Failure(f"{self.path}: {first_error(done.stderr)}")
        return done.stdout

    def plan(self) -> list[Decision]:
        with tempfile.TemporaryDirectory(prefix="stretto-annotate-") as scratch:
            plan = Path(scratch) / "plan.yaml"
            # A loop that copies shall stay a loop, as it is in the source.
            words = [
                "-O2",
                "-g",
                "-mllvm",
                "-disable-loop-idiom-all",
                "-c",
                self.path,
                "-o",
                Path(scratch) / "object.o",
            ]
            if self.name == "stretto-fc":
                words += ["-J", scratch]
            self.must(
                *words,
                STRETTO_PASS_OPTIONS=f"{os.environ.get('STRETTO_PASS_OPTIONS', '')} -stretto-plan={plan}".strip(),
            )
            if not plan.exists():
                raise Failure(f"{self.path}: the compiler wrote no plan: do the flags turn Stretto off?")
            return [decision_of(one) for one in yaml.safe_load(plan.read_text()) or []]

    def compiles(self, text: str) -> str | None:
        """Does this text compile in the file's place? What is wrong, or None."""
        with tempfile.TemporaryDirectory(prefix="stretto-annotate-") as scratch:
            draft = Path(scratch) / self.path.name
            draft.write_bytes(text.encode("latin-1"))
            own = f"-I{self.path.resolve().parent}"
            words = ["-J", scratch] if self.name == "stretto-fc" else []
            done = self.run(own, *words, "-fstretto=off", "-c", draft, "-o", Path(scratch) / "object.o")
            return first_error(done.stderr) if done.returncode else None


def first_error(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if re.search(r"\berror\b", line)] or lines
    return f"does not compile: {errors[0].strip()}" if errors else "does not compile"


def place(words: dict) -> Place:
    return Place(words["file"], words["line"], words["column"])


def number(text: str) -> int | None:
    return int(text) if re.fullmatch(r"-?\d+", text) else None


def decision_of(one: dict) -> Decision:
    if not one["done"]:
        why = one["reason"] + (f" (line {one['blame']['line']})" if one["blame"]["line"] else "")
        return Decision(
            one["call"], one["what"], place(one["at"]), False, why + (f"; {one['advice']}" if one["advice"] else "")
        )
    return Decision(
        one["call"],
        one["what"],
        place(one["at"]),
        True,
        loop=place(one["loop"]),
        direction=one["direction"],
        name=one["name"],
        marks=tuple(
            Mark(place(mark["at"]), number(str(mark["first"])), number(str(mark["step"]))) for mark in one["marks"]
        ),
        loads=tuple(place(load) for load in one["loads"]),
        sweeps=one["last_sweep_of"],
        conditions=one["conditions"],
        overlaps=one["overlaps"],
        crosses=one["crosses"],
        turn_before=one["turn_before"],
        as_written=one["as_written"],
        everywhere=one["everywhere"],
    )
