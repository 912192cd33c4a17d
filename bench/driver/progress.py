"""What is going on, on standard error: one line that changes on a terminal, lines with times elsewhere."""

import time
from collections.abc import Callable

from rich.console import Console

Tell = Callable[[str], None]


class Progress:
    def __init__(self, title: str) -> None:
        self.title, self.began = title, time.monotonic()
        self.console = Console(stderr=True, highlight=False)
        self.status = self.console.status(title) if self.console.is_terminal else None

    def __enter__(self) -> "Progress":
        if self.status:
            self.status.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.status:
            self.status.stop()

    def tell(self, what: str) -> None:
        line = f"{self.title}: {what}"
        if self.status:
            self.status.update(line)
        else:
            self.console.print(f"{time.monotonic() - self.began:6.1f} s  {line}", soft_wrap=True)
