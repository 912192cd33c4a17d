"""stretto lab: a small cluster on one machine, of network namespaces and shaped links."""

import argparse
import json
import os
import re
import signal
import sys

from cluster import Cluster, LabError
from launch import NAMES, Job, command_line, launcher_environment
from rate import BadRate, Rate, parse_delay

EXAMPLES = """examples:
  stretto lab up 4 --rate 1gbit
  stretto lab run -n 2 --mpi openmpi -- ./program
  stretto lab exec h2 ping -c 3 h1
  stretto lab down
"""


class Parser(argparse.ArgumentParser):
    def __init__(self, **options: object) -> None:
        super().__init__(**options)
        self._negative_number_matcher = re.compile(r"^-\d")  # `--rate -1gbit` is a wrong rate, not an option

    def error(self, message: str) -> None:
        print(f"{self.prog}: {message}\ntry `{self.prog} --help`", file=sys.stderr)
        sys.exit(2)


def parser() -> argparse.ArgumentParser:
    top = Parser(
        prog="stretto lab", description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    verbs = top.add_subparsers(dest="verb", required=True, metavar="VERB", parser_class=Parser)

    def verb(name: str, help_: str) -> argparse.ArgumentParser:
        added = verbs.add_parser(name, help=help_, description=help_)
        added.add_argument(
            "--name", default="default", help="which lab, where there are several (default: %(default)s)"
        )
        return added

    up = verb("up", "build hosts h1..hN, and h0 where mpirun runs")
    up.add_argument("hosts", type=int, metavar="N")
    up.add_argument(
        "--rate", default="1gbit", help="of each link, both ways: 100mbit, 2.5gbit, unlimited (default: 1gbit)"
    )
    up.add_argument("--delay", default="0", help="of each link, one way: 50us, 1ms (default: none)")
    up.add_argument(
        "--rootless", action="store_true", help="in a user namespace, also as root; others than root always are"
    )

    run = verb("run", "run an MPI program, one rank per host")
    run.add_argument("-n", dest="ranks", type=int, required=True, metavar="RANKS")
    run.add_argument("--mpi", required=True, help=f"one of {', '.join(NAMES)}")
    run.add_argument(
        "--timeout", type=float, default=120, metavar="S", help="then print all stacks and end it (default: 120)"
    )
    run.add_argument("--env", action="append", default=[], metavar="K=V", help="for the ranks; may be repeated")
    run.add_argument("--preload", action="append", default=[], metavar="LIB", help="for the ranks; may be repeated")
    run.add_argument(
        "--launcher-option", action="append", default=[], metavar="WORD", help="for mpirun; may be repeated"
    )
    run.add_argument("--awake", action="store_true", help="let waiting ranks spin, as the MPI library does by itself")
    run.add_argument("program", nargs=argparse.REMAINDER, metavar="-- program args")

    exec_ = verb("exec", "run a command on one host")
    exec_.add_argument("host")
    exec_.add_argument("program", nargs=argparse.REMAINDER, metavar="command args")

    for name, help_ in (
        ("hosts", "the hosts, their addresses and cores"),
        ("status", "is it up, and how was it built?"),
    ):
        verb(name, help_).add_argument("--json", action="store_true")
    verb("down", "end everything of the lab; may be repeated")
    return top


def words_of(program: list[str]) -> list[str]:
    words = program[1:] if program[:1] == ["--"] else program
    if not words:
        raise LabError("no program was given")
    return words


def up(cluster: Cluster, options: argparse.Namespace) -> None:
    rate, delay_us = Rate.parse(options.rate), parse_delay(options.delay)
    cluster.up(options.hosts, rate, delay_us, options.rootless)
    print(f"stretto lab: {describe(cluster.description())}")


def describe(lab: dict) -> str:
    name = "" if lab["name"] == "default" else f"{lab['name']}: "
    delay = f", delay {lab['delay_us']} us" if lab["delay_us"] else ""
    hosts = f"{lab['hosts']} host{'s' if lab['hosts'] > 1 else ''}"
    return f"{name}{hosts}, links of {lab['rate']}{delay}{', rootless' if lab['rootless'] else ''}"


def run(cluster: Cluster, options: argparse.Namespace) -> None:
    if options.timeout <= 0:
        raise LabError(f"a timeout of {options.timeout:g} s: must be more than 0")
    for pair in options.env:
        if not pair.partition("=")[1] or pair.startswith("="):
            raise LabError(f"--env {pair}: want NAME=VALUE")
    environment = dict(pair.split("=", 1) for pair in options.env)
    job = Job(
        mpi=options.mpi,
        ranks=options.ranks,
        program=words_of(options.program),
        environment=environment,
        preload=[os.path.abspath(library) for library in options.preload],
        launcher_options=options.launcher_option,
        timeout=options.timeout,
        sleepy=not options.awake,
    )
    words = command_line(cluster, job)
    os.execvpe(words[0], words, launcher_environment(job.mpi))


def exec_(cluster: Cluster, options: argparse.Namespace) -> None:
    words = cluster.entering(options.host, words_of(options.program))
    os.execvp(words[0], words)


def hosts(cluster: Cluster, options: argparse.Namespace) -> None:
    table = cluster.hosts()
    if options.json:
        print(json.dumps([vars(host) for host in table]))
        return
    for host in table:
        cores = ",".join(map(str, host.cores))
        print(f"{host.name:4} {host.address:12} core{'s' if len(host.cores) > 1 else ''} {cores}")


def status(cluster: Cluster, options: argparse.Namespace) -> None:
    lab = cluster.description()
    if options.json:
        print(json.dumps(lab or {"name": cluster.name, "hosts": 0}))
    else:
        print(f"up since {lab['since']}: {describe(lab)}" if lab else "down")
    if not lab:
        sys.exit(1)


def down(cluster: Cluster, _: argparse.Namespace) -> None:
    if not cluster.down():
        print(f"stretto lab: no lab named '{cluster.name}' is up")


def main() -> None:
    options = parser().parse_args()
    # As Ctrl-C: what was begun is taken down again.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda got, _: sys.exit(128 + got))
    try:
        cluster = Cluster(options.name)
        {"up": up, "run": run, "exec": exec_, "hosts": hosts, "status": status, "down": down}[options.verb](
            cluster, options
        )
    except (LabError, BadRate) as wrong:
        sys.exit(f"stretto lab {options.verb}: {wrong}")
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
