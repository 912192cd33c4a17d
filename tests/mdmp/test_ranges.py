"""Ranges that leave inside the loops that fill them, and land inside those that read them: the bits of plain calls, in every way."""

import re

import pytest
from launch import launch
from pairs import by_family
from test_directives import ANY, CLANGS, HERE, built, compiled, run_text

FORCE = {"STRETTO_FORCE": "1"}
SETTINGS = {
    "usual": {},
    "force": FORCE,
    "whole": {"STRETTO_FAST_LINK": "1e300"},  # what is short comes whole, and nobody knows before
    "small": FORCE | {"STRETTO_DELTA": "1024"},
    "helped": FORCE | {"STRETTO": "all", "STRETTO_HELPER": "200"},
    "reordered": FORCE | {"STRETTO_REORDER": "1"},
    "plain": FORCE | {"STRETTO_MDMP": "plain"},
    "off": {"STRETTO": "off"},
}
REMARK = re.compile(r"ranges\.h:(\d+):\d+: remark: (.*) \[-R")
LINES = (HERE / "ranges.h").read_text().splitlines()


def remarks(llvm, *flags):
    """{the directive as it stands in the source: what is said of it}. Each is told once."""
    words = ["-O2", "-g", *flags, "-Rpass=stretto", "-Rpass-missed=stretto", "-c", HERE / "ranges.c", "-o", "/dev/null"]
    done = compiled(llvm, ANY, *words)
    assert done.returncode == 0, done.stderr
    told = [(int(line), text) for line, text in REMARK.findall(done.stderr) if "#pragma" in LINES[int(line) - 1]]
    lines = [number for number, line in enumerate(LINES, 1) if re.match(r"#pragma (send|recv)", line)]
    assert [line for line, _ in told] == lines, done.stderr
    return {(LINES[line - 1].removeprefix("#pragma "), line): text for line, text in told}


@pytest.mark.parametrize("llvm", CLANGS)
def test_each_directive_is_told_where_it_starts_or_ends_or_why_not(llvm):
    said = {text: [words for (its, _), words in remarks(llvm).items() if its == text] for text, _ in remarks(llvm)}
    assert "in the turn before" in said["send(out[0], n, next)"][0]
    assert "starts inside the loop" in said["send(out[0:n], next)"][0]
    assert "from the end to the beginning" in said["recv(in[0:n], prev)"][0]
    starts = ["send(a[0], n, next)", "send(b[0], n / 2, next)", "send(out[0], n, up)"]
    starts += [f"send({name}[0], few, next)" for name in ("a", "c", "out")]
    for text in [*starts, "send(b[0], n, next)", "send(d[0], few, nobody)", "send(out[middle], 1, next)"]:
        assert "starts inside the loop" in said[text][0], said
    ends = ["recv(in[0], n, prev)", "recv(c[0], n, prev)", "recv(d[0], n / 2, prev)", "recv(in[0], n, from)"]
    for text in [*ends, "recv(got[0], few, prev)", "recv(none[0], few, no_one)", "recv(in[end], few, prev)"]:
        assert "ends inside the loop" in said[text][0], said
    assert "send(few[:]) may communicate" in said["send(out[0], n, to)"][0]
    assert "over within one strip" in said["send(few[:], next, tag(3))"][0]
    assert "names a communicator" in said["send(out[0], n, next, comm(MPI_COMM_WORLD))"][0]
    assert "may have gaps" in said["send(grid[1:SIDE][SIDE], next, tag(1))"][0]
    assert "else of its exchange stays" in said["send(grid[SIDE][1:SIDE], next)"][0]


@pytest.mark.parametrize("flag", ["-fmdmp=plain", "-fno-mdmp", "-fstretto=off"])
def test_plain_ones_may_be_asked_for(flag):
    if flag == "-fstretto=off":
        done = compiled(max(CLANGS), ANY, "-O2", flag, "-Rpass=stretto", "-c", HERE / "ranges.c", "-o", "/dev/null")
        assert done.returncode == 0 and "inside the loop" not in done.stderr, done.stderr
        return
    assert all("done at its place" in text for text in remarks(max(CLANGS), flag).values())


@pytest.mark.pairs(of=by_family)
@pytest.mark.parametrize("language", ["c", "cpp"])
@pytest.mark.parametrize(
    "how", ["-O2", "-O3", "-fmdmp=plain", "-fstretto-check", "-fstretto=send", "-fstretto=receive"]
)
@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("ranks", [1, 2, 3])
@pytest.mark.parametrize("llvm", CLANGS)
def test_every_way_gives_the_same(mpi, llvm, ranks, setting, how, language):
    env = SETTINGS[setting] | {"STRETTO_COUNTERS": "1"}
    result = launch(mpi, ranks, built(llvm, mpi, "ranges", language, how), transport="tcp", env=env, timeout=90)
    assert not result.hung and result.rc == 0 and "right\n" in result.stdout, result
    plain = launch(mpi, ranks, built(llvm, mpi, "ranges", language, "-fmdmp=plain"), env={"STRETTO": "off"})
    assert sorted(result.stdout.split("\n")) == sorted(plain.stdout.split("\n")), (result, plain)
    begun, used = result.counters.get("compiled_send", 0), result.counters.get("compiled_receive", 0)
    short_begun, short_used = (result.counters.get(f"short_range_{which}", 0) for which in ("send", "receive"))
    if how == "-fmdmp=plain" or setting in ("plain", "off"):
        assert begun == used == short_begun == short_used == 0, result
        return
    assert (short_begun > 0) == (how != "-fstretto=receive") and (short_used > 0) == (how != "-fstretto=send"), result
    if ranks > 1 and setting in ("force", "small", "reordered"):
        assert (begun > 0) == (how != "-fstretto=receive") and (used > 0) == (how != "-fstretto=send"), result


WRONG = {
    "more_is_sent": ("n + 8 * rank", "n", "next", "receives 20000 elements", "and rank 1 sends 20008 elements"),
    "a_short_one_is_sent": ("rank ? 10 : n", "n", "next", "receives 20000 elements", "and rank 1 sends 10 elements"),
    "more_is_sent_later": (
        "n + 8 * rank * (turn / 2)", "n", "next", "receives 20000 elements", "and rank 1 sends 20008 elements", "wrong.c:11"
    ),
    "a_short_one_is_longer_later": (
        "30 + rank * (turn / 2)", "30", "next", "receives 30 elements", "and rank 1 sends 31 elements", "wrong.c:11"
    ),
    "no_such_partner": ("n", "n", "9", "its partner is 9, and the ranks of its communicator are 0 to 1"),
    "a_count_is_negative": ("n - 20001", "n", "next", "a count is negative: -1"),
}  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_wrong_ends_the_job_and_names_the_line(mpi, wrong, tmp_path):
    sent, received, partner, *words = WRONG[wrong]
    text = (
        "#include <stretto/mdmp.h>\n"
        "static double out[20010], in[20010];\n"
        "int main(int argc, char **argv) {\n"
        "    int rank, n = 20000 + (argc > 99);\n"
        "    double sum = 0;\n"
        "#pragma commregion\n"
        "    MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
        "    const int next = 1 - rank;\n"
        "    for (int turn = 0; turn < 3; turn++) {\n"
        "        for (int k = 0; k < n; k++) out[k] = k * (turn + 1.0);\n"
        f"#pragma send(out[0], {sent}, {partner})\n"
        f"#pragma recv(in[0], {received}, next)\n"
        "        for (int k = 0; k < n; k++) sum += in[k];\n"
        "    }\n"
        "#pragma commregionfinished\n"
        "    return sum < 0 || argv == 0;\n"
        "}\n"
    )
    result, told = run_text(mpi, tmp_path, "wrong", text, "-O2", "-g", "-Rpass=stretto", env=FORCE, transport="tcp")
    assert "wrong.c:12:9: remark: receive at line 12 ends inside" in told, told
    begins = "wrong.c:11:9: remark: send at line 11 starts inside" in told
    assert begins or wrong == "a_count_is_negative", told
    assert result.rc and not result.hung, result
    assert all(text in result.stderr for text in words) and "wrong.c:1" in result.stderr, result
    assert "sends" not in str(words) or "send(out[0]) at " in result.stderr, result


@pytest.mark.parametrize("checked", [0, 1])
def test_a_short_one_that_is_written_after_it_left_is_found(mpi, checked, tmp_path):
    """A compiler that errs, written by hand."""
    text = (
        "#define STRETTO_MDMP_CALLS\n"
        "#include <stretto/mdmp.h>\n"
        "#include <stretto/abi.h>\n"
        "int main(void) {\n"
        "    int rank, few[4] = {0};\n"
        "    int64_t requests[2];\n"
        "    static struct stretto_directive region = {1, 0, 8, 1, __FILE__, 0, 0, 0},\n"
        '                                    one = {1, 0, 9, 1, __FILE__, 0, "few[:]", 0};\n'
        f"    static struct stretto_call call = {{STRETTO_ABI_VERSION, {checked}, 9, 1, __FILE__, 0, 0}};\n"
        "    stretto_region_begin(&region, NULL);\n"
        "    MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
        "    int got[4], partner = 1 - rank;\n"
        "    stretto_handle handle = stretto_range_begin(&call, few, 4, 4, partner, STRETTO_TAG_IMPLIED, &one);\n"
        "    stretto_ready_below(handle, few, 16);\n"
        "    few[2] = 7;\n"
        "    stretto_range_irecv(got, 4, 4, partner, STRETTO_TAG_IMPLIED, &one, &requests[0]);\n"
        "    stretto_range_isend_end(handle, &call, few, 4, 4, partner, STRETTO_TAG_IMPLIED, &one, &requests[1]);\n"
        "    stretto_range_waitall(2, requests, NULL);\n"
        "    stretto_region_end(&region);\n"
        "    return got[2];\n"
        "}\n"
    )
    result, _ = run_text(mpi, tmp_path, "again", text)
    assert (result.rc != 0) == bool(checked) and not result.hung, result
    assert ("send(few[:]): was written after it had left" in result.stderr) == bool(checked), result


def test_one_exchange_that_is_taken_apart_still_has_no_overlaps(mpi, tmp_path):
    text = (
        "#include <stretto/mdmp.h>\n"
        "static double a[9000];\n"
        "int main(int argc, char **argv) {\n"
        "    int rank, n = 4000 + (argv == 0);\n"
        "#pragma commregion\n"
        "    MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
        "#pragma send(a[0], n, 1 - rank)\n"
        "#pragma recv(a[3000 + argc], n, 1 - rank)\n"
        "#pragma commregionfinished\n"
        "    return 0;\n"
        "}\n"
    )
    result, _ = run_text(mpi, tmp_path, "overlap", text, "-O2", "-g")
    assert result.rc and not result.hung, result
    assert "overlaps" in result.stderr and "overlap.c:7" in result.stderr and "overlap.c:8" in result.stderr, result
