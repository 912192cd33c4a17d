"""What is recommended, and why, of trials whose runs are made up: so many seconds, an exit status, an output."""

import io
import itertools
import json
import math
import random
import re
import shlex

import command_line
import pytest
import result_table
import trial
import why
from candidates import SETTINGS, BadSetting, chosen
from execution import Ended
from output_files import OutputFiles
from progress_line import Progress
from trial import Limits, PlainFailed, Trial, in_order
from verdict import as_json, judge

SCATTER = 0.005  # of what runs take


def job(words):
    """What is simulated: plain, or the settings that go with `stretto run`."""
    if "stretto" not in words:
        return "plain"
    return " ".join(word for word in words if word.startswith("STRETTO")) or "default"


@pytest.fixture
def simulate(tmp_path, monkeypatch):
    """A trial whose runs take and write what `behave(name)` says: seconds, and more where that is not 0 and "sum 3"."""

    number = itertools.count()

    def of(behave, settings=(), **limits):
        draw, folder_of_all = random.Random(1), tmp_path / str(next(number))
        folder_of_all.mkdir()

        def execute(words, folder, limit, tick):
            seconds, *rest = behave(job(words))
            status, text = (*rest, *(0, "sum 3\n")[len(rest) :])
            (folder / "stdout").write_text(text)
            (folder / "stderr").write_text("")
            expired = limit is not None and seconds > limit
            return Ended(seconds * math.exp(draw.gauss(0, SCATTER)), 1.0, 1 << 20, 143 if expired else status, expired)

        monkeypatch.setattr(trial, "execute", execute)
        made = Trial(
            command_line.read(["srun", "./app"]), chosen(list(settings)), "stretto",
            OutputFiles([], folder_of_all), folder_of_all, Limits(**limits), Progress(io.StringIO()),
        )  # fmt: skip
        made.run()
        return made, judge(made, interrupted=False)

    return of


def rows(verdict):
    return {row.name: row for row in verdict.rows}


def test_the_fastest_setting_is_recommended_with_its_command_line(simulate):
    _, verdict = simulate(lambda name: (5.0 if name == "STRETTO_RELEASE=unmatched" else 10.0,))
    assert verdict.recommended.name == "unmatched"
    assert shlex.join(verdict.recommended.command) == "srun env STRETTO_RELEASE=unmatched stretto run ./app"
    assert verdict.recommended.speedup.low > 1.9
    text = result_table.text(verdict)
    assert (
        re.search("Use unmatched: (1.9|2.0)", text)
        and "\n    srun env STRETTO_RELEASE=unmatched stretto run ./app\n" in text
    )


def test_of_equally_fast_settings_the_one_that_takes_least_for_granted_is_recommended(simulate):
    _, verdict = simulate(lambda name: (10.0 if name == "plain" else 5.0,))
    assert verdict.recommended.name == "default" and "takes for granted" not in result_table.text(verdict)


def test_what_takes_more_for_granted_is_recommended_where_it_is_clearly_faster(simulate):
    seconds = {"plain": 10.0, "STRETTO_RELEASE=unmatched": 5.0}
    _, verdict = simulate(lambda name: (seconds.get(name, 8.0),))
    assert verdict.recommended.name == "unmatched" and rows(verdict)["default"].speedup.low > 1
    assert "Note: unmatched takes for granted that ranks talk by MPI alone" in result_table.text(verdict)


def test_a_tie_is_no_recommendation(simulate):
    _, verdict = simulate(lambda name: (10.0,))
    assert verdict.recommended is None
    assert f"no difference that {verdict.turns} turns can show (between " in verdict.sentence


def test_slower_is_said_plainly(simulate):
    _, verdict = simulate(lambda name: (10.0 if name == "plain" else 20.0,))
    assert verdict.recommended is None and "No setting helps: the best one" in verdict.sentence


def test_what_is_surely_slower_gets_no_more_turns(simulate):
    scatter = itertools.cycle([5.0, 14.0, 9.0, 7.0, 12.0])
    seconds = {"plain": 10.0, "default": 20.0}
    made, _ = simulate(lambda name: (seconds.get(name) or next(scatter),), settings=["default", "chunk"], turns=8)
    assert len(made.seconds("default")) == trial.FEWEST and len(made.seconds("chunk")) == 8


@pytest.mark.parametrize(
    "behaviour, results, shown",
    [
        ((1.0, 3), "failed", "exit status 3"),
        ((1000.0,), "hung", "not finished"),
        ((1.0, 0, "sum 4\n"), "differs", "standard output: line 1: 'sum 4', not 'sum 3'"),
    ],
)
def test_what_goes_wrong_is_never_recommended_however_fast(simulate, behaviour, results, shown):
    _, verdict = simulate(lambda name: behaviour if name == "default" else (10.0,), turns=6)
    wrong = rows(verdict)["default"]
    assert wrong.results == results and shown in wrong.why_not and verdict.recommended is None
    assert verdict.wrong == [wrong]
    text = result_table.text(verdict)
    assert f"Its output: {wrong.kept}" in text and "Please report this" in text


def test_a_setting_that_fails_is_not_run_again(simulate):
    made, _ = simulate(lambda name: (1.0, 3) if name == "STRETTO=chunk" else (10.0,), turns=4)
    assert len(made.runs["chunk"]) == 1


def test_one_run_of_many_with_another_result_is_enough(simulate):
    count = itertools.count()
    _, verdict = simulate(
        lambda name: (5.0, 0, "sum 4\n") if name == "default" and next(count) == 3 else (10.0,),
        settings=["default"], turns=5,
    )  # fmt: skip
    assert rows(verdict)["default"].results == "differs" and verdict.recommended is None
    assert "no setting gives its results" in verdict.sentence


def test_times_that_a_job_prints_are_no_difference(simulate):
    count = itertools.count()
    _, verdict = simulate(lambda name: (10.0, 0, f"sum 3\ntime {next(count)}\n"), settings=["chunk"])
    assert rows(verdict)["chunk"].results == "equal"
    assert "Note: standard output: plain runs differ themselves (line 2:" in result_table.text(verdict)


def test_a_plain_job_that_fails_ends_the_trial(simulate):
    with pytest.raises(PlainFailed, match="without Stretto: exit status 3"):
        simulate(lambda name: (1.0, 3))


def test_clear_cases_end_early_and_unclear_ones_at_the_limit(simulate):
    clear, _ = simulate(lambda name: (10.0 if name == "plain" else 5.0,), turns=20)
    assert clear.turns < 20
    scatter = itertools.cycle([5.0, 14.0, 9.0, 7.0, 12.0])
    unclear, _ = simulate(lambda name: (next(scatter),), turns=9)
    assert unclear.turns == 9


def test_no_turn_begins_that_the_minutes_do_not_hold(simulate):
    scatter = itertools.cycle([5.0, 14.0, 9.0, 7.0, 12.0])
    made, _ = simulate(lambda name: (next(scatter),), minutes=1e-9)
    assert made.turns == trial.FEWEST
    assert made.progress.stream.getvalue().count("3 turns take about") == 1


def test_json_says_the_same(simulate):
    _, verdict = simulate(lambda name: (10.0 if name == "plain" else 5.0,), settings=["default", "A=b"], turns=1)
    document = json.loads(as_json(verdict))
    assert document["recommended"] is None  # of one turn
    assert [row["name"] for row in document["rows"]] == ["default", "A=b"]
    assert document["rows"][1]["command"] == ["srun", "env", "A=b", "stretto", "run", "./app"]
    assert document["rows"][0]["speedup"]["low"] is None and document["rows"][0]["results"] == "equal"


def test_progress_says_which_run_of_how_many_and_what_it_looks_like(simulate):
    made, _ = simulate(lambda name: (10.0 if name == "plain" else 5.0,), settings=["default"], turns=3)
    lines = made.progress.stream.getvalue().splitlines()
    assert "run 1, to warm up" in lines[0] and "run 2, for the report" in lines[1]
    assert "run 8 of at most 8, turn 3, " in lines[-1]
    assert re.search(r"plain: 9\.\d+ s; 0:00 so far; times faster: default (1\.9|2\.0)", lines[-1])


def test_each_place_of_a_turn_is_every_settings_in_its_turn():
    names = ["plain", "a", "b"]
    turns = [in_order(names, turn) for turn in range(6)]
    assert all(sorted(turn) == sorted(names) for turn in turns)
    assert turns[1] == turns[0][::-1]
    for place in range(3):
        assert {turn[place] for turn in turns} == set(names)
        assert len([turn for turn in turns if turn[place] == "plain"]) == 2


# --- settings -----------------------------------------------------------------------------------------------------


def test_settings_are_named_or_written():
    assert [setting.name for setting in chosen([])] == [setting.name for setting in SETTINGS]
    assert all(setting.why for setting in SETTINGS) and len(SETTINGS) <= 5
    (own,) = chosen(["STRETTO=chunk STRETTO_BUDGET=1M"])
    assert own.environment == {"STRETTO": "chunk", "STRETTO_BUDGET": "1M"}


@pytest.mark.parametrize(
    "text, answer", [("unmached", "did you mean unmatched"), ("x y", "there are default"), ("A=b c", "c is not NAME")]
)
def test_a_wrong_setting_is_named(text, answer):
    with pytest.raises(BadSetting, match=answer):
        chosen([text])


# --- why ----------------------------------------------------------------------------------------------------------


def test_the_report_says_why():
    site = {"function": "MPI_Recv", "line": "/a/b/solver.c:210", "seen": "touched at solver.c:214", "what_to_do": "…"}
    document = {"verdict": {"sentence": "Nothing to hide", "sites": [site]}}
    assert why.reasons(document) == ["Nothing to hide", "MPI_Recv at solver.c:210: touched at solver.c:214"]


def test_a_page_has_its_numbers(tmp_path):
    page = tmp_path / "report.html"
    assert why.read(page) is None
    page.write_text('<p><script type="application/json" id="stretto">{"world": 4}</script></p>')
    assert why.read(page) == {"world": 4}
