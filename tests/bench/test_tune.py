"""`stretto tune`: each size is measured, and compared with the right ones. No time decides."""

import json
import subprocess
import xml.etree.ElementTree as ElementTree

import pytest
import tune
from launch import BUILD
from test_driver import bench

TINY = ("--turns", 2, "--reps", 2)
SVG = "{http://www.w3.org/2000/svg}"


def tuned(*words):
    command = [BUILD / "bin/stretto", "tune", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize(
    ("kernel", "size", "pieces"), [("pair", "64KiB", "deltas"), ("ring", "64KiB", "deltas"), ("visco", 69120, "lanes")]
)
def test_each_size_gives_the_same_bits(tmp_path, kernel, size, pieces):
    picture = tmp_path / "tune.svg"
    words = ("--lab", "none", "-n", 2, "--size", size, "--pieces", "1KiB,8KiB", "--ratio", "0.5,1", "--json")
    done = tuned(kernel, *TINY, *words, "--picture", picture)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["verified"] and result["kernel"] == kernel and result["pieces"] == pieces
    assert [one["ratio"] for one in result["surfaces"]] == [0.5, 1]
    for one in result["surfaces"]:
        assert {1024, 8192} <= {row["bytes"] for row in one["rows"]} and one["own"]["median_s"] > 0
        assert (one["model"] is not None) == (pieces == "deltas")
        assert max(row["of_best"] for row in one["rows"]) == 1
    texts = {text.text for text in ElementTree.parse(picture).iter(f"{SVG}text")}
    assert {"fixed", "the runtime's own", "plain"} <= texts and ("foretold" in texts) == (pieces == "deltas")


def test_the_table_says_what_is_foretold():
    done = tuned("pair", *TINY, "--lab", "none", "--size", "64KiB", "--pieces", "1KiB,8KiB")
    assert done.returncode == 0, done.stderr
    assert "foretold" in done.stdout and "the runtime's own choice: at least" in done.stdout


def launch(**seconds):
    runs = [{"name": name, "seconds": [its], "changed": 0, "checksum": "c0ffee"} for name, its in seconds.items()]
    return {"library": "Open MPI v4.1.4", "bytes": 1 << 20, "wrong": 0, "runs": runs}


def test_what_is_printed_follows_from_what_was_measured():
    asked = tune.read(["pair", "--pieces", "512,1KiB", "--turns", "2"])
    made = {"plain": [launch(message=1.0, compute=2.0, plain=4.0)] * 2}
    for name, took in {"512 B": 3.2, "1 KiB": 2.0, "640 B": 2.5, "own": 2.2}.items():
        made[name] = [launch(delta=took)] * 2
    found = tune.derive(asked, "1gbit", 2, [512, 640, 1024], {"model": 640, "learnt": 768}, made)
    assert found["best_bytes"] == 1024 and found["plain_s"] == 4 and found["ideal_s"] == 2
    assert [(row["bytes"], row["speedup"], row["of_best"]) for row in found["rows"]] == [
        (512, 1.25, 0.625),
        (640, 1.6, 0.8),
        (1024, 2.0, 1.0),
    ]
    assert found["model"]["bytes"] == 640 and found["model"]["of_best"] == 0.8
    assert found["own"]["bytes"] == 768 and found["own"]["of_best"] == pytest.approx(0.909, rel=1e-3)


def test_a_slow_computation_is_learnt_to_want_other_deltas():
    rate, total = 12.5e6, 1 << 16  # of 10 us a delta sqrt(total rate 10 us) bytes, where that is below 8 KiB
    found = tune.foretold(total, rate, total / rate)
    assert found["model"] == found["learnt"] and found["model"] == pytest.approx((total * rate * 10e-6) ** 0.5, rel=0.1)
    slow = tune.foretold(total, rate, 16 * total / rate)
    assert slow["model"] == found["model"] and slow["learnt"] < found["learnt"]


@pytest.mark.parametrize(
    "words, about",
    [
        (("pair", "--pieces", "100"), "--pieces: 100: want multiples of 32, at least 256"),
        (("pair", "--size", "1KiB", "--pieces", "2KiB"), "none fits into a message of 1024 bytes"),
        (("pair", "-n", 3), "pair needs 2 ranks"),
        (("visco", "--size", 4096), "a multiple of 23040 bytes"),
        (("compress",), "invalid choice: 'compress'"),
        (("pair", "--lab", "fast"), "fast"),
        (("pair", "--mpi", "none"), "no MPI is called 'none'"),
    ],
)
def test_what_cannot_be_is_said(words, about):
    for done in (tuned(*words), bench("tune", *words)):
        assert done.returncode == 2 and about in done.stderr, done
