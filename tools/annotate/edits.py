"""Changes of a source by offset, and the patch that they make. Sources are read as Latin-1: so an offset in bytes is one in characters."""

import difflib
import os
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from outcome import Failure


@dataclass
class Edits:
    path: Path
    text: str
    changes: list[tuple[int, int, str]] = field(default_factory=list)  # [begin, end) becomes this, in order where equal

    @classmethod
    def of(cls, path: Path) -> "Edits":
        return cls(path, read(path))

    def replace(self, begin: int, end: int, by: str) -> None:
        self.changes.append((begin, end, by))

    def insert(self, at: int, what: str) -> None:
        self.replace(at, at, what)

    def result(self) -> str:
        parts, at = [], 0
        for begin, end, by in sorted(self.changes, key=lambda change: change[:2]):
            if begin < at:
                raise Failure(f"{self.path}: two changes would overlap; it stays as it is")
            parts += [self.text[at:begin], by]
            at = end
        return "".join([*parts, self.text[at:]])


def read(path: Path) -> str:
    try:
        return path.read_bytes().decode("latin-1")
    except OSError as why:
        raise Failure(f"{path}: {why.strerror}") from None


def patch(path: Path, before: str, after: str) -> bytes:
    """A unified diff, for `patch -p1` and `git apply`."""
    name = os.path.relpath(path) if path.is_absolute() and path.is_relative_to(Path.cwd()) else str(path)
    name = name.lstrip("/")
    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), f"a/{name}", f"b/{name}"
    )
    whole = (line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
    return "".join(whole).encode("latin-1")


def why_not_writable(path: Path) -> str | None:
    if not os.access(path, os.W_OK) or not path.stat().st_mode & 0o222:
        return f"{path}: is not writable"
    return None


def write(path: Path, text: str) -> None:
    """All of it or nothing."""
    real = path.resolve()
    try:
        with tempfile.NamedTemporaryFile(dir=real.parent, prefix=f".{real.name}.", delete=False) as draft:
            try:
                draft.write(text.encode("latin-1"))
                draft.flush()
                os.fchmod(draft.fileno(), real.stat().st_mode & 0o7777)
                os.replace(draft.name, real)
            except OSError:
                os.unlink(draft.name)
                raise
    except OSError as why:
        raise Failure(f"{path}: cannot be written: {why.strerror}") from None
