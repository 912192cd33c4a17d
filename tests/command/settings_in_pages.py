"""What runtime/settings/settings.def gives to the pages of docs/ and man/. As a command it writes it there (`make settings`)."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# A page, the form of `stretto settings --as`, and the lines between which it stands.
PAGES = {
    "docs/settings.md": (
        "markdown",
        "<!-- from runtime/settings/settings.def, by `make settings` -->\n",
        "<!-- until here -->",
    ),
    "man/stretto-settings.1": ("man", '.\\" from runtime/settings/settings.def, by make settings\n', '.\\" until here'),
}


def page(path, stretto):
    """The page as it is, and as it should be."""
    form, begin, end = PAGES[path]
    text = (ROOT / path).read_text()
    made = subprocess.run([stretto, "settings", "--as", form], capture_output=True, text=True, check=True).stdout
    before, after = text.partition(begin), text.partition(end)
    return text, before[0] + begin + made + end + after[2]


if __name__ == "__main__":
    for path in PAGES:
        (ROOT / path).write_text(page(path, sys.argv[1])[1])
