"""What is measured besides the kernels: progress meanwhile, then a table, or one JSON object."""

import argparse
import json
from collections.abc import Callable

from progress import Progress, Tell
from rich.console import Console


def run(
    name: str,
    asked: argparse.Namespace,
    measure: Callable[[argparse.Namespace, Tell], dict],
    show: Callable[[dict, Console], None],
    write: Callable[[dict], None] | None = None,
    picture: Callable[[dict], str] | None = None,  # of one that has the option --picture
) -> int:
    with Progress(name) as progress:
        result = measure(asked, progress.tell)
    if write:
        write(result)
    if picture and asked.picture:
        asked.picture.write_text(picture(result))
    if asked.json:
        print(json.dumps(result))
    else:
        show(result, Console(highlight=False))
    return 0 if result.get("verified", True) else 1
