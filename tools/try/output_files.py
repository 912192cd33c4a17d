"""The files that a job writes (--output): every run finds them as they were before the first, and so does the user.

Nothing is deleted that was there before. A file that was there is copied first, and put back in place after each run.
A file that was not there is moved into the run's folder after each run.
"""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path


class BadFile(Exception):
    pass


@dataclass
class OutputFile:
    path: Path
    saved: Path | None  # a copy of what was there before the first run
    before: os.stat_result | None  # of the file, when a run began

    def begin(self) -> None:
        self.before = self.path.stat() if self.path.exists() else None

    def written(self) -> bool:
        """Whether the run has written it, be it with the same content."""
        if not self.path.exists():
            return False
        now = self.path.stat()
        return self.before is None or (now.st_mtime_ns, now.st_ino) != (self.before.st_mtime_ns, self.before.st_ino)

    def take(self, to: Path) -> bool:
        """Moves what the run has written to its folder, and puts back what was there before. False: it has not written it."""
        written = self.written()
        try:
            if written:
                (shutil.copy2 if self.saved else shutil.move)(self.path, to)
        finally:  # also where the disk is full
            if self.saved and (written or not self.path.exists()):
                shutil.copyfile(self.saved, self.path)
        return written


class OutputFiles:
    def __init__(self, names: list[str], folder: Path) -> None:
        self.files = {name: OutputFile(Path(name).absolute(), None, None) for name in names}
        for number, (name, file) in enumerate(self.files.items()):
            if file.path.is_dir():
                raise BadFile(f"--output {name}: is a folder; name its files")
            if file.path.exists():
                folder.mkdir(exist_ok=True)
                file.saved = folder / f"{number}-{file.path.name}"
                shutil.copy2(file.path, file.saved)

    def begin(self) -> None:
        for file in self.files.values():
            file.begin()

    def take(self, folder: Path) -> dict[str, Path]:
        """After a run: what it has written, by name. A file that it has not written is left out."""
        taken = {}
        for number, (name, file) in enumerate(self.files.items()):
            to = folder / f"output-{number}-{file.path.name}"
            if file.take(to):
                taken[name] = to
        return taken
