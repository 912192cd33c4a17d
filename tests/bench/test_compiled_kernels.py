"""`--trigger compiler`: plain as stretto-cc compiles it. Its calls are transformed, and its results are plain's; no time decides."""

import os
import re
import shutil
import subprocess

import pytest
from launch import BUILD, ROOT, launch, mpis, plugins
from test_driver import SHORT, bench, figures

RANKS = {
    "pair": 2, "pair-fortran": 2, "cascade": 3, "ring": 3, "reduce": 4, "hycom": 4, "lu": 4, "mg": 3, "fft3d": 3, "lu-fortran": 4,
    "mg-fortran": 3, "magnet": 3, "visco": 3,
}  # fmt: skip
# Of a message: whole rows, whole planes.
SIZES = {"mg": 66048, "mg-fortran": 66048, "fft3d": 65536, "magnet": 16384, "visco": 69120}
SOURCES = {f"{kernel}-fortran": f"{kernel}.F90" for kernel in ("pair", "lu", "mg")}
SOURCES |= {"magnet": "prepush.c", "visco": "prepush.c"}
OF_DANALIS = ("fft3d", "magnet", "visco")  # by all ways of the paper
# The functions that plain consists of, where it is not one.
PLAIN = {
    "pair": "produce|consume", "cascade": "pass_on", "ring": "turn", "reduce": "leaf|add_from_child|add_and_pass_on",
    "hycom": "tell_head|plain", "lu": "blts", "mg": "psinv", "fft3d": "transform",
    "magnet": "transform", "visco": "transform",
}  # fmt: skip
PLAIN |= {f"{kernel}-fortran": PLAIN[kernel] for kernel in ("pair", "lu", "mg")}
# Of plain, in the order of its lines: what becomes of each call.
SAID = {
    "pair": ["send starts", "receive ends"],
    "cascade": ["receive ends", "send starts"],
    "ring": ["receive stays", "send starts"],
    "reduce": ["send starts", "receive ends", "receive ends", "send starts"],
    "hycom": ["send starts", "receive stays", "send stays", "receive ends"],  # a head's send: its work is done
    "lu": ["receive ends", "receive ends", "send starts", "send starts"],
    "mg": ["send starts", "send starts"],
    "fft3d": ["MPI_Alltoall starts"],
    "magnet": ["MPI_Alltoall starts"],
    "visco": ["MPI_Alltoall starts"],
}
SAID |= {f"{kernel}-fortran": SAID[kernel] for kernel in ("pair", "lu", "mg")}
# flang 19 does not tell LLVM that arguments of a procedure do not overlap; later ones do.
BY_FLANG_19 = {"lu-fortran": ["receive stays"] * 2 + ["send stays"] * 2, "mg-fortran": ["send stays"] * 2}
# Some under one MPI each, or two: the others differ in what pair has, too.
UNDER = {
    "cascade": ("openmpi", "abi"), "ring": ("openmpi5", "mpich"), "reduce": ("openmpi", "mpich4"), "hycom": ("openmpi5", "mpich"),
    "lu": ("openmpi",), "mg": ("mpich",), "fft3d": ("mpich",), "magnet": ("openmpi",), "visco": ("mpich",), "lu-fortran": ("openmpi",), "mg-fortran": ("openmpi",),
}  # fmt: skip
BY_TOOL = {
    "pair": "mpich", "cascade": "openmpi", "ring": "mpich", "reduce": "openmpi", "hycom": "mpich", "lu": "mpich", "mg": "openmpi",
    "pair-fortran": "openmpi", "lu-fortran": "openmpi", "mg-fortran": "openmpi",
}  # fmt: skip
COMPILERS = {"stretto-cc": ("STRETTO_CC", ("clang",)), "stretto-fc": ("STRETTO_FC", ("flang", "flang-new"))}
REMARK = re.compile(r"kernels/\w+\.\w+:(\d+):\d+: remark: (\w+) at line \d+ (\w+)")
needs_plugin = pytest.mark.skipif(not plugins(), reason="no LLVM: `make compilers`, then `make`")


def left_out(kernel, mpi, **_):
    if kernel.endswith("-fortran") and not mpis()[mpi].get("mpifort"):
        return "this MPI has no Fortran"
    if mpi not in UNDER.get(kernel, [mpi]):
        return "under some MPIs is enough"
    return None


every_kernel = pytest.mark.pairs(left_out=left_out)


def lines_of_plain(kernel, source):
    """The numbers of its lines."""
    first, end = rf"(__attribute__\S+ )?static \w+ ({PLAIN[kernel]})\(", "}"
    if source.suffix == ".F90":
        first, end = rf" +subroutine ({PLAIN[kernel]})\(", "    end subroutine"
    numbers, inside = set(), False
    for number, line in enumerate(source.read_text().splitlines(), 1):
        inside = (inside or bool(re.match(first, line))) and line != end
        if inside:
            numbers.add(number)
    return numbers


@every_kernel
@pytest.mark.parametrize("llvm", plugins())
@pytest.mark.parametrize("kernel", SAID)
def test_the_sends_and_receives_of_plain_are_moved_into_its_loops(kernel, llvm, mpi, tmp_path):
    source = ROOT / "bench/kernels" / SOURCES.get(kernel, f"{kernel}.c")
    wrapper = "stretto-cc" if source.suffix == ".c" else "stretto-fc"
    variable, names = COMPILERS[wrapper]
    compiler = next((name for name in (f"{name}-{llvm}" for name in names) if shutil.which(name)), None)
    if not compiler:
        pytest.skip(f"no {names[0]}-{llvm}")
    flags = ["-O2", "-DSTRETTO_PLAIN", "-DSTRETTO_UNNOTED", f"-I{ROOT}/include", f"-I{ROOT}/bench"]
    done = subprocess.run(
        [BUILD / "bin" / wrapper, "--mpi", mpi, *flags, "-Rpass=stretto", "-Rpass-missed=stretto", "-c", source],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=tmp_path,
        # As the build answers for it (bench/compiled.cmake).
        env={**os.environ, variable: compiler, "STRETTO_PASS_OPTIONS": "-stretto-harmless=rested,fftw_execute_dft"},
    )
    assert done.returncode == 0, done.stderr
    plain = lines_of_plain(kernel, source)
    said = sorted(
        (int(line), f"{what} {became}") for line, what, became in REMARK.findall(done.stderr) if int(line) in plain
    )
    expected = BY_FLANG_19.get(kernel, SAID[kernel]) if int(llvm) < 22 else SAID[kernel]
    assert [became for _, became in said] == expected, done.stderr


@needs_plugin
@every_kernel
@pytest.mark.parametrize("kernel", SAID)
def test_a_compiled_kernel_gives_the_same_bits_as_plain_and_annotated(kernel, mpi, monkeypatch):
    monkeypatch.setenv("STRETTO_FORCE", "1")  # which reaches ranks on this host
    size = ("--size", SIZES.get(kernel, 66000), "-n", RANKS[kernel])
    # One of them with all ways to the same result.
    how = ("--strategies",) if kernel in OF_DANALIS else ("--trigger", "compiler")
    result = figures(kernel, "--mpi", mpi, "--lab", "none", *size, *how)
    assert result["verified"] and result["trigger"] == "compiler"
    if kernel in OF_DANALIS:
        made = result["details"]["strategies"]
        puts = [] if kernel == "fft3d" else ["puts"]
        ways = ["alltoall", "nonblocking", "messages", *puts, "compiler", "annotated", "unmodified"]
        assert list(made["seconds"]) == list(made["normalized"]) == ways and 0 < made["compiler_of_best"] <= 1
    assert result["details"]["of_annotated"] > 0 and result["median_s"]["stretto_undilated"] is not None


@needs_plugin
@every_kernel
@pytest.mark.parametrize("kernel", SAID)
def test_what_a_compiled_kernel_sends_leaves_early(kernel, mpi):
    program = BUILD / "bench" / mpi / "compiler" / f"{kernel}.compiled"
    words = ("--run", "plain", "--bytes", 4 * SIZES.get(kernel, 66000), "--reps", 1)
    env = {"STRETTO_FORCE": "1", "STRETTO_COUNTERS": "1", "STRETTO_TRIALS": "off"}
    done = launch(mpi, RANKS[kernel], program, words, env=env)
    assert done.rc == 0, done
    if kernel in OF_DANALIS:
        assert done.counters.get("compiled_collective", 0) > 0 and done.counters.get("compiled_result", 0) > 0, done
        return
    assert done.counters.get("compiled_send", 0) > 0, done
    assert (done.counters.get("compiled_receive", 0) > 0) == ("receive ends" in SAID[kernel]), done


@needs_plugin
@pytest.mark.parametrize("kernel", BY_TOOL)
def test_a_kernel_that_the_tool_has_changed_gives_the_same_bits_as_plain_and_annotated_by_hand(kernel, monkeypatch):
    mpi = BY_TOOL[kernel]
    if mpi not in mpis() or (kernel.endswith("-fortran") and not mpis()[mpi].get("mpifort")):
        pytest.skip("this MPI, or its Fortran, is not here")
    monkeypatch.setenv("STRETTO_FORCE", "1")
    size = ("--size", SIZES.get(kernel, 66000), "-n", RANKS[kernel])
    result = figures(kernel, "--mpi", mpi, "--lab", "none", *size, "--trigger", "tool")
    assert result["verified"] and result["trigger"] == "tool" and result["details"]["of_annotated"] > 0


@needs_plugin
@pytest.mark.parametrize("kernel", BY_TOOL)
def test_the_tool_annotates_what_the_compiler_moves(kernel):
    """Of plain, whose source the build has had changed: no call is left that the compiler would have moved."""
    source = SOURCES.get(kernel, f"{kernel}.c")
    before = (ROOT / "bench/kernels" / source).read_text()
    after = (BUILD / f"bench/annotated/{kernel}{os.path.splitext(source)[1]}").read_text()
    for what, call in (("send starts", "MPIX_Delta_send_begin("), ("receive ends", "MPIX_Delta_recv(")):
        expected = SAID[kernel].count(what) - (kernel == "hycom" and what == "receive ends")  # arrays may overlap there
        assert after.count(call) - before.count(call) == expected, after


def test_where_no_plugin_was_built_a_line_says_what_to_do(tmp_path):
    done = bench("pair", "--lab", "none", *SHORT, "--trigger", "compiler", prefix=tmp_path)
    assert done.returncode == 2 and "has not compiled pair" in done.stderr and len(done.stderr.splitlines()) == 1, (
        done.stderr
    )
    assert "make compilers" in done.stderr


@needs_plugin
def test_the_table_says_what_was_compiled():
    done = bench("pair", "--lab", "none", "--size", "64KiB", *SHORT, "--trigger", "compiler")
    assert done.returncode == 0, done.stderr
    assert "stretto, compiled" in done.stdout and "stretto, annotated" in done.stdout and "of annotated" in done.stdout
