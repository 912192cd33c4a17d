"""What is learnt of a call site while the program runs changes how its messages leave, and nothing else."""

import pathlib

import pytest
from compile import program
from launch import launch, library

SOURCE = pathlib.Path(__file__).parent / "learning.c"
MESSAGES, SITES, OPENING, TRIAL = 300, 4, 6, 8


@pytest.mark.parametrize("env", [{"STRETTO": "chunk"}, {"STRETTO": "all"}, {"STRETTO": "all", "STRETTO_RELEASE": "unmatched"}],
                         ids=["chunk", "all", "unmatched"])  # fmt: skip
@pytest.mark.parametrize("force", ["", "1"])
def test_messages_left_to_the_library_between_framed_ones_are_the_same(mpi, env, force):
    """In its first trial a site leaves half of the messages to the library, 4 at least; with STRETTO_FORCE=1 nothing is tried."""
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    result = launch(
        mpi, 2, program(mpi, "learning", [SOURCE], linked=True), [], transport="tcp",
        env=env | {"STRETTO_FORCE": force, "STRETTO_FAST_LINK": "1e300", "STRETTO_COUNTERS": "1"}, timeout=60,
    )  # fmt: skip
    assert result.rc == 0 and f"{MESSAGES} messages" in result.stdout, result
    given_up, framed = result.counters["send_given_up"], result.counters["send_framed"]
    if force:
        assert given_up == 0 and framed, result
    else:
        assert given_up >= SITES * TRIAL / 2 and framed >= SITES * (OPENING + TRIAL / 2), result
