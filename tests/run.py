"""Run every test and count: the unit tests through ctest, then each pytest suite. The last line is `N passed, N failed`.

python tests/run.py [--build build/release] [SUITE ...]
"""

import argparse
import os
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass
class Count:
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    names: list[str] = field(default_factory=list)  # of what failed

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.names += other.names


def read(junit, status, stage):
    """Count from a JUnit file. A stage that failed without saying which test did is one failure itself."""
    count = Count()
    if junit.exists():
        for case in ElementTree.parse(junit).iter("testcase"):
            if case.find("failure") is not None or case.find("error") is not None:
                count.failed += 1
                count.names.append(f"{stage}: {case.get('name')}")
            elif case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
                count.skipped += 1
            else:
                count.passed += 1
    if status != 0 and count.failed == 0:
        count.failed += 1
        count.names.append(f"{stage}: ended with status {status}")
    return count


def stages(build, wanted):
    """Name, command and JUnit file of each stage."""
    results = build / "results"
    results.mkdir(exist_ok=True)
    if not wanted or "unit" in wanted:
        junit = results / "unit.xml"
        yield (
            "unit",
            ["ctest", "--test-dir", build, "-LE", "pytest", "--output-on-failure", "--output-junit", junit],
            junit,
        )
    tests = ROOT / "tests"
    suites = sorted(tests.glob("test_*.py")) + sorted({path.parent for path in tests.glob("*/test_*.py")})
    for suite in suites:
        name = suite.stem.removeprefix("test_")
        if wanted and name not in wanted:
            continue
        junit = results / f"{name}.xml"
        yield name, [sys.executable, "-m", "pytest", suite, f"--junit-xml={junit}"], junit


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "release", help="a build tree")
    parser.add_argument("suites", nargs="*", help="unit, or a folder of tests/; default: all")
    options = parser.parse_args()
    build = options.build.resolve()

    total, times = Count(), []
    for stage, command, junit in stages(build, options.suites):
        print(f"==== {stage}", flush=True)
        junit.unlink(missing_ok=True)
        begin = time.monotonic()
        status = subprocess.run(command, cwd=ROOT, env=os.environ | {"STRETTO_BUILD": str(build)}).returncode
        seconds = time.monotonic() - begin
        count = read(junit, status, stage)
        total.add(count)
        times.append(
            f"{stage:12} {seconds:7.1f} s  {count.passed} passed, {count.failed} failed, {count.skipped} skipped"
        )

    print("\n====", *times, sep="\n")
    for name in total.names:
        print(f"FAILED {name}")
    print(f"{total.passed} passed, {total.failed} failed", flush=True)
    return 1 if total.failed or not total.passed else 0


if __name__ == "__main__":
    sys.exit(main())
