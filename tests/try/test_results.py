"""Which results are equal, and which lines count where plain runs differ themselves; what happens to a user's files."""

import pytest
from output_files import BadFile, OutputFiles
from results import Reference, first_difference


@pytest.fixture
def written(tmp_path):
    """A function that writes a result."""
    count = 0

    def write(text):
        nonlocal count
        count += 1
        path = tmp_path / f"result-{count}"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return write


@pytest.fixture
def reference(written):
    return lambda *plain: Reference("output", [written(text) for text in plain])


def test_equal_bytes_are_equal_results(reference, written):
    of = reference("sum 3\n", "sum 3\n")
    assert of.basis.by == "bytes"
    assert not of.difference(written("sum 3\n"))


@pytest.mark.parametrize(
    "found, how",
    [
        ("a\nc\n", "line 2: 'c', not 'b'"),
        ("a\nb", "line 2: 'b' has another end"),
        ("a\nb\nc\n", "3 lines, not 2"),
        ("", "0 lines, not 2"),
    ],
)
def test_the_first_line_that_differs_is_shown(written, found, how):
    assert first_difference(written("a\nb\n"), written(found)) == how


def test_of_a_binary_file_the_first_byte_that_differs_is_shown(written):
    assert first_difference(written(b"\0\1\2"), written(b"\0\1\3")) == "byte 3: 0x03, not 0x02"
    assert first_difference(written(b"\0\1\2"), written(b"\0\1")) == "2 bytes, not 3"


def test_a_result_that_was_not_written_differs(reference):
    assert reference("a\n", "a\n").difference(None) == "output: it was not written"


def test_lines_that_differ_among_plain_runs_are_left_out(reference, written):
    of = reference("sum 3\ntime 1\nend\n", "sum 3\ntime 2\nend\n")
    assert (of.basis.by, of.basis.lines, of.basis.shared) == ("lines", 3, 2)
    assert of.basis.first_difference == "line 2: 'time 2', not 'time 1'"
    assert "judged by the 2 of 3 lines" in of.basis.text()
    assert not of.difference(written("sum 3\ntime 9\nend\n"))
    assert of.difference(written("sum 4\ntime 1\nend\n")) == "output: line 1: 'sum 4', not 'sum 3'"
    assert of.difference(written("sum 3\ntime 9\nend\nmore\n")) == "output: 4 lines, not 3"
    assert of.difference(written("sum 3\n")) == "output: 1 lines, not 3"


def test_ranks_may_print_in_any_order_where_they_do_so_without_stretto(reference, written):
    of = reference("rank 0\nrank 1\nrank 2\n", "rank 1\nrank 0\nrank 2\n")
    assert of.basis.by == "lines in any order"
    assert not of.difference(written("rank 2\nrank 1\nrank 0\n"))
    assert of.difference(written("rank 2\nrank 1\nrank 1\n")) == "output: without the line 'rank 0'"


def test_another_order_is_a_difference_where_plain_runs_have_one(reference, written):
    assert reference("a\nb\n", "a\nb\n").difference(written("b\na\n"))


def test_so_many_lines_that_plain_runs_differ_in_are_matched_by_content(reference, written):
    of = reference("step 1\nsum 3\n", "step 1\nstep 2\nsum 3\n")
    assert of.basis.by == "lines in any order"
    assert not of.difference(written("step 1\nstep 2\nstep 3\nsum 3\n"))
    assert of.difference(written("step 1\nsum 4\n")) == "output: without the line 'sum 3'"
    longer = reference("sum 3\n", "sum 3\nwarning\n")
    assert not longer.difference(written("sum 3\nwarning\nwarning\n"))


def test_the_last_line_may_have_no_end(reference, written):
    of = reference("sum 3\ntime 1", "sum 3\ntime 2")
    assert (of.basis.by, of.basis.lines, of.basis.shared) == ("lines", 2, 1)
    assert not of.difference(written("sum 3\ntime 3"))
    assert of.difference(written("sum 4\ntime 3"))


@pytest.mark.parametrize("plain", [("time 1\n", "time 2\n"), (b"\0\n\1", b"\0\n\2")])
def test_what_no_two_plain_runs_share_is_not_judged(reference, written, plain):
    of = reference(*plain)
    assert of.basis.by == "nothing" and "it is not judged" in of.basis.text()
    assert not of.difference(written("anything\n"))


# --- the user's files ---------------------------------------------------------------------------------------------


def folder(tmp_path, name):
    made = tmp_path / name
    made.mkdir()
    return made


def test_a_new_file_is_moved_away_after_each_run(tmp_path):
    path = tmp_path / "new.dat"
    files = OutputFiles([str(path)], tmp_path / "before")
    for run in ("1", "2"):
        files.begin()
        assert not path.exists()
        path.write_text(run)
        taken = files.take(folder(tmp_path, run))
        assert not path.exists() and taken[str(path)].read_text() == run


def test_a_file_that_was_there_is_put_back_after_each_run(tmp_path):
    path = tmp_path / "restart.dat"
    path.write_text("the user's")
    inode = path.stat().st_ino
    files = OutputFiles([str(path)], tmp_path / "before")
    for run in ("1", "2"):
        files.begin()
        assert path.read_text() == "the user's"
        path.write_text(run)
        assert files.take(folder(tmp_path, run))[str(path)].read_text() == run
    assert path.read_text() == "the user's" and path.stat().st_ino == inode


def test_a_file_that_a_run_has_deleted_comes_back(tmp_path):
    path = tmp_path / "restart.dat"
    path.write_text("the user's")
    files = OutputFiles([str(path)], tmp_path / "before")
    files.begin()
    path.unlink()
    assert files.take(folder(tmp_path, "1")) == {} and path.read_text() == "the user's"


def test_an_input_is_never_touched(tmp_path):
    path = tmp_path / "input.dat"
    path.write_text("the user's")
    files, before = OutputFiles([str(path)], tmp_path / "before"), path.stat()
    files.begin()
    assert files.take(folder(tmp_path, "1")) == {}
    assert (path.stat().st_mtime_ns, path.stat().st_ino) == (before.st_mtime_ns, before.st_ino)


def test_what_was_there_comes_back_also_where_the_disk_is_full(tmp_path):
    path = tmp_path / "restart.dat"
    path.write_text("the user's")
    files = OutputFiles([str(path)], tmp_path / "before")
    files.begin()
    path.write_text("1")
    with pytest.raises(OSError):
        files.take(tmp_path / "no such folder")
    assert path.read_text() == "the user's"


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(BadFile, match="is a folder"):
        OutputFiles([str(tmp_path)], tmp_path / "before")
