"""`stretto bench surface`: all cells are there, the runtime's own choice is compared with the right ones. No time decides."""

import json
import xml.etree.ElementTree as ElementTree

import pytest
import surface
from heat import colour
from launch import BUILD, launch
from test_driver import bench

TINY = ("--lab", "none", "--turns", 2, "--reps", 2, "--attempts", 1, "--patience", 0)
SIZES, DELTAS = [8192, 16384], [4096, 16384]
SMALL = ("--sizes", "8KiB,16KiB", "--deltas", "4KiB,16KiB")
SVG = "{http://www.w3.org/2000/svg}"


def made_of(seconds):
    """What the launches of `surface` print: seconds by choice and size, one value a turn."""
    return {
        name: [
            [
                {
                    "bytes": message,
                    "library": "Open MPI v4.1.4",
                    "wrong": 0,
                    "runs": [
                        {"name": run, "seconds": [turns[turn]], "changed": 0, "checksum": "c0ffee"}
                        for run in (("message", "compute", "plain") if name == "plain" else ("delta",))
                    ],
                }
                for message, turns in by_size.items()
            ]
            for turn in range(2)
        ]
        for name, by_size in seconds.items()
    }


def known(**more):
    """8 KiB and 16 KiB: plain takes 8 s, a delta of 4 KiB 4, one of 16 KiB 2."""
    seconds = {"plain": {8192: [8, 8], 16384: [8, 8]}}
    for choice in surface.choices(DELTAS):
        took = {None: 4, 4096: 4, 16384: 2}[choice.delta]
        seconds[str(choice)] = {message: [took, took] for message in SIZES if choice.fits(message)}
    return made_of(seconds | more)


def asked():
    return surface.read(["--lab", "none", *map(str, SMALL)])


def test_every_cell_is_measured_and_gives_the_same_bits(tmp_path):
    picture, report = tmp_path / "surface.svg", tmp_path / "surface.html"
    done = bench("surface", *TINY, *SMALL, "--json", "--picture", picture, "--report", report)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["verified"] and result["sizes"] == SIZES and result["deltas"] == DELTAS
    assert {(cell["trigger"], cell["message_bytes"], cell["delta_bytes"]) for cell in result["cells"]} == {
        *((trigger, message, None) for trigger in ("annotations", "pages", "auto") for message in SIZES),
        *((trigger, message, 4096) for trigger in ("annotations", "pages") for message in SIZES),
        *((trigger, 16384, 16384) for trigger in ("annotations", "pages")),
    }
    assert len(result["cells"]) == 12 and all(cell["speedup"] > 0 for cell in result["cells"])
    assert result["launches"] == 2 * 9  # in each turn plain twice
    texts = [text.text for text in ElementTree.parse(picture).iter(f"{SVG}text")]
    assert {"annotations", "pages", "auto", "message", "8 KiB", "16 KiB", "own", "4", "16"} <= set(texts)
    page = report.read_text()
    assert f">{result['cells'][0]['speedup']:.2f}</text>" in page and "src=" not in page


def test_a_table_says_what_holds():
    done = bench("surface", *TINY, "--sizes", "8KiB", "--deltas", "4KiB")
    assert done.returncode == 0, done.stderr
    assert "of the best fixed one" in done.stdout and "hold" in done.stdout


def test_the_runtimes_choice_is_compared_with_the_best_delta_that_fits():
    result = surface.derive(asked(), known(), [0.0])
    own = result["own"]["annotations"]
    assert own["of_best"] == [1, 0.5]  # 16 KiB do not fit into 8
    assert own["geometric_mean"] == pytest.approx(0.5**0.5, rel=1e-3)
    assert result["worst"]["speedup"] == 2
    assert result["holds"] == {"auto": False, "of_best": False, "own_of_plain": True, "of_plain": True}


def test_its_choice_of_the_trigger_is_compared_with_the_deltas_of_both():
    pages = {"pages, deltas: 16 KiB": {16384: [1, 1]}}
    result = surface.derive(asked(), known(**pages), [0.0])
    assert result["own"]["annotations"]["of_best"] == [1, 0.5]
    assert result["own"]["auto"]["of_best"] == result["own"]["pages"]["of_best"] == [1, 0.25]


def test_a_delta_that_luck_made_the_best_is_not_what_the_other_turns_choose():
    lucky = {"annotations, deltas: 16 KiB": {16384: [1, 9]}}
    own = surface.derive(asked(), known(**lucky), [0.0])["own"]["annotations"]
    assert own["of_best"] == [1, 1]
    # The even turn chooses 16 KiB, which takes 9 in the odd one; that chooses 4 KiB.
    assert own["of_chosen"] == [1, pytest.approx((9 / 4) ** 0.5, rel=1e-3)]


def test_one_turn_has_no_other_that_could_choose():
    made = {name: launches[:1] for name, launches in known().items()}
    own = surface.derive(asked(), made, [0.0])["own"]["annotations"]
    assert own["of_best"] == [1, 0.5] and own["of_chosen"] is own["geometric_mean_of_chosen"] is None


def test_a_cell_slower_than_plain_is_found():
    slow = {"pages, deltas: 4 KiB": {8192: [16, 16], 16384: [4, 4]}}
    result = surface.derive(asked(), known(**slow), [0.0])
    assert (result["worst"]["message_bytes"], result["worst"]["delta_bytes"]) == (8192, 4096)
    assert result["holds"]["own_of_plain"] and not result["holds"]["of_plain"]


def test_the_choice_of_trigger_and_delta_is_judged_by_itself():
    # As good as the best; worse than that; better in all, but slower than plain somewhere.
    for small, large, holds in ((4, 2, True), (5, 2, False), (9, 0.1, False)):
        made = known(**{"auto, deltas: the runtime's own": {8192: [small] * 2, 16384: [large] * 2}})
        result = surface.derive(asked(), made, [0.0])
        assert result["holds"]["auto"] is holds, result["own"]["auto"]


def test_a_disturbed_launch_is_repeated_and_the_calmest_counts(monkeypatch):
    cores, made = iter((0.9, 0.5, 0.7, 0.1)), iter("abcd")
    monkeypatch.setattr(surface.Watch, "cores", lambda _: next(cores))
    launcher = surface.Launcher(asked(), None)
    assert launcher.calm(lambda: next(made)) == "b"
    assert launcher.calm(lambda: next(made)) == "d"
    assert launcher.others == [0.5, 0.1]


def test_a_measurement_after_another_in_one_launch_is_as_if_it_were_alone():
    words = ("--rounds", "2", "--reps", "1", "--run", "plain,delta")
    both, alone = (
        launch("openmpi", 2, BUILD / "bench/openmpi/pair.stretto", (*words, "--bytes", *more), timeout=40)
        for more in (("2048", "--then", "--bytes", "65536"), ("65536",))
    )
    (_, second), (only,) = ([json.loads(line) for line in done.stdout.splitlines()] for done in (both, alone))
    assert [run["checksum"] for run in second["runs"]] == [run["checksum"] for run in only["runs"]]
    assert [run["name"] for run in second["runs"]] == ["plain", "delta"] and not second["wrong"]


def test_results_that_differ_are_an_error(tmp_path):
    programs = tmp_path / "bench/openmpi"
    programs.mkdir(parents=True)
    (programs / "pair").symlink_to(BUILD / "bench/openmpi/pair")
    (programs / "pair.stretto").symlink_to(BUILD / "tests/bench/openmpi/wrong_pair")
    done = bench("surface", *TINY, "--sizes", "8KiB", "--deltas", "4KiB", "--json", prefix=tmp_path)
    assert done.returncode == 1 and "differ" in done.stderr
    assert json.loads(done.stdout)["verified"] is False


def test_a_cells_colour_says_whether_it_is_faster_than_plain():
    slower, equal, faster = (tuple(bytes.fromhex(colour(speedup)[1:])) for speedup in (0.7, 1, 2))
    assert slower[0] > slower[1] > slower[2] and min(equal) > 220 and faster[1] > max(faster[0], faster[2])
    assert colour(0.1) == colour(0.5) and colour(9) == colour(3)


@pytest.mark.parametrize(
    "words, about",
    [
        (("--sizes", "many"), "want a number of bytes"),
        (("--sizes", "8KiB,1001"), "1001: want multiples of 8"),
        (("--deltas", "4KiB,4100"), "4100: want multiples of 32"),
        (("--deltas", "128"), "at least 256"),
        (("--sizes", "8KiB", "--deltas", "4KiB,16KiB"), "16384: more than the largest message"),
        (("--sizes", "8KiB,64KiB", "--deltas", "16KiB"), "none fits into a message of 8192 bytes"),
        (("--sizes", "2KiB"), "none fits into a message of 2048 bytes"),
        (("--lab", "fast"), "rate 'fast'"),
        (("--mpi", "lam"), "no MPI is called 'lam'"),
        (("--mpi", "mpich4"), "--lab none"),
        (("--picture", "/no/such/folder/s.svg"), "--picture /no/such/folder/s.svg: no such folder"),
        (("--report", "/no/such/folder/s.html"), "no such folder"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_starts(words, about):
    done = bench("surface", *words)
    assert done.returncode == 2 and about in done.stderr and not done.stdout, done
    assert "Traceback" not in done.stderr and "calibrating" not in done.stderr
