"""`stretto bench costs`: both papers' tables are there, and their ratios. No time decides."""

import json

import papers
import pytest
from test_driver import bench

TINY = ("--turns", 1, "--patience", 0)


def derived(*words):
    protected = {str(message): 3 for message in papers.MESSAGES}
    machine = {
        "computed_page_us": 90,
        "minor_fault_us": 1,
        "protected_us": {"userfault": protected, "mprotect": protected},
    }
    faults = {name: [{"written_us": write, "touched_us": 10}] for name, write in (("userfault", 10), ("mprotect", 20))}
    took = {(1, message): message / 100 for message in (*papers.MESSAGES, 100 * papers.PAGE)}
    took[100, papers.PAGE] = 2 * took[1, 100 * papers.PAGE]
    return papers.derive(papers.read([*words]), [machine] * 3, faults, took)


def test_both_tables_are_measured_under_each_mechanism():
    done = bench("costs", "--lab", "none", *TINY, "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    one, two = result["table_1_us"], result["table_2"]
    assert all(one[key] > 0 for key in one if key.startswith(("computation", "communicating", "minor")))
    assert set(one["read_fault"]) == set(one["write_fault"]) == {"userfault", "mprotect"}
    assert min(one["read_fault"].values()) > 0
    assert two["message_bytes"] == [4096, 16384, 65536, 262144] and two["transfer_us"] is None
    assert set(two["protection_us"]) == {"userfault", "mprotect"}
    assert all(len(costs) == 4 and min(costs) > 0 for costs in [*two["protection_us"].values(), two["message_us"]])


def test_the_papers_own_figures_stand_beside():
    done = bench("costs", "--lab", "none", *TINY)
    assert done.returncode == 0, done.stderr
    for row in (
        ("computation (per page)", "91.2 us"),
        ("communicating 1 page", "138 us"),
        ("communicating 100 pages", "5.61 ms"),
        ("a (minor) page fault", "9.9 us"),
        ("2005", "3.0 us", "3.0 us", "3.3 us", "4.5 us"),
    ):
        lines = [line for line in done.stdout.splitlines() if line.strip().startswith(row[0])]
        assert any(all(figure in line for figure in row[1:]) for line in lines), done.stdout  # ours may be in ms


def test_the_transfer_is_what_the_wire_takes():
    assert derived("--lab", "1gbit")["table_2"]["transfer_us"] == [32.77, 131.1, 524.3, 2097]
    assert derived("--lab", "100mbit")["table_2"]["transfer_us"][0] == 327.7


def test_the_ratios_are_of_what_was_measured():
    ratios = derived("--lab", "1gbit")["ratios"]
    assert ratios["singly_of_together"] == 2
    page = 2 * papers.PAGE / 100
    assert ratios["fault_of_page"] == {
        "userfault": pytest.approx(10 / page, rel=1e-3),
        "mprotect": pytest.approx(15 / page, rel=1e-3),
    }
    assert ratios["protection_of_transfer"]["mprotect"][0] == pytest.approx(3 / 32.768, rel=1e-3)
    here = derived("--lab", "none")["ratios"]
    assert here["protection_of_transfer"]["mprotect"][0] == pytest.approx(3 / 40.96, rel=1e-3)


@pytest.mark.parametrize(
    "words, about",
    [
        (("--mpi", "lam"), "no MPI is called 'lam'"),
        (("--mpi", "mpich4"), "--lab none"),
        (("--lab", "fast"), "rate 'fast'"),
        (("--turns", "0"), "whole number"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_starts(words, about):
    done = bench("costs", *words)
    assert done.returncode == 2 and about in done.stderr and not done.stdout, done
    assert "Traceback" not in done.stderr
