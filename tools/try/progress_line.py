"""How far a trial is, on standard error: one line that is rewritten on a terminal, a line for each run elsewhere."""

import shutil
import sys
from typing import TextIO


class Progress:
    def __init__(self, stream: TextIO = sys.stderr) -> None:
        self.stream, self.rewrites = stream, stream.isatty()
        self.text = self.so_far = ""

    def begin(self, text: str, so_far: str) -> None:
        """A run begins: which one, and what earlier ones have shown."""
        self.text, self.so_far = text, so_far
        self.tick(0)

    def tick(self, elapsed: float) -> None:
        """It goes on."""
        if self.rewrites:
            self._rewrite(f"{self.text}, {clock(elapsed)}; {self.so_far}")

    def end(self, how: str, so_far: str) -> None:
        """It has ended."""
        if not self.rewrites:
            print(f"stretto try: {self.text}: {how}; {so_far}", file=self.stream, flush=True)

    def say(self, text: str) -> None:
        """What stays to be read."""
        self.clear()
        print(f"stretto try: {text}", file=self.stream, flush=True)

    def clear(self) -> None:
        if self.rewrites:
            print("\r\033[K", end="", file=self.stream, flush=True)

    def _rewrite(self, text: str) -> None:
        columns = shutil.get_terminal_size().columns - 1  # a line that goes on in the next row would stay
        print(f"\r\033[K{text[:columns]}", end="", file=self.stream, flush=True)


def clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"
