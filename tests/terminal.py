"""What a program writes to a terminal."""

import os
import pty
import subprocess
from collections.abc import Callable


def on_a_terminal(start: Callable[[int], subprocess.Popen]) -> tuple[subprocess.Popen, bytes]:
    """What start() starts, which gets the terminal's descriptor, and all that it writes until nobody has that any more."""
    ours, theirs = pty.openpty()
    started = start(theirs)
    os.close(theirs)
    text = b""
    try:
        while piece := os.read(ours, 65536):
            text += piece
    except OSError:  # how Linux says that the other end is closed
        pass
    os.close(ours)
    return started, text
