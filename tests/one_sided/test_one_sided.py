"""Deltas that go through memory which the ranks of a node share (docs/protocol, rule 19): whatever fills up, comes early or cannot be had, messages are
whole, and counters say which way they took."""

import json
import pathlib

import pytest
from compile import program
from launch import launch, library
from sandbox import words_before

HERE = pathlib.Path(__file__).parent
FORCE = {"STRETTO_FORCE": "1", "STRETTO_DELTA": "4032"}  # a large message has no more tags than there are
SETTINGS = {
    "chunk": {},
    "all": {"STRETTO": "all"},
    "pages": {"STRETTO_TRIGGER": "pages"},
    "force": FORCE,
    "unmatched-force": FORCE | {"STRETTO": "all", "STRETTO_RELEASE": "unmatched"},
}


def run(mpi, what, *launcher, **env):
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    shared = program(mpi, "shared", [HERE / "shared.c"], linked=True)
    shell, *words = [*launcher, shared, what]
    # Four megabytes may wait unmatched at a receiver, so that what they share is what is full.
    env = {"STRETTO_COUNTERS": "1", "STRETTO_BUDGET": "64M", **env}
    result = launch(mpi, 2, shell, words, env=env, timeout=60)
    assert result.rc == 0, result
    return result.counters


@pytest.mark.parametrize("what", ["in_turn", "full", "handed_over", "reversed", "many", "shorter", "forked"])
@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.pairs()
def test_messages_are_whole(mpi, what, setting):
    assert run(mpi, what, **SETTINGS[setting])["one_sided"]


def test_what_finds_no_room_goes_on_two_sided(mpi):
    met = run(mpi, "full")
    assert met["one_sided"] and met["one_sided_left"] and met["one_sided_full"]


def test_before_a_call_that_may_block_the_rest_leaves_two_sided(mpi):
    assert run(mpi, "handed_over", **FORCE)["one_sided_left"]


def test_what_is_received_later_does_not_hold_up_what_is_received_first(mpi):
    met = run(mpi, "reversed")
    assert met["one_sided"] == 50 and met["one_sided_early"]


def test_more_messages_than_lines_go_two_sided(mpi):
    met = run(mpi, "many", **FORCE)
    assert 0 < met["one_sided"] < met["send_framed"]


@pytest.mark.parametrize("setting", ["two-sided", "refused", "closed"])
def test_where_there_is_no_such_memory_messages_are_the_librarys(mpi, setting):
    """A sandbox refuses it, or the program has closed the file."""
    if setting == "two-sided":
        met = run(mpi, "in_turn", STRETTO_TRANSPORT="two-sided", **FORCE)
    elif setting == "closed":
        met = run(mpi, "closed", **FORCE)
    else:
        met = run(mpi, "in_turn", *words_before(mpi, "no_memfd"), **FORCE)
    assert met["send_framed"] and not met["one_sided"]


@pytest.mark.parametrize("transport", ["one-sided", "two-sided"])
def test_info_says_which_transport_a_class_of_peers_has(mpi, transport):
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    shared = program(mpi, "shared", [HERE / "shared.c"], linked=True)
    result = launch(mpi, 2, shared, ["none"], env={"STRETTO_INFO": "1", "STRETTO_TRANSPORT": transport})
    said = [json.loads(line.split("info ", 1)[1]) for line in result.stdout.splitlines() if "stretto: info" in line]
    assert len(said) == 2 and all(one["classes"][0]["transport"] == transport for one in said), result
