"""What is compiled through ccache (cmake/quick.cmake) is what would be compiled without it."""

import os
import shutil
import subprocess

import pytest
from launch import ROOT

SLOPPINESS = "pch_defines,time_macros,include_file_mtime,include_file_ctime"  # as in cmake/quick.cmake


@pytest.mark.skipif(not shutil.which("ccache"), reason="ccache is not installed")
def test_a_precompiled_header_is_made_of_its_headers_as_they_are(tmp_path):
    environment = os.environ | {"CCACHE_DIR": str(tmp_path / "cache"), "CCACHE_SLOPPINESS": SLOPPINESS}
    (tmp_path / "precompiled.h").write_text('#include "value.h"\n')
    (tmp_path / "precompiled.cpp").write_text("")
    (tmp_path / "main.cpp").write_text('#include "value.h"\nint main() { return value; }\n')

    def compile_(*arguments):
        command = [
            ROOT / "cmake/cached",
            "ccache",
            "g++",
            "-fpch-preprocess",
            "-include",
            "precompiled.h",
            "-MD",
            *arguments,
        ]
        subprocess.run(command, cwd=tmp_path, env=environment, check=True)

    for turn, value in enumerate((1, 2, "another clone", 1, "a comment", 3)):
        if value == "another clone":
            (tmp_path / "precompiled.h.gch").unlink()
            continue
        comment, value = ("// longer than before", 1) if value == "a comment" else ("//", value)
        (tmp_path / "value.h").write_text(f"#pragma once\nconstexpr int value = {value}; {comment}\n")
        compile_("-x", "c++-header", "-o", "precompiled.h.gch", "-c", "precompiled.cpp")
        compile_("-o", "main.o", "-c", "main.cpp", f"-DTURN={turn}")  # anew
        subprocess.run(["g++", "-o", "main", "main.o"], cwd=tmp_path, check=True)
        assert subprocess.run([tmp_path / "main"]).returncode == value
