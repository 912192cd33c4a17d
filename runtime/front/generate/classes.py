"""The class of every function: classes.toml, checked against the standard and against a header."""

import tomllib
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Class:
    name: str  # handled, always, offered, after, bare, packing, through, unwrapped
    first: str = ""  # classes offered and after: our function that comes first
    then: tuple = ()  # our functions that come afterwards
    reaches: str = ""  # "everything", "everything_in_time", "callbacks": memory that no argument leads to


def load(path):
    with open(path, "rb") as file:
        table = tomllib.load(file)
    lists = [(Class("handled"), table["handled"]), (Class("always"), table["always"])]
    lists += [(Class("offered", first), names) for first, names in table["offered"].items()]
    lists += [(Class("after", first), names) for first, names in table["after"].items()]
    lists += [(Class(name), names) for name, names in table["library"].items()]
    classes = {}
    for class_, names in lists:
        for name in names:
            if name in classes:
                raise SystemExit(f"{path}: {name} stands in two classes")
            classes[name] = class_
    for then, names in table["then"].items():
        for name in names:
            classes[name] = replace(classes[name], then=(*classes[name].then, then))
    for reaches, names in table["reaches"].items():
        for name in names:
            classes[name] = replace(classes[name], reaches=reaches)
    return classes


def base(name):
    """MPI_Send_c has the class of MPI_Send."""
    return name.removesuffix("_c")


def check(classes, names, whose):
    """Every one of `names` has a class, or we stop: without one, nobody has thought about what it may block on."""
    missing = sorted({base(name) for name in names} - classes.keys())
    if missing:
        raise SystemExit(
            f"generate: {whose} has functions without a class: {', '.join(missing)}. Add each to runtime/front/classes.toml, "
            "to 'after' if it may block."
        )
