"""How lit runs a file of the gallery: test_gallery.py says which LLVM, which plugin and which mpi.h (lit -D name=value)."""

import os

import lit.formats

given = lit_config.params  # noqa: F821 (lit defines it, and config)
config = config  # noqa: F821
folder = os.path.dirname(os.path.abspath(__file__))
bin = given["bin"]

config.name = f"gallery-{given['llvm']}"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".c", ".cpp", ".f90"]
config.excludes = ["double", "untouched"]
config.test_source_root = folder
config.test_exec_root = given["out"]
config.available_features.add(f"llvm-{given['llvm']}")

load = f"-fpass-plugin={given['plugin']}"
include = " ".join(f"-I{path}" for path in given["include"].split(","))
remarks = "-Rpass=stretto -Rpass-missed=stretto"
clang, clangxx = (f"{bin}/{name} {load} {include}" for name in ("clang", "clang++"))
plain_flang = f"{bin}/flang-new -I{folder}/double -w"
flang = f"{plain_flang} {load}"
run = os.path.join(folder, "run")
check = f"{bin}/FileCheck %s --allow-empty"
config.substitutions += [
    # What the compiler says about each call of the file, checked.
    ("%remarks_f", f"{flang} -O2 -c {remarks} %s -o %t.o 2>&1 | {check}"),
    (r"%remarks_c\+\+", f"{clangxx} -O2 -c {remarks} -fno-caret-diagnostics %s -o %t.o 2>&1 | {check}"),
    ("%remarks", f"{clang} -O2 -c {remarks} -fno-caret-diagnostics %s -o %t.o 2>&1 | {check}"),
    (r"%clang\+\+", clangxx),
    ("%clang", clang),
    ("%flang", flang),
    ("%plain_clang", f"{bin}/clang {include}"),
    (r"%plain_c\+\+", f"{bin}/clang++ {include}"),
    ("%plain_flang", plain_flang),
    ("%FileCheck", f"{bin}/FileCheck"),
    ("%double", given["double"]),
    ("%plugin", given["plugin"]),
]
# Strips of a length that remarks can name; without it the runtime chooses (run/).
config.environment["STRETTO_PASS_OPTIONS"] = "-stretto-strip-bytes=16384"
for name in ("PATH", "HOME", "CCACHE_DIR"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
