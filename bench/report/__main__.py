"""stretto report: one HTML page of what `stretto bench --keep FOLDER` measured; or of a run, with what the compiler says of its calls."""

import argparse
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "driver"))
from compiler_says import Unreadable, read_page, read_plans, sites_of, table, with_plans


def join(page: Path, plans: list[Path], output: Path | None) -> int:
    """A run's report with the compiler's plans: a table, and the page with a line more for each call."""
    try:
        text, document = read_page(page)
        says = read_plans(plans)
        if output:
            output.write_text(with_plans(text, says))
        print(table(sites_of(document, says)))
    except ImportError as why:
        print(f"stretto report: the Python package {why.name} is missing: pip install PyYAML", file=sys.stderr)
        return 2
    except (Unreadable, OSError) as wrong:
        print(f"stretto report: {wrong}", file=sys.stderr)
        return 2
    return 0


def main() -> int:
    top = argparse.ArgumentParser(prog="stretto report", description=__doc__)
    top.add_argument(
        "folders", nargs="+", type=Path, metavar="FOLDER", help="what --keep of stretto bench named; or a run's page"
    )
    top.add_argument("--output", type=Path, metavar="FILE.html")
    top.add_argument("--title", default="Stretto")
    top.add_argument(
        "--plan",
        nargs="+",
        type=Path,
        metavar="PLAN",
        help="for a run's page: what the compiler decided, or a folder of it",
    )
    asked = top.parse_args()
    if asked.plan:
        if len(asked.folders) != 1:
            top.error("with --plan one page of `stretto run --report` is read")
        return join(asked.folders[0], asked.plan, asked.output)
    if not asked.output:
        top.error("the following arguments are required: --output")
    for folder in asked.folders:
        if not (folder / "figures.json").is_file():
            print(f"stretto report: {folder}: has no figures.json; make it by `stretto bench --keep`", file=sys.stderr)
            return 2
    from page import Section, write_page

    try:
        write_page(asked.output, [Section.read(folder) for folder in asked.folders], asked.title)
    except OSError as wrong:
        print(f"stretto report: {wrong}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
