"""How a job ends: messages under way at MPI_Finalize arrive, nobody hangs, and a death is an error."""

import pathlib
import re

import pytest
from compile import program
from launch import launch, library

HERE = pathlib.Path(__file__).parent
SOURCE = HERE / "endings.c"
ENDINGS = re.findall(r"ENDING\((\w+)\),", SOURCE.read_text())
# Ranks, where more than two must take part: then some leave a barrier without a word from the rank that they sent to.
RANKS = dict.fromkeys(ENDINGS, 2) | {"deltas_whose_sender_computes_then_finalize": 4}
DEATHS = ["a_rank_dies_in_a_delta_message", "abort_in_a_delta_message", "abort_beside_what_never_comes"]

# name: (transport, linked, environment)
SETTINGS = {
    "reference": ("shm", False, {}),
    "usual": ("shm", True, {}),
    "force": ("shm", True, {"STRETTO_FORCE": "1"}),
    "force-tcp": ("tcp", True, {"STRETTO_FORCE": "1"}),
}


# MPICH 5.0.2 itself ends wrongly where a send was freed and is under way at MPI_Finalize; 4.0.2 waits for one that nobody receives.
WRONG_WITHOUT_US = [(mpi, ending) for mpi in ("mpich", "abi") for ending in ENDINGS if "freed" in ending]
WRONG_WITHOUT_US.append(("mpich4", "a_cancelled_send_never_received_then_finalize"))
# A message that nobody receives is an error of the program (MPI 4.1, 11.2.2). MPICH 5 says so and ends the job if the message has
# arrived when MPI_Finalize frees the communicator; our barrier there gives it time.
TOLD_BY_THE_LIBRARY = [(mpi, ending) for mpi in ("mpich", "abi") for ending in ENDINGS if "never_received" in ending]


def left_out(mpi, ending, setting):
    transport, linked, _ = SETTINGS[setting]
    if (mpi, ending) in WRONG_WITHOUT_US and "force" not in setting:
        return "wrong in the library itself"
    if (mpi, ending) in TOLD_BY_THE_LIBRARY and "cancelled" in ending and transport == "tcp":
        return "MPICH 5.0.2 over TCP itself hangs in half of the launches whose last message is an unmatched MPI_Issend"
    if linked and not library(mpi).exists():
        return "libstretto is not built for this MPI"
    return None


def run(mpi, ending, setting):
    transport, linked, env = SETTINGS[setting]
    ranks = RANKS[ending]
    result = launch(
        mpi, ranks, program(mpi, "endings", [SOURCE], linked=linked), [ending], transport=transport, env=env, timeout=30
    )
    assert not result.hung, result
    return result


def tried_by_a_mutant(mpi, ending, setting):
    """MPICH 4.0 without the second half of rule 18 hangs in half of the launches."""
    return mpi == "mpich4" and setting == "usual" and RANKS[ending] > 2


@pytest.mark.pairs(left_out=left_out, always=tried_by_a_mutant)
@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("ending", [ending for ending in ENDINGS if ending not in DEATHS])
def test_ending(mpi, ending, setting):
    for _ in range(6 if tried_by_a_mutant(mpi, ending, setting) else 1):
        result = run(mpi, ending, setting)
        if (mpi, ending) in TOLD_BY_THE_LIBRARY and "unmatched message" in result.stderr:
            continue
        assert result.rc == 0 and result.stdout.count("ok") == RANKS[ending], result
        if ending == "a_callback_in_finalize_sends":
            assert result.stdout.count("deleted") == 2, result


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("ending", DEATHS)
def test_death(mpi, ending, setting):
    if reason := left_out(mpi, ending, setting):
        pytest.skip(reason)
    if setting == "reference" and ending == "a_rank_dies_in_a_delta_message":
        pytest.skip("the death of a rank is the launcher's to notice")
    # MPICH 5 is quick in memory.
    native = setting == "reference" or (setting == "usual" and mpi in ("mpich", "abi"))
    if ending == "abort_beside_what_never_comes" and native:
        pytest.skip("MPI's own receive waits for all of its message")
    result = run(mpi, ending, setting)
    assert result.rc != 0, result
