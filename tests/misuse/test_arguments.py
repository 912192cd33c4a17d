"""Every wrong argument of every call that Stretto may take over gives what it gives without Stretto: the class of the error, and the handlers
that are called."""

import functools
import pathlib
import re
import tempfile

import pytest
from compile import program, stand_in
from launch import launch, library
from pairs import by_family

HERE = pathlib.Path(__file__).parent
LEAST_CASES = 400  # in each library, of about 900
NOTHING = "0 world 0 0 comm 0 0"

SETTINGS = {
    "usual": {},
    "force": {"STRETTO_FORCE": "1"},
    "released": {"STRETTO_FORCE": "1", "STRETTO": "all", "STRETTO_RELEASE": "unmatched", "STRETTO_HELPER": "off"},
}


def walk(mpi, handlers, leave_out, limit, **how):
    """What each case came to, by rank and case; and the pair of call and argument that the job died of, if any."""
    with tempfile.TemporaryDirectory() as folder:
        words = [handlers, folder, limit, *sorted(leave_out)]
        result = launch(mpi, 2, program(mpi, "arguments", [HERE / "arguments.c"]), words, **how)
        ranks = [path.read_text() for path in sorted(pathlib.Path(folder).iterdir())]
    said = dict(re.findall(r"^(\d \S+-\d+): (.*)$", "".join(ranks), re.M))
    last = [re.findall(r"^begin (\S+)-\d+$", lines, re.M)[-1:] for lines in ranks]
    done = [lines for lines in ranks if re.search(r"^done \d$", lines, re.M)]
    died = None if len(done) == 2 else next((of_rank[0] for of_rank in last if of_rank), "the beginning")
    return said, died, result


@functools.cache
def without_stretto(mpi, handlers):
    """The same, and what this library takes for right, or crashes or hangs at: nobody can say what Stretto has to make of that."""
    leave_out = set()
    for _ in range(60):
        said, died, result = walk(mpi, handlers, leave_out, limit=2, transport="tcp", timeout=60)
        if not died:
            break
        leave_out.add(died)
    assert not died, result
    return {case: what for case, what in said.items() if what != NOTHING}, leave_out


@pytest.mark.pairs(of=by_family)
@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("handlers", ["returned", "told"])
def test_a_wrong_argument_gives_the_same_error_with_stretto(mpi, handlers, setting):
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    plain, leave_out = without_stretto(mpi, handlers)
    assert len(plain) >= LEAST_CASES, plain
    ours, died, result = walk(
        mpi, handlers, leave_out, limit=20, transport="tcp", preload=True, env=SETTINGS[setting], timeout=120
    )
    assert not died, result
    differ = [
        f"{case}: {what} without, {ours.get(case)} with" for case, what in plain.items() if ours.get(case) != what
    ]
    assert not differ, "\n".join(differ)


@pytest.mark.parametrize("form", ["send", "send_wait", "receive", "receive_wait"])
def test_what_the_library_does_not_take_of_a_message_is_the_error_of_its_call(mpi, form):
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    refusing = stand_in(mpi, HERE / "refusing.c")
    refused = program(mpi, "refused", [HERE / "refused.c"], flags=["-ldl"], linked=True)
    env = {"STRETTO_FORCE": "1", "STRETTO_HELPER": "off", "LD_PRELOAD": str(refusing)}
    result = launch(mpi, 2, refused, [form], transport="tcp", timeout=60, env=env)
    assert not result.hung, result
    assert re.search(r"returned it, told 1 times it, refused [1-9]", result.stdout), result
    assert "then 7 7" in result.stdout, result
