"""stretto annotate: adds the calls of stretto.h to a source where Stretto's compiler would start messages inside loops."""

import argparse
import contextlib
import sys
from pathlib import Path


class Parser(argparse.ArgumentParser):
    def error(self, message: str):
        print(f"{self.prog}: {message}\ntry `{self.prog} --help`", file=sys.stderr)
        sys.exit(2)


EXAMPLES = """examples:
  stretto annotate solver.c | less                    a patch
  stretto annotate solver.c | patch -p1               the same, applied
  stretto annotate --write src/*.c -- -Iinclude -DN=4
  stretto annotate --write halo.f90 pack.f            Fortran, free and fixed form
"""


def parser() -> argparse.ArgumentParser:
    top = Parser(
        prog="stretto annotate",
        usage="stretto annotate [option …] FILE… [-- compiler flags]",
        description="Adds MPIX_Delta_* calls where Stretto's compiler finds that a message can leave, or be used, part by part. "
        "Prints a patch; says on standard error what is left as it is, and why.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--write", action="store_true", help="change the files")
    top.add_argument("--quiet", action="store_true", help="do not say what is left as it is")
    top.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a source of C, C++ or Fortran, by its name")
    return top


def command_line(words: list[str]) -> tuple[argparse.Namespace, list[str]]:
    at = words.index("--") if "--" in words else len(words)
    return parser().parse_args(words[:at]), words[at + 1 :]


def main() -> int:
    options, flags = command_line(sys.argv[1:])
    try:
        from annotate import annotated
        from edits import patch, why_not_writable, write
        from outcome import Failure
    except ImportError as why:
        print(
            f"stretto annotate: the Python package {why.name} is missing: pip install fparser PyYAML", file=sys.stderr
        )
        return 1
    try:
        done = []
        for file in options.files:
            before, after, notes = annotated(file, flags)
            done.append((file, before, after))
            if not options.quiet:
                print(*notes, sep="\n", end="\n" if notes else "", file=sys.stderr)
        if not options.write:
            for file, before, after in done:
                sys.stdout.buffer.write(patch(file, before, after))
            return 0
        changed = [(file, after) for file, before, after in done if before != after]
        if wrong := [why for file, _ in changed if (why := why_not_writable(file))]:
            raise Failure(wrong[0])
        for file, after in changed:
            write(file, after)
        return 0
    except Failure as why:
        print(f"stretto annotate: {why}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError):
        sys.exit(main())
