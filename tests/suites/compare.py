"""Run the tests of a suite by MPI alone and with Stretto, keep what became of each, and compare."""

import dataclasses
import hashlib
import json
import time

from launch import library
from outcome import Outcome
from sources import HOME

COUNTED = {"STRETTO_COUNTERS": "1"}
RELEASED = COUNTED | {"STRETTO": "all"}
FORCED = RELEASED | {"STRETTO_FORCE": "1"}
# name: (transport, environment). usual: as by `stretto run`; chunk: no call returns early; force: all that can happen, happens.
SETTINGS = {
    "usual": ("shm", RELEASED),
    "chunk": ("shm", COUNTED | {"STRETTO": "chunk"}),
    "force": ("shm", FORCED),
    "tcp": ("tcp", RELEASED | {"STRETTO_FAST_LINK": "1e300"}),  # the loopback is too fast to be worth it
    "force-tcp": ("tcp", FORCED),
}
# Used by delta calls (MPIX_Delta_*, or a compiler) only, by STRETTO_RELEASE=unmatched, by a message that begins with the job's nonce, or where something is
# left to be learnt, which STRETTO_FORCE=1 does not.
OTHERS = {
    "delta_begun", "delta_at_end", "delta_variable", "compiled_send", "compiled_receive", "short_range_send",
    "short_range_receive", "pages_rehearsed", "pages_watched", "receive_unmatched", "send_held", "send_escaped", "send_given_up",
}  # fmt: skip


class Kept:
    """The outcomes of one suite under one MPI and setting, in a file, so that a run that was cut short goes on."""

    def __init__(self, suite, mpi, setting, env=None, again=False):
        folder = HOME / mpi / "results"
        folder.mkdir(parents=True, exist_ok=True)
        self.file = folder / f"{suite}-{setting}.jsonl"
        stamp = "" if env is None else f"{hashlib.sha256(library(mpi).read_bytes()).hexdigest()} {env}"
        lines = self.file.read_text().splitlines() if self.file.exists() and not again else []
        if not lines or json.loads(lines[0]) != stamp:  # another libstretto, or setting
            lines = [json.dumps(stamp)]
            self.file.write_text(lines[0] + "\n")
        self.outcomes = {}
        for line in lines[1:]:
            one = Outcome(**json.loads(line))
            if one.passed or env is None:  # what failed with Stretto is tried again
                self.outcomes[one.test] = one

    def add(self, outcome):
        self.outcomes[outcome.test] = outcome
        with open(self.file, "a") as file:
            print(json.dumps(dataclasses.asdict(outcome)), file=file)


@dataclasses.dataclass
class Comparison:
    passed: int = 0
    failed: list = dataclasses.field(default_factory=list)  # passed plain, but not with Stretto
    varies: list = dataclasses.field(default_factory=list)  # as failed, but plain they do not always pass either
    counters: dict = dataclasses.field(default_factory=dict)


class Campaign:
    def __init__(self, suite, mpi, again=False):
        self.suite, self.mpi, self.again = suite, mpi, again
        self.plain = {}

    def fill(self, kept, names, transport, env, seconds, title):
        """Run what has no outcome yet."""
        left = [name for name in names if name not in kept.outcomes]
        begin = time.monotonic()
        for done, outcome in enumerate(self.suite.run(left, transport, env, seconds), 1):
            kept.add(outcome)
            if done % 50 == 0 or done == len(left):
                print(f"  {self.mpi} {title}: {done}/{len(left)}, {time.monotonic() - begin:.0f} s", flush=True)

    def by_itself(self, transport):
        """What MPI alone makes of each test."""
        if transport not in self.plain:
            self.plain[transport] = Kept(self.suite.name, self.mpi, f"plain-{transport}")
            self.fill(self.plain[transport], self.suite.tests, transport, None, {}, f"plain, {transport}")
        known = self.plain[transport].outcomes
        return {name: known[name] for name in self.suite.tests if name in known}

    def varies(self, name, transport):
        """Does it, by MPI alone, not always pass?"""
        return not all(next(iter(self.suite.run([name], transport, None, {}))).passed for _ in range(3))

    def run(self, setting):
        transport, env = SETTINGS[setting]
        plain = self.by_itself(transport)
        kept = Kept(self.suite.name, self.mpi, setting, env, self.again)
        seconds = {name: outcome.seconds for name, outcome in plain.items()}
        good = [name for name, one in plain.items() if one.passed and not self.suite.is_chance(name, transport)]
        self.fill(kept, good, transport, env, seconds, setting)
        found = Comparison()
        for name in good:
            ours = kept.outcomes[name]
            for rule, count in ours.counters.items():
                found.counters[rule] = found.counters.get(rule, 0) + count
            if ours.passed:
                found.passed += 1
            elif self.varies(name, transport):
                found.varies.append(name)
            else:
                found.failed.append(name)
                print(f"\nFAILED {name} ({self.mpi}, {setting}):\n{ours.said}\n", flush=True)
        return found


def report(mpi, suite, found):
    """The rules of the protocol, and the table at the end, where one looks; True when all passed."""
    counters = {}
    for setting, one in found.items():
        if setting.startswith("force"):
            for rule, count in one.counters.items():
                counters[rule] = counters.get(rule, 0) + count
    never = sorted(rule for rule, count in counters.items() if not count and rule not in OTHERS)
    print()
    for rule, count in sorted(counters.items()):
        print(f"  {count:10} {rule}{'   never used' if rule in never else ''}")
    print(f"{mpi} {suite.name}: {len(suite.tests)} tests, {len(suite.missing)} of them not to be built there")
    print(f"  {'setting':10} {'passed':>7} {'failed':>7} {'varies':>7}")
    for setting, one in found.items():
        print(f"  {setting:10} {one.passed:7} {len(one.failed):7} {len(one.varies):7}")
        for name in one.varies:
            print(f"    varies by MPI alone: {name}")
        for name in one.failed:
            print(f"    FAILED: {name}")
    there = counters or not any(setting.startswith("force") for setting in found)
    if not there:
        print("    FAILED: no test has printed a counter: Stretto was not there")
    return bool(there) and not any(one.failed for one in found.values()), never
