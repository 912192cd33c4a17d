"""The mutants fit the runtime, the compiler and the tests as they are. (`make mutants` builds them and sees them fail.)"""

import functools
import subprocess
import sys

import of_compiler
import pytest
from _pytest.mark.expression import Expression
from launch import ROOT
from mutants import MUTANTS

sys.path.append(str(ROOT / "tests/mpi"))
from test_promises import SETTINGS, TRIED_BY_MUTANTS


def words(environment):
    """What Stretto reads of it."""
    return {name: value for name, value in environment.items() if not name.startswith("STRETTO_TESTS")}


@pytest.mark.parametrize("mutant", [*MUTANTS, *of_compiler.MUTANTS], ids=lambda mutant: mutant.what)
def test_its_place_is_there_once(mutant):
    times = (ROOT / mutant.path).read_text().count(mutant.old)
    assert times == 1, f"{mutant.path} has it {times} times"


@pytest.mark.parametrize("mutant", of_compiler.MUTANTS, ids=lambda mutant: mutant.what)
def test_the_shapes_that_notice_it_are_in_the_gallery(mutant):
    for name in mutant.gallery:
        assert (ROOT / "tests/compiler" / name.replace("-", "/", 1)).exists(), name


@pytest.mark.parametrize("mutant", [one for one in MUTANTS if one.promises], ids=lambda mutant: mutant.what)
def test_the_setting_that_notices_it_is_in_every_test_run(mutant):
    alike = {
        setting
        for setting, (_, transport, use, level, environment) in SETTINGS.items()
        if use
        and transport == mutant.transport
        and (level or "") == mutant.level
        and words(environment) == words(mutant.env)
    }
    assert not alike or any((mutant.mpi, setting) in TRIED_BY_MUTANTS for setting in alike)


@functools.cache
def collected(folder):
    """The tests of a folder, as `-k` sees them."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", folder], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout
    return [line.lower() for line in done.stdout.splitlines() if "::" in line]


@pytest.mark.parametrize(
    "mutant", [one for one in [*MUTANTS, *of_compiler.MUTANTS] if one.pytest], ids=lambda mutant: mutant.what
)
def test_the_test_that_notices_it_is_in_every_test_run(mutant):
    folder, words = mutant.pytest
    chosen = Expression.compile(f"({words}) and {mutant.mpi}")
    assert any(chosen.evaluate(lambda word, test=test: word.lower() in test) for test in collected(folder)), words
