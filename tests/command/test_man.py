"""The man pages say what --help says: the same commands, kernels and options. groff finds nothing wrong with them."""

import re
import shutil
import subprocess

import pytest
from launch import BUILD, ROOT

PAGES = sorted((ROOT / "man").glob("*.1"))
# Commands that have helps of their own, which one page tells together.
MORE = {
    "lab": ("up", "run", "exec", "hosts", "status", "down"),
    "bench": ("overhead", "bandwidth", "nbc", "costs", "surface", "never-slower"),
}


def help_of(*words):
    done = subprocess.run([BUILD / "bin/stretto", *words, "--help"], capture_output=True, text=True, check=True)
    return done.stdout


def command_of(page):
    return page.stem.partition("-")[2]


def helps(command):
    own = [command] if command else []
    return "\n".join([help_of(*own), *(help_of(command, verb) for verb in MORE.get(command, ()))])


def options_in_help(text):
    begins = re.findall(r"^\s+(-{1,2}[a-z][\w-]*)(?:,\s?(--[\w-]+))?", text, re.M)
    return {option for pair in begins for option in pair if option}


def options_in_page(text):
    return {f"-{name}" for item in re.findall(r"^\.It (Fl .*)", text, re.M) for name in re.findall(r"Fl (\S+)", item)}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_has_the_options_of_help(page):
    assert options_in_page(page.read_text()) == options_in_help(helps(command_of(page)))


def test_every_command_has_a_page():
    commands = re.findall(r"^  (\w+)  ", help_of().partition("Subcommands:")[2].partition("examples:")[0], re.M)
    assert commands and {command_of(page) for page in PAGES} == {"", *commands}
    text = (ROOT / "man/stretto.1").read_text()
    assert re.findall(r"^\.It Cm (\w+)", text, re.M) == commands


def test_every_kernel_is_in_its_page():
    kernels = re.findall(r"^  ([\w-]+)  ", help_of("bench").partition("kernels:")[2], re.M)
    items = re.findall(r"^\.It Cm (.*)", (ROOT / "man/stretto-bench.1").read_text(), re.M)
    assert sorted(kernels) == sorted(name for item in items for name in item.split(" , "))


@pytest.mark.skipif(not shutil.which("groff"), reason="groff is not on this machine")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_groff_finds_nothing_wrong(page):
    done = subprocess.run(["groff", "-mdoc", "-ww", "-Tutf8", page], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
