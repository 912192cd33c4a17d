"""Where nothing is sent nothing is lost: a file without MPI becomes the same object, byte by byte, whether Stretto's compiler makes it or the
plain one, so that it runs as fast; and loops beside calls of MPI are vectorised as ever.

What compiling takes is measured by tests/compiler/compile-time, which no test run does.
"""

import os
import pathlib
import re
import shutil
import subprocess

import pytest
from launch import BUILD, ROOT, mpis, plugins

HERE = pathlib.Path(__file__).parent
# The wrapper, the variable that names the compiler, compilers' names
LANGUAGES = {
    ".c": ("stretto-cc", "STRETTO_CC", ("clang",)),
    ".cpp": ("stretto-c++", "STRETTO_CXX", ("clang++",)),
    ".f90": ("stretto-fc", "STRETTO_FC", ("flang", "flang-new")),
}
FILES = sorted((HERE / "untouched").iterdir())
# Programs of messages, whose loops are vectorised in part.
KERNELS = [ROOT / "bench/kernels" / f"{name}.c" for name in ("lu", "mg", "reduce")]
VECTORISED = re.compile(r"(\d+):\d+: remark: vectorized loop \(vectorization width: (\d+)")


def compile_twice(file, llvm, flags, folder):
    """Compiled by the plain compiler, and by the wrapper over it, in the same place: the two runs, and the two objects."""
    wrapper, variable, names = LANGUAGES[file.suffix]
    compiler = next((f"{name}-{llvm}" for name in names if shutil.which(f"{name}-{llvm}")), None)
    if not compiler:
        pytest.skip(f"{names[0]}-{llvm} is not on this machine")
    environment = {name: value for name, value in os.environ.items() if name != "STRETTO_PASS_OPTIONS"}
    environment |= {"STRETTO_MPI": "openmpi", "XDG_CACHE_HOME": str(folder / "cache"), variable: compiler}
    words = [*flags, "-c", file, "-o", "it.o"]
    include = [f"-I{path}" for path in mpis()["openmpi"]["c"]["include"]] if file.suffix != ".f90" else []
    runs, objects = [], []
    for command in ([compiler, *include, *words], [BUILD / "bin" / wrapper, *words]):
        (folder / "it.o").unlink(missing_ok=True)
        runs.append(subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True))
        assert runs[-1].returncode == 0, runs[-1]
        objects.append((folder / "it.o").read_bytes())
    return runs, objects


if not plugins():
    pytest.skip("no LLVM: `make compilers`, then `make`", allow_module_level=True)


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.name)
@pytest.mark.parametrize("flags", ["-O1", "-O2", "-O3", "-O2 -g"])
@pytest.mark.parametrize("llvm", plugins())
def test_a_file_without_mpi_becomes_the_same_object(llvm, flags, file, tmp_path):
    if flags == "-O3" and file.suffix == ".f90":
        pytest.skip("flang -O3 by itself makes another object each time")
    _, (plain, ours) = compile_twice(file, llvm, flags.split(), tmp_path)
    assert plain == ours


@pytest.mark.parametrize("file", KERNELS, ids=lambda path: path.name)
@pytest.mark.parametrize("llvm", plugins())
def test_loops_beside_calls_of_mpi_are_vectorised_as_ever(llvm, file, tmp_path):
    flags = [
        "-O2",
        "-DSTRETTO_PLAIN",
        f"-I{ROOT}/include",
        f"-I{ROOT}/bench",
        "-Rpass=loop-vectorize",
        "-fno-caret-diagnostics",
    ]
    (plain, ours), _ = compile_twice(file, llvm, flags, tmp_path)
    want, got = (sorted(set(VECTORISED.findall(run.stderr))) for run in (plain, ours))
    assert want and got == want
