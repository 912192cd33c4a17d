"""Every promise of tests/mpi, under every MPI, without Stretto (are the tests right?) and with it, in every way of use.

One launch runs all promises of a setting that are asked for; where it hangs or dies, the promise at work has failed and the rest is
launched again without it.
"""

import functools
import os
import pathlib
import re
import subprocess

import pytest
from compile import program
from launch import DO_NOT_LOOK_IN_WAITS, launch, library
from pairs import ITSELF, family

HERE = pathlib.Path(__file__).parent
FORCE = {"STRETTO_FORCE": "1", "STRETTO_NONCE": "73747265747461206675676120342027"}

# What blocking.c may rely on there: so many bytes are buffered. And delta_receive.c: delta messages are framed.
BUFFERED = {"STRETTO_TESTS_BUFFERED": "8000"}
PIPELINE = BUFFERED | {"STRETTO_TESTS_PIPELINE": "1"}

# Annotations vanish, and pages say the same.
PAGES = {"STRETTO_TRIGGER": "pages"}
MPROTECT = {"STRETTO_TRACKER": "mprotect", "STRETTO_GUARD": "mprotect"}
USERFAULT = {"STRETTO_TRACKER": "userfault", "STRETTO_GUARD": "userfault"}

# Calls return before all has come, or left; what has not come does not come by itself, unless it is helped.
RELEASED = {"STRETTO": "all", "STRETTO_BUDGET": "512K", "STRETTO_HELPER": "off"}
HELPED = {"STRETTO_HELPER": "200"}
UNMATCHED = RELEASED | {"STRETTO_RELEASE": "unmatched"}

# A report joins each call that waits with those that began what it waits for.
REPORTED = {"STRETTO_REPORT": "/dev/null"}

# name: (ranks, transport, linked or preloaded, thread level, environment)
SETTINGS = {
    "reference": (3, "shm", None, None, {}),
    "reference-threads": (2, "shm", None, "multiple", {}),
    "linked": (3, "shm", "linked", None, {}),
    "linked-force": (2, "shm", "linked", None, FORCE),
    "linked-tcp": (2, "tcp", "linked", None, PIPELINE),
    "linked-tcp-small": (2, "tcp", "linked", None, PIPELINE | {"STRETTO_DELTA": "1024"}),
    "reordered-force": (3, "shm", "linked", None, FORCE | {"STRETTO_REORDER": "1"}),
    "preloaded-force-tcp": (4, "tcp", "preloaded", None, FORCE | BUFFERED),
    "threads": (2, "shm", "linked", "multiple", {}),
    "threads-force-tcp": (2, "tcp", "linked", "multiple", FORCE),
    "serialized-force": (3, "shm", "linked", "serialized", FORCE),
    "pages-tcp": (2, "tcp", "linked", None, PAGES),
    "pages-tcp-userfault": (2, "tcp", "linked", None, PAGES | USERFAULT),
    "pages-force": (3, "shm", "linked", None, PAGES | FORCE),
    "pages-force-tcp-mprotect": (2, "tcp", "linked", None, PAGES | FORCE | MPROTECT),
    "pages-threads-force": (2, "tcp", "linked", "multiple", PAGES | FORCE | USERFAULT),
    "released-force-tcp": (2, "tcp", "linked", None, FORCE | RELEASED),
    "released-force-mprotect": (3, "shm", "preloaded", None, FORCE | RELEASED | MPROTECT),
    "released-threads-force-tcp": (2, "tcp", "linked", "multiple", FORCE | RELEASED | USERFAULT),
    "helped-released-force-tcp": (4, "tcp", "preloaded", None, FORCE | RELEASED | HELPED),
    "unmatched-force-tcp": (2, "tcp", "linked", None, FORCE | UNMATCHED),
    "unmatched-force": (3, "shm", "preloaded", None, FORCE | UNMATCHED),
    "unmatched-threads-force-tcp": (2, "tcp", "linked", "multiple", FORCE | UNMATCHED),
    "helped-unmatched-force-tcp": (2, "tcp", "linked", None, FORCE | UNMATCHED | HELPED),
    "helped-pages-force": (3, "shm", "preloaded", None, FORCE | PAGES | HELPED),
    "reported-force-tcp": (2, "tcp", "linked", None, FORCE | RELEASED | REPORTED),
    "reported-threads": (2, "shm", "linked", "multiple", REPORTED),
    "off": (2, "shm", "linked", None, {"STRETTO": "off"}),
}
# MPICH 5.0.2 itself hangs over TCP after it has truncated a large message.
WRONG_WITHOUT_US = {(mpi, "tcp"): {"a_truncated_receive_returns_its_error"} for mpi in ("mpich", "abi")}
# Open MPI's own collectives crash when their communicator is freed meanwhile: 4.1.4 over TCP always, else on a busy machine.
FREED = "what_a_collective_uses_may_be_freed_while_it_is_under_way"
for mpi in ("openmpi", "openmpi5"):
    WRONG_WITHOUT_US[(mpi, "tcp")] = {FREED}
# MPICH 4.0.2's own persistent collectives hang now and then, above all when ranks start them in several orders, as they may; and its
# neighborhood collectives give a rank that is another's neighbor twice one block for the other, or hang.
for transport in ("shm", "tcp"):
    WRONG_WITHOUT_US[("mpich4", transport)] = {
        "persistent_collectives_carry_new_data_at_each_start_in_any_order",
        "persistent_neighborhoods_carry_new_data_at_each_start",
        "persistent_collectives_of_two_groups_carry_new_data_at_each_start",
        "neighbors_in_a_graph_exchange_blocks_in_the_order_of_their_lists",
    }
# Open MPI refuses MPI_DATATYPE_NULL even of no elements, and MPICH what lies where its result comes.
for transport in ("shm", "tcp"):
    for mpi in ("openmpi", "openmpi5"):
        WRONG_WITHOUT_US.setdefault((mpi, transport), set()).add("a_rank_may_have_no_type_where_it_has_no_elements")
    for mpi in ("mpich", "mpich4", "abi"):
        WRONG_WITHOUT_US.setdefault((mpi, transport), set()).add("a_rank_may_give_what_lies_where_its_result_comes")
# Their call site has one order of writing first, and then another that writes to what has left: for pages that is misuse.
REWRITE = {
    "a_delta_send_on_any_communicator",
    "a_plain_receive_takes_a_delta_send_of_any_size_in_any_order",
    "delta_sends_of_one_tag_keep_their_order",
}
# UCX, under Debian's MPICH 4.0, directs every object's munmap to itself: what is mapped anew at the place may get what comes.
UNSEEN = {"mpich4": {"pages_what_comes_is_unmapped", "released_what_is_unmapped_goes_to_nobody"}}
# A program that does wrong, and is served as far as its sends are ours: one for which no tags are free goes native, and is not known to us.
ALONE = "released_what_is_still_sent_is_received_into"
# What STRETTO_REORDER=1 does not promise.
IN_ORDER = "an_operation_of_the_program_gets_whole_records"
PROMISE = re.compile(r"^PROMISE\((\w+)\)", re.M)


def wrong_without_us(mpi, setting):
    """The promises that this MPI itself breaks in this setting."""
    _, transport, _, _, environment = SETTINGS[setting]
    native = (
        mpi in ("openmpi", "openmpi5") and "STRETTO_REORDER" not in environment
    )  # the program's operations are the library's
    return WRONG_WITHOUT_US.get((mpi, transport), set()) | ({FREED} if native else set())


SOURCES = sorted(HERE.glob("*.[ch]"))
NAMES = sorted(name for source in HERE.glob("*.c") for name in PROMISE.findall(source.read_text()))


def holds_in(setting, name):
    """Is this promise to be run in this setting? Those of pages.c have no annotations, others rely on theirs."""
    if name == ALONE:
        return False
    if SETTINGS[setting][3] == "multiple" and "thread" not in name:
        return False
    if "pages" in setting:
        return name not in REWRITE
    if name == IN_ORDER and "reordered" in setting:
        return False
    return not name.startswith("pages_") or setting.startswith("reference")


CASES = [
    pytest.param(setting, name, id=f"{setting}-{name}")
    for setting in SETTINGS
    for name in NAMES
    if holds_in(setting, name)
]


def read(result, names, found):
    """Enters what became of each promise that was run. Was one running at the end?"""
    text, running = [], None
    for line in result.stdout.splitlines():
        word, _, rest = line.partition(" ")
        if word == "begin":
            running, text = rest, []
        elif word in ("ok", "broken") and running:
            found[running] = "" if word == "ok" else "\n".join(text) or line
            running = None
        else:
            text.append(line)
    if running:
        result.stdout = "\n".join(text)  # of this promise only
        found[running] = f"{result}"
    elif result.rc and not any(found.values()):
        found[names[-1]] = f"after the last promise:\n{result}"
    return running is not None


@pytest.fixture(scope="session")
def asked(request):
    """{(mpi, setting): the promises that this run of pytest is for}."""
    names = {}
    for item in request.session.items:
        if item.path == pathlib.Path(__file__) and item.originalname == "test_promise":
            values = item.callspec.params
            names.setdefault((values["mpi"], values["setting"]), set()).add(values["name"])
    return {of: frozenset(some) for of, some in names.items()}


@functools.cache
def outcomes(mpi, setting, asked):
    """{promise: what was printed while it ran, "" where it held}, and what the library provided."""
    ranks, transport, use, level, env = SETTINGS[setting]
    executable = program(mpi, "promises", SOURCES, linked=use == "linked")
    known = launch(mpi, 1, executable, ["--list"]).stdout.split()
    left = [name for name in sorted(known) if name in asked and name not in UNSEEN.get(mpi, ())]
    left = [name for name in left if name not in wrong_without_us(mpi, setting)]
    # Those of early release in a job of their own: where messages were truncated natively their tags are gone (rule 6), and much is native.
    early = [name for name in left if name.startswith(("released_", "unmatched_"))]
    found, provided = {}, None
    for group in (early, [name for name in left if name not in early]):
        left = group
        for _ in range(6):  # more than five hangs need no more hours
            if not left:
                break
            arguments = (["--level", level] if level else []) + left
            result = launch(
                mpi, ranks, executable, arguments, transport=transport, env=env, preload=use == "preloaded",
                timeout=int(os.environ.get("STRETTO_TEST_TIMEOUT", 300)),
            )  # fmt: skip
            provided = provided or re.findall(r"^provided (.*)$", result.stdout, re.M)
            running = read(result, left, found)
            left = [name for name in left if name not in found]
            if not running:
                break
    return found, provided, set(known)


def options(mpi, setting, name):
    """What a setting consists of, which is met in pairs under each family of MPIs; each setting is met itself, too, and each MPI over each
    transport and in each use. `make promises` runs all under every MPI."""
    *values, environment = SETTINGS[setting]
    words = ("STRETTO", "TRIGGER", "TRACKER", "RELEASE", "HELPER", "FORCE", "DELTA", "REORDER")
    varied = {word: environment.get("STRETTO" if word == "STRETTO" else f"STRETTO_{word}") for word in words}
    named = dict(zip(("ranks", "transport", "use", "level"), values, strict=True))
    met = (setting, f"{mpi} {named['transport']} {named['use']}")
    return {ITSELF: met, "family": family(mpi)} | {option: str(value) for option, value in (named | varied).items()}


# Where tests/mutants takes a precaution out, and some promise there must notice.
TRIED_BY_MUTANTS = {
    ("openmpi", "linked-force"),
    ("openmpi", "released-force-tcp"),
    ("openmpi", "preloaded-force-tcp"),
    ("openmpi", "reordered-force"),
    ("mpich", "reordered-force"),
    ("mpich4", "reordered-force"),
    ("openmpi", "pages-tcp"),
    ("openmpi", "threads-force-tcp"),
    ("openmpi", "linked-tcp"),
    ("openmpi", "unmatched-force-tcp"),
    ("openmpi", "unmatched-threads-force-tcp"),
    ("openmpi", "helped-released-force-tcp"),
    ("mpich", "linked-force"),
    ("mpich4", "linked-force"),
}


@pytest.mark.pairs(of=options, always=lambda mpi, setting, name: (mpi, setting) in TRIED_BY_MUTANTS)
@pytest.mark.parametrize("setting, name", CASES)
def test_promise(mpi, setting, name, asked):
    if SETTINGS[setting][2] and not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    found, _, known = outcomes(mpi, setting, asked[mpi, setting])
    if name not in known:
        pytest.skip("this MPI has no such function")
    if name in wrong_without_us(mpi, setting):
        pytest.skip("wrong in the library itself")
    if name in UNSEEN.get(mpi, ()):
        pytest.skip("the library hides the call from us")
    assert name in found, "not run: too many others hung"
    assert not found[name], found[name]


@pytest.mark.parametrize("level", ["funneled", "serialized", "multiple"])
def test_provided_and_query_thread_answer_as_without_stretto(mpi, level):
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    plain, ours = (
        launch(mpi, 2, program(mpi, "promises", SOURCES, linked=linked), ["--level", level, "none"])
        for linked in (False, True)
    )
    assert plain.rc == ours.rc == 0, f"{plain}\n{ours}"
    assert ours.stdout == plain.stdout, f"{plain}\n{ours}"


@pytest.mark.parametrize(
    "environment, key, by_pages", [("auto", "pages", 3), ("pages", "plain", 0), ("pages", "nobody", 3)]
)
def test_a_communicator_may_say_who_says_what_is_final(mpi, environment, key, by_pages):
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    env = {"STRETTO_TRIGGER": environment, "STRETTO_TESTS_TRIGGER": key, "STRETTO_COUNTERS": "1"}
    promise = "an_info_key_says_who_says_what_is_final"
    result = launch(mpi, 2, program(mpi, "promises", SOURCES, linked=True), [promise], transport="tcp", env=env)
    assert result.rc == 0, result
    counters = result.counters
    assert counters.get("pages_rehearsed", 0) + counters.get("pages_watched", 0) == by_pages, result
    asked = "the info key stretto_trigger=nobody is unknown (it may be: auto, annotations, pages, plain); ignored"
    assert (asked in str(result)) == (key == "nobody"), result


@pytest.mark.parametrize(
    "key, frames, receives, sends",
    [
        ("off", 0, 0, 0),
        ("chunk", 1, 0, 0),
        ("receive", 1, 1, 0),
        ("send", 1, 0, 1),
        ("all", 1, 1, 1),
        ("fast", 1, 0, 0),
    ],
)
def test_a_communicator_may_say_what_returns_early(mpi, key, frames, receives, sends):
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    env = FORCE | {"STRETTO_BUDGET": "512K", "STRETTO_TESTS_USE": key, "STRETTO_COUNTERS": "1", "STRETTO_INFO": "1"}
    promise = "an_info_key_says_what_returns_early"
    result = launch(mpi, 2, program(mpi, "promises", SOURCES, linked=True), [promise], transport="tcp", env=env)
    assert result.rc == 0, result
    counters = result.counters
    assert (counters["send_framed"] == 8) == frames and (counters["send_framed"] == 0) != frames, result
    assert (counters["receive_released"] > 0) == receives, result
    # Where the library holds on to what it sends, as MPICH 4.0 does, or one that had no time in MPI_Init.
    copies = '"completes":false' in result.stdout
    assert (counters["send_copied"] > 0) == (sends or (copies and frames)), result
    asked = "the info key stretto=fast is unknown (it may be: off, chunk, receive, send, all); ignored"
    assert (asked in str(result)) == (key == "fast"), result


def test_collectives_are_as_promised_where_ranks_tell_each_other_what_they_ask_for(mpi):
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    executable = program(mpi, "promises", SOURCES, linked=True)
    known = launch(mpi, 1, executable, ["--list"]).stdout.split()
    left_out = WRONG_WITHOUT_US.get((mpi, "tcp"), ())
    promises = [
        name
        for source in sorted(HERE.glob("*collectives.c"))
        for name in PROMISE.findall(source.read_text())
        if name in known and name not in left_out
    ]
    env = FORCE | {"STRETTO_DEBUG": "1", "STRETTO_COUNTERS": "1"}
    result = launch(mpi, 3, executable, promises, transport="tcp", env=env)
    assert result.rc == 0 and result.stdout.count("\nok ") == len(promises) and result.algorithms, result


@pytest.mark.parametrize("how", [RELEASED, UNMATCHED], ids=["released", "unmatched"])
def test_what_is_still_sent_may_be_received_into(mpi, how):
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    env = FORCE | how | {"STRETTO_COUNTERS": "1"}
    result = launch(mpi, 2, program(mpi, "promises", SOURCES, linked=True), [ALONE], transport="tcp", env=env)
    assert result.rc == 0 and f"ok {ALONE}" in result.stdout and not result.counters["tags_none"], result


@pytest.mark.parametrize("mechanisms", [USERFAULT, MPROTECT], ids=["userfault", "mprotect"])
def test_a_local_reduction_leaves_other_messages_on_their_ways(mpi, mechanisms):
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    env = PAGES | PIPELINE | mechanisms | {"STRETTO_COUNTERS": "1"}
    promise = "pages_a_local_reduction_waits_only_for_what_it_uses"
    executable = program(mpi, "promises", SOURCES, linked=True)
    result = launch(mpi, 2, executable, [promise], transport="tcp", env=env)
    assert result.rc == 0 and f"ok {promise}" in result.stdout, result
    assert result.counters["receive_guarded"], result


@pytest.mark.parametrize("mechanisms", [USERFAULT, MPROTECT], ids=["userfault", "mprotect"])
def test_a_result_that_is_freed_unread_is_passed_on(mpi, mechanisms):
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    env = FORCE | UNMATCHED | HELPED | mechanisms | {"STRETTO_COUNTERS": "1", "STRETTO_BUDGET": "64M"}
    promise = "released_a_result_that_is_freed_unread_is_passed_on"
    executable = program(mpi, "promises", SOURCES, linked=True)
    result = launch(mpi, 4, executable, [promise], transport="tcp", env=env)
    assert result.rc == 0 and f"ok {promise}" in result.stdout, result
    assert (result.counters["collective_released"] > 0) == (mpi not in DO_NOT_LOOK_IN_WAITS), result


@pytest.mark.parametrize("how", [RELEASED, UNMATCHED], ids=["released", "unmatched"])
def test_a_buffer_that_a_sanitizer_frees_waits_for_its_message(mpi, how):
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    sanitizer = subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True).stdout.strip()
    if not pathlib.Path(sanitizer).is_absolute():
        pytest.skip("gcc has no AddressSanitizer")
    # Without its quarantine what is freed is unmapped at once.
    options = "detect_leaks=0:quarantine_size_mb=0:thread_local_quarantine_size_kb=0"
    env = FORCE | how | {"STRETTO_COUNTERS": "1", "LD_PRELOAD": sanitizer, "ASAN_OPTIONS": options}
    promises = ["released_a_buffer_is_freed_at_once", "unmatched_a_buffer_is_freed_unread"]
    executable = program(mpi, "promises", SOURCES, linked=True)
    result = launch(mpi, 2, executable, promises, transport="tcp", env=env)
    assert result.rc == 0 and result.counters["receive_released"] > 0, result


def test_a_report_looks_for_a_line_from_the_stack_beside_a_handlers(mpi):
    """Where a thread begins all must have come; the handler waits on the program's stack, and a report unwinds through both."""
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    promise = "released_a_message_is_read_by_a_thread_that_calls_no_mpi"
    executable = program(mpi, "promises", SOURCES, linked=True)
    result = launch(mpi, 2, executable, [promise], transport="tcp", env=FORCE | RELEASED | REPORTED)
    assert result.rc == 0 and f"ok {promise}" in result.stdout, result


def test_calls_return_before_all_has_come_or_left(mpi):
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    executable, promise = program(mpi, "promises", SOURCES, linked=True), "released_a_message_is_read_in_any_order"
    for how, receives, sends in [("receive", 1, 0), ("send", 0, 1), ("all", 1, 1), ("chunk", 0, 0)]:
        env = FORCE | RELEASED | {"STRETTO": how, "STRETTO_COUNTERS": "1", "STRETTO_INFO": "1"}
        result = launch(mpi, 2, executable, [promise], transport="tcp", env=env)
        assert result.rc == 0, result
        assert (result.counters["receive_released"] > 0) == receives, result
        # Where the library holds on to what it sends, as MPICH 4.0 does, or one that had no time in MPI_Init.
        copies = '"completes":false' in result.stdout
        assert (result.counters["send_copied"] > 0) == (sends or copies), result


def test_blocking_collectives_return_before_all_has_come_or_left(mpi):
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    promise = "released_results_of_collectives_are_read_from_their_end"
    executable = program(mpi, "promises", SOURCES, linked=True)
    # MPI_Alltoall gives and gets. MPI_Bcast is the library's where nobody may pass anything on.
    one_way = mpi not in DO_NOT_LOOK_IN_WAITS
    expected = {"receive": (one_way, one_way), "send": (False, one_way), "all": (True, True), "chunk": (False, False)}
    for how, wanted in expected.items():
        env = FORCE | RELEASED | HELPED | {"STRETTO": how, "STRETTO_COUNTERS": "1"}
        # A call can be early only while a part has come: on a busy machine all comes at once, now and then in a whole launch.
        for _ in range(10):
            result = launch(mpi, 3, executable, [promise], transport="tcp", env=env)
            assert result.rc == 0, result
            early = result.counters["collective_guarded"] > 0, result.counters["collective_released"] > 0
            if early == wanted:
                break
        assert early == wanted, (how, result)
