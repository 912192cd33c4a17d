"""`stretto bench transport`: each size of a delta by each transport is there, and compared with the right ones. No time decides."""

import json
import xml.etree.ElementTree as ElementTree

import pytest
import transport
from test_driver import bench

TINY = ("--turns", 2, "--reps", 2)
SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("kernel", ["pair", "cascade", "ring"])
def test_each_delta_goes_both_ways_and_gives_the_same_bits(tmp_path, kernel):
    picture = tmp_path / "transport.svg"
    words = ("--size", "64KiB", "--deltas", "1KiB,4032", "-n", 2, "--json", "--picture", picture)
    done = bench("transport", kernel, *TINY, *words)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["verified"] and result["kernel"] == kernel and result["plain_s"] > 0 < result["ideal_s"]
    assert [row["delta_bytes"] for row in result["rows"]] == [1024, 4032]
    assert all(row[name]["median_s"] > 0 for row in result["rows"] for name in transport.TRANSPORTS)
    texts = [text.text for text in ElementTree.parse(picture).iter(f"{SVG}text")]
    assert {"one-sided", "two-sided", "plain", "ideal"} <= set(texts)


def launch(**seconds):
    runs = [{"name": name, "seconds": [its], "changed": 0, "checksum": "c0ffee"} for name, its in seconds.items()]
    return {"library": "Open MPI v4.1.4", "bytes": 1 << 20, "wrong": 0, "runs": runs}


def test_what_is_printed_follows_from_what_was_measured(capsys):
    asked = transport.read(["--deltas", "512,1KiB", "--turns", "2"])
    plain = launch(message=1.0, compute=3.0, plain=4.0)
    made = {"plain": [plain, plain]}
    for name, took in {
        "one-sided, 512 B": 3.2,
        "one-sided, 1 KiB": 3.0,
        "two-sided, 512 B": 8.0,
        "two-sided, 1 KiB": 4.0,
    }.items():
        made[name] = [launch(delta=took)] * 2
    result = transport.derive(asked, made)
    assert result["measured_ratio"] == 3 and result["ideal_s"] == 3
    small, large = result["rows"]
    assert small["one-sided"] == {"median_s": 3.2, "speedup": 1.25, "range": [1.25, 1.25], "of_ideal": 0.9375}
    assert large["two-sided"]["speedup"] == 1 and large["one-sided"]["of_ideal"] == 1
    assert result["worst_of_best"] == {"one-sided": pytest.approx(1.067, rel=1e-3), "two-sided": 2}


@pytest.mark.parametrize(
    "words, about",
    [
        (("--deltas", "100"), "--deltas: 100: want multiples of 32 from 256"),
        (("--size", "1KiB", "--deltas", "2KiB"), "to the message's 1024 bytes"),
        (("-n", 3), "pair needs 2 ranks"),
        (("hycom",), "invalid choice: 'hycom'"),
        (("--mpi", "none"), "no MPI is called 'none'"),
    ],
)
def test_what_cannot_be_is_said(words, about):
    done = bench("transport", *words)
    assert done.returncode == 2 and about in done.stderr, done
