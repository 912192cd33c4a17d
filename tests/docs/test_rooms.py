"""The rooms of runtime/: docs/README.md has their order; each includes what lies below it, and nothing in a circle."""

import re

from launch import ROOT

RUNTIME = ROOT / "runtime"
FILES = [path for path in RUNTIME.rglob("*") if path.suffix in (".h", ".cpp", ".def")]
INCLUDED = re.compile(r'^#include "((\w+)/[\w/]+\.\w+)"', re.M)


def order():
    page = (ROOT / "docs/README.md").read_text()
    (rooms,) = re.findall(r"a folder uses only those named after it here: ([^.]*)\.", page)
    return re.findall(r"`(\w+)`", rooms)


def test_every_room_is_named():
    rooms = {path.relative_to(RUNTIME).parts[0] for path in FILES}
    assert rooms == set(order())


def test_a_room_includes_only_rooms_below_it():
    rank = {room: place for place, room in enumerate(order())}
    upwards = [
        f"{path.relative_to(RUNTIME)} includes {file}"
        for path in FILES
        for file, room in INCLUDED.findall(path.read_text())
        if rank[room] < rank[path.relative_to(RUNTIME).parts[0]]
    ]
    assert not upwards


def test_no_header_includes_itself_by_way_of_others():
    included = {
        str(path.relative_to(RUNTIME)): [file for file, _ in INCLUDED.findall(path.read_text())]
        for path in FILES
        if path.suffix == ".h"
    }
    done = set()

    def follow(file, way):
        assert file not in way, " includes ".join([*way[way.index(file) :], file])
        if file in done:
            return
        for other in included.get(file, ()):  # what is generated includes nothing of ours
            follow(other, [*way, file])
        done.add(file)

    for file in included:
        follow(file, [])
