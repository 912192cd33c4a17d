"""MDMP's directives in C and C++, as stretto-cc and stretto-c++ compile them with each clang: each wrong one is one clear error, and programs
with right ones have the results of plain MPI.

A file of wrong/ is a wrong program. Under each wrong line stands where the error is, and words of it: `//   ^ words`. There is no other error.
"""

import fcntl
import pathlib
import re
import shutil
import subprocess

import pytest
from compile import wrappers_environment
from launch import BUILD, ROOT, launch, library, mpis

HERE = pathlib.Path(__file__).parent
CLANGS = {
    path.parent.name.removeprefix("llvm-"): path for path in sorted(BUILD.glob("lib/llvm-*/stretto_directives.so"))
}
WRONG = sorted(path.name for path in (HERE / "wrong").iterdir() if path.suffix in (".c", ".cpp"))
EXPECTED = re.compile(r"^//( *)\^ (.*)$")
ERROR = re.compile(r"^(\S+?):(\d+):(\d+): (?:fatal )?error: (.*)$", re.M)
ANY = next(iter(mpis()))  # for what is the same under every MPI
# Warnings of the generated calls would be errors. C++ has some in the headers of MPI.
STRICT = {
    "c": ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror"],
    "cpp": ["-std=c++20", "-Wall", "-Wextra", "-Wshadow", "-Wzero-as-null-pointer-constant"],
}
SETTINGS = {"usual": {}, "force": {"STRETTO_FORCE": "1"}, "off": {"STRETTO": "off"}}

if not CLANGS:
    pytest.skip("no plugin for directives: `make compilers`, then `make`", allow_module_level=True)


def compiled(llvm, mpi, *words, cxx=False, wrappers=BUILD / "bin"):
    """Runs stretto-cc, or stretto-c++."""
    env = wrappers_environment(STRETTO_CC=f"clang-{llvm}", STRETTO_CXX=f"clang++-{llvm}", STRETTO_MPI=mpi)
    command = [wrappers / ("stretto-c++" if cxx else "stretto-cc"), *words]
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, env=env, timeout=120)


def built(llvm, mpi, name, language, *flags):
    """A program of directives, compiled where its sources, the header or the plugin are newer."""
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    out = (
        BUILD
        / "tests"
        / mpi
        / "-".join(["directives", name, language, llvm, *(re.sub(r"\W", "", flag) for flag in flags)])
    )
    source = HERE / f"{name}.{language}"
    compiler = [CLANGS[llvm], CLANGS[llvm].with_name("stretto_compiler.so"), BUILD / "bin/stretto-cc"]
    needed = [source, source.with_suffix(".h"), ROOT / "include/stretto/mdmp.h", *compiler]
    out.parent.mkdir(parents=True, exist_ok=True)
    with open(f"{out}.lock", "w") as lock:  # two pytest processes may want the same program
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not out.exists() or any(out.stat().st_mtime < one.stat().st_mtime for one in needed):
            words = ["-g", "-O2", *STRICT[language], *flags, source, "-o", out]
            done = compiled(llvm, mpi, *words, cxx=language == "cpp")
            assert done.returncode == 0, done.stderr
            assert not re.search(rf"{name}\.h:\d+:\d+: warning", done.stderr), done.stderr
    return out


def openmp(llvm):
    """The flags; of two LLVMs only one can have its libomp on Debian, and it serves both."""
    found = sorted(pathlib.Path("/usr/lib").glob("llvm-*/lib/libomp.so"))
    if not found:
        pytest.skip("no libomp")
    own = pathlib.Path(f"/usr/lib/llvm-{llvm}/lib/libomp.so")
    return ["-fopenmp", f"-L{(own if own in found else found[-1]).parent}"]


def expected(source):
    """(line, column, words) of each mark."""
    lines = source.read_text().splitlines()
    for number, line in enumerate(lines):
        if found := EXPECTED.match(line):
            yield number, len(found[1]) + 3, found[2]


# --- wrong ones


def is_one_clear_error(llvm, mpi, name):
    source = HERE / "wrong" / name
    first = source.read_text().splitlines()[0]
    flags = first.removeprefix("// ").split() if first.startswith("// -") else []
    done = compiled(llvm, mpi, "-fsyntax-only", "-fstretto=off", *flags, source, cxx=source.suffix == ".cpp")
    errors = [(int(line), int(column), text) for _, line, column, text in ERROR.findall(done.stderr)]
    wanted = list(expected(source))
    assert [error[:2] for error in errors] == [mark[:2] for mark in wanted], done.stderr
    for (_, _, text), (_, _, words) in zip(errors, wanted, strict=True):
        assert words in text, done.stderr
    assert done.returncode == 1


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("llvm", CLANGS)
def test_a_wrong_directive_is_one_clear_error(llvm, name):
    is_one_clear_error(llvm, ANY, name)


@pytest.mark.parametrize("name", ["partner_any.c", "tag_any.c"])
def test_a_constant_of_mpi_may_be_an_enumerator(mpi, name):
    """As in the standard ABI's mpi.h."""
    is_one_clear_error(max(CLANGS), mpi, name)


@pytest.mark.parametrize("llvm", CLANGS)
def test_an_address_inside_of_a_struct_is_a_warning(llvm, tmp_path):
    source = tmp_path / "cells.c"
    source.write_text(
        "#include <stretto/mdmp.h>\n"
        "struct cell { double *p; int k; };\n"
        "void f(struct cell *cells, int n, int next) {\n"
        "#pragma send(cells[0:n].k, next)\n"
        "#pragma send(cells[0:n], next)\n"
        "}\n"
    )
    done = compiled(llvm, ANY, "-fsyntax-only", "-fstretto=off", "-Wall", "-Wextra", source)
    assert done.returncode == 0 and done.stderr.count("warning") == 2, done.stderr  # and the line that counts them
    assert "cells.c:5:14: warning: send: the member 'p' of 'struct cell' is a pointer" in done.stderr, done.stderr


def test_each_mark_is_understood():
    assert len(WRONG) >= 130
    assert all(list(expected(HERE / "wrong" / name)) for name in WRONG)


@pytest.mark.parametrize("language", ["c", "cpp"])
def test_without_the_plugin_the_header_is_an_error(language, tmp_path):
    """Never an ignored directive: in a tree that was built without libclang-dev."""
    shutil.copytree(BUILD / "bin", tmp_path / "bin", symlinks=True)
    (tmp_path / "share/stretto").mkdir(parents=True)
    shutil.copy(ROOT / "build/env/mpis.json", tmp_path / "share/stretto")
    (tmp_path / "include").symlink_to(ROOT / "include")
    words = ["-fsyntax-only", "-fstretto=off", HERE / f"paper.{language}", "-DNP=60"]
    done = compiled(max(CLANGS), ANY, *words, cxx=language == "cpp", wrappers=tmp_path / "bin")
    assert done.returncode == 1 and "stretto-cc has no plugin for MDMP's directives" in done.stderr, done.stderr
    assert "libclang-N-dev" in done.stderr


# --- right ones


@pytest.mark.pairs
@pytest.mark.parametrize("language", ["c", "cpp"])
@pytest.mark.parametrize("columns", ["60", "1500"])  # a row is within a header's message, or behind it
@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("llvm", CLANGS)
def test_the_papers_iteration_has_the_bits_of_plain_mpi(mpi, llvm, setting, columns, language):
    size = f"-DNP={columns}"
    plain = launch(mpi, 3, built(llvm, mpi, "paper", language, size, "-DWITH_MPI"), env={"STRETTO": "off"}, timeout=60)
    assert plain.rc == 0 and plain.stdout.count("checksum") == 3, plain
    result = launch(mpi, 3, built(llvm, mpi, "paper", language, size), env=SETTINGS[setting], timeout=60)
    assert not result.hung and result.rc == 0 and result.stdout == plain.stdout, result


def names(language, threads):
    """What directives.h runs, and prints."""
    text = (HERE / "directives.h").read_text()
    own = {"c": {"arrays_of_variable_size"}, "cpp": {"templates", "containers_lambdas_and_classes"}}
    of_all = set(re.findall(r"^    RUN\((\w+)\);", text, re.M)) - own["cpp"] - {"threads_with_tags"}
    return of_all | own[language] | ({"threads_with_tags"} if threads else set())


@pytest.mark.pairs
@pytest.mark.parametrize("language", ["c", "cpp"])
@pytest.mark.parametrize("threads", [False, True], ids=["", "openmp"])
@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("ranks", [2, 3])
@pytest.mark.parametrize("llvm", CLANGS)
def test_every_shape_arrives(mpi, llvm, ranks, setting, threads, language):
    flags = openmp(llvm) if threads else []
    result = launch(
        mpi, ranks, built(llvm, mpi, "directives", language, *flags), env=SETTINGS[setting], transport="tcp", timeout=90
    )
    assert not result.hung and result.rc == 0, result
    assert set(result.stdout.split()) == names(language, threads), result


def run_text(mpi, folder, name, text, *flags, **how):
    """How a program of this text runs on two ranks, and what its compiler said."""
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    source = folder / f"{name}.c"
    source.write_text(text)
    done = compiled(max(CLANGS), mpi, *flags, source, "-o", folder / name)
    assert done.returncode == 0, done.stderr
    return launch(mpi, 2, folder / name, timeout=30, **how), done.stderr


def test_the_runtime_names_the_directives_line(mpi, tmp_path):
    result, _ = run_text(
        mpi,
        tmp_path,
        "short",
        "#include <stretto/mdmp.h>\n"
        "int main(void) {\n"
        "    int rank, a[9] = {0};\n"
        "#pragma commregion\n"
        "    MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
        "#pragma send(a[0:2 + rank], 1 - rank)\n"
        "#pragma recv(a[4:2], 1 - rank)\n"
        "#pragma commregionfinished\n"
        "}\n",
    )
    assert result.rc != 0 and not result.hung, result
    assert "recv(a[4:2])" in result.stderr and "short.c:7" in result.stderr, result
    assert "send(a[0:2 + rank]) at" in result.stderr and "short.c:6" in result.stderr, result


# --- the command line


def test_other_ways_are_refused_and_help_says_what_there_is():
    done = compiled(max(CLANGS), ANY, "-fmdmp=plan", "-c", HERE / "paper.c")
    assert done.returncode == 2 and "did you mean -fmdmp=plain?" in done.stderr, done.stderr
    assert "-fmdmp=plain, -fno-mdmp" in compiled(max(CLANGS), ANY, "--help").stdout


def test_a_file_without_directives_is_compiled_as_ever(tmp_path):
    """The same object, by each clang, with its plugin and by itself. Pragmas of others warn as they did."""
    source = tmp_path / "other.c"
    source.write_text("#pragma send(x)\n#pragma sent\nint main(void) { return 0; }\n")
    for llvm in CLANGS:
        ours = compiled(llvm, ANY, "-fstretto=off", "-Wall", "-c", source, "-o", tmp_path / "ours.o")
        assert "send is a directive of MDMP" in ours.stderr and ours.returncode == 1, ours.stderr
    source.write_text("#pragma sent\nint main(void) { return 0; }\n")
    for llvm in CLANGS:
        ours = compiled(llvm, ANY, "-fstretto=off", "-Wall", "-c", source, "-o", tmp_path / "ours.o")
        command = [f"clang-{llvm}", "-Wall", "-c", str(source), "-o", str(tmp_path / "theirs.o")]
        theirs = subprocess.run(command, capture_output=True, text=True)
        assert ours.returncode == 0 and ours.stderr == theirs.stderr != "", ours.stderr
        assert (tmp_path / "ours.o").read_bytes() == (tmp_path / "theirs.o").read_bytes()
