"""The thread that looks after long messages while the program computes: that it works, and that nobody need know of it."""

import json
import pathlib

import pytest
from compile import program
from launch import DO_NOT_LOOK_IN_WAITS, hosts, launch, library

SOURCE = pathlib.Path(__file__).parent / "helper.c"
ALL = {"STRETTO": "all", "STRETTO_COUNTERS": "1"}
SINGLE, FUNNELED, SERIALIZED, MULTIPLE = range(4)


def run(mpi, scene, *words, env=None, transport="tcp"):
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    result = launch(
        mpi, 2, program(mpi, "helper", [SOURCE], linked=True), [scene, *words],
        transport=transport, env=ALL | (env or {}), timeout=60,
    )  # fmt: skip
    assert not result.hung, result
    return result


def threads(result, when):
    return [int(line.split()[1]) for line in result.stdout.splitlines() if line.startswith(when)]


@pytest.mark.pairs
@pytest.mark.parametrize("force", ["", "1"])
@pytest.mark.parametrize("how, there", [("auto", 1), ("300", 1), ("off", 0)])
def test_it_moves_messages_while_the_program_computes(mpi, how, there, force):
    """And is there only then."""
    result = run(mpi, "moves", env={"STRETTO_HELPER": how, "STRETTO_FORCE": force, "STRETTO_FAST_LINK": "1e12"})
    assert result.rc == 0, result
    assert threads(result, "helpers") == [there, there], result
    assert threads(result, "afterwards") == [0, 0], result
    assert (result.counters["helper_moved"] > 0) == bool(there), result


def test_it_is_there_where_calls_return_early_or_it_is_asked_for(mpi):
    for env, there in (
        ({"STRETTO": "chunk"}, 0),
        ({"STRETTO": "chunk", "STRETTO_HELPER": "1000"}, 1),
        ({"STRETTO": "off"}, 0),
    ):
        result = run(mpi, "moves", env=env | {"STRETTO_FAST_LINK": "1e12"})
        assert result.rc == 0 and threads(result, "helpers") == [there, there], result


def test_links_that_are_not_worth_it_have_none(mpi):
    result = run(mpi, "moves", env={"STRETTO_FAST_LINK": "1"})
    assert result.rc == 0 and threads(result, "helpers") == [0, 0], result


def test_a_wrong_period_is_named(mpi):
    result = run(mpi, "moves", env={"STRETTO_HELPER": "soon"})
    assert result.rc == 0 and "STRETTO_HELPER=soon is unknown (it may be: auto, off," in result.stderr, result


@pytest.mark.parametrize("level", [SINGLE, FUNNELED, SERIALIZED, MULTIPLE])
def test_the_program_is_told_the_level_that_it_asked_for(mpi, level):
    if mpi == "mpich4" and level == MULTIPLE:
        pytest.skip("MPICH 4.0 does not frame then")
    result = run(mpi, "moves", level, env={"STRETTO_FAST_LINK": "1e12"})
    assert result.rc == 0 and threads(result, "helpers") == [1, 1], result


@pytest.mark.parametrize("force", ["", "1"])
def test_a_program_that_forks(mpi, force):
    result = run(mpi, "forks", env={"STRETTO_FORCE": force, "STRETTO_FAST_LINK": "1e12"})
    assert result.rc == 0, result


def test_a_process_that_ends_without_mpi(mpi):
    """However MPI takes that: it is no crash and no hang."""
    for _ in range(3):
        result = run(mpi, "exits", env={"STRETTO_FORCE": "1"})
        assert "signal 11" not in str(result).lower() and "segmentation" not in str(result).lower(), result


def test_a_barrier_waits_for_no_page_because_of_it(mpi):
    env = {"STRETTO_FAST_LINK": "1e12", "STRETTO_TRIGGER": "pages"}
    result = run(mpi, "crosses", env=env)
    if "threads of its own" in result.stdout:
        pytest.skip("the library has threads of its own, for which a barrier waits")
    assert result.rc == 0 and threads(result, "helpers") == [1, 1], result


@pytest.fixture(scope="module")
def link():
    """A lab of two hosts, whose messages take long enough."""
    with hosts("2", "--rate", "1gbit") as name:
        yield name


@pytest.mark.lab
def test_what_is_held_back_leaves_when_the_receive_is_matched(mpi, link, tmp_path):
    """However short it is, and although the program computes."""
    if mpi == "mpich4":
        pytest.skip("Debian's MPICH 4.0 is used on one host only")
    result = run(mpi, "holds", tmp_path / "came", env={"STRETTO_RELEASE": "unmatched"}, transport=link)
    assert result.rc == 0 and sorted(threads(result, "helpers")) == [0, 1], result
    assert result.counters["receive_unmatched"] and result.counters["send_held"], result


@pytest.mark.lab
def test_it_passes_on_what_is_one_lane_only(mpi, link):
    """Short as it is, it takes several hops."""
    if mpi in DO_NOT_LOOK_IN_WAITS:
        pytest.skip("no rank passes messages on: this library does not call us while it waits")
    result = run(mpi, "adds", env={"STRETTO_COLLECTIVES": "allreduce=ring,lane=1024K"}, transport=link)
    assert result.rc == 0 and threads(result, "helpers") == [1, 1], result
    assert result.counters["helper_moved"], result


@pytest.mark.lab
def test_what_was_held_back_goes_on_at_the_links_pace(mpi, link, tmp_path):
    """So that other messages' first fragments, which are held back no longer, do not queue behind it."""
    if mpi == "mpich4":
        pytest.skip("Debian's MPICH 4.0 is used on one host only")
    for attempt in range(5):
        trace = tmp_path / str(attempt)
        trace.mkdir()
        result = run(mpi, "paces", env={"STRETTO_RELEASE": "unmatched", "STRETTO_TRACE": str(trace)}, transport=link)
        assert result.rc == 0 and result.counters["send_held"], result
        events = json.loads((trace / "rank-0.json").read_text())["events"]
        matched = next(event["begin"] for event in events if event["kind"] == "receive")
        left = [event["begin"] for event in events if event["kind"] == "delta_left"]
        late = [time for time in left if time > matched]
        if len(late) >= 16 and len(left) > len(late):
            break
    else:
        pytest.fail(f"five times most had left when the receive was matched: {len(late)} of {len(left)} had not")
    at_once = sum(time < late[0] + 0.1 * (late[-1] - late[0]) for time in late)
    assert late[-1] - late[0] > 0.01 and at_once < 0.5 * len(late), (matched, late[0], late[-1], at_once, len(late))
