"""`stretto run --report`: what the page says of programs whose waits are known."""

import functools
import html.parser
import json
import pathlib
import re

import pytest
from compile import program
from launch import BUILD, DO_NOT_LOOK_IN_WAITS, ROOT, launch, library, mpis

HERE = pathlib.Path(__file__).parent
STRETTO = BUILD / "bin/stretto"
TIMES, BYTES = 5, 1 << 18
# Everything is framed; the window lets a part of a message leave at once, and nobody moves the rest before MPI is called again. Collectives
# are calls that are waited in for nothing of Stretto's.
RELEASED = {"STRETTO_FORCE": "1", "STRETTO": "all", "STRETTO_BUDGET": "512K", "STRETTO_HELPER": "off"}
RELEASED |= {"STRETTO_COLLECTIVES": "off"}


@functools.cache
def lines(source):
    """What the comments name: {"late": "sites.c:24", ...}."""
    found = {}
    for number, line in enumerate((HERE / source).read_text().splitlines(), 1):
        if name := re.search(r"[*!] line: ([a-z ]+?) *(\*/)?$", line):
            found[name[1]] = f"{source}:{number}"
    return found


class Page(html.parser.HTMLParser):
    """Every element is closed, in order; the text that a reader sees; the JSON."""

    VOID = ("meta", "br")

    def __init__(self, text):
        super().__init__()
        self.open, self.text, self.document = [], "", None
        self.headline, self.style, self.scripts, self.rows = "", "", [], {"shown": 0, "folded": 0}
        self.feed(text)
        self.close()
        assert not self.open
        assert "{{" not in text and "http" not in text

    def handle_starttag(self, tag, attrs):
        if tag not in self.VOID:
            self.open.append(tag)
        if tag == "script":
            self.scripts.append(dict(attrs).get("type"))
        if ("class", "site") in attrs:
            self.rows["folded" if "details" in self.open else "shown"] += 1

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1:] == ["script"]:
            self.document = json.loads(data)
        elif "style" in self.open:
            self.style += data
        else:
            self.text += data
            self.headline += data if "h1" in self.open else ""


def run(mpi, tmp_path, executable, args=(), ranks=2, env=RELEASED, report="report.html"):
    """The job, and its page if there is one."""
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    path = tmp_path / report
    words = ["run", f"--report={path}", executable, *args]
    result = launch(mpi, ranks, STRETTO, words, env=env, transport="tcp", timeout=60)
    assert not result.hung, result
    return result, Page(path.read_text()) if path.is_file() else None


@pytest.fixture(scope="session")
def page(mpi, tmp_path_factory):
    """The page of a program, which runs once."""

    @functools.cache
    def of(source):
        if source.endswith("F90") and not mpis()[mpi]["mpifort"]:
            pytest.skip("this MPI has no Fortran")
        executable = program(mpi, f"report_{source.replace('.', '_')}", [HERE / source], fortran=source.endswith("F90"))
        result, its_page = run(mpi, tmp_path_factory.mktemp("report"), executable)
        assert result.rc == 0 and its_page, result
        return its_page

    return of


def site(page, source, name):
    at = [one for one in page.document["sites"] if one["line"].endswith("/" + lines(source)[name])]
    assert len(at) == 1, (name, lines(source)[name], [one["line"] for one in page.document["sites"]])
    return at[0]


# --- what it says -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "source, name, what, where",
    [
        ("sites.c", "at once", "touch", "touch"),
        ("sites.c", "copied", "touch", "copy"),
        ("sites.c", "packed", "MPI_Unpack", "unpack"),
        ("sites.c", "not used", "touch", "used at last"),
        ("sites.c", "met", "MPI_Allreduce", "allreduce"),
        ("sites.F90", "at once", "touch", "touch"),
        ("sites.F90", "met", "MPI_Barrier", "barrier"),
    ],
)
def test_a_receive_names_the_line_that_stopped_the_program(page, source, name, what, where):
    one = site(page(source), source, name)
    assert one["function"] == "MPI_Recv"
    assert (one["calls"], one["messages"], one["bytes"]) == (TIMES, TIMES, TIMES * BYTES)
    assert one["became"]["receive_released"]["messages"] >= TIMES - 2  # a rank may come late
    first = one["stopped_by"][0]  # what is left of a message stops the next receive into its buffer
    assert (first["what"], first["line"].rpartition("/")[2]) == (what, lines(source)[where])
    assert first["times"] >= TIMES - 2 and 0.02 < first["seconds"] <= one["stopped_s"] <= one["waited_s"]
    place = f"{'touched' if what == 'touch' else what} at {lines(source)[where]}"
    assert re.search(rf"{re.escape(place)}(, in .*)? \({first['times']} stops, ", page(source).text)


def test_what_was_computed_meanwhile_is_hidden(page):
    at_once, late = site(page("sites.c"), "sites.c", "at once"), site(page("sites.c"), "sites.c", "late")
    assert late["hidden_s"] > 0.04 * (TIMES - 2) and late["hidden_s"] > late["stopped_s"]
    assert at_once["hidden_s"] < 0.5 * at_once["stopped_s"]
    total = page("sites.c").document
    # No moment counts twice.
    assert total["hidden_s"] == pytest.approx(sum(one["hidden_s"] for one in total["sites"]), rel=0.02)
    assert total["hidden_share"] == pytest.approx(total["hidden_s"] / (total["hidden_s"] + total["waited_s"]))
    assert f"hid {100 * total['hidden_share']:.0f} % of the " in page("sites.c").text


def test_what_is_waited_elsewhere_meanwhile_is_not_hidden(page):
    blocked, elsewhere = (site(page("sites.c"), "sites.c", name) for name in ("blocked", "elsewhere"))
    assert blocked["became"]["receive_released"]["messages"] >= TIMES - 2
    assert elsewhere["waited_s"] > 0.02 and blocked["hidden_s"] < 0.5 * elsewhere["waited_s"]


def test_messages_left_alone_are_counted_with_their_reason(page):
    sent = {"isend": "send_framed", "ssend": "send_mode", "small": "send_small", "plain": "send_asked"}
    for name, became in sent.items():
        one = site(page("sites.c"), "sites.c", name)
        assert one["became"].keys() == {became} and one["became"][became]["messages"] == one["calls"]
    assert site(page("sites.c"), "sites.c", "whole")["became"].keys() == {"receive_native"}
    assert "synchronous or buffered" in page("sites.c").text


def test_what_a_call_waited_for_another_message_is_that_ones(page):
    document = page("sites.c").document
    met, allreduce = (site(page("sites.c"), "sites.c", name) for name in ("met", "allreduce"))
    assert not allreduce["for_messages"] and allreduce["calls"] == 2 * TIMES
    assert allreduce["waited_s"] < met["stopped_s"]
    assert document["waited_s"] == pytest.approx(
        sum(one["waited_s"] for one in document["sites"] if one["for_messages"]), abs=1e-6
    )


def test_collectives_of_strettos_are_hidden_from_where_their_calls_return(mpi, tmp_path):
    env = {"STRETTO_FORCE": "1", "STRETTO": "all", "STRETTO_HELPER": "200"}
    executable = program(mpi, "report_collectives_c", [HERE / "collectives.c"])
    result, page = run(mpi, tmp_path, executable, env=env)
    assert result.rc == 0 and page, result
    bcast, begun, librarys = (site(page, "collectives.c", name) for name in ("bcast", "begun", "the librarys"))
    assert begun["for_messages"] and begun["became"]["collective_lanes"]["messages"] == begun["calls"] == 2 * TIMES
    assert begun["hidden_s"] > 0.02 * TIMES  # of both ranks, that slept twice as long
    assert not librarys["for_messages"] and not librarys["messages"]
    if mpi in DO_NOT_LOOK_IN_WAITS:  # nobody passes anything on there
        assert not bcast["for_messages"]
        return
    became = bcast["became"]
    assert bcast["for_messages"] and became["send_framed"]["messages"] == TIMES  # of rank 0
    assert became["receive_released"]["messages"] >= 1 and bcast["messages"] == 2 * TIMES


def test_waits_are_told_over_the_ranks(page):
    barrier = next(one for one in page("sites.F90").document["sites"] if one["function"] == "MPI_Barrier")
    ranks = barrier["waited_per_rank"]
    assert ranks["ranks"] == 2 and ranks["least_s"] <= ranks["median_s"] <= ranks["most_s"]
    assert site(page("sites.c"), "sites.c", "late")["waited_per_rank"]["rank_of_most"] == 1


def test_the_job_is_described(page):
    document = page("sites.c").document
    assert (document["ranks"], document["world"], document["settings"]["STRETTO"]) == (2, 2, "all")
    assert document["links"][0]["framed"] and document["links"][0]["eager_bytes"] > 2000
    assert document["mpi"] in page("sites.c").text


# --- how much, where, and what to do --------------------------------------------------------------------------------


def test_the_verdict_is_the_headline_and_the_line_that_is_printed(mpi, tmp_path, sites):
    result, page = run(mpi, tmp_path, sites)
    verdict = page.document["verdict"]
    assert verdict["kind"] == "saved" and verdict["sentence"].startswith("Saved up to "), result
    hidden, cost, ran = (page.document[name] for name in ("hidden_s", "cost_s", "ran_s"))
    assert verdict["seconds"] == pytest.approx(hidden - cost, abs=1e-6)
    assert verdict["of_s"] == pytest.approx(ran + hidden - cost, abs=1e-6)
    assert verdict["share"] == pytest.approx(verdict["seconds"] / verdict["of_s"], rel=1e-6)
    assert 1 <= len(verdict["sites"]) <= 3
    assert f"stretto: {verdict['sentence']}. The report: " in result.stderr
    assert page.headline == verdict["sentence"]
    for one in verdict["sites"]:
        assert one["what_to_do"] + "." in page.text and one["seen"] in page.text


def test_all_that_the_ranks_ran_is_counted(page):
    document = page("sites.c").document
    assert document["ran_s"] == pytest.approx(2 * document["seconds"], rel=0.1)
    of_which = (document[name] for name in ("hidden_s", "waited_s", "library_s"))
    assert sum(of_which) < document["ran_s"]


def test_what_stretto_itself_does_is_a_cost(page):
    document = page("sites.c").document
    for name in ("isend", "at once", "small"):
        assert site(page("sites.c"), "sites.c", name)["cost_s"] > 0
    assert document["cost_s"] == pytest.approx(sum(one["cost_s"] for one in document["sites"]), abs=1e-6)


def test_the_documentation_has_what_the_page_may_say():
    documentation = (ROOT / "docs/report.md").read_text()
    fates = re.findall(r'^FATE\(\w+, "(.*)", "(.*)"\)$', (ROOT / "runtime/trace/fates.def").read_text(), re.M)
    assert len(fates) > 20
    for text, advice in fates:
        assert f"| *{text}* | {advice} |" in documentation
    header = (ROOT / "runtime/trace/verdict.h").read_text()
    findings = re.findall(r"^    (\w+),? +//!<", re.search(r"enum class Finding \{(.*?)\};", header, re.S)[1], re.M)
    assert len(findings) > 10
    for finding in findings:
        assert f"| `{finding}` |" in documentation


def test_a_message_that_is_read_at_once_is_told_with_the_line(mpi, tmp_path):
    at_once = program(mpi, "report_at_once", [HERE / "at_once.c"])
    result, page = run(mpi, tmp_path, at_once)
    assert result.rc == 0 and page, result
    verdict = page.document["verdict"]
    assert verdict["kind"] in ("read_at_once", "paid"), verdict  # on a busy machine protection costs much
    if verdict["kind"] == "paid":
        return  # it names the call that cost
    touched = [its for its in verdict["sites"] if (its["function"], its["cause"]) == ("MPI_Recv", "touched")]
    assert touched and lines("at_once.c")["touch"] in touched[0]["what_to_do"], verdict


# --- a wait and the call that began it ----------------------------------------------------------------------------


@pytest.fixture(scope="session")
def joined(mpi, tmp_path_factory):
    executable = program(mpi, "report_joined", [HERE / "joined.c"])
    result, its_page = run(mpi, tmp_path_factory.mktemp("joined"), executable, env={**RELEASED, "STRETTO": "chunk"})
    assert result.rc == 0 and its_page, result
    return its_page


@pytest.mark.parametrize(
    "began, wait, function",
    [
        ("one", "wait one", "MPI_Wait"),
        ("small", "wait small", "MPI_Wait"),
        ("late of all", "wait all", "MPI_Waitall"),
        ("late of natives", "wait natives", "MPI_Waitall"),
        ("late of any", "wait any", "MPI_Waitany"),
        ("tested", "test", "MPI_Test"),
        ("started", "wait started", "MPI_Wait"),
    ],
)
def test_what_is_waited_for_is_the_call_s_that_began_it(joined, began, wait, function):
    one, its_wait = site(joined, "joined.c", began), site(joined, "joined.c", wait)
    assert one["waited_s"] > 0, (one, its_wait)
    assert (one["waited_in"][0]["what"], one["waited_in"][0]["line"]) == (function, its_wait["line"])
    assert one["waited_in"][0]["seconds"] > 0
    assert its_wait["waited_for"][0]["line"] == one["line"]
    assert f"waited in {function} at " in joined.text


@pytest.mark.parametrize("several", ["all", "natives", "any"])
def test_of_several_requests_those_that_are_complete_are_not_waited_for(joined, several):
    early, late = (site(joined, "joined.c", f"{when} of {several}") for when in ("early", "late"))
    assert early["waited_s"] < late["waited_s"]


# --- C++ ------------------------------------------------------------------------------------------------------------


CALL = """
template <> struct Step<{k}> {{
    template <class T> [[gnu::noinline]] static void run(Grid<T> &grid) {{ {body}; }}
}};
"""
MAIN = """
#include <mpi.h>
#include <unistd.h>
#include <vector>

namespace halo {{

int rank;

template <class T> struct Grid {{
    std::vector<T> cells = std::vector<T>(1 << 15);
    // The line of a site is that of who calls this.
    [[gnu::always_inline]] inline void exchange(int tag) {{
        if (rank == 0) MPI_Send(cells.data(), static_cast<int>(cells.size()), MPI_DOUBLE, 1, tag, MPI_COMM_WORLD);
        if (rank == 1) MPI_Recv(cells.data(), static_cast<int>(cells.size()), MPI_DOUBLE, 0, tag, MPI_COMM_WORLD, &status);
    }}
    MPI_Status status;
}};

template <int K> struct Step;
{calls}
}} // namespace halo

int main(int argc, char **argv) {{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &halo::rank);
    halo::Grid<double> grid;
    {runs}
    MPI_Finalize();
}}
"""
SITES = 300


@pytest.fixture(scope="session")
def many(mpi, tmp_path_factory):
    """The page of a C++ program with 300 call sites, all of which are inlined; the last one waits longest."""
    folder = tmp_path_factory.mktemp("many")
    body = "if (rank == 0) usleep({}); grid.exchange({})"
    bodies = [body.format(300000 if k == SITES - 1 else 200, k) for k in range(SITES)]
    calls = "".join(CALL.format(k=k, body=one) for k, one in enumerate(bodies))
    runs = "\n    ".join(f"halo::Step<{k}>::run(grid);" for k in range(SITES))
    source = folder / "many.cpp"
    source.write_text(MAIN.format(calls=calls, runs=runs))
    result, its_page = run(mpi, folder, program(mpi, "report_many", [source]))
    assert result.rc == 0 and its_page, result
    return its_page


def test_an_inlined_call_has_its_callers(many):
    ours = [one for one in many.document["sites"] if one["frames"]]
    assert len(ours) > 200
    for one in ours:
        if one["function"] not in ("MPI_Send", "MPI_Recv"):
            continue
        inner, outer = one["frames"][:2]
        assert inner["function"].startswith("halo::Grid<double>::exchange(")
        assert re.match(r"void halo::Step<\d+>::run<double>\(halo::Grid<double>&\)$", outer["function"])
        assert re.match(
            r"halo::Grid<double>::exchange\(\) at many.cpp:\d+, in halo::Step<\d+>::run<double>\(\) at many.cpp:\d+$",
            one["place"],
        )


def test_of_many_call_sites_the_first_that_matter_are_shown(many):
    sites = many.document["sites"]
    assert len(sites) == 256 and sites[-1]["function"] == "others"
    time = [round(1e9 * (one["waited_s"] + one["hidden_s"] + one["cost_s"])) for one in sites[:-1]]  # whole nanoseconds
    assert time == sorted(time, reverse=True)
    # What has not come of the last but one when its sender sleeps stops the last receive, into the same buffer.
    assert re.search("halo::Step<29[89]>", sites[0]["place"]) and sites[0]["function"] == "MPI_Recv"
    shown, folded = many.rows["shown"], many.rows["folded"]
    assert 0 < shown <= 30 and shown + folded >= len(sites)


def test_the_page_needs_no_script_and_no_wide_screen(many):
    assert many.scripts == ["application/json"]
    assert "@media (max-width" in many.style and "prefers-color-scheme: dark" in many.style


# --- who has a report, and who has none ---------------------------------------------------------------------------


@pytest.fixture(scope="session")
def sites(mpi):
    return program(mpi, "report_sites_c", [HERE / "sites.c"])


@pytest.mark.parametrize("ranks", [3, 4])
def test_all_ranks_are_merged(mpi, tmp_path, sites, ranks):
    result, page = run(mpi, tmp_path, sites, ranks=ranks)
    assert result.rc == 0 and page.document["ranks"] == ranks, result
    barrier = next(one for one in page.document["sites"] if one["function"] == "MPI_Barrier")
    assert barrier["calls"] == 5 * TIMES * ranks and barrier["waited_per_rank"]["ranks"] == ranks


def test_without_release_the_page_says_how_to_ask_for_it(mpi, tmp_path, sites):
    result, page = run(mpi, tmp_path, sites, env={"STRETTO_FORCE": "1", "STRETTO": "chunk"})
    assert result.rc == 0 and "with STRETTO=all or receive only" in page.text, result
    assert site(page, "sites.c", "late")["became"].keys() == {"receive_waits"}


def test_off_means_no_report(mpi, tmp_path, sites):
    result, page = run(mpi, tmp_path, sites, env={"STRETTO": "off"})
    assert result.rc == 0 and not page, result


def test_one_rank_without_messages_has_a_report(mpi, tmp_path):
    alone = tmp_path / "alone.c"
    alone.write_text("#include <mpi.h>\nint main(void) { MPI_Init(0, 0); MPI_Finalize(); }\n")
    result, page = run(mpi, tmp_path, program(mpi, "report_alone", [alone]), ranks=1)
    assert result.rc == 0 and "Left to the library: there is one rank" in page.text, result


def test_a_program_that_never_calls_mpi_has_none(mpi, tmp_path):
    silent = tmp_path / "silent.c"
    silent.write_text("#include <mpi.h>\nint main(int n, char **a) { return n > 9 ? MPI_Init(&n, &a) : 0; }\n")
    result, page = run(mpi, tmp_path, program(mpi, "report_silent", [silent]))
    assert result.rc == 0 and not page and "stretto" not in result.stderr, result


def test_a_job_that_aborts_has_none(mpi, tmp_path, sites):
    result, page = run(mpi, tmp_path, sites, ["abort"])
    assert result.rc != 0 and not page, result


def test_a_file_that_cannot_be_written_is_told_once_and_changes_nothing(mpi, tmp_path, sites):
    result, page = run(mpi, tmp_path, sites, report="missing/report.html")
    assert result.rc == 0 and not page, result
    told = [line for line in result.stderr.splitlines() if "report" in line]
    assert len(told) == 1 and "missing/report.html cannot be written: No such file" in told[0], result


@pytest.mark.parametrize("first", [True, False])
def test_a_rank_without_stretto_is_no_reason_to_wait(mpi, tmp_path, sites, first):
    path = tmp_path / "report.html"
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    ours, theirs = [STRETTO, "run", f"--report={path}", sites], [sites]
    one, other = (theirs, ours) if first else (ours, theirs)
    result = launch(mpi, 1, one[0], [*one[1:], ":", "-n", "2", *other], env=RELEASED, transport="tcp", timeout=60)
    assert not result.hung and result.rc == 0, result
    document = Page(path.read_text()).document
    assert (document["ranks"], document["world"]) == (2 if first else 1, 3)


def test_a_report_that_some_ranks_were_asked_for_is_none(mpi, tmp_path, sites):
    path = tmp_path / "report.html"
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")
    words = ["run", f"--report={path}", sites, ":", "-n", "1", STRETTO, "run", sites]
    result = launch(mpi, 1, STRETTO, words, env=RELEASED, transport="tcp", timeout=60)
    assert result.rc == 0 and not path.exists(), result
    assert result.stderr.count("STRETTO_REPORT is set for some ranks only") == 1, result
