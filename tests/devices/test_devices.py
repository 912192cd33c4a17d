"""Memory of a device, by stand-ins for drivers: libstretto touches no byte of it, and guards nothing that a device may reach."""

import functools
import pathlib
import platform
import subprocess

import pytest
from compile import program
from launch import launch, library

HERE = pathlib.Path(__file__).parent
FORCE = {"STRETTO_FORCE": "1", "STRETTO_COUNTERS": "1"}
RELEASED = FORCE | {"STRETTO": "all", "STRETTO_BUDGET": "512K", "STRETTO_HELPER": "off"}
# A peer's kernel would read what is closed to it.
NO_KERNEL = {
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    "OMPI_MCA_btl_sm_use_cma": "0",
    "MPIR_CVAR_CH4_CMA_ENABLE": "0",
    "UCX_TLS": "self,posix,sysv",
}
# The stand-in steps through what the library copies: by large instructions.
STEPS = {"GLIBC_TUNABLES": "glibc.cpu.x86_rep_movsb_threshold=1000000000"}

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="the stand-in steps by x86's trap flag")


# A driver's file, and what builds its stand-in.
CUDA = ("libcuda.so.1", "-DCUDA")
DRIVERS = {"hip5": ("libamdhip64.so.5", "-DHIP=5"), "hip6": ("libamdhip64.so.6", "-DHIP=6")}
DRIVERS |= {"level-zero": ("libze_loader.so.1", "-DLEVEL_ZERO")}


@pytest.fixture(scope="session")
def stand_in(tmp_path_factory):
    """Builds a stand-in, once."""

    @functools.cache
    def build(file, kind):
        built = tmp_path_factory.mktemp("driver") / file
        command = ["gcc", "-shared", "-fPIC", "-O1", "-g", kind, HERE / "driver.c", "-o", built]
        subprocess.run(command, check=True, timeout=60)
        return built

    return build


@pytest.fixture
def driver(stand_in):
    return stand_in(*CUDA)


def run(mpi, words, env, **options):
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    executable = program(mpi, "devices", [HERE / "devices.c"], linked=True)
    result = launch(mpi, 2, executable, list(map(str, words)), env=env | NO_KERNEL | STEPS, timeout=60, **options)
    assert result.rc == 0 and result.stdout.count("ok") == 2, result
    return result


@pytest.mark.parametrize(
    "how", [FORCE, RELEASED, RELEASED | {"STRETTO_RELEASE": "unmatched"}], ids=["framed", "released", "unmatched"]
)
@pytest.mark.parametrize("what", ["messages", "types", "collectives", "deltas"])
def test_no_byte_of_a_device_is_touched(mpi, driver, what, how):
    run(mpi, [what, driver], how, transport="shm")


@pytest.mark.parametrize("guard", [None, "mprotect"])
def test_registered_memory_is_guarded_only_if_that_is_asked_for(mpi, driver, guard):
    env = RELEASED | ({"STRETTO_GUARD": guard} if guard else {})
    result = run(mpi, ["registered", driver], env, transport="tcp")
    assert (result.counters["receive_guarded"] > 0) == bool(guard)


def test_memory_of_the_host_is_guarded_beside_a_driver(mpi, driver):
    assert run(mpi, ["host", driver], RELEASED, transport="tcp").counters["receive_guarded"] > 0


@pytest.mark.parametrize("kind", DRIVERS)
@pytest.mark.parametrize("what", ["messages", "registered", "host"])
def test_other_drivers_tell_of_their_memory_too(mpi, stand_in, what, kind):
    transport = "shm" if what == "messages" else "tcp"
    result = run(mpi, [what, stand_in(*DRIVERS[kind])], RELEASED, transport=transport)
    if what != "messages":
        assert (result.counters["receive_guarded"] > 0) == (what == "host")
