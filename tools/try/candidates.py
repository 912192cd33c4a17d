"""The settings that are tried: each keeps a program's results, and each has a reason (docs/release.md, docs/settings.md)."""

import difflib
import re
from dataclasses import dataclass


class BadSetting(Exception):
    pass


@dataclass(frozen=True)
class Setting:
    name: str
    environment: dict[str, str]
    why: str = "asked for"
    caution: str = ""  # what to read before it is used for good


# What takes least for granted comes first: among settings that are equally fast the first one is recommended.
SETTINGS = [
    Setting(
        "default",
        {},
        "what `stretto run` does by itself: large messages leave in pieces, receives, sends and collectives return early",
    ),
    Setting(
        "library-collectives",
        {"STRETTO_COLLECTIVES": "off"},
        "collectives stay the library's, whose algorithms may know the network better",
    ),
    Setting(
        "receive",
        {"STRETTO": "receive"},
        "receives return early, but no send is copied, which costs programs that are short of memory bandwidth",
    ),
    Setting(
        "chunk",
        {"STRETTO": "chunk"},
        "large messages leave in pieces, and no call returns early: no guarded pages, no thread that helps",
    ),
    Setting(
        "unmatched",
        {"STRETTO_RELEASE": "unmatched"},
        "receives return before their message is known, where nobody asks for the status: gains most, and takes most "
        "for granted (docs/release.md, Before the match)",
        "takes for granted that ranks talk by MPI alone, that nothing depends on when an MPI_Ssend completes, and that no "
        "message is longer than its receive (docs/release.md, Before the match): equal results of some runs do not show it",
    ),
]
BY_NAME = {setting.name: setting for setting in SETTINGS}


def chosen(asked: list[str]) -> list[Setting]:
    """Those that the user names, or writes as 'K=V K=V'; all where none is."""
    found = {setting.name: setting for setting in map(one, asked)}
    return list(found.values()) or SETTINGS


def one(text: str) -> Setting:
    if text in BY_NAME:
        return BY_NAME[text]
    if "=" not in text:
        near = difflib.get_close_matches(text, BY_NAME, 1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(BY_NAME)}, or 'NAME=VALUE …'"
        raise BadSetting(f"no setting is called {text!r}: {hint}")
    words = text.split()
    for word in words:
        if not re.match(r"[A-Za-z_]\w*=", word):
            raise BadSetting(f"--setting {text!r}: {word} is not NAME=VALUE")
    return Setting(text, dict(word.split("=", 1) for word in words))


def listed() -> str:
    """For people."""
    return "\n".join(
        f"{setting.name}\n    {' '.join(f'{k}={v}' for k, v in setting.environment.items()) or 'nothing is set'}"
        f"\n    {setting.why}"
        for setting in SETTINGS
    )
