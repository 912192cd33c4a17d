"""stretto bench KERNEL: measures a kernel and prints a table, or one JSON object, and writes a report."""

import json
import shlex
import signal
import sys
from functools import partial

import bandwidth
import delta_collectives
import mdmp
import mdmp_stream
import nbc
import never_slower
import overhead
import papers
import partitioned
import simulated
import surface
import table
import transport
import tune
from figures import figures
from measure import measure
from page import Section, write_page
from plan import read
from progress import Progress
from rich.console import Console
from wrong import Wrong

OTHERS = {
    "overhead": overhead.main,
    "bandwidth": bandwidth.main,
    "nbc": nbc.main,
    "delta-collectives": delta_collectives.main,
    "costs": papers.main,
    "surface": surface.main,
    tune.NAME: tune.main,
    transport.NAME: transport.main,
    "never-slower": never_slower.main,
    **{name: partial(mdmp.main, name) for name in mdmp.BENCHMARKS},
    mdmp_stream.NAME: mdmp_stream.main,
    partitioned.NAME: partitioned.main,
}


def bench(arguments: list[str]) -> int:
    plan = read(arguments)
    with Progress(plan.kernel.name) as progress:
        measurement = measure(plan, progress.tell)
        with measurement.keep:
            result = figures(plan, measurement)
            section = Section(result, shlex.join(["stretto", "bench", *arguments]), measurement.attempt.timelines)
            if plan.keep:
                section.keep(plan.keep)
            if plan.report:
                write_page(plan.report, [section])
    if plan.json:
        print(json.dumps(result))
    else:
        table.show(result, Console(highlight=False))
    if not result["verified"]:
        print(f"stretto bench: {measurement.attempt.samples.disagreement()}", file=sys.stderr)
        return 1
    return 0


def sent_signal(number: int, _: object) -> None:
    sys.exit(128 + number)


def main() -> int:
    arguments = sys.argv[1:]
    for number in (signal.SIGTERM, signal.SIGHUP):  # as Ctrl-C: jobs and labs end with us
        signal.signal(number, sent_signal)
    try:
        if arguments and arguments[0] in OTHERS:
            return OTHERS[arguments[0]](arguments[1:])
        if "--simulate" in arguments:
            return simulated.main(arguments)
        return bench(arguments)
    except Wrong as wrong:
        print(f"stretto bench: {wrong}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
