"""The job's command line: where its applications begin, and the same line with Stretto in front of each."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from launchers import LAB_RUN, Dialect, Unclear, dialect_of


@dataclass(frozen=True)
class Application:
    """begin: the index of the word where `stretto run` stands, or may be put. program: of the word behind it."""

    begin: int
    program: int


@dataclass(frozen=True)
class CommandLine:
    words: list[str]
    applications: list[Application]

    def plain(self) -> list[str]:
        """As it was given, without `stretto run`."""
        return self._with(lambda _: [])

    def with_stretto(self, stretto: str, environment: dict[str, str], *more: str) -> list[str]:
        """`stretto run` before each application, behind the settings that go with it to every host.

        stretto: the command, where the line names none. more: options of `stretto run`.
        """
        settings = ["env", *(f"{name}={value}" for name, value in environment.items())] if environment else []

        def before(application: Application) -> list[str]:
            given = self.words[application.begin : application.program]
            return [*settings, *(own_words(given, stretto) or [stretto, "run"]), *more]

        return self._with(before)

    def _with(self, before: Callable[[Application], list[str]]) -> list[str]:
        """The line with other words where each `stretto run` stands, or may be put."""
        words, at = [], 0
        for application in self.applications:
            words += self.words[at : application.begin] + before(application)
            at = application.program
        return words + self.words[at:]


def own_words(given: list[str], stretto: str) -> list[str]:
    """Of a `stretto run` that was given: all but a report, which a trial asks for itself.

    A `stretto` that no folder of PATH has is this installation's.
    """
    words = [word for word in given if word != "--" and not word.startswith("--report")]
    return [words[0] if shutil.which(words[0]) else stretto, *words[1:]] if words else []


def read(words: list[str]) -> CommandLine:
    """Throws Unclear where it cannot tell where the applications begin."""
    given = list(stretto_runs(words))
    return CommandLine(words, given or [Application(begin, begin) for begin in programs(words)])


def stretto_runs(words: list[str]) -> Iterator[Application]:
    """Every `stretto run` that stands on the line."""
    for begin, (command, verb) in enumerate(pairwise(words)):
        if Path(command).name == "stretto" and verb == "run":
            yield Application(begin, behind_stretto_run(words, begin + 2))


def behind_stretto_run(words: list[str], at: int) -> int:
    """As `stretto run` itself reads its options (tools/command/main.cpp)."""
    while at < len(words) and words[at].startswith("-") and words[at] != "--":
        at += 2 if words[at] == "--mpi" else 1
    at += at < len(words) and words[at] == "--"
    if at >= len(words):
        raise Unclear("no program follows `stretto run`")
    return at


def programs(words: list[str]) -> Iterator[int]:
    """The index of each application's first word: one, or one in each part between colons."""
    begin, dialect = behind_launcher(words)
    while True:
        at = behind_options(words, begin, dialect)
        if at >= len(words) or words[at] == ":":
            raise Unclear("no program follows the launcher's options")
        yield at
        if ":" not in words[at:]:
            return
        begin = words.index(":", at) + 1


def behind_launcher(words: list[str]) -> tuple[int, Dialect]:
    """Behind the launcher's name, which may itself stand behind env."""
    begin = 0
    while begin < len(words):
        if Path(words[begin]).name == "stretto" and words[begin + 1 : begin + 3] == ["lab", "run"]:
            return begin + 3, LAB_RUN
        dialect = dialect_of(words[begin])
        if not dialect:
            raise Unclear(f"{words[begin]} is no launcher that is known here")
        if not dialect.settings:
            return begin + 1, dialect
        begin = behind_options(words, begin + 1, dialect)
    raise Unclear("there is no launcher")


def behind_options(words: list[str], at: int, dialect: Dialect) -> int:
    while at < len(words) and words[at].startswith("-"):
        if words[at] == "--":
            return at + 1
        at += 1 + values_of(words[at], dialect)
    while dialect.settings and at < len(words) and "=" in words[at]:
        at += 1
    return at


def values_of(option: str, dialect: Dialect) -> int:
    """How many of the next words belong to an option."""
    name, equals, _ = option.lstrip("-").partition("=")
    if name in dialect.in_files:
        raise Unclear(f"{option} names a file that holds the programs")
    if name in dialect.values:
        return 0 if equals else dialect.values[name]
    if not option.startswith("--") and (known := values_of_letters(option[1:], dialect.joined)) is not None:
        return known
    raise Unclear(f"the option {option} is not known here")


def values_of_letters(letters: str, joined: dict[str, int]) -> int | None:
    """As getopt: letters without a value may stand together; behind one with a value the rest of the word is its value."""
    for place, letter in enumerate(letters, 1):
        if letter not in joined:
            return None
        if joined[letter]:
            return 0 if letters[place:] else 1
    return 0 if joined and letters else None
