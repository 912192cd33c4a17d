"""What a compiler calls (include/stretto/abi.h): a program of such calls has the results of the plain one, whatever its peer is."""

import pathlib

import pytest
from compile import program, stand_in
from launch import launch, library

HERE = pathlib.Path(__file__).parent
SENDERS = ["below", "above", "pieces", "isend", "started", "annotated", "plain", "fortran"]
RECEIVERS = ["below", "above", "pieces", "at_end", "annotated", "plain", "fortran"]
RECEIVERS += ["waited", "among_others", "persistent", "waited_fortran"]
SETTINGS = {"chunk": {}, "all": {"STRETTO": "all"}, "off": {"STRETTO": "off"}, "pages": {"STRETTO_TRIGGER": "pages"}}
FED = ["below", "above", "pieces", "isend", "started", "fortran"]
MESSAGES, FRAMED = 21, 12  # in each pair, and those of 20000 bytes and more


def run(mpi, *words, **env):
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    if any("fortran" in word for word in words) and mpi == "abi":
        pytest.skip("the standard ABI knows no Fortran handles in C")
    # One that is not debugged: its lines are the compiler's.
    made = program(mpi, "fed", [HERE / "fed.c"], linked=True, flags=["-g0"])
    return launch(mpi, 2, made, words, env={"STRETTO_COUNTERS": "1", **env}, transport="tcp", timeout=60)


@pytest.mark.parametrize("sender", SENDERS)
@pytest.mark.parametrize("receiver", RECEIVERS)
@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.pairs()
def test_any_sender_and_any_receiver_agree(mpi, sender, receiver, setting):
    result = run(mpi, "pairs", sender, receiver, **SETTINGS[setting])
    assert result.rc == 0 and f"{MESSAGES} messages" in result.stdout, result
    if sender in FED and setting != "off":
        assert result.counters["compiled_send"] == (0 if setting == "pages" else FRAMED), result


def test_messages_that_start_early_and_others_take_turns(mpi):
    """The first 24 start early; where their times vary 96 more, and then not all of a turn."""
    result = run(mpi, "tried", STRETTO_TRIALS="on", STRETTO_FAST_LINK="1e300")
    assert result.rc == 0 and 24 <= result.counters["compiled_send"] <= 297, result


@pytest.mark.parametrize("receiver", ["half", "half_waited"])
def test_half_of_a_message_leaves_before_the_rest_is_there(mpi, receiver):
    """Each waits for the other: it hangs unless the one leaves early, and the other is waited for no longer than needed."""
    result = run(mpi, receiver)
    assert result.rc == 0, result


@pytest.mark.parametrize("why", ["held", "overlaps"])
def test_what_is_held_leaves_at_the_end(mpi, why):
    """It is written again after it was said to be final."""
    result = run(mpi, why)
    assert result.rc == 0 and result.counters["compiled_send"] == 1, result


def test_what_is_checked_may_not_be_written_again(mpi):
    result = run(mpi, "checked")
    assert result.rc != 0 and "was written after it had left" in result.stderr, result
    assert "solver.c:214" in result.stderr, result  # the compiler's line


def test_two_to_the_same_place_come_in_order(mpi):
    result = run(mpi, "same_place")
    assert result.rc == 0, result


def test_persistent_ones_keep_the_order_of_their_requests(mpi):
    result = run(mpi, "in_order")
    assert result.rc == 0 and result.counters["compiled_send"] == 2, result


def test_threads_say_their_parts(mpi):
    """Under MPI_THREAD_SINGLE: those that did not begin the send may not call MPI."""
    result = run(mpi, "threads", LD_PRELOAD=str(stand_in(mpi, HERE / "one_thread.c")))
    assert result.rc == 0 and result.counters["compiled_send"] == 1, result


def test_errors_are_those_of_mpi(mpi):
    result = run(mpi, "errors")
    assert result.rc == 0, result


def test_of_a_later_version_it_is_plain(mpi):
    result = run(mpi, "later")
    assert result.rc == 0 and result.counters["compiled_send"] == 0, result


def test_one_without_its_end_is_named(mpi):
    result = run(mpi, "unended")
    assert result.rc != 0 and "has not been ended" in result.stderr and "solver.c:214" in result.stderr, result


def test_annotations_of_one_library_do_not_count_for_another(mpi):
    """What the program receives is guarded, although a library of its process says what it needs."""
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    annotates = program(mpi, "libannotates.so", [HERE / "annotates.c"], linked=True, flags=["-shared", "-fPIC"])
    made = program(mpi, "touches", [HERE / "touches.c", annotates], linked=True)
    result = launch(
        mpi, 2, made, env={"STRETTO_COUNTERS": "1", "STRETTO_FAST_LINK": "1e300"}, transport="tcp", timeout=60
    )
    assert result.rc == 0 and "0 wrong" in result.stdout, result
    assert result.counters["receive_guarded"] == 4, result
