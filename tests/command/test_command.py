"""The `stretto` command: what it finds, what it starts, and what it says when it cannot."""

import json
import os
import pathlib
import signal
import subprocess
import sys

import pytest
import settings_in_pages
from compile import program
from launch import BUILD, ROOT, launch, library, mpis
from terminal import on_a_terminal

STRETTO = BUILD / "bin/stretto"
INTERPOSE = ROOT / "tests/interpose"


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
    for command in ("run", "info", "try", "lab", "bench", "report"):
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
    def shown(**more):
        environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"} | more
        environment["TERM"] = "xterm"
        done, text = on_a_terminal(
            lambda terminal: subprocess.Popen([STRETTO, "info"], stdout=terminal, env=environment)
        )
        done.wait()
        return text

    assert b"\033[1m" in shown()
    assert b"\033" not in shown(NO_COLOR="1")


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


def test_run_asks_a_library_that_is_newer_than_the_set_up_what_it_is(mpi, tmp_path):
    if mpi == "abi" or not library(mpi).exists():
        pytest.skip("told by its file's name, or no libstretto is built for this MPI")
    source = "#include <mpi.h>\n#include <stdio.h>\n#include <stdlib.h>\nint v, s;\n"
    source += 'int main(int n, char **) { if (n > 1) MPI_Get_version(&v, &s); puts(getenv("LD_PRELOAD")); }'
    program = plain_program(tmp_path, source, ["-std=c2x"], mpis()[mpi]["mpicc"])
    other = "mpich" if mpi != "mpich" else "openmpi"  # the list is wrong: this library had another one's path
    (tmp_path / "mpis.json").write_text(json.dumps({other: mpis()[mpi]}))
    preloads = []
    for set_up_at in (1, 2**32 - 1):
        os.utime(tmp_path / "mpis.json", (set_up_at, set_up_at))
        done = stretto("run", program, env={**os.environ, "STRETTO_MPIS": str(tmp_path / "mpis.json")})
        preloads.append(pathlib.Path(done.stdout.split()[0]))
    assert preloads == [library(mpi), library(other)]


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


@pytest.mark.parametrize("said, meant", [({}, "all"), ({"STRETTO": "chunk"}, "chunk"), ({"STRETTO": "off"}, "off")])
def test_calls_return_early_unless_something_else_is_said(mpi, said, meant):
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    env = {name: value for name, value in os.environ.items() if name != "STRETTO"} | said
    done = stretto("run", "--mpi", mpi, "sh", "-c", 'echo "$STRETTO"', env=env)
    assert done.returncode == 0 and done.stdout.strip() == meant, done


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
    launcher = plain_program(tmp_path).rename(tmp_path / "mpirun")
    complains(stretto("run", launcher, "-n", "2", "ls"), "mpirun -n 4 stretto run ./program")
    complains(stretto("run", "--mpi", "lam", "ls"), "lam", "found on this machine")
    (tmp_path / "text").write_text("hello")
    complains(stretto("run", tmp_path / "text"), "not executable")
    (tmp_path / "text").chmod(0o755)
    complains(stretto("run", tmp_path / "text"), "neither an ELF program nor a script")
    complains(stretto("run", tmp_path), "not a program")
    complains(stretto("run", script(tmp_path, "#!/no/such/interpreter")), "/no/such/interpreter")
    complains(stretto("run", "sh", env={**os.environ, "STRETTO_LIBRARY": "/no/libmpi.so"}), "/no/libmpi.so")
    foreign = bytearray(pathlib.Path("/proc/self/exe").read_bytes())
    foreign[18] = 0xB7 if foreign[18] == 0x3E else 0x3E  # e_machine: AArch64, x86-64
    (tmp_path / "text").write_bytes(foreign)
    complains(stretto("run", tmp_path / "text"), "another kind of machine", "cannot be started")
    (tmp_path / "text").write_bytes(foreign[:16])
    complains(stretto("run", tmp_path / "text"), "text")


# --- run: programs that do not tell which MPI they will have, or cannot have Stretto


RANK_NAMES = ("OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID")


def script(tmp_path, *lines):
    file = tmp_path / "script"
    file.write_text("\n".join(lines) + "\n")
    file.chmod(0o755)
    return file


def runs_plainly(done, status, *why):
    assert done.returncode == status, done
    assert done.stderr.count("\n") == 1 and "runs without Stretto" in done.stderr, done
    for words in why:
        assert words in done.stderr, done.stderr


SAYS_ITS_PRELOAD = '#include <stdlib.h>\nint main(void) { return getenv("LD_PRELOAD") ? 4 : 3; }'


def outside_a_job(**more):
    ours = {name: value for name, value in os.environ.items() if name not in RANK_NAMES}
    return ours | more


@pytest.mark.skipif(len(mpis()) < 2, reason="with one MPI alone, that one is taken")
def test_a_program_without_mpi_runs_plainly_and_one_rank_says_so(tmp_path):
    program = plain_program(tmp_path, SAYS_ITS_PRELOAD)
    runs_plainly(stretto("run", program, env=outside_a_job()), 3, "needs no MPI library", "--mpi NAME")
    for name in RANK_NAMES:
        runs_plainly(stretto("run", program, env=outside_a_job(**{name: "0"})), 3)
        other = stretto("run", program, env=outside_a_job(**{name: "1"}))
        assert (other.returncode, other.stderr) == (3, ""), other


def test_a_static_program_runs_plainly_unless_its_mpi_is_named(mpi, tmp_path):
    program = plain_program(tmp_path, SAYS_ITS_PRELOAD, flags=["-static"])
    runs_plainly(stretto("run", program, env=outside_a_job()), 3, "linked statically")
    complains(stretto("run", "--mpi", mpi, program), "linked statically")


def test_a_program_of_an_unknown_mpi_runs_plainly(tmp_path):
    library = tmp_path / "libmpi.so.99"
    (tmp_path / "mpi.c").write_text("int MPI_Init(void) { return 0; }")
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-Wl,-soname,libmpi.so.99", "-o", library, tmp_path / "mpi.c"], check=True
    )
    source = SAYS_ITS_PRELOAD.replace("getenv", "MPI_Init() || getenv").replace("\n", "\nint MPI_Init(void);\n")
    (tmp_path / "program.c").write_text(source)
    link = ["-o", tmp_path / "program", tmp_path / "program.c", library, f"-Wl,-rpath,{tmp_path}"]
    subprocess.run(["cc", *link], check=True)
    runs_plainly(stretto("run", tmp_path / "program", env=outside_a_job()), 3, "libmpi.so.99", "Stretto knows")


def test_a_program_whose_mpi_has_no_libstretto_runs_plainly(mpi, tmp_path):
    copy = tmp_path / "build"
    (copy / "bin").mkdir(parents=True)
    (copy / "bin/stretto").write_bytes(STRETTO.read_bytes())
    (copy / "bin/stretto").chmod(0o755)
    source = f"#include <mpi.h>\nint v, s;\n{SAYS_ITS_PRELOAD}".replace("getenv", "MPI_Get_version(&v, &s) || getenv")
    program = plain_program(tmp_path, source, compiler=mpis()[mpi]["mpicc"])
    done = subprocess.run(
        [copy / "bin/stretto", "run", program], capture_output=True, text=True, timeout=60, env=outside_a_job()
    )
    runs_plainly(done, 3, "no libstretto was built", mpis()[mpi]["library"].split("/")[-1])


def exchange(mpi):
    return program(mpi, "exchange", [INTERPOSE / "exchange.c"])


def under_its_launcher(mpi, *words, **more):
    """Two ranks of `stretto run words`, everything framed."""
    if mpi == "abi":
        pytest.skip("the launcher is MPICH's, whose own library is taken")
    env = {"STRETTO_FORCE": "1", "STRETTO_COUNTERS": "1", **more}
    result = launch(mpi, 2, STRETTO, ["run", "--", *words], env=env)
    assert result.rc == 0 and result.stdout.count(" 0 wrong") == 2, result
    return result.counters.get("send_framed", 0)


def test_a_script_has_the_mpi_of_its_launcher(mpi, tmp_path):
    assert under_its_launcher(mpi, script(tmp_path, "#!/bin/sh", f"exec {exchange(mpi)}"))
    assert under_its_launcher(mpi, "env", "MINE=1", exchange(mpi))


def test_python_with_mpi4pys_wheel_has_the_mpi_of_its_launcher(mpi, tmp_path):
    where = pathlib.Path(mpis()[mpi]["library"])
    if mpi == "mpich4":  # Debian's MPICH under the name that the wheel looks for
        (tmp_path / "libmpi.so.12").symlink_to(where)
        where = tmp_path / "libmpi.so.12"
    framed = under_its_launcher(mpi, sys.executable, INTERPOSE / "exchange.py", LD_LIBRARY_PATH=str(where.parent))
    # mpi4py asks for MPI_THREAD_MULTIPLE, where nothing is framed with MPICH 4.0.
    assert framed or mpi == "mpich4"


def test_python_has_the_mpi_that_its_mpi4py_was_built_for(mpi, tmp_path):
    (tmp_path / "mpi4py").mkdir()
    (tmp_path / "module.c").write_text("#include <mpi.h>\nint f(void) { int v, s; return MPI_Get_version(&v, &s); }")
    module = ["-shared", "-fPIC", "-o", tmp_path / "mpi4py/MPI.cpython-311.so", tmp_path / "module.c"]
    subprocess.run([mpis()[mpi]["mpicc"], *module], check=True)
    show = "import os; print(os.environ['LD_PRELOAD'])"
    done = stretto("run", sys.executable, "-c", show, env=outside_a_job(PYTHONPATH=str(tmp_path)))
    assert done.stdout.strip() == str(library(mpi)), done


@pytest.mark.parametrize("named, loaded", [("openmpi", "mpich"), ("mpich", "openmpi"), ("mpich", "abi")])
def test_a_program_behind_a_script_that_loads_another_mpi_ends_with_a_message(named, loaded, tmp_path):
    if not {named, loaded} <= set(mpis()):
        pytest.skip("not both are here")
    started = script(tmp_path, "#!/bin/sh", f"exec {exchange(loaded)}")
    done = stretto("run", "--mpi", named, started)
    assert done.returncode == -signal.SIGABRT, done
    assert "stretto run --mpi NAME" in done.stderr, done


@pytest.mark.parametrize("command", ["true", "hostname", "env"])
def test_a_job_without_mpi_is_left_alone(mpi, command):
    result = launch(mpi, 2, STRETTO, ["run", command])
    assert result.rc == 0 and "stretto" not in result.stderr, result


@pytest.mark.parametrize("path", settings_in_pages.PAGES)
def test_pages_list_the_settings_as_they_are(path):
    there, wanted = settings_in_pages.page(path, STRETTO)
    assert there == wanted, "`make settings` writes it"


def test_the_pages_of_settings_exist():
    for name, row in json.loads(stretto("settings", "--as", "json").stdout).items():
        assert (ROOT / "docs" / row["page"]).exists(), name


def test_settings_shows_what_is_set_and_what_is_no_setting():
    done = stretto(
        "settings", env=os.environ | {"STRETTO_DELTA": "12345", "STRETTO_TRESHOLD": "1", "STRETTO_CC": "clang"}
    )
    assert "12345" in done.stdout and "STRETTO_CC" not in done.stdout, done
    assert "STRETTO_TRESHOLD is no setting; did you mean STRETTO_THRESHOLD?" in done.stdout, done


def test_settings_shows_those_that_are_named():
    shown = json.loads(stretto("settings", "delta", "STRETTO_GUARD", "--as", "json").stdout)
    assert list(shown) == ["STRETTO_DELTA", "STRETTO_GUARD"]
    assert shown["STRETTO_GUARD"]["may_be"] == ["userfault", "mprotect", "block"]
    wrong = stretto("settings", "gaurd")
    assert wrong.returncode == 1 and "did you mean STRETTO_GUARD?" in wrong.stderr, wrong
