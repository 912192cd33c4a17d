"""The mutants fit the runtime, the compiler and the tests as they are. (`make mutants` builds them and sees them fail.)"""

import subprocess
import sys

import of_compiler
import pytest
from launch import ROOT
from mutants import MUTANTS

sys.path.append(str(ROOT / "tests/mpi"))
from test_promises import SETTINGS, TRIED_BY_MUTANTS


def words(environment):
    """What Stretto reads of it."""
    return {name: value for name, value in environment.items() if not name.startswith("STRETTO_TESTS")}


@pytest.mark.parametrize("mutant", [*MUTANTS, *of_compiler.MUTANTS], ids=lambda mutant: mutant.what)
def test_its_place_is_there_once(mutant):
    assert (ROOT / mutant.path).read_text().count(mutant.old) == 1


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


@pytest.mark.parametrize("mutant", [one for one in MUTANTS if one.pytest], ids=lambda mutant: mutant.what)
def test_the_test_that_notices_it_is_in_every_test_run(mutant):
    folder, words = mutant.pytest
    collected = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--collect-only", folder, "-k", f"({words}) and {mutant.mpi}"],
        cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip
    assert collected.returncode == 0, collected.stdout
