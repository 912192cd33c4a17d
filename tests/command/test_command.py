"""The `stretto` command: what it finds, what it starts, and what it says when it cannot."""

import json
import os
import pathlib
import pty
import subprocess

import pytest
from launch import BUILD, library, mpis

STRETTO = BUILD / "bin/stretto"


def stretto(*words, **options):
    return subprocess.run(
        [STRETTO, *map(str, words)],
        **{"capture_output": True, "text": True, "timeout": 120, "stdin": subprocess.DEVNULL} | options,
    )


def complains(done, *about):
    assert done.returncode in (1, 2), done
    for words in about:
        assert words in done.stderr, done.stderr


def plain_program(tmp_path, source="int main(void) { return 3; }", flags=(), compiler="cc"):
    (tmp_path / "program.c").write_text(source)
    out = tmp_path / "program"
    subprocess.run([compiler, *flags, "-o", out, tmp_path / "program.c"], check=True, capture_output=True)
    return out


def mpi_program(tmp_path, mpi):
    source = "#include <mpi.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
    source += 'int main(void) { int v, s; MPI_Get_version(&v, &s); puts(getenv("LD_PRELOAD")); puts(getenv("STRETTO_LIBRARY")); }'
    return plain_program(tmp_path, source, compiler=mpis()[mpi]["mpicc"])


# --- help and mistakes --------------------------------------------------------------------------------------------


def test_help_names_every_command():
    done = stretto("--help")
    assert done.returncode == 0
    for command in ("run", "info", "lab", "bench", "report"):
        assert f"\n  {command} " in done.stdout
        assert stretto(command, "--help").returncode == 0, command
    assert stretto("--version").stdout.startswith("stretto ")
    assert stretto().returncode == 2


@pytest.mark.parametrize(
    "words, answer",
    [
        (["rum"], "did you mean run?"),
        (["--versoin"], "did you mean --version?"),
        (["info", "--jsn"], "did you mean --json?"),
        (["run", "--mip", "x", "y"], "did you mean --mpi?"),
        (["info", "--mpi", "openmppi"], "did you mean openmpi?"),
        (["explode"], "unknown command explode"),
        (["info", "--mpi"], "--mpi"),
        (["info", "-n", "0", "--mpi", "openmpi"], "-n"),
        (["lab", "upp"], "upp"),
    ],
)
def test_a_mistake_is_named_with_what_is_near(words, answer):
    complains(stretto(*words), answer)


# --- info ---------------------------------------------------------------------------------------------------------


def test_info_tells_programs_and_people_the_same():
    found = json.loads(stretto("info", "--json").stdout)
    assert {mpi["name"] for mpi in found["mpis"]} == set(mpis())
    assert {feature["name"] for feature in found["kernel"]["features"]} >= {"userfaultfd WP_ASYNC", "user namespaces"}
    assert found["pages"]["STRETTO_TRACKER"]["mechanism"] in ("userfault", "mprotect")
    assert found["pages"]["STRETTO_GUARD"]["mechanism"] in ("userfault", "mprotect")
    for feature in found["kernel"]["features"]:
        assert feature["there"] != bool(feature["why_not"]), feature
    assert int(found["limits"]["vm.max_map_count"]) > 0
    text = stretto("info").stdout
    assert "\033" not in text
    for mpi in found["mpis"]:
        assert mpi["version"] in text and mpi["library"] in text


def test_colour_is_for_terminals_that_want_it():
    def on_a_terminal(**more):
        environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"} | more
        ours, theirs = pty.openpty()
        done = subprocess.Popen([STRETTO, "info"], stdout=theirs, env={**environment, "TERM": "xterm"})
        os.close(theirs)
        text = b""
        try:
            while piece := os.read(ours, 65536):
                text += piece
        except OSError:  # how Linux says that the other end is closed
            pass
        done.wait()
        return text

    assert b"\033[1m" in on_a_terminal()
    assert b"\033" not in on_a_terminal(NO_COLOR="1")


@pytest.mark.mpi
def test_info_shows_what_a_job_decided(mpi):
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    done = stretto("info", "--mpi", mpi, "--json")
    assert done.returncode == 0, done.stderr
    ranks = json.loads(done.stdout)
    assert [rank["rank"] for rank in ranks] == [0, 1]
    for rank in ranks:
        assert rank["world"] == 2
        assert rank["framing"] or rank["why"], rank
        assert sum(peers["peers"] for peers in rank["classes"]) == 1, rank


# --- run ----------------------------------------------------------------------------------------------------------


def test_run_preloads_the_library_that_fits(mpi, tmp_path):
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    done = stretto("run", mpi_program(tmp_path, mpi))
    assert done.returncode == 0, done
    preload, mpi_library = done.stdout.split()
    assert pathlib.Path(preload) == library(mpi)
    assert pathlib.Path(mpi_library).samefile(mpis()[mpi]["library"])


def test_run_finds_the_mpi_library_behind_another_one(mpi, tmp_path):
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    (tmp_path / "solver.c").write_text(
        "#include <mpi.h>\nint solve(void) { int v, s; return MPI_Get_version(&v, &s); }"
    )
    mpicc = mpis()[mpi]["mpicc"]
    solver = tmp_path / "libsolver.so"
    subprocess.run([mpicc, "-shared", "-fPIC", "-o", solver, tmp_path / "solver.c"], check=True)
    source = '#include <stdlib.h>\n#include <stdio.h>\nint solve(void);\nint main(void) { puts(getenv("LD_PRELOAD")); return solve(); }'
    (tmp_path / "program.c").write_text(source)
    program = tmp_path / "program"
    link = [f"-L{tmp_path}", "-lsolver", f"-Wl,-rpath,{tmp_path}", "-Wl,--allow-shlib-undefined"]
    subprocess.run(["cc", "-o", program, tmp_path / "program.c", *link], check=True)
    done = stretto("run", "--", program)
    assert done.returncode == 0, done
    assert done.stdout.strip() == str(library(mpi))


def test_run_passes_arguments_status_and_other_preloads(mpi, tmp_path):
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    mine = mpis()[mpi]["library"]
    shell = ["sh", "-c", 'echo "$LD_PRELOAD"; echo "$@"; exit 9', "sh", "--mpi", "--", "-h", "a b"]
    done = stretto("run", "--mpi", mpi, *shell, env={**os.environ, "LD_PRELOAD": mine})
    assert done.returncode == 9, done
    assert done.stdout.splitlines() == [f"{library(mpi)}:{mine}", "--mpi -- -h a b"]


@pytest.mark.parametrize(
    "words, file",
    [
        (["--report"], "stretto-report.html"),
        (["--report=pages/one.html"], "pages/one.html"),
        (["--report=/elsewhere/one.html"], "/elsewhere/one.html"),
        ([], None),
    ],
)
def test_run_names_the_reports_file_by_its_absolute_path(mpi, tmp_path, words, file):
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    shell = ["--mpi", mpi, "sh", "-c", 'echo "$STRETTO_REPORT"']
    done = stretto("run", *words, *shell, cwd=tmp_path)
    assert done.returncode == 0, done
    assert done.stdout.strip() == (str(tmp_path / file) if file else "")


def test_a_program_that_is_linked_with_stretto_needs_nothing(mpi, tmp_path):
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    where = library(mpi).parent
    flags = ["-Wl,--no-as-needed", f"-L{where}", "-lstretto", f"-Wl,-rpath,{where}", "-Wl,--allow-shlib-undefined"]
    (tmp_path / "program.c").write_text('#include <stdlib.h>\nint main(void) { return getenv("LD_PRELOAD") != 0; }')
    subprocess.run(["cc", "-o", tmp_path / "program", tmp_path / "program.c", *flags], check=True)
    done = stretto("run", tmp_path / "program")
    assert done.returncode == 0, done


def test_what_cannot_be_run_is_named(tmp_path):
    complains(stretto("run"), "no program")
    complains(stretto("run", "nosuch-program"), "nosuch-program", "$PATH")
    complains(stretto("run", "./nosuch"), "./nosuch: no such program")
    complains(stretto("run", "sh", "-c", "true"), "needs no MPI library", "--mpi NAME")
    complains(stretto("run", "mpirun", "-n", "2", "ls"), "mpirun -n 4 stretto run ./program")
    complains(stretto("run", "--mpi", "lam", "ls"), "lam", "found on this machine")
    (tmp_path / "text").write_text("hello")
    complains(stretto("run", tmp_path / "text"), "not executable")
    (tmp_path / "text").chmod(0o755)
    complains(stretto("run", tmp_path / "text"), "neither an ELF program nor a script")
    complains(stretto("run", tmp_path), "not a program")
    (tmp_path / "script").write_text("#!/no/such/interpreter\n")
    (tmp_path / "script").chmod(0o755)
    complains(stretto("run", tmp_path / "script"), "/no/such/interpreter")
    complains(stretto("run", "sh", env={**os.environ, "STRETTO_LIBRARY": "/no/libmpi.so"}), "/no/libmpi.so")
    static = plain_program(tmp_path, flags=["-static"])
    complains(stretto("run", static), "linked statically")
    foreign = bytearray(static.read_bytes())
    foreign[18] = 0xB7 if foreign[18] == 0x3E else 0x3E  # e_machine: AArch64, x86-64
    static.write_bytes(foreign)
    complains(stretto("run", static), "another kind of machine")
    static.write_bytes(foreign[:16])
    complains(stretto("run", static), "program")


def test_an_mpi_that_stretto_was_not_built_for_is_named(mpi, tmp_path):
    copy = tmp_path / "build"
    (copy / "bin").mkdir(parents=True)
    (copy / "bin/stretto").write_bytes(STRETTO.read_bytes())
    (copy / "bin/stretto").chmod(0o755)
    done = subprocess.run(
        [copy / "bin/stretto", "run", mpi_program(tmp_path, mpi)], capture_output=True, text=True, timeout=60
    )
    complains(done, "no libstretto was built", mpis()[mpi]["library"].split("/")[-1])
