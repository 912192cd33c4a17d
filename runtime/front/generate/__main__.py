"""Generate, for one MPI, what stands between a program and that MPI's library.

python runtime/front/generate --classes classes.toml --library libmpi.so.N --out FOLDER -- COMPILER [FLAGS that find mpi.h]
"""

import argparse
from pathlib import Path

import classes
import header
import standard
import write


def main():
    parser = argparse.ArgumentParser(prog="generate", description=__doc__.splitlines()[0])
    parser.add_argument("--classes", type=Path, required=True, help="runtime/front/classes.toml")
    parser.add_argument("--header", type=Path, help="a preprocessed mpi.h, in place of what the compiler sees")
    parser.add_argument("--library", type=Path, help="the MPI library's file: functions that it lacks are left out")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--out", type=Path, help="the folder to write to")
    what.add_argument("--counting", type=Path, help="write this file of wrappers that only count, for tests")
    parser.add_argument("compiler", nargs="+", help="a C compiler and its flags")
    options = parser.parse_args()

    class_of = classes.load(options.classes)
    known = standard.functions()
    classes.check(class_of, known, "the standard")
    text = options.header.read_text() if options.header else header.preprocess(options.compiler)
    found = header.read(text, header.exported(options.library) if options.library else None)
    if "Send" not in found.functions:
        raise SystemExit(f"generate: no MPI_Send in what {options.compiler[0]} sees as mpi.h")
    classes.check(class_of, found.functions, "mpi.h")

    if options.counting:
        options.counting.parent.mkdir(parents=True, exist_ok=True)
        options.counting.write_text(write.counting(found, class_of))
        return
    files = {
        "mpi/library_table.h": write.table(found),
        "mpi/library_symbols.h": write.symbols(found, options.library),
        "front/handled.h": write.handled(found, known, class_of),
        "wrappers.cpp": write.wrappers(found, known, class_of),
        "functions.txt": write.listing(found, class_of),
    }
    for name, text in files.items():
        path = options.out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


if __name__ == "__main__":
    main()
