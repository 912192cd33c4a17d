"""What all tests that launch MPI programs share: which MPIs they run under (pytest --mpi NAME: only that one), which combinations of
options are enough, and what runs side by side."""

import os
from pathlib import Path

import pytest
from launch import mpis
from pairs import thinned

HERE = Path(__file__).parent

# Tests of one group run one after the other, in one process (pytest-xdist, --dist loadgroup): they share what is made once, or a lab. Of
# other suites each test is its own group.
GROUPED_BY = {
    "mpi": ("mpi", "setting"),  # one launch has all promises of a setting
    "bench": (),  # what measures may keep a core to itself: one such is enough
    "report": ("mpi",),
    "helper": (),
    "install": (),
    "lab": (),
}
# Those that take longest come first, so that nobody waits for them at the end.
FIRST = ("suites", "mpi", "bench", "fuzz", "lab")


def pytest_configure(config):
    config.addinivalue_line(
        "markers",
        "pairs(of, left_out, always): of its combinations only so many run that each pair of two options' values is met (make test-all: all). "
        "of: a function from its parameters to {option: value}, where they are not the options themselves; "
        "left_out: from its parameters to why this combination cannot be run, or None; always: whether this one runs whatever others meet",
    )


def pytest_addoption(parser):
    parser.addoption("--mpi", action="append", default=[], metavar="NAME", help="only under this MPI (may be repeated)")


def pytest_generate_tests(metafunc):
    if "mpi" in metafunc.fixturenames:
        wanted = metafunc.config.getoption("--mpi") or list(mpis())
        unknown = set(wanted) - set(mpis())
        if unknown:
            raise pytest.UsageError(f"--mpi {' '.join(unknown)}: set-up found {', '.join(mpis())}")
        metafunc.parametrize("mpi", wanted, scope="session")


def suite_of(item):
    """The folder of tests/ that it is in."""
    return item.path.relative_to(HERE).parts[0]


def made_up_for(items):
    """Of the tests marked `pairs`, the combinations whose pairs are met in others."""
    functions = {}
    for item in items:
        if item.get_closest_marker("pairs"):
            functions.setdefault(item.function, []).append(item)
    for combinations in functions.values():
        words = combinations[0].get_closest_marker("pairs").kwargs
        of = words.get("of", dict)
        left_out, always = (words.get(word, lambda **parameters: False) for word in ("left_out", "always"))
        options = [(item, of(**item.callspec.params)) for item in combinations if not left_out(**item.callspec.params)]
        different = {str(one): one for _, one in options}
        needed = {str(one): one for item, one in options if always(**item.callspec.params)}
        chosen = {str(one) for one in thinned(list(different.values()), needed.values())}
        yield from (item for item, one in options if str(one) not in chosen)


def pytest_runtest_setup(item):
    left_out = item.get_closest_marker("pairs") and item.get_closest_marker("pairs").kwargs.get("left_out")
    if left_out and (reason := left_out(**item.callspec.params)):
        pytest.skip(reason)


@pytest.hookimpl(tryfirst=True)  # xdist reads the groups in its own
def pytest_collection_modifyitems(config, items):
    if not os.environ.get("STRETTO_TESTS_FULL"):
        fewer = set(made_up_for(items))
        config.hook.pytest_deselected(items=[item for item in items if item in fewer])
        items[:] = [item for item in items if item not in fewer]
    for item in items:
        suite = suite_of(item)
        values = item.callspec.params if hasattr(item, "callspec") else {}
        by = GROUPED_BY.get(suite)
        known = [] if by is None else [str(values[name]) for name in by if name in values]
        grouped = by is not None and len(known) == len(by)
        item.add_marker(pytest.mark.xdist_group("-".join([suite, *known]) if grouped else item.nodeid))
    items.sort(key=lambda item: FIRST.index(suite_of(item)) if suite_of(item) in FIRST else len(FIRST))


def pytest_xdist_node_collection_finished(node, ids):
    """Where a group comes apart nothing fails, but each of its parts makes for itself what it should share: no run begins so."""
    if node.config.getoption("dist") == "loadgroup" and not all("@" in test for test in ids):
        pytest.exit("pytest-xdist keeps no group of tests together under this pytest: `make setup`", returncode=1)
