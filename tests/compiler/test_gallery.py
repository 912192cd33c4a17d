"""What the compiler plugin does with each shape of loop and message, and what it says: a file a shape, for each LLVM that it was built for.

The RUN lines of a file are run by lit, and FileCheck reads its CHECK lines. The files of run/ are programs: the double of the runtime
(double/double.c) takes the place of MPI and of libstretto in one process, and their output must be that of the plain program.
"""

import functools
import os
import pathlib
import shutil
import subprocess
import sys

import pytest
from launch import BUILD, mpis, plugins

HERE = pathlib.Path(__file__).parent
FILES = sorted(
    path for folder in ("ir", "run") for path in (HERE / folder).iterdir() if path.suffix in (".c", ".cpp", ".f90")
)
OUT = BUILD / "tests" / "compiler"


@functools.cache
def tools(llvm):
    """The folder of this LLVM's programs."""
    return pathlib.Path(
        subprocess.run(
            [shutil.which(f"llvm-config-{llvm}") or f"/usr/lib/llvm-{llvm}/bin/llvm-config", "--bindir"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
    )


@pytest.fixture(scope="session")
def double():
    """The runtime's double, compiled once by each process of pytest, of which one may link what another one writes."""
    made = OUT / f"double.{os.getpid()}.o"
    made.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["cc", "-O1", "-g", "-c", HERE / "double" / "double.c", "-o", made], check=True)
    return made


if not plugins():
    pytest.skip("no LLVM: `make compilers`, then `make`", allow_module_level=True)


@pytest.mark.parametrize("file", FILES, ids=lambda path: f"{path.parent.name}-{path.name}")
@pytest.mark.parametrize("llvm", plugins())
def test_gallery(llvm, file, double):
    if llvm == "16" and file.suffix == ".f90":
        pytest.skip("flang 16 has no remarks")
    said = {
        "llvm": llvm,
        "bin": tools(llvm),
        "plugin": plugins()[llvm],
        "include": ",".join(mpis()["openmpi"]["c"]["include"]),
        "out": OUT / f"llvm-{llvm}",
        "double": double,
    }
    command = [
        sys.executable,
        "-c",
        "import lit.main; lit.main.main()",
        "-vv",
        "--skip-test-time-recording",  # in one file, which two processes would break
        *(f"-D{name}={value}" for name, value in said.items()),
        file,
    ]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if "Unsupported: 1" in done.stdout:
        pytest.skip(f"LLVM {llvm} sees less of this shape")  # // UNSUPPORTED: llvm-16
    assert done.returncode == 0 and "Passed: 1" in done.stdout, done.stdout + done.stderr


@pytest.mark.skipif(len(plugins()) < 2, reason="only one LLVM")
def test_a_plugin_for_another_llvm_says_in_one_line_what_to_do():
    one, other = list(plugins())[:2]
    source = OUT / "empty.c"
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_text("int nothing;\n")
    plugin = plugins()[other]
    done = subprocess.run(
        [tools(one) / "clang", f"-fpass-plugin={plugin}", "-O2", "-c", source, "-o", OUT / "empty.o"],
        capture_output=True,
        text=True,
    )
    assert done.returncode != 0 and len(done.stderr.splitlines()) == 1, done.stderr
    assert f"this compiler is LLVM {one}" in done.stderr and f"for LLVM {other}" in done.stderr, done.stderr
