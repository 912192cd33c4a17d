"""MDMP's header (include/stretto/mdmp.h): what is wrong in the source is an error of every compiler, and says what to do."""

import subprocess
from pathlib import Path

import pytest
from compile import FLAGS
from launch import mpis

HERE = Path(__file__).parent
LANGUAGES = {"c": ("mpicc", ["-std=gnu11"]), "cpp": ("mpicxx", ["-std=c++20"])}


def compiled(mpi, language, source, *flags, folder):
    """What the MPI's own compiler says of a source: its status, and its messages."""
    wrapper, standard = LANGUAGES[language]
    file = folder / f"program.{language}"
    file.write_text(source)
    command = [mpis()[mpi][wrapper], *standard, *FLAGS, *flags, "-fsyntax-only", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stderr


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_compiler_that_ignores_directives_is_refused(mpi, language, tmp_path):
    status, said = compiled(mpi, language, "#include <stretto/mdmp.h>\n", folder=tmp_path)
    assert status and "compile with stretto-cc, or define STRETTO_MDMP_CALLS" in said, said
