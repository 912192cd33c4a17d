"""The mutants fit the runtime as it is. (`make mutants` builds them and sees them fail.)"""

from pathlib import Path

import pytest
from mutants import MUTANTS

RUNTIME = Path(__file__).resolve().parent.parent.parent / "runtime"


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.what)
def test_its_place_is_there_once(mutant):
    assert (RUNTIME / mutant.file).read_text().count(mutant.old) == 1
