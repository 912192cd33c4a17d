"""Run every test and count: what needs no MPI library first, through ctest, then all suites of pytest, side by side.

python tests/run.py [--build build/release] [--make] [--mpi NAME] [-k WORDS] [--jobs N] [--all] [SUITE ...]

The last line is `N passed, N failed`. Before it stand the suites with what each took, of one core or more.
"""

import argparse
import os
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path

from launch import mpis

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests"
CORES = len(os.sched_getaffinity(0))


@dataclass
class Count:
    seconds: float = 0.0  # of all its tests, one after the other
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    names: list[str] = field(default_factory=list)  # of what failed


def suites():
    return sorted({path.parent.name for path in TESTS.glob("*/test_*.py")})


def suite_of(case):
    """Of a test in a JUnit file of pytest: tests.mpi.test_promises."""
    return [*case.get("classname").split("."), "pytest"][1]  # itself, where it could not begin


def read(junit, status, stage, suite=lambda case: "unit"):
    """What became of the tests of a JUnit file, by suite. A stage that failed without saying which test did is one failure itself."""
    counts = {}
    for case in ElementTree.parse(junit).iter("testcase") if junit.exists() else ():
        count = counts.setdefault(suite(case), Count())
        count.seconds += float(case.get("time"))
        if case.find("failure") is not None or case.find("error") is not None:
            if case.get("status") == "fail":  # of ctest, which is quiet: pytest has printed its own
                print(f"---- {case.get('name')}\n{case.findtext('system-out', '')}", flush=True)
            count.failed += 1
            count.names.append(f"{suite(case)}: {case.get('name')}")
        elif case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
            count.skipped += 1
        else:
            count.passed += 1
    if status != 0 and not any(count.failed for count in counts.values()):
        count = counts.setdefault(stage, Count())
        count.failed += 1
        count.names.append(f"{stage}: ended with status {status}")
    return counts


def run(stage, command, environment):
    print(f"==== {stage}", flush=True)
    return subprocess.run([str(word) for word in command], cwd=ROOT, env=environment).returncode


def side_by_side(jobs):
    """So many tests at once: what tests/conftest.py groups stays together, and in its order."""
    return ["-n", jobs, "--dist", "loadgroup", "--no-loadscope-reorder"] if jobs > 1 else []


def make(build, options):
    """Build what these tests need."""
    targets = [f"tests_{mpi}" for mpi in options.mpi or []] or ["all", "tests"]
    if options.suites == ["unit"] and options.words and "type_map" not in options.words:
        targets = ["unit_tests"]
    if done := subprocess.run(["cmake", "--build", str(build), "--target", *targets]).returncode:
        sys.exit(done)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "release", help="a build tree")
    parser.add_argument("--make", action="store_true", help="build first what the tests need")
    parser.add_argument("--mpi", action="append", default=[], help="only under this MPI (may be repeated)")
    parser.add_argument("-k", dest="words", help="only tests with these words in their names, as pytest's -k")
    parser.add_argument("--jobs", type=int, default=CORES, help=f"so many tests side by side (default: {CORES})")
    parser.add_argument("--all", action="store_true", help="the full products of MPIs, settings and languages, too")
    parser.add_argument("suites", nargs="*", help=f"unit, {', '.join(suites())} (default: all)")
    options = parser.parse_args()
    if unknown := set(options.suites) - {"unit", *suites()}:
        parser.error(f"no suite is called {', '.join(unknown)}: there are unit, {', '.join(suites())}")
    build = options.build.resolve()
    if options.make:
        make(build, options)
    results = build / "results"
    results.mkdir(exist_ok=True)
    environment = os.environ | {"STRETTO_BUILD": str(build)} | ({"STRETTO_TESTS_FULL": "1"} if options.all else {})

    begin, counts = time.monotonic(), {}
    if not options.suites or "unit" in options.suites:
        junit = results / "unit.xml"
        junit.unlink(missing_ok=True)
        words = ["-R", options.words.replace(" or ", "|")] if options.words else []
        if options.mpi:  # of other MPIs nothing may have been built
            others = set(mpis()) - set(options.mpi)
            words += ["-E", "|".join(f"[.]{mpi}$" for mpi in sorted(others))]
        command = ["ctest", "--test-dir", build, "-LE", "pytest", "-j", options.jobs, "--output-on-failure", *words]
        status = run("unit", [*command, "--quiet", "--output-junit", junit], environment)
        counts |= read(junit, status, "unit")
    folders = [TESTS / suite for suite in options.suites if suite != "unit"]
    if folders or not options.suites:
        junit = results / "pytest.xml"
        junit.unlink(missing_ok=True)
        command = [sys.executable, "-m", "pytest", *(folders or [TESTS]), f"--junit-xml={junit}"]
        command += side_by_side(options.jobs)
        command += [f"--mpi={mpi}" for mpi in options.mpi] + (["-k", options.words] if options.words else [])
        status = run(f"pytest, {options.jobs} side by side", command, environment)
        counts |= read(junit, status if status != 5 else 0, "pytest", suite_of)  # 5: nothing has these words

    print(f"\n==== {(time.monotonic() - begin) / 60:.1f} minutes; what each suite took, by itself:")
    for suite, count in sorted(counts.items(), key=lambda of: -of[1].seconds):
        print(
            f"{suite:12} {count.seconds:7.1f} s  {count.passed} passed, {count.failed} failed, {count.skipped} skipped"
        )
    for count in counts.values():
        for name in count.names:
            print(f"FAILED {name}")
    if not counts:
        print(f"no test of {', '.join(options.suites or ['all suites'])} has the words '{options.words}' in its name")
    passed, failed = (sum(getattr(count, which) for count in counts.values()) for which in ("passed", "failed"))
    print(f"{passed} passed, {failed} failed", flush=True)
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
