"""stretto annotate: what it changes is as expected, compiles with any compiler, and does the same; what it leaves it says, and leaves whole.

shapes.*: programs whose loops are changed; expected/ has the patches. refused.*: what is left, each call with its reason behind LEFT.
"""

import os
import re
import shutil
import stat
import subprocess
from pathlib import Path

import pytest
from launch import BUILD, ROOT, launch, library, mpis, plugins
from pairs import by_family

HERE = Path(__file__).parent
SHAPES = ("shapes.c", "shapes.cpp", "shapes.f90", "shapes.f")
LLVM_VARIABLES = {"STRETTO_CC": ("clang",), "STRETTO_CXX": ("clang++",), "STRETTO_FC": ("flang", "flang-new")}
WRAPPERS = {".c": "mpicc", ".cpp": "mpicxx", ".f90": "mpifort", ".f": "mpifort"}
# What it said in stdout is compared; strips are short of a delta, so that the counters show what left early.
FORCED = {"STRETTO_FORCE": "1", "STRETTO_COUNTERS": "1"}

if not plugins():
    pytest.skip("no LLVM: `make compilers`, then `make`", allow_module_level=True)


def is_fortran(name):
    return Path(name).suffix in (".f90", ".f")


def compilers(llvm):
    """The variables that name the compilers of one LLVM."""
    found = {}
    for variable, names in LLVM_VARIABLES.items():
        path = next((path for name in names if (path := shutil.which(f"{name}-{llvm}"))), None)
        if path:
            found[variable] = path
    return found


@pytest.fixture
def annotate(tmp_path):
    """Runs the command in tmp_path, where the sources named are copied first."""

    def call(*words, llvm=None, env=None, **how):
        for word in words:
            if (HERE / str(word)).is_file() and not (tmp_path / str(word)).exists():
                shutil.copy(HERE / str(word), tmp_path / str(word))
        variables = {**os.environ, **(compilers(llvm) if llvm else {}), **(env or {})}
        command = [BUILD / "bin/stretto", "annotate", *map(str, words)]
        return subprocess.run(command, capture_output=True, text=True, timeout=300, env=variables, cwd=tmp_path, **how)

    return call


def needs(name, llvm):
    if is_fortran(name) and "STRETTO_FC" not in compilers(llvm):
        pytest.skip(f"no flang {llvm} on this machine")


NEWEST = max(plugins(), key=int)


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("llvm", plugins())
def test_each_shape_is_changed_as_expected(annotate, name, llvm):
    needs(name, llvm)
    if is_fortran(name) and llvm != NEWEST:
        pytest.skip("an older flang knows less of what arguments may overlap")
    done = annotate(name, llvm=llvm)
    assert done.returncode == 0, done.stderr
    assert done.stdout == (HERE / "expected" / f"{name}.patch").read_text()


@pytest.mark.parametrize("name", SHAPES)
def test_the_patch_is_what_write_writes_and_nothing_is_changed_twice(annotate, tmp_path, name):
    needs(name, NEWEST)
    patch = annotate(name).stdout
    (tmp_path / "patched").mkdir()
    shutil.copy(HERE / name, tmp_path / "patched" / name)
    applied = subprocess.run(["patch", "-p1"], input=patch, text=True, cwd=tmp_path / "patched", capture_output=True)
    assert applied.returncode == 0, applied
    done = annotate("--write", name)
    assert done.returncode == 0 and done.stdout == "", done
    once = (tmp_path / name).read_text()
    assert once == (tmp_path / "patched" / name).read_text() != (HERE / name).read_text()
    again = annotate("--write", name)
    assert again.returncode == 0, again.stderr
    assert (tmp_path / name).read_text() == once


def built(mpi, source, target, *flags):
    """By the MPI's own wrapper: another compiler than Stretto's."""
    command = [mpis()[mpi][WRAPPERS[source.suffix]], "-O2", "-w", f"-I{ROOT}/include", source, "-o", target, *flags]
    where = target.parent  # of a module's file, too
    done = subprocess.run([*map(str, command), "-lm"], capture_output=True, text=True, cwd=where)
    assert done.returncode == 0, done.stderr
    return target


def with_library(mpi):
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    folder = library(mpi).parent
    return [f"-L{folder}", "-lstretto", f"-Wl,-rpath,{folder}"]


@pytest.mark.pairs(of=by_family)
@pytest.mark.parametrize("name", SHAPES)
def test_the_annotated_program_does_the_same(annotate, tmp_path, mpi, name):
    if not mpis()[mpi][WRAPPERS[Path(name).suffix]]:
        pytest.skip("this MPI has no compiler of this language")
    needs(name, NEWEST)
    linked = with_library(mpi)
    plain = launch(mpi, 2, built(mpi, HERE / name, tmp_path / "plain"))
    assert plain.rc == 0 and plain.stdout, plain
    assert annotate("--write", name, "--", "--mpi", mpi).returncode == 0
    program = built(mpi, tmp_path / name, tmp_path / "annotated", *linked)
    usual, forced = launch(mpi, 2, program), launch(mpi, 2, program, env=FORCED)
    assert usual.rc == 0 and usual.stdout == plain.stdout, usual
    assert forced.rc == 0 and forced.stdout == plain.stdout, forced
    assert forced.counters["delta_begun"] >= 3 and forced.counters["receive_framed"] >= 3, forced
    in_place_of_it = ["-DSTRETTO_PLAIN"]
    if is_fortran(name):
        in_place_of_it = [built(mpi, ROOT / "include/stretto/plain_fortran.c", tmp_path / "plain_fortran.o", "-c")]
    alone = launch(mpi, 2, built(mpi, tmp_path / name, tmp_path / "alone", *in_place_of_it))
    assert alone.rc == 0 and alone.stdout == plain.stdout, alone


@pytest.mark.parametrize("name", ["refused.c", "refused.cpp", "refused.f90", "refused.f"])
@pytest.mark.parametrize("llvm", plugins())
def test_what_is_left_is_said_and_left_whole(annotate, tmp_path, name, llvm):
    needs(name, llvm)
    done = annotate("--write", name, llvm=llvm)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / name).read_bytes() == (HERE / name).read_bytes()
    said = {}
    for line in done.stderr.splitlines():
        file, number, reason = re.fullmatch(r"([^:]*):(\d+): \w+ is left as it is: (.*)", line).groups()
        assert file == name
        said[int(number)] = reason
    lines = (HERE / name).read_text().splitlines()
    expected = {at: line.partition("LEFT: ")[2] for at, line in enumerate(lines, 1) if "LEFT: " in line}
    said |= {at: "*" for at, reason in expected.items() if reason == "*" and at in said}  # each LLVM has its own
    assert said == expected


def complains(done, *words, status=1):
    assert done.returncode == status and done.stdout == "", done
    assert done.stderr.count("\n") == 1 and done.stderr.startswith("stretto annotate: "), done.stderr
    for word in words:
        assert word in done.stderr, done.stderr


def test_a_source_that_does_not_compile_is_one_line(annotate, tmp_path):
    (tmp_path / "broken.c").write_text("#include <mpi.h>\nint main(void) { return nothing; }\n")
    complains(annotate("broken.c"), "broken.c: does not compile", "nothing")


def test_with_several_files_all_are_written_or_none(annotate, tmp_path):
    (tmp_path / "broken.c").write_text("int main(void) { return nothing; }\n")
    complains(annotate("--quiet", "--write", "shapes.c", "broken.c"), "broken.c")
    assert (tmp_path / "shapes.c").read_bytes() == (HERE / "shapes.c").read_bytes()


def test_a_file_that_is_not_there_or_of_no_language_is_one_line(annotate, tmp_path):
    complains(annotate("absent.c"), "absent.c")
    (tmp_path / "page.txt").write_text("")
    complains(annotate("page.txt"), "page.txt", "by its name")


def test_no_clang_is_one_line(annotate):
    complains(annotate("shapes.c", env={"STRETTO_CC": "clang-of-nobody"}), "clang-of-nobody", "STRETTO_CC")


def test_a_file_that_is_not_ours_to_write_stays(annotate, tmp_path):
    shutil.copy(HERE / "shapes.c", tmp_path / "shapes.c")
    (tmp_path / "shapes.c").chmod(stat.S_IRUSR)
    complains(annotate("--quiet", "--write", "shapes.c"), "shapes.c: is not writable")
    assert (tmp_path / "shapes.c").read_bytes() == (HERE / "shapes.c").read_bytes()


def test_a_source_that_changes_meanwhile_stays(annotate, tmp_path):
    """The plan would be of another text: a compiler that writes to its source shows it."""
    real = compilers(NEWEST)["STRETTO_CC"]
    other = tmp_path / "clang"
    other.write_text(f'#!/bin/sh\ncase "$*" in *ast-dump*) echo "/* new */" >>shapes.c;; esac\nexec {real} "$@"\n')
    other.chmod(0o755)
    complains(annotate("--quiet", "--write", "shapes.c", env={"STRETTO_CC": str(other)}), "has changed since")
    assert "MPIX" not in (tmp_path / "shapes.c").read_text()


def test_flags_are_given_to_the_compiler(annotate, tmp_path):
    (tmp_path / "needs.c").write_text(
        "#include <mpi.h>\n#ifndef N\n#error no N\n#endif\n"
        "void fill(double *b) {\n    for (int i = 0; i < N; i++) b[i] = i;\n"
        "    MPI_Send(b, N, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD);\n}\n"
    )
    complains(annotate("needs.c"), "no N")
    done = annotate("needs.c", "--", "-DN=8000")
    assert done.returncode == 0 and "MPIX_Delta_send_data(&b[stretto_begin]" in done.stdout, done


def test_a_wrong_command_line_ends_with_2(annotate):
    done = annotate("--wriet", "shapes.c")
    assert done.returncode == 2 and "--wriet" in done.stderr
    assert annotate().returncode == 2
