"""MDMP's directives in C and C++, as stretto-cc and stretto-c++ compile them with each clang: each wrong one is one clear error, and programs
with right ones have the results of plain MPI.

A file of wrong/ is a wrong program. Under each wrong line stands where the error is, and words of it: `//   ^ words`. There is no other error.
"""

import os
import pathlib
import re
import subprocess

import pytest
from launch import BUILD, mpis

HERE = pathlib.Path(__file__).parent
CLANGS = sorted(path.parent.name.removeprefix("llvm-") for path in BUILD.glob("lib/llvm-*/stretto_directives.so"))
WRONG = sorted(path.name for path in (HERE / "wrong").iterdir())
EXPECTED = re.compile(r"^//( *)\^ (.*)$")
ERROR = re.compile(r"^(\S+?):(\d+):(\d+): (?:fatal )?error: (.*)$", re.M)
ANY = next(iter(mpis()))  # for what is the same under every MPI

if not CLANGS:
    pytest.skip("no plugin for directives: `make compilers`, then `make`", allow_module_level=True)


def compiled(llvm, mpi, *words, cxx=False):
    """Runs stretto-cc, or stretto-c++."""
    variables = {"STRETTO_CC": f"clang-{llvm}", "STRETTO_CXX": f"clang++-{llvm}", "STRETTO_MPI": mpi}
    command = [BUILD / "bin" / ("stretto-c++" if cxx else "stretto-cc"), *words]
    return subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, env=os.environ | variables, timeout=120
    )


def expected(source):
    """(line, column, words) of each mark."""
    lines = source.read_text().splitlines()
    for number, line in enumerate(lines):
        if found := EXPECTED.match(line):
            yield number, len(found[1]) + 3, found[2]


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("llvm", CLANGS)
def test_a_wrong_directive_is_one_clear_error(llvm, name):
    source = HERE / "wrong" / name
    first = source.read_text().splitlines()[0]
    flags = first.removeprefix("// ").split() if first.startswith("// -") else []
    done = compiled(llvm, ANY, "-fsyntax-only", "-fstretto=off", *flags, source, cxx=source.suffix == ".cpp")
    errors = [(int(line), int(column), text) for _, line, column, text in ERROR.findall(done.stderr)]
    wanted = list(expected(source))
    assert [error[:2] for error in errors] == [mark[:2] for mark in wanted], done.stderr
    for (_, _, text), (_, _, words) in zip(errors, wanted, strict=True):
        assert words in text, done.stderr
    assert done.returncode == 1
