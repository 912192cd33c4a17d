"""The launcher itself: what it returns, and what it shows of a job that hangs."""

import os
import pathlib
import subprocess

import launch as launch_module
import pytest
from compile import program
from launch import launch, mpis
from pairs import twin_of_another

HERE = pathlib.Path(__file__).parent


@pytest.mark.parametrize("transport", ["shm", "tcp"])
def test_a_program_runs_on_every_transport(mpi, transport):
    result = launch(mpi, 3, program(mpi, "hang", [HERE / "hang.c"]), ["no"], transport=transport)
    assert result.rc == 0, result
    assert result.stdout.count("ok") == 3, result


def test_a_hang_shows_every_ranks_stack_and_leaves_nothing(mpi):
    if why := twin_of_another(mpi):
        pytest.skip(why)
    result = launch(
        mpi, 2, program(mpi, "hang", [HERE / "hang.c"]), ["yes"], timeout=8, env={"MY_MARK": f"m{os.getpid()}"}
    )
    assert result.rc == 124 and result.hung, result
    assert "rank 0" in result.stacks and "rank 1" in result.stacks, result
    assert result.stacks.count("wait_for_what_never_comes") == 2, result
    left = [p for p in pathlib.Path("/proc").glob("[0-9]*/environ") if f"MY_MARK=m{os.getpid()}" in _read(p)]
    assert not left


def test_the_exit_status_and_the_counters_come_back():
    mpi = next(iter(mpis()))
    result = launch(mpi, 2, "/bin/sh", ["-c", "echo 'stretto: counter 0 header.sent 3' >&2; exit 7"])
    assert result.rc == 7, result
    assert result.counters == {"header.sent": 6}, result


@pytest.mark.parametrize("where", ["PMIx_server_finalize", "a_place_without_a_name"])
def test_a_job_whose_launcher_hangs_itself_is_run_again(where, tmp_path, monkeypatch):
    mpirun = tmp_path / "mpirun"
    subprocess.run(["gcc", "-g", f"-DPLACE={where}", HERE / "stuck_launcher.c", "-o", mpirun], check=True)
    monkeypatch.setenv("FIRST_TIME", str(tmp_path / "first"))
    monkeypatch.setattr(launch_module, "mpis", lambda: {"stuck": {"family": "mpich4", "mpirun": str(mpirun)}})
    with pytest.warns(UserWarning, match="mpirun itself hung"):
        result = launch("stuck", 2, "/bin/true", timeout=3)
    assert result.rc == 7 and not result.hung and result.stdout == "ok\n", result


def _read(path):
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""
