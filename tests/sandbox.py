"""What a process may do, however it is started: what root may, what anybody may, and where a sandbox refuses a mechanism."""

import pathlib
import shutil

import pytest
from compile import program

NO_PRIVILEGE = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs"]
AS = ("root", "anybody", "no_userfaultfd", "no_dispatch")


def words_before(mpi, started):
    """Of a command, so that it runs as one of AS."""
    if started == "root":
        return []
    if started == "anybody":
        if not shutil.which("setpriv"):
            pytest.skip("no setpriv")
        return NO_PRIVILEGE
    refuse = program(mpi, "refuse", [pathlib.Path(__file__).parent / "refuse.c"])
    return [str(refuse), started.removeprefix("no_")]
