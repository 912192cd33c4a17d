"""MDMP's library form (docs/mdmp.md), in C and C++: what it promises, by every MPI, with every setting; the paper's Jacobi iteration."""

import re
from pathlib import Path

import pytest
from compile import program
from launch import launch, library
from pairs import by_family

HERE = Path(__file__).parent
PROMISES = re.findall(r"^    PROMISE\((\w+)\)", (HERE / "promises.h").read_text(), re.M)
SETTINGS = {
    "usual": {},
    "all": {"STRETTO": "all"},
    "force": {"STRETTO_FORCE": "1"},
    "off": {"STRETTO": "off"},
    "unmatched": {"STRETTO": "all", "STRETTO_RELEASE": "unmatched", "STRETTO_HELPER": "200"},
    "pages": {"STRETTO_TRIGGER": "pages"},
}
USES = {"linked": False, "run": True}
FLAGS = ["-fopenmp", "-Wall", "-Wextra", "-Werror", "-Wno-cast-function-type"]


def made(mpi, name, language, *flags):
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    out = "-".join(["mdmp", name, language, *(flag.strip("-") for flag in flags)])
    linked = "-DWITH_MPI" not in flags
    return program(mpi, out, [HERE / f"{name}.{language}", HERE / f"{name}.h"], linked=linked, flags=[*FLAGS, *flags])


@pytest.mark.pairs(of=by_family)
@pytest.mark.parametrize("language", ["c", "cpp"])
@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("transport", ["shm", "tcp"])
@pytest.mark.parametrize("promise", PROMISES)
def test_promises_are_kept(mpi, promise, transport, setting, use, language):
    env = {"OMP_NUM_THREADS": "2", **SETTINGS[setting]}
    executable = made(mpi, "promises", language)
    result = launch(mpi, 4, executable, [promise], preload=USES[use], transport=transport, env=env, timeout=60)
    assert not result.hung, result
    if promise == "a_failing_program_does_not_wait_for_the_others":
        assert result.rc != 0, result
    else:
        assert result.rc == 0 and "kept" in result.stdout, result


def lines_of(misuse, function=None):
    """The lines marked HERE and THERE, in the function that is wrong."""
    text = (HERE / "misuse.c").read_text().splitlines()
    start = next(k for k, line in enumerate(text) if re.match(rf"static void \*?{function or misuse}\(", line))
    end = next(k for k in range(start, len(text)) if text[k] == "}")
    return [f"misuse.c:{k + 1}" for k in range(start, end) if "HERE */" in text[k]]


# misuse: what the message says, and where the lines are if not in the function of that name
MISUSES = {
    "receives_more": (["recv(b[20]): receives 100 elements of 4 bytes", "rank 0 sends 50 elements", "send(a[10]) at"], "sizes_differ"),
    "receives_less": (["receives 50 elements of 4 bytes", "rank 0 sends 100 elements of 4 bytes"], "sizes_differ"),
    "receives_a_long_one_for_a_short_one": (["receives 50000 elements", "sends 100 elements"], "sizes_differ"),
    "receives_a_short_one_for_a_long_one": (["receives 100 elements", "sends 50000 elements"], "sizes_differ"),
    "receives_a_longer_one": (["receives 50001 elements", "sends 50000 elements"], "sizes_differ"),
    "receives_nothing": (["receives 0 elements", "sends 50 elements"], "sizes_differ"),
    "receives_the_next_one": (["receives 50000 elements", "sends 60000 elements"], None),
    "types_differ": (["receives 50 elements of 8 bytes", "sends 100 elements of 4 bytes"], None),
    "partner_is_no_rank": (["send(a[0])", "partner is 2", "0 to 1"], None),
    "partner_is_no_rank_of_the_communicator": (["partner is 1", "0 to 0"], None),
    "partner_is_any": (["recv(a[0])", "its partner is"], None),
    "tag_is_negative": (["a tag is 0 to", "this is -1"], None),
    "tag_is_too_large": (["a tag is 0 to"], None),
    "count_is_negative": (["a count is negative: -"], None),
    "memory_is_none": (["recv(none[0])", "null pointer"], None),
    "section_is_too_large": (["more bytes than any memory"], None),
    "dimensions_are_too_many": (["16 dimensions", "at most 15"], None),
    "receives_into_what_is_sent": (["recv(a[29])", "overlaps send(a[10]) at"], None),
    "sends_what_is_received": (["send(a[7])", "overlaps recv(a[0]) at"], None),
    "receives_twice": (["recv(a[99])", "overlaps recv(a[0]) at"], None),
    "receives_twice_in_one": (["its elements overlap"], None),
    "outside_a_region": (["send(a[0])", "outside a region"], None),
    "outside_a_region_before_mpi": (["recv(a[0])", "outside a region"], None),
    "exchange_outside_a_region": (["outside a region"], None),
    "region_is_not_ended": (["commregion:", "has not finished where MPI_Finalize"], None),
    "region_is_not_ended_at_exit": (["commregion:", "has not finished where MPI_Finalize"], None),
    "end_without_a_region": (["commregionfinished:", "no region"], None),
    "region_after_finalize": (["commregion:", "after MPI_Finalize"], None),
    "send_after_finalize": (["send(a[0])", "after MPI_Finalize"], None),
    "exchange_is_not_ended": (["commregionfinished:", "has not ended"], None),
    "exchange_in_an_exchange": (["has not ended"], None),
    "communicator_is_null": (["MPI_COMM_NULL"], None),
    "communicator_of_a_send_is_null": (["MPI_COMM_NULL"], None),
    "communicator_is_of_no_region": (["no region around it"], None),
    "communicator_is_freed": (["is freed"], None),
    "second_thread_of_one": (["second thread", "MPI_THREAD_MULTIPLE"], "send_one"),
    "another_thread_ends_a_region": (["no region that this thread has begun"], "end_one"),
    "reductions_differ_in_size": (["reduce(+: b[20]): has 100 elements of 4 bytes, and rank 1 has 50", "reduce(+: a[10]) at"], None),
    "reductions_differ_in_operation": (["is of +, and rank 1's of max: reduce(max: a[10]) at"], None),
    "reductions_differ_in_type": (["is of floating-point numbers of 4 bytes, and rank 1's of integers of 4 bytes"], None),
    "reductions_differ_in_root": (["its root is none, and rank 1's is 1"], None),
    "broadcasts_differ_in_size": (["bcast(a[0]): has 50 elements", "rank 1 has 50000 elements", "bcast(a[0]) at"], None),
    "broadcasts_differ_in_root": (["its root is 0, and rank 1's is 1: bcast(a[0]) at"], None),
    "collectives_differ": (["reduce(+: a[0]): rank 1 does another one here: bcast(a[0]) at"], None),
    "operation_is_unknown": (["reduce(mean: a[0])", "no such operation: write one of + * min max && || & | ^"], None),
    "operation_is_of_other_numbers": (["floating-point numbers of 4 bytes, of which there is no ^"], None),
    "elements_are_no_numbers": (["reduce(+: pair): its elements are no numbers"], None),
    "elements_are_too_long": (["integers of 16 bytes, which MPI does not reduce"], None),
    "root_is_no_rank": (["bcast(a[0]): its root is 2, and the ranks of its communicator are 0 to 1"], None),
    "root_of_a_reduction_is_no_rank": (["its root is -1"], None),
    "reduces_twice_in_one": (["its elements overlap"], None),
    "broadcast_count_is_negative": (["a count is negative: -"], None),
    "reduction_outside_a_region": (["reduce(+: a[0])", "outside a region"], None),
    "reduction_in_an_exchange": (["has not ended"], None),
    "reduction_after_finalize": (["after MPI_Finalize"], None),
    "reduction_of_another_communicator": (["no region around it"], None),
    "broadcast_between_groups": (["between two groups"], None),
    "version_is_later": (["later Stretto", "later.c:12"], None),
}  # fmt: skip


@pytest.mark.pairs(of=by_family)
@pytest.mark.parametrize("setting", ["usual", "force", "off"])
@pytest.mark.parametrize("misuse", MISUSES)
def test_misuse_ends_the_job_with_a_message(mpi, misuse, setting):
    words, function = MISUSES[misuse]
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    executable = program(mpi, "mdmp-misuse", [HERE / "misuse.c"], linked=True)
    result = launch(mpi, 2, executable, [misuse], env=SETTINGS[setting], timeout=30)
    assert not result.hung, result
    assert result.rc != 0 and "not noticed" not in result.stdout, result
    said = "\n".join(line for line in result.stderr.splitlines() if "stretto: rank" in line)
    for needed in [*words, *lines_of(misuse, function)]:
        assert needed in said, f"the message lacks {needed}:\n{result}"
    assert any(said.rstrip().endswith(f"{line})") for line in lines_of(misuse, function)[-1:]) or "later" in said, (
        result
    )


@pytest.mark.pairs(of=by_family)
@pytest.mark.parametrize("language", ["c", "cpp"])
@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("transport", ["shm", "tcp"])
@pytest.mark.parametrize("columns", ["60", "30000"])
def test_jacobi_has_the_bits_of_plain_mpi(mpi, columns, transport, setting, language):
    words = ["5", columns, "12"]
    plain = launch(mpi, 3, made(mpi, "jacobi", language, "-DWITH_MPI"), words, transport=transport)
    assert plain.rc == 0 and plain.stdout.count("checksum") == 3, plain
    result = launch(mpi, 3, made(mpi, "jacobi", language), words, transport=transport, env=SETTINGS[setting])
    assert result.rc == 0 and result.stdout == plain.stdout, result


@pytest.mark.parametrize("transport", ["tcp"])
def test_long_sections_are_framed(mpi, transport):
    env = {"STRETTO_COUNTERS": "1", "STRETTO_FORCE": "1"}
    result = launch(mpi, 4, made(mpi, "promises", "c"), ["either_order_is_right"], transport=transport, env=env)
    assert result.rc == 0 and result.counters["send_framed"] >= 16, result


def test_a_report_names_the_line_where_an_exchange_ends(mpi, tmp_path):
    page = tmp_path / "page.html"
    executable = made(mpi, "jacobi", "c", "-g0")  # the directive itself tells
    result = launch(mpi, 2, executable, ["5", "30000", "12"], transport="tcp", env={"STRETTO_REPORT": str(page)})
    assert result.rc == 0, result
    text = (HERE / "jacobi.h").read_text().splitlines()
    line = next(k + 1 for k, line in enumerate(text) if "MDMP_EXCHANGE_END" in line)
    assert f"jacobi.h:{line}" in page.read_text()
