"""`stretto report PAGE --plan PLANS`: what a run waited for, beside what the compiler said of the same calls."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from launch import BUILD, launch, library, mpis, plugins

HERE = Path(__file__).parent
SOURCE = HERE / "planned.c"
STRETTO = BUILD / "bin/stretto"
SOURCES = {
    "send.c": "#include <mpi.h>\nvoid total(double *a) { MPI_Allreduce(MPI_IN_PLACE, a, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }\n",
    "send.f90": """subroutine total(a, b)
  include 'mpif.h'
  double precision a, b
  call MPI_Allreduce(a, b, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror)
end subroutine
""",
}


def line(name):
    lines = SOURCE.read_text().splitlines()
    return next(number for number, text in enumerate(lines, 1) if f"/* line: {name} */" in text)


def report(*words):
    return subprocess.run([STRETTO, "report", *words], capture_output=True, text=True, timeout=60)


@pytest.fixture(scope="session")
def run(mpi, tmp_path_factory):
    """A folder with plans/ and page.html of one run."""
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    if not plugins():
        pytest.skip("no LLVM: `make compilers`, then `make`")
    folder = tmp_path_factory.mktemp("planned")
    plans = folder / "plans"
    plans.mkdir()
    env = {**os.environ, "STRETTO_PASS_OPTIONS": f"-stretto-plan={plans}"}
    command = [BUILD / "bin/stretto-cc", "--mpi", mpi, "-O2", "-g", SOURCE, "-o", folder / "program"]
    compiled = subprocess.run(command, capture_output=True, text=True, env=env, timeout=300)
    assert compiled.returncode == 0, compiled.stderr
    words = ["run", f"--report={folder / 'page.html'}", folder / "program"]
    ran = launch(mpi, 2, STRETTO, words, env={"STRETTO_FORCE": "1"})
    assert ran.rc == 0, ran
    return folder


def test_each_source_has_its_plan_in_the_folder(run):
    assert [plan.name for plan in (run / "plans").iterdir()] == [str(SOURCE).replace("/", "_") + ".yaml"]


# A Makefile compiles in the folder of each source, and flang calls all modules alike.
@pytest.mark.parametrize(("wrapper", "name"), [("stretto-cc", "send.c"), ("stretto-fc", "send.f90")])
def test_sources_of_one_name_have_a_plan_each(wrapper, name, tmp_path):
    if not plugins() or (wrapper == "stretto-fc" and not any(map(shutil.which, ("flang-19", "flang-new-19")))):
        pytest.skip("no compiler: `make compilers`, then `make`")
    mpi = next(
        name for name, its in mpis().items() if library(name).exists() and (its["mpifort"] or wrapper == "stretto-cc")
    )
    plans = tmp_path / "plans"
    plans.mkdir()
    env = {**os.environ, "STRETTO_PASS_OPTIONS": f"-stretto-plan={plans}"}
    for folder in (tmp_path / "one", tmp_path / "two"):
        folder.mkdir()
        (folder / name).write_text(SOURCES[name])
        command = [BUILD / "bin" / wrapper, "--mpi", mpi, "-O2", "-c", name]
        compiled = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=env, timeout=300)
        assert compiled.returncode == 0, compiled.stderr
    expected = {f"{tmp_path}/{folder}/{name}".replace("/", "_") + ".yaml" for folder in ("one", "two")}
    assert {plan.name for plan in plans.iterdir()} == expected
    assert all("of its contribution" in plan.read_text() for plan in plans.iterdir())


def test_the_table_has_what_the_compiler_said_of_each_call(run):
    done = report(run / "page.html", "--plan", run / "plans")
    assert done.returncode == 0, done.stderr
    rows = done.stdout.splitlines()
    at = next(number for number, row in enumerate(rows) if f"MPI_Send at planned.c:{line('send')}" in row)
    says = f"the compiler says: send at line {line('send')} stays as it is: the message is written again after the loop (line {line('again')}); write that part before the loop"
    assert rows[at + 1].strip() == says
    at = next(number for number, row in enumerate(rows) if f"MPI_Recv at planned.c:{line('receive')}" in row)
    assert "ends inside the loop at line" in rows[at + 1]
    waited = float(re.match(r"\s*([\d.]+) ms", rows[at])[1])
    assert waited >= 30, done.stdout  # three turns of a sender that sleeps 20 ms


def test_the_page_has_a_line_more_for_each_call(run):
    output = run / "joined.html"
    done = report(run / "page.html", "--plan", *(run / "plans").iterdir(), "--output", output)
    assert done.returncode == 0, done.stderr
    before, after = (run / "page.html").read_text(), output.read_text()
    assert "the compiler says" not in before and after.count("the compiler says: ") >= 2
    row = re.search(rf"planned\.c:{line('send')}</span>.*?</tr>\n<tr>.*?</tr>", after)
    assert "the compiler says: <b>send at line" in row[0] and "written again" in row[0]
    assert re.sub(r"<br>the compiler says: <b>.*?</b>", "", after) == before


def test_what_no_plan_names_is_said(run, tmp_path):
    (tmp_path / "none.yaml").write_text("--- []\n")
    done = report(run / "page.html", "--plan", tmp_path / "none.yaml")
    assert done.returncode == 0 and done.stdout.count("nothing: no plan names this call") == 2, done.stdout


def test_what_is_no_page_or_no_plan_is_one_line(run, tmp_path):
    (tmp_path / "other.html").write_text("<html></html>")
    (tmp_path / "other.yaml").write_text("- 1\n")
    for words, about in (
        ((tmp_path / "other.html", "--plan", run / "plans"), "is no page"),
        ((tmp_path / "absent.html", "--plan", run / "plans"), "absent.html"),
        ((run / "page.html", "--plan", tmp_path / "other.yaml"), "is no plan"),
        ((run / "page.html", "--plan", tmp_path / "absent.yaml"), "absent.yaml"),
    ):
        done = report(*words)
        assert done.returncode == 2 and done.stdout == "" and done.stderr.count("\n") == 1, done
        assert about in done.stderr, done
