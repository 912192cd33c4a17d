"""Collectives as schedules, by real ranks: every algorithm, many operations under way at once."""

import pathlib
import re

import pytest
from compile import ROOT, program
from launch import BUILD, launch, library, may_take, mpis
from pairs import by_family, family

HERE = pathlib.Path(__file__).parent


@pytest.mark.pairs(
    of=by_family,
    left_out=lambda mpi, ranks, transport: ranks == 1 and transport == "tcp" and "a rank sends itself nothing",
    always=lambda mpi, ranks, transport: family(mpi) == mpi and ranks == 4,
)
@pytest.mark.parametrize("transport", ["shm", "tcp"])
@pytest.mark.parametrize("ranks", [1, 3, 4])
def test_every_algorithm_comes_to_what_the_standard_says(mpi, ranks, transport):
    program = BUILD / "tests/collective" / mpi / "collective_runs"
    if not program.exists():
        pytest.skip("not built for this MPI")
    # As the runtime has it, which is not in these processes: else MPICH reads no further from a connection after 64 messages that no receive
    # waits for, and what is expected behind them never comes.
    result = launch(mpi, ranks, program, transport=transport, timeout=120, env={"FI_TCP_MAX_SAVED": "1000000"})
    assert result.rc == 0, result
    said = re.findall(r"rank \d+: (\d+) runs of (\d+) lanes, 0 wrong", result.stdout)
    assert len(said) == ranks and all(int(runs) > 500 and int(lanes) for runs, lanes in said), result


LIBNBC = {"alone": None, "fast": {"STRETTO_FAST_LINK": "1"}, "force": {"STRETTO_FORCE": "1"}}


@pytest.mark.parametrize("env", LIBNBC.values(), ids=LIBNBC)
@pytest.mark.parametrize("language", ["c", "f90"])
def test_a_program_written_for_libnbc_compiles_and_runs(mpi, language, env):
    if env is not None and not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    if language == "f90" and not mpis()[mpi]["mpifort"]:
        pytest.skip("this MPI has no Fortran here")
    fortran, flags = language == "f90", [f"-I{ROOT}/include/stretto"] if language == "c" else []
    sources = [HERE / f"libnbc.{language}", BUILD / "lib/libnbc.a"]
    built = program(mpi, f"libnbc-{language}", sources, flags=flags, fortran=fortran)
    result = launch(mpi, 3, built, preload=env is not None, env=(env or {}) | {"STRETTO_COUNTERS": "1"}, timeout=60)
    assert result.rc == 0 and "all right" in result.stdout, result
    assert (sum(result.algorithms.values()) > 0) == (env == {"STRETTO_FORCE": "1"}), result


@pytest.mark.parametrize(
    "form, bytes_",
    [
        ("nonblocking", 1000),
        ("nonblocking", 1024),
        ("nonblocking", 4096),
        ("persistent", 1000),
        ("persistent", 1024),
        ("persistent", 4096),
        ("blocking", 1024),
        ("blocking", 4096),
    ],
)
def test_short_ones_are_ours_where_the_library_is_slow(mpi, form, bytes_):
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    if form == "persistent" and mpi in ("openmpi", "mpich4"):
        pytest.skip("no persistent collectives in this MPI, or they hang")
    built = program(mpi, "one", [HERE / "one.c"])
    env = {"STRETTO": "all", "STRETTO_FAST_LINK": "1e300", "STRETTO_COUNTERS": "1"}
    result = launch(mpi, 2, built, (form, bytes_), transport="tcp", preload=True, env=env, timeout=60)
    assert result.rc == 0, result
    slow = mpi.startswith("openmpi") and form != "blocking"
    assert result.algorithms["alltoall_linear"] == 2 * (bytes_ >= (1024 if slow else 4096)), result


# A rank has numbers for 1024 communicators (mpi/channel.h), of which MPI_COMM_WORLD has one.
@pytest.mark.parametrize("shared", [1, 0], ids=["of_all_ranks", "of_which_one_rank_has_most"])
def test_collectives_of_more_communicators_than_have_numbers_are_the_librarys(mpi, shared):
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    communicators, ranks, numbers, broadcasts = 1100, 3, 1023, 2
    members = ranks if shared else 2
    env = {"STRETTO_FORCE": "1", "STRETTO_COLLECTIVES": "all,bcast=chain", "STRETTO_COUNTERS": "1"}
    result = launch(
        mpi, ranks, program(mpi, "many", [HERE / "many.c"]), (communicators, shared),
        transport="tcp", preload=True, env=env, timeout=300,
    )  # fmt: skip
    assert result.rc == 0 and result.stdout.count("all right") == ranks, result
    assert result.counters["channels_none"] == members * (communicators - numbers), result
    if may_take(mpi, "bcast_chain"):  # one more on a communicator that was made after all others had been freed
        ours = {name: n for name, n in result.algorithms.items() if n}
        assert ours == {"bcast_chain": members * numbers * broadcasts + ranks}, result
        assert result.counters["collective_chosen"] == sum(ours.values()), "chosen more than once"
