"""What all tests that launch MPI programs share: which MPIs they run under (pytest --mpi NAME: only that one)."""

import pytest
from launch import mpis


def pytest_addoption(parser):
    parser.addoption("--mpi", action="append", default=[], metavar="NAME", help="only under this MPI (may be repeated)")


def pytest_generate_tests(metafunc):
    if "mpi" in metafunc.fixturenames:
        wanted = metafunc.config.getoption("--mpi") or list(mpis())
        unknown = set(wanted) - set(mpis())
        if unknown:
            raise pytest.UsageError(f"--mpi {' '.join(unknown)}: set-up found {', '.join(mpis())}")
        metafunc.parametrize("mpi", wanted, scope="session")
