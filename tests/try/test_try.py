"""`stretto try` with real jobs: what it prints, what it ends, and what it leaves behind."""

import json
import os
import pathlib
import signal
import subprocess
import time
import uuid

import pytest
from compile import program
from launch import BUILD, as_from_a_terminal, library, mpis
from terminal import on_a_terminal

HERE = pathlib.Path(__file__).parent
STRETTO = BUILD / "bin/stretto"
AS_ROOT = {f"{launcher}_ALLOW_RUN_AS_ROOT{suffix}": "1" for launcher in ("OMPI", "PRTE") for suffix in ("", "_CONFIRM")}
RUN_LIMIT = 30  # seconds, of a run
LIMIT = 300  # of a trial


@pytest.fixture
def environment(tmp_path):
    """Of a trial, marked, so that what it leaves behind is found."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    mark = {"TRY_TEST": uuid.uuid4().hex, "TMPDIR": str(scratch), "HWLOC_PLUGINS_PATH": str(scratch)}
    yield {**os.environ, **AS_ROOT, "MPIR_CVAR_POLLS_BEFORE_YIELD": "1", **mark}
    assert not left_behind(mark["TRY_TEST"])


def left_behind(mark, within=10):
    end = time.monotonic() + within
    while (found := [*marked(mark)]) and time.monotonic() < end:
        time.sleep(0.1)
    return found


def marked(mark):
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if f"TRY_TEST={mark}".encode() in (entry / "environ").read_bytes().split(b"\0"):
                yield (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            pass


@pytest.fixture
def try_(environment, tmp_path):
    """A trial that is started, and ended where its time is over."""

    def start(*words, **more):
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | more
        command = [str(word) for word in (STRETTO, "try", "--timeout", RUN_LIMIT, *words)]
        return subprocess.Popen(
            command, text=True, env=environment, cwd=tmp_path, preexec_fn=as_from_a_terminal, **options
        )

    def run(*words, **more):
        trial = start(*words, **more)
        try:
            out, err = trial.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            trial.terminate()  # which ends its job
            out, err = trial.communicate(timeout=LIMIT)
        return subprocess.CompletedProcess(trial.args, trial.returncode, out, err)

    run.start = start
    return run


@pytest.fixture
def job(mpi):
    """The words of a job of two ranks."""
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    found = mpis()[mpi]
    own = ["--oversubscribe", "--bind-to", "none"] if found["family"].startswith("openmpi") else ["-bind-to", "none"]
    executable = program(mpi, "try_job", [HERE / "job.c"])
    return lambda *arguments: ["--", found["mpirun"], *own, "-n", "2", executable, *arguments]


@pytest.fixture
def a_job(mpi, job):
    """What does not depend on the MPI, but on how its launcher ends a job: by one of each kind."""
    if mpi not in ("openmpi", "mpich"):
        pytest.skip("its launcher is one of these two")
    return job


@pytest.fixture
def unknown(tmp_path):
    """A launcher that nobody knows, of a program that is no MPI program: a trial of a second, without an MPI."""

    def words(script):
        launcher = tmp_path / "unknown"
        launcher.write_text('#!/bin/sh\nexec "$@"\n')
        launcher.chmod(0o755)
        return ["--", launcher, STRETTO, "run", "sh", "-c", script]

    return words


def row(document, name):
    return next(row for row in document["rows"] if row["name"] == name)


# --- jobs ---------------------------------------------------------------------------------------------------------


@pytest.mark.mpi
def test_a_job_is_compared_with_itself(job, try_, tmp_path):
    words = ["--turns", 2, "--setting", "default", "--setting", "unmatched", "--output", "sum.txt", "--json"]
    done = try_(*words, *job("sum", "-", "sum.txt"))
    assert done.returncode == 0, done
    document = json.loads(done.stdout)
    assert document["turns"] == 2 and document["why"]
    assert [basis["name"] for basis in document["judged_by"]] == ["standard output", "sum.txt"]
    for one in (document["plain"], row(document, "default"), row(document, "unmatched")):
        assert one["results"] == "equal", done
        assert one["wall"] > 0 and one["cpu"] > 0 and one["memory"] > 1 << 20
    assert row(document, "default")["speedup"]["turns"] == 2
    assert "STRETTO_RELEASE=unmatched" in row(document, "unmatched")["command"]
    assert not (tmp_path / "sum.txt").exists() and not [*(tmp_path / "scratch").glob("stretto-try-*")]


@pytest.mark.mpi
def test_a_clock_that_is_printed_is_left_out(a_job, try_):
    done = try_("--turns", 1, "--setting", "default", *a_job("time"))
    assert done.returncode == 0, done
    assert "standard output: plain runs differ themselves (line 2: 'time " in done.stdout
    assert "judged by the 1 of 2 lines that all plain runs share" in done.stdout


@pytest.mark.mpi
def test_a_result_that_differs_under_a_setting_is_shown(a_job, try_):
    words = ["--turns", 1, "--setting", "default", "--setting", "unmatched"]
    done = try_(*words, *a_job("differ", "STRETTO_RELEASE"))
    assert done.returncode == 1, done
    assert "unmatched gives another result: standard output: line 1: 'sum " in done.stdout
    kept = pathlib.Path(done.stdout.partition("Its output: ")[2].split()[0])
    assert (kept / "stdout").read_text().startswith("sum ") and len([*kept.parent.iterdir()]) == 2, done


@pytest.mark.mpi
def test_a_setting_under_which_the_job_fails_is_shown(a_job, try_):
    words = ["--turns", 1, "--setting", "default", "--setting", "unmatched"]
    done = try_(*words, *a_job("fail", "STRETTO_RELEASE"))
    assert done.returncode == 1, done
    assert "unmatched fails: exit status 3" in done.stdout


@pytest.mark.mpi
def test_a_job_that_fails_by_itself_is_not_tried(a_job, try_):
    done = try_(*a_job("fail", "PATH"))
    assert done.returncode == 1 and "the job fails without Stretto: exit status 3" in done.stderr, done
    assert "---- the end of its stdout\nsum " in done.stderr


@pytest.mark.mpi
def test_a_setting_under_which_the_job_hangs_is_ended(a_job, try_):
    done = try_("--turns", 1, "--timeout", 4, "--setting", "unmatched", *a_job("hang", "STRETTO_RELEASE"))
    assert done.returncode == 1, done
    assert "unmatched hangs: not finished after 4" in done.stdout


@pytest.mark.mpi
def test_ctrl_c_ends_the_job_and_prints_what_is_known(a_job, try_, environment):
    trial = try_.start(*a_job("hang", "STRETTO_REPORT"))
    end = time.monotonic() + LIMIT
    while not any("try_job" in command and "--report" in command for command in marked(environment["TRY_TEST"])):
        assert time.monotonic() < end and trial.poll() is None
        time.sleep(0.1)
    trial.send_signal(signal.SIGINT)
    out, err = trial.communicate(timeout=LIMIT)
    assert trial.returncode == 130, (out, err)
    assert "run 1, to warm up" in err
    assert "Interrupted; turns that were complete: 0." in out and "Nothing can be said yet" in out


# --- the command --------------------------------------------------------------------------------------------------


def test_settings_are_listed_with_their_reasons(try_):
    done = try_("--list-settings")
    assert done.returncode == 0
    for words in ("default\n", "unmatched\n    STRETTO_RELEASE=unmatched\n", "chunk\n    STRETTO=chunk\n"):
        assert words in done.stdout


@pytest.mark.parametrize(
    "words, answer",
    [
        ([], "no job was given"),
        (["--turns", "0", "--", "srun", "./app"], "must be more than 0"),
        (["--setting", "unmached", "--", "env", "A=b", "orterun", "./app"], "did you mean unmatched?"),
        (["--", "sh", "-c", "mpirun ./app"], "put `stretto run` in front of it"),
        (["--", "no-such-launcher", "./app"], "no such program"),
        (["--explode"], "try `stretto try --help`"),
    ],
)
def test_a_mistake_is_named(try_, words, answer):
    done = try_(*words)
    assert done.returncode == 2 and answer in done.stderr, done


def test_a_folder_that_is_not_empty_keeps_nothing(try_, unknown, tmp_path):
    done = try_("--keep", tmp_path, *unknown("true"))
    assert done.returncode == 2 and "not an empty folder" in done.stderr, done


def test_an_output_that_the_job_does_not_write_is_named(try_, unknown, tmp_path):
    (tmp_path / "input").write_text("the user's")
    done = try_("--output", "input", *unknown("cat input"))
    assert done.returncode == 2 and "--output input: the job does not write it" in done.stderr, done
    assert (tmp_path / "input").read_text() == "the user's"
    assert not [*(tmp_path / "scratch").glob("stretto-try-*")]


def test_every_run_finds_the_files_as_they_were(try_, unknown, tmp_path):
    (tmp_path / "state").write_text("0\n")
    words = ["--turns", 2, "--setting", "default", "--output", "state", "--keep", "kept"]
    done = try_(*words, *unknown("cat state; echo 1 >>state"))
    assert done.returncode == 0, done
    assert (tmp_path / "state").read_text() == "0\n"
    outputs = [*(tmp_path / "kept").glob("*/output-0-state")]
    assert len(outputs) == 6 and {path.read_text() for path in outputs} == {"0\n1\n"}
    document = json.loads((tmp_path / "kept/result.json").read_text())
    assert row(document, "default")["results"] == "equal"


def test_every_run_reads_the_same_input(try_, unknown, tmp_path):
    (tmp_path / "input").write_text("a line\n")
    with open(tmp_path / "input") as file:
        done = try_("--turns", 1, "--setting", "default", "--keep", "kept", *unknown("cat"), stdin=file)
    assert done.returncode == 0, done
    assert {path.read_text() for path in (tmp_path / "kept").glob("*/stdout")} == {"a line\n"}


def test_a_job_without_stretto_says_why(try_, unknown):
    done = try_("--turns", 1, "--setting", "default", *unknown("true"))
    assert done.returncode == 0 and "it runs without Stretto" in done.stdout, done


def test_what_does_not_end_when_asked_to_is_killed(try_, unknown):
    stubborn = 'test -z "$STRETTO_RELEASE" || { trap "" TERM; while :; do sleep 1; done; }'
    done = try_("--turns", 1, "--setting", "unmatched", "--timeout", 5, *unknown(stubborn))
    assert done.returncode == 1 and "unmatched hangs: not finished after 5 s" in done.stdout, done


def test_variables_that_are_set_are_named(try_, unknown, environment):
    environment["STRETTO_THRESHOLD"] = "1K"
    done = try_("--turns", 1, "--setting", "default", *unknown("true"))
    assert "STRETTO_THRESHOLD=1K is set, and so it is for every setting" in done.stderr, done


def test_on_a_terminal_one_line_is_rewritten(try_, unknown):
    words = ["--turns", 1, "--setting", "default", *unknown("true")]
    trial, text = on_a_terminal(lambda terminal: try_.start(*words, stderr=terminal))
    assert trial.wait(LIMIT) == 0
    assert b"\r\033[Krun 4 of at most 4, turn 1, default" in text and text.endswith(b"\r\033[K")
