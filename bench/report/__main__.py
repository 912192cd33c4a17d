"""stretto report: one HTML page of what `stretto bench --keep FOLDER` measured."""

import argparse
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "driver"))
from page import Section, write_page


def main() -> int:
    top = argparse.ArgumentParser(prog="stretto report", description=__doc__)
    top.add_argument("folders", nargs="+", type=Path, metavar="FOLDER", help="what --keep of stretto bench named")
    top.add_argument("--output", type=Path, required=True, metavar="FILE.html")
    top.add_argument("--title", default="Stretto")
    asked = top.parse_args()
    for folder in asked.folders:
        if not (folder / "figures.json").is_file():
            print(f"stretto report: {folder}: has no figures.json; make it by `stretto bench --keep`", file=sys.stderr)
            return 2
    try:
        write_page(asked.output, [Section.read(folder) for folder in asked.folders], asked.title)
    except OSError as wrong:
        print(f"stretto report: {wrong}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
