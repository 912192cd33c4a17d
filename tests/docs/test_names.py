"""pytest imports all test files into one process: of two with one name it would run the first alone."""

from collections import Counter

from launch import ROOT


def test_no_two_test_files_have_one_name():
    names = Counter(path.name for path in (ROOT / "tests").glob("*/test_*.py"))
    assert not [name for name, count in names.items() if count > 1]
