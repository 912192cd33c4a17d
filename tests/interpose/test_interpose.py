"""Every call of MPI comes to us, by whichever name, from whichever language, tool or late library; and what does not, breaks nothing.

Whether a call came is seen with libstretto_count, whose wrappers have the same generator; that the data is right, with libstretto.
"""

import os
import pathlib
import re
import subprocess
import sys

import pytest
from compile import program
from launch import BUILD, launch, library, mpis

HERE = pathlib.Path(__file__).parent
SIZES = 18  # 8 bytes, 16, ..., 1 MiB
FORTRAN = [mpi for mpi in ("openmpi", "mpich4") if mpi in mpis()]
FRAMING = pytest.mark.parametrize("force", ["", "1"], ids=["usual", "force"])


def built(mpi, source, how="preloaded", **more):
    """The program of this source: linked with libstretto, or as any other."""
    return program(mpi, pathlib.Path(source).stem, [HERE / source], linked=how == "linked", **more)


def built_in_fortran(mpi, way, how="preloaded"):
    source = HERE / "exchange_fortran.F90"
    return program(mpi, f"exchange_{way}", [source], linked=how == "linked", flags=[f"-D{way.upper()}"], fortran=True)


def only_recv_tool(mpi):
    return built(mpi, "only_recv_tool.c", flags=["-shared", "-fPIC"])


def late_library(mpi):
    return built(mpi, "late.c", flags=["-shared", "-fPIC", "-Wl,--no-as-needed"])


@pytest.fixture(scope="session")
def host(tmp_path_factory):
    """A program that knows nothing of MPI."""
    made = tmp_path_factory.mktemp("host") / "host"
    subprocess.run(["cc", HERE / "host.c", "-o", made], check=True)
    return made


def calls(folder):
    """What libstretto_count wrote: function -> (as MPI_, as PMPI_, nested), summed over the processes."""
    total = {}
    for file in folder.glob("calls.*"):
        for line in file.read_text().splitlines():
            name, *counts = line.split()
            total[name] = tuple(a + int(b) for a, b in zip(total.get(name, (0, 0, 0)), counts, strict=True))
    return total


def counted(mpi, folder, program, args=(), **how):
    env = {
        "LD_PRELOAD": str(BUILD / "interpose" / mpi / "libstretto_count.so"),
        "STRETTO_CALLS": str(folder / "calls"),
        **how.pop("env", {}),
    }
    result = launch(mpi, 2, program, args, env=env, **how)
    assert result.rc == 0, result
    return calls(folder)


def exchanged(result, sizes=SIZES, force=""):
    if force:
        assert result.counters.get("send_framed"), f"not a call came to us: {result}"
    for rank in (0, 1):
        assert f"rank {rank}: {sizes} sizes, 0 wrong" in result.stdout, result
    assert result.rc == 0, result


def forced(force):
    return {"STRETTO_FORCE": force, "STRETTO_COUNTERS": force}


def mpi4py(mpi, folder):
    """Python and the environment in which mpi4py's wheel uses this MPI."""
    where = pathlib.Path(mpis()[mpi]["library"])
    if mpi == "mpich4":  # Debian's MPICH under the name that the wheel looks for; it has MPICH's ABI
        (folder / "libmpi.so.12").symlink_to(where)
        where = folder / "libmpi.so.12"
    abi = "openmpi" if mpi.startswith("openmpi") else "mpich"
    # With libstretto before it, the wheel cannot see which MPI is below: it is told.
    return sys.executable, {"MPI4PY_MPIABI": abi, "LD_LIBRARY_PATH": str(where.parent)}


# ---- languages, linked and preloaded


@FRAMING
@pytest.mark.parametrize("how", ["linked", "preloaded"])
@pytest.mark.parametrize("language", ["c", "cxx"])
def test_c_and_cxx(mpi, language, how, force):
    exchange = built(mpi, "exchange.c" if language == "c" else "exchange_cxx.cpp", how)
    exchanged(launch(mpi, 2, exchange, preload=how == "preloaded", env=forced(force)), force=force)


@FRAMING
@pytest.mark.parametrize("how", ["linked", "preloaded"])
@pytest.mark.parametrize("way", ["mpif", "use_mpi", "f08"])
@pytest.mark.parametrize("fortran", FORTRAN)
def test_fortran(fortran, way, how, force):
    exchange = built_in_fortran(fortran, way, how)
    exchanged(launch(fortran, 2, exchange, preload=how == "preloaded", env=forced(force)), force=force)


@FRAMING
def test_mpi4py(mpi, force, tmp_path):
    if mpi == "abi":
        pytest.skip("mpi4py's wheel has no module for the standard ABI")
    python, env = mpi4py(mpi, tmp_path)
    result = launch(mpi, 2, python, [HERE / "exchange.py"], preload=True, env=env | forced(force))
    # mpi4py asks for MPI_THREAD_MULTIPLE, where nothing is framed with MPICH 4.0.
    exchanged(result, force=force if mpi != "mpich4" else "")


# ---- each call comes, and comes once


def test_each_call_comes_once_by_either_name(mpi, tmp_path):
    seen = counted(mpi, tmp_path, built(mpi, "exchange.c"))
    for function in ("Send", "Recv", "Isend", "Irecv", "Waitall", "Sendrecv"):
        as_mpi, as_pmpi, _ = seen[f"MPI_{function}"]
        assert (as_mpi, as_pmpi) == (2 * SIZES, 2 * SIZES), (function, seen)
    assert seen["MPI_Init"][:2] == seen["MPI_Finalize"][:2] == (2, 0)


@pytest.mark.parametrize("way", ["mpif", "use_mpi", "f08"])
@pytest.mark.parametrize("fortran", FORTRAN)
def test_each_call_of_fortran_comes_once_as_either_name(fortran, way, tmp_path):
    seen = counted(fortran, tmp_path, built_in_fortran(fortran, way))
    for function in ("Send", "Recv", "Isend", "Irecv", "Waitall"):
        as_mpi, as_pmpi, _ = seen[f"MPI_{function}"]
        assert as_mpi + as_pmpi == 2 * SIZES, (function, seen)
    assert sum(seen["MPI_Init"][:2]) == sum(seen["MPI_Finalize"][:2]) == 2


def test_each_call_of_mpi4py_comes(mpi, tmp_path):
    if mpi == "abi":
        pytest.skip("mpi4py's wheel has no module for the standard ABI")
    python, env = mpi4py(mpi, tmp_path)
    seen = counted(mpi, tmp_path, python, [HERE / "exchange.py"], env=env)
    for function in ("Send", "Isend", "Irecv", "Waitall"):
        by_name = [sum(seen.get(f"MPI_{function}{form}", (0, 0, 0))[:2]) for form in ("", "_c")]
        assert sum(by_name) >= 2 * SIZES, (function, seen)


# ---- the library's calls to itself


@FRAMING
@pytest.mark.parametrize("how", ["linked", "preloaded"])
def test_the_librarys_own_calls_stay_its_own(mpi, how, force, tmp_path):
    result = launch(
        mpi, 4, built(mpi, "nested.c", how), [tmp_path], preload=how == "preloaded", env={"STRETTO_FORCE": force}
    )
    assert result.rc == 0 and result.stdout.count(" 0 wrong") == 4, result


def test_the_librarys_own_calls_are_told_from_the_programs(mpi, tmp_path):
    # Open MPI's own I/O does not call MPI by name; ROMIO, which it has too, is written against MPI.
    romio = {"openmpi4": "romio321", "openmpi5": "romio341"}.get(mpis()[mpi]["family"])
    env = {"OMPI_MCA_io": romio} if romio else {}
    seen = counted(mpi, tmp_path, built(mpi, "nested.c"), [tmp_path], env=env)
    assert seen["MPI_File_write_all"][:2] == (2, 0)
    assert seen["MPI_Isend"][:2] == seen["MPI_Irecv"][:2] == (2, 0), seen
    assert "MPI_Send" not in seen or seen["MPI_Send"][:2] == (0, 0), seen
    assert sum(nested for _, _, nested in seen.values()) > 0, seen


# ---- tools and late libraries


@FRAMING
def test_a_tool_above_us_that_wraps_only_recv(mpi, force):
    tool = only_recv_tool(mpi)
    env = {"LD_PRELOAD": f"{tool}:{library(mpi)}", "STRETTO_FORCE": force}
    result = launch(mpi, 2, built(mpi, "exchange.c"), env=env)
    exchanged(result)
    assert result.stdout.count(f"tool: {SIZES} receives") == 2, result


@FRAMING
def test_a_tool_below_us_is_not_called_and_breaks_nothing(mpi, force):
    tool = only_recv_tool(mpi)
    env = {"LD_PRELOAD": f"{library(mpi)}:{tool}", "STRETTO_FORCE": force}
    result = launch(mpi, 2, built(mpi, "exchange.c"), env=env)
    exchanged(result)
    assert "tool:" not in result.stdout, result


@FRAMING
def test_a_late_library_that_receives_by_pmpi(mpi, force):
    late = late_library(mpi)
    exchanged(launch(mpi, 2, built(mpi, "mpi_host.c", "linked"), [late], env=forced(force)), force=force)


@FRAMING
def test_a_late_library_that_brings_mpi_with_it_unseen_by_others(mpi, force, host):
    late = late_library(mpi)
    exchanged(launch(mpi, 2, host, [late], preload=True, env=forced(force)), force=force)


def test_the_calls_of_a_late_library_come(mpi, tmp_path, host):
    seen = counted(mpi, tmp_path, host, [late_library(mpi)])
    assert seen["MPI_Send"][:2] == seen["MPI_Recv"][:2] == (0, SIZES), seen


# ---- what stays outside


@FRAMING
def test_a_caller_by_the_librarys_own_handle_is_left_alone(mpi, force):
    args = [mpis()[mpi]["library"], "all"]
    exchanged(launch(mpi, 2, built(mpi, "by_handle.c"), args, preload=True, env=forced(force)))


def test_a_caller_that_mixes_handle_and_names_gets_its_small_messages(mpi):
    args = [mpis()[mpi]["library"], "mixed"]
    exchanged(launch(mpi, 2, built(mpi, "by_handle.c"), args, preload=True), sizes=1)


# ---- finding the library


@pytest.mark.parametrize("how", ["linked", "preloaded"])
def test_many_threads_ask_before_init(mpi, how):
    result = launch(mpi, 1, built(mpi, "early.c", how), preload=how == "preloaded")
    assert result.rc == 0 and "early: 0 wrong" in result.stdout, result


def alone(mpi, code, **env):
    """Python code in a process with libstretto loaded globally but no MPI library."""
    text = f"import ctypes, os; us = ctypes.CDLL({str(library(mpi))!r}, ctypes.RTLD_GLOBAL)\n{code}"
    return subprocess.run(
        [sys.executable, "-c", text], env={**os.environ, **env}, capture_output=True, text=True, timeout=60
    )


ASK = "version, minor = ctypes.c_int(), ctypes.c_int(); us.MPI_Get_version(ctypes.byref(version), ctypes.byref(minor)); print(version.value)"


def test_a_call_before_any_mpi_library_is_loaded_loads_the_one_we_were_built_for(mpi):
    result = alone(mpi, ASK)
    assert result.returncode == 0 and int(result.stdout) >= 3, result


def test_stretto_library_names_it(mpi):
    result = alone(mpi, ASK, STRETTO_LIBRARY=mpis()[mpi]["library"])
    assert result.returncode == 0 and int(result.stdout) >= 3, result


def test_a_library_that_is_not_there_is_said_to_be_missing(mpi):
    result = alone(mpi, ASK, STRETTO_LIBRARY="/nowhere/libmpi.so.1")
    assert result.returncode != 0 and "STRETTO_LIBRARY: /nowhere/libmpi.so.1" in result.stderr, result


def test_a_library_that_is_no_mpi_is_refused(mpi):
    result = alone(mpi, ASK, STRETTO_LIBRARY="libm.so.6")
    assert result.returncode != 0 and "libm.so.6 is no MPI library" in result.stderr, result


@pytest.mark.skipif(not {"mpich", "abi"} <= mpis().keys(), reason="needs MPICH 5 with both its ABIs")
def test_a_libstretto_for_another_abi_says_so():
    result = launch("mpich", 1, built("mpich", "exchange.c"), env={"LD_PRELOAD": str(library("abi"))})
    assert result.rc != 0 and "another ABI" in result.stderr, result


@pytest.mark.skipif(not {"mpich", "openmpi"} <= mpis().keys(), reason="needs Open MPI and MPICH")
def test_a_libstretto_for_another_mpi_says_so():
    result = launch("mpich", 1, built("mpich", "exchange.c"), env={"LD_PRELOAD": str(library("openmpi"))})
    assert result.rc != 0 and "is not the MPI that this libstretto was built for" in result.stderr, result


def test_our_handles_are_the_programs(mpi, tmp_path):
    counted(mpi, tmp_path, built(mpi, "handles.c"))


# ---- the object itself


def test_the_object_needs_only_libc(mpi):
    table = subprocess.run(["readelf", "-dW", library(mpi)], capture_output=True, text=True, check=True).stdout
    needed = set(re.findall(r"NEEDED.*\[(.*)\]", table))
    assert needed <= {"libc.so.6", "ld-linux-x86-64.so.2", "libm.so.6"}, needed


def test_the_object_shows_only_its_own_names(mpi):
    table = subprocess.run(["nm", "-D", library(mpi)], capture_output=True, text=True, check=True).stdout
    symbols = [line.split()[-2:] for line in table.splitlines()]
    shown = {name for kind, name in symbols if kind not in "Uw"}
    # The two of PMIx are how Open MPI's ranks learn who runs Stretto (runtime/mpi/pmix.cpp).
    ours = r"P?MPIX?_|mpix_delta_|stretto_|PMIx_(Put|Commit)$"
    # What a program asks of libc with a buffer whose pages are watched (runtime/front/system/system_calls.cpp, runtime/pages/fault.cpp).
    of_libc = r"sigaction$|s?signal$|(__)?sysv_signal$|sigset$|(f|p)?(read|write)(64)?$|(read|write)v$|(send|recv)(to|from|msg)?$|_?longjmp$|siglongjmp$"
    # What it asks about memory itself, and what it loads and opens (runtime/front/system/memory_calls.cpp, runtime/front/system/loading.cpp).
    of_memory = r"free(_sized|_aligned_sized)?$|[mc]alloc$|realloc(array)?$|(posix_)?memalign$|aligned_alloc$|p?valloc$|munmap$|mmap(64)?$|shmat$|s?brk$|madvise$|mremap$|(pkey_)?mprotect$|mlock(2|all)?$"
    of_loading = r"dlopen$|open(at)?(64)?$|__open(at)?(64)?_2$"
    # What blocks signals, and begins threads and processes (runtime/pages/mask.cpp, runtime/front/system/threads.cpp).
    of_threads = r"sigprocmask$|pthread_sigmask$|sigsuspend$|pthread_(create|kill|cancel)$|timer_create$|posix_spawnp?$|system$|popen$|prctl$"
    fortified = r"__(f|p)?read(64)?_chk$|__longjmp_chk$|__recv(from)?_chk$"
    known = f"{ours}|{of_libc}|{of_memory}|{of_loading}|{of_threads}|{fortified}"
    assert not {name for name in shown if not re.match(known, name)}
    wanted = {name for kind, name in symbols if kind == "U"}
    assert not {name for name in wanted if "@GLIBC" not in name}, wanted


@pytest.mark.parametrize(
    "command",
    [["bash", "-c", "echo alive; /bin/true"], [sys.executable, "-c", "print('alive')"]],
    ids=["bash", "python"],
)
def test_processes_without_mpi_are_left_alone(mpi, command):
    env = {**os.environ, "LD_PRELOAD": str(library(mpi))}
    result = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60)
    assert (result.returncode, result.stdout, result.stderr) == (0, "alive\n", ""), result
    maps = subprocess.run(["cat", "/proc/self/maps"], env=env, capture_output=True, text=True, timeout=60).stdout
    assert "libstretto.so" in maps and "libmpi" not in maps


def test_the_launcher_itself_may_inherit_us(mpi):
    env = {
        **os.environ,
        "LD_PRELOAD": str(library(mpi)),
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    }
    command = [mpis()[mpi]["mpirun"], "-n", "2", built(mpi, "exchange.c")]
    if mpis()[mpi]["family"].startswith("openmpi"):
        command[1:1] = ["--oversubscribe"]
    result = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60)
    assert result.returncode == 0 and result.stdout.count("0 wrong") == 2, result
