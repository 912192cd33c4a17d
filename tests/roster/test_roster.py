"""Which ranks of a job run Stretto is found out right, also where some do not, and those that do not are left alone."""

import json
import pathlib
import re

import pytest
from compile import program, stand_in
from launch import hosts, launch, library
from pairs import twin_of_another

HERE = pathlib.Path(__file__).parent

# The library is put before the program on those ranks that the test names, by a shell that each rank starts in.
SHELL = (
    "rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}; "
    'case " $1 " in *" $rank "*) LD_PRELOAD=$2${LD_PRELOAD:+:$LD_PRELOAD} exec "$3" ;; *) exec "$3" ;; esac'
)


def everyone(mpi, ranks, running, *, env=None, transport="shm", timeout=120):
    """Launch; the result, and what each rank that runs Stretto says about the job, by rank."""
    arguments = [
        "-c",
        SHELL,
        "sh",
        " ".join(map(str, running)),
        library(mpi),
        program(mpi, "everyone", [HERE / "everyone.c"]),
    ]
    env = {"STRETTO_INFO": "1", "STRETTO_COUNTERS": "1", "STRETTO_FORCE": "1", **(env or {})}
    result = launch(mpi, ranks, "/bin/sh", arguments, env=env, transport=transport, timeout=timeout)
    assert result.rc == 0, result
    said = [json.loads(text) for text in re.findall(r"stretto: info (\{.*\})", result.stdout)]
    return result, {one["rank"]: one for one in said}


@pytest.mark.parametrize("running", [[0, 2, 3], [1, 2], [0, 1, 2, 3]], ids=str)
def test_ranks_with_stretto_find_each_other_and_no_others(mpi, running):
    # The process manager answers at once of ranks that are without; Open MPI 5's once let rank 0 wait for 30 s.
    result, said = everyone(mpi, 4, running, timeout=25)
    assert sorted(said) == running, result
    for one in said.values():
        assert one["participants"] == len(running) and one["framing"], result
        assert one["roster"] == ("pmix" if mpi.startswith("openmpi") else "pmi1"), result
    # Each of them sends one message to each of the others framed, and none of those to the rest.
    assert result.counters["send_framed"] == len(running) * (len(running) - 1), result


def test_a_rank_that_is_alone_with_it_frames_nothing(mpi):
    result, said = everyone(mpi, 3, [1])
    assert not said[1]["framing"] and said[1]["why"] == "no other rank runs Stretto", result


def test_no_rank_with_it_is_a_job_without(mpi):
    _, said = everyone(mpi, 2, [])
    assert said == {}


def test_the_environment_may_say_that_all_run_it(mpi):
    result, said = everyone(mpi, 2, [0, 1], env={"STRETTO_PEERS": "all"})
    assert all(one["roster"] == "environment" and one["framing"] for one in said.values()), result


def test_the_environment_may_say_that_no_other_does(mpi):
    result, said = everyone(mpi, 2, [0, 1], env={"STRETTO_PEERS": "none"})
    assert all(not one["framing"] and "STRETTO_PEERS=none" in one["why"] for one in said.values()), result


def needs_several_hosts(mpi):
    if mpi == "mpich4":
        pytest.skip("Debian's MPICH 4.0 is used on one host only")


@pytest.mark.lab
def test_ranks_on_different_hosts_find_each_other(mpi):
    needs_several_hosts(mpi)
    with hosts("3") as name:
        result, said = everyone(mpi, 3, [0, 2], transport=name)
        assert sorted(said) == [0, 2], result
        assert all(one["participants"] == 2 for one in said.values()), result


@pytest.mark.lab
def test_a_rank_that_begins_late_does_not_make_a_link_look_fast(mpi):
    """What came while another program had its core is there at once."""
    needs_several_hosts(mpi)
    late = stand_in(mpi, HERE / "late.c")
    with hosts("2", "--rate", "100mbit") as name:
        result, said = everyone(mpi, 2, [0, 1], transport=name, env={"LD_PRELOAD": str(late)})
        for one in said.values():
            (remote,) = one["classes"]
            assert 0 < remote["bytes_per_second"] < 2 * 100e6 / 8, result


@pytest.mark.pairs(left_out=twin_of_another)
def test_a_rank_that_seldom_has_a_core_learns_what_is_eager_all_the_same(mpi):
    """That it saw nothing while its peer was silent says nothing of the library: it did not look."""
    seldom = stand_in(mpi, HERE / "seldom.c")
    result, said = everyone(mpi, 2, [0, 1], env={"LD_PRELOAD": str(seldom)})
    for one in said.values():
        assert one["framing"], result
