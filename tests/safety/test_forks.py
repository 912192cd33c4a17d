"""Children that are made while a delta send's pages are watched: neither the message nor the child is another one for it, and nobody waits."""

import pathlib
import re

import pytest
from compile import program
from launch import launch, library

HERE = pathlib.Path(__file__).parent
CASES = re.findall(r"CASE\((\w+)\)", (HERE / "forks.c").read_text().replace("CASE(name)", ""))


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("tracker", ["userfault", "mprotect"])
@pytest.mark.pairs()
def test_a_child_is_made_while_a_message_is_filled(mpi, case, tracker):
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    # Annotations vanish: pages alone say what is final.
    forks = program(mpi, "forks", [HERE / "forks.c"], linked=True)
    env = {"STRETTO_TRIGGER": "pages", "STRETTO_TRACKER": tracker, "STRETTO_COUNTERS": "1"}
    result = launch(mpi, 2, forks, [case], env=env, transport="tcp", timeout=30)
    assert result.rc == 0 and "OK" in result.stdout, result
    assert result.counters["pages_watched"], result
