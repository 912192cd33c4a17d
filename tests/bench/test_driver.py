"""`stretto bench` as a user starts it: what it measures is right, what it cannot do it says. No time decides."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from launch import BUILD, ROOT, as_from_a_terminal, launch, mpis
from pairs import twin_of_another
from place import python_program

STRETTO = BUILD / "bin/stretto"
SHORT = ("--reps", 2, "--turns", 1, "--attempts", 1, "--patience", 0)


def bench(*words, prefix=None, timeout=300):
    """With the programs of another build, the driver is started by itself: `stretto` knows its own."""
    command = [sys.executable, ROOT / "bench/driver"] if prefix else [STRETTO, "bench"]
    return subprocess.run(
        [*command, *map(str, words)],
        capture_output=True,
        text=True,
        timeout=timeout,
        stdin=subprocess.DEVNULL,
        env={**os.environ, **({"STRETTO_PREFIX": str(prefix)} if prefix else {})},
    )


def figures(*words, **options):
    done = bench(*words, *SHORT, "--json", **options)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def text(tmp_path):
    """A file that can be compressed, but not to nothing."""
    path = tmp_path / "text"
    path.write_text("".join(f"{k} {k * k % 7919} {k**3 % 104729}\n" for k in range(60000)))
    return path


# --- results --------------------------------------------------------------------------------------------------------


def test_every_mpi_gives_the_same_bits_plain_by_hand_and_with_stretto(mpi):
    result = figures("pair", "--mpi", mpi, "--lab", "none", "--size", "64KiB")
    assert result["verified"] and result["ranks"] == 2 and result["repetitions"] == 2


def test_pages_give_the_same_bits_as_annotations(mpi):
    result = figures("pair", "--mpi", mpi, "--lab", "none", "--size", "64KiB", "--trigger", "pages")
    assert result["verified"] and result["trigger"] == "pages" and result["details"]["of_annotated"] > 0


@pytest.mark.parametrize("kernel", ["cascade", "ring", "reduce"])
def test_every_kernel_gives_the_same_bits_plain_by_hand_and_with_stretto(kernel):
    result = figures(kernel, "--lab", "none", "-n", 3, "--size", "64KiB", "--delta", 4096)
    assert result["verified"] and result["kernel"] == kernel and result["delta_bytes"] == 4096


@pytest.mark.pairs(of=lambda kernel, size, ranks, trigger: {"kernel": kernel, "ranks": ranks, "trigger": trigger})
@pytest.mark.parametrize("trigger", ["annotate", "pages"])
@pytest.mark.parametrize(
    "kernel, size, ranks",
    [
        *(
            (kernel, size, ranks)
            for kernel, size in (("lu", 10200), ("hycom", 65536), ("mg", 65536))
            for ranks in (2, 4)
        ),
        *((kernel, size, 3) for kernel, size in (("lu", 1640), ("hycom", 33000), ("mg", 33344))),
    ],
)
def test_applications_kernels_give_the_same_bits_with_independent_overlap_too(kernel, size, ranks, trigger):
    result = figures(kernel, "--lab", "none", "-n", ranks, "--size", size, "--trigger", trigger)
    assert result["verified"] and result["details"]["over_independent"] > 0


@pytest.mark.parametrize("application", ["pes", "nbody", "m3", "overlap", "overlap-one-way"])
def test_unmodified_applications_give_the_same_bits_under_stretto_run(mpi, application, monkeypatch):
    if mpi == "abi":
        pytest.skip("mpich's own library, under another name: with three ranks on two cores it takes as long again")
    if mpi in ("openmpi5", "mpich4") and application != "overlap":
        pytest.skip("the applications differ in their patterns, versions of a library in less: overlap is enough")
    monkeypatch.setenv("STRETTO_FORCE", "1")  # which reaches ranks on this host
    result = figures(
        application, "--mpi", mpi, "--lab", "none", "--size", "33KiB", *(() if "overlap" in application else ("-n", 3))
    )
    assert result["verified"] and result["kernel"] == application


def test_what_each_call_of_an_unmodified_program_waited_for_is_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("STRETTO_FORCE", "1")
    figures("overlap", "--lab", "none", "--size", "33KiB", "--keep", tmp_path)
    page = (tmp_path / "sites.html").read_text()
    assert all(function in page for function in ("MPI_Irecv", "MPI_Isend", "MPI_Waitall")), page


@pytest.mark.parametrize("fortran", [mpi for mpi in mpis() if mpis()[mpi].get("mpifort")])
def test_pes_in_fortran_gives_the_same_bits_under_stretto_run_and_those_of_c(fortran, monkeypatch):
    monkeypatch.setenv("STRETTO_FORCE", "1")
    assert figures("pes-fortran", "--mpi", fortran, "--lab", "none", "-n", 2, "--size", "33KiB")["verified"]

    def plain(program):
        arguments = ("--run", "plain,hand:4096", "--bytes", 33 * 1024, "--reps", 1)
        return json.loads(launch(fortran, 2, BUILD / "bench" / fortran / program, arguments).stdout)["runs"]

    sums = {run["checksum"] for program in ("pes", "pes-fortran") for run in plain(program)}
    assert len(sums) == 1


def test_nbody_in_python_gives_the_same_bits_under_stretto_run(mpi, monkeypatch):
    if mpi in ("mpich4", "abi"):
        pytest.skip("mpi4py's wheel does not load it")
    if mpi == "openmpi5":
        pytest.skip("Python is the same on both, and its calls are those of the programs above")
    monkeypatch.setenv("STRETTO_FORCE", "1")
    result = figures("nbody-python", "--mpi", mpi, "--lab", "none", "-n", 3, "--size", "33KiB")
    assert result["verified"] and result["kernel"] == "nbody-python"


@pytest.mark.parametrize(
    "application, imbalance",
    [("pes", "static"), ("m3", "rotating"), ("pes-fortran", "static"), ("nbody-python", "rotating")],
)
def test_an_imbalance_changes_no_result(application, imbalance):
    done = bench(application, "--lab", "none", "-n", 2, "--size", "33KiB", "--imbalance", imbalance, *SHORT)
    assert done.returncode == 0 and f"imbalance {imbalance}" in done.stdout, done


@pytest.mark.parametrize("application", ["pes", "nbody", "m3", "pes-fortran", "nbody-python"])
def test_the_slow_rank_works_a_fifth_longer(application):
    program, first, env = BUILD / "bench/openmpi" / application, (), {}
    if application == "nbody-python":
        (program, *first), env = python_program(application, "openmpi")

    def plain(imbalance):
        work = ("--bytes", 33 * 1024, "--rounds", 1, "--compute", 0.1, "--imbalance", imbalance)
        done = launch("openmpi", 2, program, (*first, "--run", "plain", "--warmup", 0, "--reps", 2, *work), env=env)
        assert done.rc == 0, done
        return json.loads(done.stdout)["runs"][0]

    balanced, static, rotating = (plain(imbalance) for imbalance in ("none", "static", "rotating"))
    assert balanced["checksum"] == static["checksum"] == rotating["checksum"]
    # Of two ranks the slow one keeps the other waiting, in m3 the slave: in 24 steps, or 12, of CPU time, which cannot be less.
    assert min(static["seconds"]) >= 24 * 0.2 * 0.1
    assert min(rotating["seconds"]) >= 12 * 0.2 * 0.1


@pytest.mark.pairs(left_out=twin_of_another)
def test_conjugate_gradients_give_the_same_bits_by_whichever_collectives(mpi, monkeypatch):
    monkeypatch.setenv("STRETTO_FORCE", "1")
    result = figures("cg", "--mpi", mpi, "--lab", "none", "-n", 3, "--size", 33 * 1024)
    assert result["verified"]
    assert result["details"]["over_independent"] > 0 and result["details"]["unmodified_speedup"] > 0


@pytest.mark.parametrize("ranks, size", [(2, 65536), (5, 4608)])
def test_conjugate_gradients_give_the_same_bits_on_few_ranks_and_in_short_planes(ranks, size):
    assert figures("cg", "--lab", "none", "-n", ranks, "--size", size)["verified"]


def test_conjugate_gradients_give_the_same_bits_by_pages():
    assert figures("cg", "--lab", "none", "-n", 3, "--size", "64KiB", "--trigger", "pages")["verified"]


@pytest.mark.parametrize("under", [(), (STRETTO, "run", "--mpi", "openmpi")])
def test_conjugate_gradients_converge_as_fast_as_theory_says(under, monkeypatch):
    """On a grid of 64 x 2 x 24 points the error is at least 76 times smaller after 8 iterations; the program counts as wrong if it is not."""
    program = [*under, BUILD / "bench/openmpi/cg"]
    work = ("--run", "plain,hand:512,independent", "--bytes", 1024, "--reps", 1)
    env = {"STRETTO": "all", "STRETTO_FORCE": "1"} if under else {}
    done = launch("openmpi", 3, program[0], (*program[1:], *work), env=env)
    assert done.rc == 0, done
    result = json.loads(done.stdout)
    assert result["wrong"] == 0 and len({run["checksum"] for run in result["runs"]}) == 1


def test_lu_sends_what_class_e_does_unless_told():
    assert figures("lu", "--lab", "none", "-n", 2)["message_bytes"] == 255 * 5 * 8


def test_pair_in_fortran_gives_the_same_bits():
    if not mpis()["openmpi"].get("mpifort"):
        pytest.skip("no Fortran here")
    assert figures("pair-fortran", "--lab", "none", "--size", "64KiB")["verified"]


@pytest.mark.parametrize("via", ["send", "gather"])
def test_a_compressed_file_is_the_file_after_bunzip2(tmp_path, text, via):
    packed = tmp_path / "text.bz2"
    words = ("--lab", "none", "-n", 3, "--via", via, "--file", text, "--output", packed)
    assert figures("compress", *words)["verified"]
    unpacked = subprocess.run(["bunzip2", "--stdout", packed], capture_output=True, check=True).stdout
    assert unpacked == text.read_bytes()


@pytest.mark.pairs(left_out=twin_of_another)
def test_a_transform_gives_the_same_bits_by_every_way_and_mpi(mpi, monkeypatch):
    monkeypatch.setenv("STRETTO_FORCE", "1")  # which reaches ranks on this host
    result = figures("fft3d", "--mpi", mpi, "--lab", "none", "-n", 3, "--size", "64KiB")
    assert result["verified"] and result["kernel"] == "fft3d" and result["message_bytes"] == 2**16
    assert result["details"]["unmodified_speedup"] > 0


@pytest.mark.pairs(left_out=twin_of_another)
@pytest.mark.parametrize(("kernel", "size"), [("visco", 5 * 23040), ("magnet", 7 * 1024)])
def test_transforms_for_all_ranks_give_the_same_bits_by_every_way(kernel, size, mpi, monkeypatch):
    monkeypatch.setenv("STRETTO_FORCE", "1")
    result = figures(kernel, "--mpi", mpi, "--lab", "none", "-n", 3, "--size", size)
    assert result["verified"] and result["kernel"] == kernel and result["message_bytes"] == size
    # Tiles of any size and depth, also where the last one is shorter.
    ways = [
        f"{way}:{tile}{depth}"
        for way in ("hand", "tiled", "puts")
        for tile in (size // 40 * 8, size // 16 * 8)
        for depth in ("", ":1", ":2")
    ]
    words = ("--run", ",".join(["plain", *ways]), "--bytes", size, "--reps", 2)
    done = launch(mpi, 3, BUILD / "bench" / mpi / kernel, words)
    assert done.rc == 0, done
    assert len({run["checksum"] for run in json.loads(done.stdout)["runs"]}) == 1


@pytest.mark.parametrize("size", ["16KiB", "32KiB", "80KiB"])
def test_a_slab_of_few_planes_is_cut_like_one_of_many(size):
    assert figures("fft3d", "--lab", "none", "-n", 2, "--size", size)["verified"]


def test_a_transform_is_that_of_the_volume_in_a_file(text):
    def sums(*words):
        variants = ("--run", "plain,hand:4096", "--bytes", 2**15, "--reps", 1)
        done = launch("openmpi", 2, BUILD / "bench/openmpi/fft3d", (*variants, *words))
        assert done.rc == 0, done  # a point of each rank's is compared with the sum that defines it
        return {run["checksum"] for run in json.loads(done.stdout)["runs"]}

    assert len(sums()) == len(sums("--file", text)) == 1 and sums() != sums("--file", text)


def test_results_that_differ_are_an_error(tmp_path):
    programs = tmp_path / "bench/openmpi"
    programs.mkdir(parents=True)
    (programs / "pair").symlink_to(BUILD / "bench/openmpi/pair")
    (programs / "pair.stretto").symlink_to(BUILD / "tests/bench/openmpi/wrong_pair")
    words = ("pair", "--lab", "none", "--size", "64KiB", *SHORT, "--json")
    done = bench(*words, prefix=tmp_path)
    assert done.returncode == 1
    assert "differ" in done.stderr
    assert json.loads(done.stdout)["verified"] is False


def test_a_report_shows_what_every_rank_did(tmp_path):
    report = tmp_path / "pair.html"
    figures("pair", "--lab", "none", "--size", "64KiB", "--report", report)
    text = report.read_text()
    assert text.count('class="rank"') == 6 and 'class="compute"' in text


def test_what_every_call_and_small_message_costs_is_measured(mpi):
    if why := twin_of_another(mpi):
        pytest.skip(why)
    done = bench("overhead", "--mpi", mpi, "--lab", "none", "--turns", 1, "--patience", 0, "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert all(result[name] > 0 for name in ("send_data_ns", "wait_data_ns"))
    assert set(result["deltas"]) == {"1024", "4032"}
    assert all(cost > 0 for costs in result["deltas"].values() for cost in costs.values()), result["deltas"]
    assert list(result["small"]) == ["8", "1024"]
    assert all(small["plain_ns"] > 0 and small["direct_ns"] > 0 for small in result["small"].values())


def test_what_a_watched_page_costs_is_measured_under_each_mechanism():
    done = bench("overhead", "--trigger", "pages", "--turns", 1, "--patience", 0, "--json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["rows"]
    assert {(row["mechanism"], row["pages"], row["threads"]) for row in rows} == {
        (mechanism, pages, threads)
        for mechanism in ("userfault", "mprotect")
        for pages in (1, 4, 16, 64)
        for threads in (1, 2)
    }
    assert all(row[cost] > 0 for row in rows for cost in ("least_us", "arrived_us", "touched_us", "guard_begin_us"))


def test_bandwidth_latency_and_rate_are_measured_over_every_path():
    done = bench("bandwidth", "--sizes", "1MiB,4MiB", "--lab", "none", "--turns", 1, "--patience", 0, "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["sizes"] == [2**20, 2**22]
    assert set(result["paths"]) == {"loopback TCP", "shared memory"}
    for figures in result["paths"].values():
        small = figures.pop("small")
        assert [(row["bytes"], row["messages"]) for row in small] == [(8, 1), (1024, 1), (8, 64), (1024, 64)]
        assert all(row["direct_ns"] > 0 and row["of_direct"] > 0 for row in small)
        assert all(len(row) == len(result["sizes"]) and min(row) > 0 for row in figures.values())


def test_collectives_are_measured_by_the_library_and_with_stretto():
    words = ("--collectives", "bcast,allgather", "--sizes", "16KiB,64KiB", "--lab", "none", "-n", 2, "--turns", 1)
    done = bench("nbc", *words, "--reps", 2, "--patience", 0, "--json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["rows"]
    assert [(row["collective"], row["bytes"]) for row in rows] == [
        (name, bytes) for name in ("bcast", "allgather") for bytes in (2**14, 2**16)
    ]
    for row in rows:
        for kind in ("native", "Stretto", "Stretto, helper"):
            times = row[kind]
            assert 0 < times["init"] < times["init_wait"] and times["blocking"] > 0 and times["tests"]["number"] >= 16
            assert all(time > 0 for time in times["skewed"].values())
            assert all(0 < times[way]["overhead"] < times[way]["overall"] for way in ("none", "tests"))


def test_delta_collectives_are_measured_against_one_after_the_other():
    words = ("--sizes", "16KiB,64KiB", "--lab", "none", "-n", 2, "--turns", 1, "--reps", 2, "--patience", 0, "--json")
    done = bench("delta-collectives", *words)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["rows"]
    assert [(row["collective"], row["bytes"], row["parts"]) for row in rows] == [
        (name, bytes, bytes // 2**12) for name in ("reduce", "bcast", "alltoall") for bytes in (2**14, 2**16)
    ]
    for row in rows:
        assert all(row[time] > 0 for time in ("message", "compute", "native", "ours", "delta")), row
        for ratio, over in (("of_ideal", "ideal"), ("over_ours", "ours"), ("over_native", "native")):
            assert row[ratio] == pytest.approx(row[over] / row["delta"]), row
        # Message and computation have one length: what is left is how the pipeline is filled.
        longer, shorter = max(row["compute"], row["message"]), min(row["compute"], row["message"])
        fill = row["ideal"] - longer
        expected = shorter / row["parts"] / 2 if row["collective"] == "alltoall" else shorter / row["parts"]
        assert fill == pytest.approx(expected, abs=1e-9), row


# --- mistakes -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words, about",
    [
        (("pear",), "no kernel is called 'pear'"),
        (("pair", "--mpi", "lam"), "no MPI is called 'lam'"),
        (("pair", "--lab", "3parsec"), "rate '3parsec'"),
        (("pair", "--lab", "auto"), "only for compress"),
        (("pair", "--size", "many"), "want a number of bytes"),
        (("pair", "--size", "1001"), "multiple of 8"),
        (("pair", "--delta", "3"), "--delta 3"),
        (("lu", "--size", "8192"), "a message of lu is a multiple of 40 bytes"),
        (("lu", "-n", "1"), "at least 2"),
        (("mg", "--size", "33000"), "a message of mg is a multiple of 64 bytes"),
        (("cg", "--size", "1032"), "a message of cg is a multiple of 512 bytes"),
        (("pair", "--ratio", "-1"), "greater than 0"),
        (("pair", "--reps", "0"), "whole number"),
        (("bandwidth", "--sizes", "64KiB,0"), "want 1 byte to 1 GiB"),
        (("bandwidth", "--lab", "fast"), "fast"),
        (("nbc", "--collectives", "bcast,broadcast"), "broadcast is unknown"),
        (("nbc", "-n", "1"), "at least 2 ranks"),
        (("delta-collectives", "--collectives", "gather"), "gather is unknown"),
        (("delta-collectives", "--sizes", "1001"), "multiple of 4"),
        (("delta-collectives", "--ratio", "0"), "greater than 0"),
        (("delta-collectives", "-n", "1"), "at least 2 ranks"),
        (("pair", "-n", "3"), "needs 2 ranks"),
        (("cascade", "-n", "1"), "at least 2"),
        (("pair", "--trigger", "magic"), "one of annotate, pages, compiler"),
        (("cg", "--trigger", "compiler"), "no compiled variant of cg; there are pair, "),
        (("fft3d", "--trigger", "tool"), "leaves collectives as they are"),
        (("pair", "--strategies"), "for fft3d, magnet and visco, which have all of them"),
        (("fft3d", "--strategies", "--trigger", "pages"), "one of them is the compiler"),
        (("pair", "--guard", "mprotect"), "are for --trigger pages"),
        (("pair", "--file", "/etc/passwd"), "are for compress"),
        (("fft3d", "--output", "spectrum"), "are for compress"),
        (("fft3d", "--file", "/no/such/file"), "no such file"),
        (("fft3d", "--size", "33000"), "a message of fft3d is a multiple of 16384 bytes"),
        (("pair", "--via", "gather"), "for compress"),
        (("pair", "--report", "/no/such/folder/r.html"), "no such folder"),
        (("pes", "--trigger", "pages"), "no delta messages"),
        (("pes", "--imbalance", "wild"), "rotating"),
        (("pair", "--imbalance", "static"), "only unmodified programs"),
        (("nbody-python", "--mpi", "mpich4"), "mpi4py's wheel does not load it"),
        (("nbody-python", "--report", "r.html"), "has no timelines"),
        (("pair", "--mpi", "mpich4", "--lab", "1gbit"), "--lab none"),
        (("compress",), "needs a file"),
        (("compress", "--file", "/no/such/file"), "no such file"),
        (("compress", "--file", "/"), "not a file"),
        (("overhead", "--mpi", "lam"), "no MPI is called 'lam'"),
        (("overhead", "--lab", "fast"), "rate 'fast'"),
        (("bandwidth", "--turns", "0"), "whole number"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_starts(words, about):
    began = time.monotonic()
    done = bench(*words)
    assert done.returncode == 2 and about in done.stderr and not done.stdout, done
    assert "Traceback" not in done.stderr
    assert time.monotonic() - began < 30


def test_an_empty_file_is_refused(tmp_path):
    (tmp_path / "empty").touch()
    done = bench("compress", "--file", tmp_path / "empty")
    assert done.returncode == 2 and "is empty" in done.stderr


@pytest.mark.parametrize(
    "kernel, file, about",
    [
        ("compress", "/no/such/file", "cannot be read"),
        ("compress", None, "needs a file"),
        ("fft3d", "/no/such/file", "cannot be read"),
        ("fft3d", "/dev/null", "cannot be read"),
    ],
)
def test_the_program_itself_ends_in_order_without_its_file(kernel, file, about):
    arguments = ("--run", "plain", "--bytes", 2**15, *(("--file", file) if file else ()))
    done = launch("openmpi", 3, BUILD / "bench/openmpi" / kernel, arguments, timeout=40)
    assert done.rc not in (0, 124) and about in done.stderr, done


@pytest.mark.parametrize(
    "kernel, bytes, about",
    [
        ("lu", 8192, "points of 40 bytes"),
        ("mg", 33000, "a multiple of 64 bytes"),
        ("fft3d", 33000, "multiple of 16384"),
        ("cg", 1032, "a multiple of 512 bytes"),
    ],
)
def test_the_program_itself_refuses_what_it_cannot_cut(kernel, bytes, about):
    done = launch("openmpi", 2, BUILD / "bench/openmpi" / kernel, ("--run", "plain", "--bytes", bytes), timeout=40)
    assert done.rc not in (0, 124) and about in done.stderr, done


def test_a_kernel_without_independent_computation_says_so():
    done = launch("openmpi", 2, BUILD / "bench/openmpi/pair", ("--run", "independent"), timeout=40)
    assert done.rc not in (0, 124) and "no such variant" in done.stderr, done


def test_a_program_that_is_not_built_is_named(tmp_path):
    done = bench("pair", "--lab", "none", *SHORT, prefix=tmp_path)
    assert done.returncode == 2 and "is missing: run `make` first" in done.stderr


@pytest.mark.lab
@pytest.mark.skipif(os.geteuid() != 0, reason="the lab as root")
@pytest.mark.parametrize("ending", [None, signal.SIGTERM, signal.SIGINT])
def test_no_lab_is_left_behind(ending):
    words = [STRETTO, "bench", "pair", "--lab", "1gbit", "--size", "64KiB", *map(str, SHORT)]
    job = subprocess.Popen(
        words,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=as_from_a_terminal,
    )
    if ending:
        job.stderr.readline()  # the lab is up, the first launch begins
        job.send_signal(ending)
    job.communicate(timeout=120)
    assert (job.returncode == 0) == (ending is None)
    status = subprocess.run([STRETTO, "lab", "status", "--name", f"bench-{job.pid}"], capture_output=True, text=True)
    assert status.returncode == 1 and "down" in status.stdout


def test_no_rank_is_left_behind():
    words = [STRETTO, "bench", "cascade", "--lab", "none", "-n", "3", *map(str, SHORT), "--reps", "900"]
    job = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while "turn 1" not in job.stderr.readline():
        pass
    time.sleep(1)
    job.send_signal(signal.SIGTERM)
    job.communicate(timeout=60)
    assert job.returncode == 128 + signal.SIGTERM
    time.sleep(0.5)
    left = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert not [line for line in left.splitlines() if line.startswith(str(BUILD / "bench/openmpi/cascade"))]
