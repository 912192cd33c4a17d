"""MDMP's header (include/stretto/mdmp.h): what is wrong in the source is an error of every compiler, and says what to do."""

import subprocess
from itertools import product
from pathlib import Path

import pytest
from compile import FLAGS
from launch import mpis

HERE = Path(__file__).parent
ANY = next(iter(mpis()))  # for what is the same under every MPI
LANGUAGES = {"c": ("mpicc", ["-std=gnu11"]), "cpp": ("mpicxx", ["-std=c++20"])}


def compiled(mpi, language, source, *flags, folder):
    """What the MPI's own compiler says of a source: its status, and its messages."""
    wrapper, standard = LANGUAGES[language]
    file = folder / f"program.{language}"
    file.write_text(source)
    command = [mpis()[mpi][wrapper], *standard, *FLAGS, *flags, "-fsyntax-only", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stderr


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_compiler_that_ignores_directives_is_refused(mpi, language, tmp_path):
    status, said = compiled(mpi, language, "#include <stretto/mdmp.h>\n", folder=tmp_path)
    assert status and "compile with stretto-cc, or define STRETTO_MDMP_CALLS" in said, said


CALLS = "#define STRETTO_MDMP_CALLS\n#include <stretto/mdmp.h>\n"
WRONG = {
    "pointer": ("float *p = 0; MDMP_SEND(p, 1, 0);", "pointer"),
    "array": ("float a[3][4]; MDMP_SEND(a[1], 4, 0);", "begins at an element"),
    "constant": ("const int k[2] = {1, 2}; MDMP_RECV(k[0], 1, 0);", "const"),
    "strides": ("int k[9]; MDMP_RECV_SECTION(k[0], (2, 2), (3), 0);", "as many strides as counts"),
    "no_list": ("int k[9]; MDMP_RECV_SECTION(k[0], 2, 3, 0);", "error"),
    "value": ("MDMP_SEND(1 + 2, 1, 0);", "lvalue"),
    "reduced_constant": ("const int k[2] = {1, 2}; MDMP_REDUCE(+, k[0], 1);", "const"),
    "broadcast_constant": ("const int k[2] = {1, 2}; MDMP_BCAST(k[0], 1, 0);", "const"),
    "reduced_struct": ("struct { int k; } s = {1}; MDMP_REDUCE(+, s, 1);", "a reduction is of numbers"),
    "reduced_pointer": ("float *p = 0; MDMP_REDUCE(+, p, 1);", "pointer"),
    "no_root": ("int k[9]; MDMP_BCAST(k[0], 1);", "error"),
    "no_count": ("int k = 0; MDMP_REDUCE(+, k);", "error"),
    "no_partner": ("int k[9]; MDMP_SEND(k[0], 1);", "error"),
    "directive": ("\n#pragma commregion\n", "poisoned"),
    "end": ("\n#pragma commregionfinished\n", "poisoned"),
    "stretto": ("\n#pragma stretto commregion\n", "poisoned"),
}
WRONG_IN_CPP = {
    "class": ("std::string s; MDMP_SEND(s, 1, 0);", "trivially copyable"),
    "member_pointer": ("struct A { int k; }; int A::*p = &A::k; MDMP_SEND(p, 1, 0);", "pointer"),
    "operation": ("int k = 0; MDMP_REDUCE(mean, k, 1);", "one of the operations + * min max"),
    "bits_of_floats": ("float x = 0; MDMP_REDUCE(&, x, 1);", "&& || & | ^ of integers and bool"),
    "sum_of_bool": ("bool b = true; MDMP_REDUCE(+, b, 1);", "+ and * of numbers"),
    "fraction": ("int k[9]; MDMP_SEND(k[0], 1.5, 0);", "integers"),
}


@pytest.mark.parametrize(("language", "wrong"), [*product(LANGUAGES, WRONG), *product(["cpp"], WRONG_IN_CPP)])
def test_what_is_wrong_is_an_error(language, wrong, tmp_path):
    statement, word = (WRONG | WRONG_IN_CPP)[wrong]
    include = "#include <string>\n" if language == "cpp" else ""
    status, said = compiled(ANY, language, f"{include}{CALLS}int main(void) {{ {statement} }}\n", folder=tmp_path)
    errors = "\n".join(line for line in said.splitlines() if "error" in line)
    assert status and word in errors, said


STANDARDS = [("c", "c11"), ("c", "gnu17"), ("cpp", "c++11"), ("cpp", "c++17"), ("cpp", "c++20")]


@pytest.mark.parametrize(("language", "standard"), STANDARDS)
def test_calls_are_compiled_without_a_warning(language, standard, tmp_path):
    source = (HERE / "promises.h").read_text()
    flags = [f"-std={standard}", "-pedantic", "-Wno-overlength-strings", "-Wno-long-long"]
    flags += ["-fopenmp", "-Wextra", "-Wshadow", "-Werror", "-Wno-cast-function-type"]
    status, said = compiled(ANY, language, source, *flags, folder=tmp_path)
    assert status == 0 and not said, said


def test_directives_need_no_library_form(tmp_path):
    """What a compiler that knows them says of itself is enough, and then they are no error."""
    source = "#include <stretto/mdmp.h>\n#pragma commregion\nint main(void) { return 0; }\n"
    status, said = compiled(ANY, "c", source, "-DSTRETTO_MDMP_DIRECTIVES", "-Wno-unknown-pragmas", folder=tmp_path)
    assert status == 0, said
