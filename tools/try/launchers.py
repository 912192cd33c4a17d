"""How launchers are written on a command line: which of their options take how many words.

A dialect knows every option that it reads past. An option that it does not know could take a word or none, and then
nobody can tell where the application begins: command_line.py says so instead of guessing.
"""

import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

ASKED_FOR = 20  # seconds for a launcher to say its version


class Unclear(Exception):
    """Where the application begins cannot be told, and why."""


@dataclass(frozen=True)
class Dialect:
    """values: an option, without dashes, and how many words follow it."""

    values: dict[str, int]
    in_files: frozenset[str] = frozenset()  # these options name a file that holds the programs
    joined: dict[str, int] = field(default_factory=dict)  # letters as getopt reads them: -n4, -lQn 4
    settings: bool = False  # words NAME=VALUE may follow the options, as in env


def options(none: str = "", one: str = "", two: str = "") -> dict[str, int]:
    return {name: words for words, names in enumerate((none, one, two)) for name in names.split()}


OPEN_MPI = Dialect(
    options(
        none="""
        allow-run-as-root bind-to-core bind-to-none bind-to-socket bycore bynode byslot bysocket continuous d debug
        debug-daemons debug-daemons-file debug-devel disable-recovery display-allocation display-devel-allocation
        display-devel-map display-diffable-map display-map display-topo do-not-connect do-not-launch do-not-resolve
        enable-instant-on-support enable-recovery fwd-mpirun-port get-stack-traces index-argv-by-rank
        leave-session-attached merge-stderr-to-stdout no-app-prefix no-oversubscribe nolocal nooversubscribe noprefix
        novm output-proctable oversubscribe pernode preload-binary q quiet report-bindings
        report-child-jobs-separately report-state-on-timeout s set-cwd-to-session-dir show-progress
        system-server-first system-server-only tag-output timestamp-output tv use-hwthread-cpus use-regexp v verbose
        xml""",
        one="""
        H N am app-pmix-prefix bind-to c cartofile cf cpu-list cpu-set cpus-per-proc cpus-per-rank debugger
        default-hostfile display dvm-uri forward-signals gpu-support hnp host hostfile launch-agent machinefile map-by
        max-restarts max-vm-size n namespace np npernode npersocket num-connect-retries ompi-server output
        output-filename path personality pid ppr prefix preload-files pset rank-by rankfile report-events report-pid
        report-uri rf runtime-options set-env spawn-timeout stdin timeout tmpdir tune unset-env wait-to-connect wd wdir
        x xml-file xterm""",
        two="append-env gmca gpmixmca gprtemca mca omca pmixmca prepend-env prtemca",
    ),
    in_files=frozenset({"app"}),
)

HYDRA = Dialect(
    options(
        none="""
        disable-auto-cleanup disable-hostname-propagation disable-x enable-x envall envnone genvall genvnone
        hybrid-hosts l pmi-port prepend-rank print-all-exitcodes print-rank-map profile skip-launch-node v verbose""",
        one="""
        bind-to binding bootstrap bootstrap-exec demux envlist errfile errfile-pattern f genvlist gpus-per-proc
        gpu-subdevs-per-proc grr host hostfile hosts iface launcher launcher-exec localhost machine machinefile map-by
        membind memory-alloc-kinds n nameserver np order-nodes outfile outfile-pattern perhost ppn prepend-pattern
        rankmap rmk rr s topolib usize wdir""",
        two="env genv",
    ),
    in_files=frozenset({"configfile"}),
)

SRUN = Dialect(
    options(
        none="""
        bcast compress contiguous disable-status exact exclusive external hold immediate kill-on-bad-exit label nice
        no-allocate no-kill overcommit overlap oversubscribe preserve-env propagate pty quiet quit-on-interrupt reboot
        resv-ports send-libs spread-job test-only unbuffered use-min-nodes verbose whole x11""",
        one="""
        account acctg-freq bb bbf begin chdir cluster-constraint clusters comment constraint container container-id
        core-spec cores-per-socket cpu-bind cpu-freq cpus-per-gpu cpus-per-task deadline delay-boot dependency
        distribution epilog error exclude export extra extra-node-info gid gpu-bind gpu-freq gpus gpus-per-node
        gpus-per-socket gpus-per-task gres gres-flags het-group hint input job-name jobid licenses mail-type mail-user
        mcs-label mem mem-bind mem-per-cpu mem-per-gpu mincpus mpi msg-timeout network nodefile nodelist nodes ntasks
        ntasks-per-core ntasks-per-gpu ntasks-per-node ntasks-per-socket open-mode output partition power prefer
        priority profile prolog qos relative reservation signal slurmd-debug sockets-per-node switches task-epilog
        task-prolog thread-spec threads threads-per-core time time-min tmp tres-bind tres-per-task uid wait wckey""",
    ),
    in_files=frozenset({"multi-prog"}),
    joined=options(none="E H I K O Q X Z k l s u v", one="A B C D G J L M N S T W b c d e i m n o p q r t w x"),
)

ENV = Dialect(
    options(none="ignore-environment debug", one="unset chdir"), joined=options(none="0 i v", one="C u"), settings=True
)

LAB_RUN = Dialect(options(none="awake", one="env launcher-option mpi name preload timeout"), joined=options(one="n"))

BY_NAME = {
    "env": ENV,
    "mpiexec.hydra": HYDRA,
    "mpiexec.mpich": HYDRA,
    "mpiexec.openmpi": OPEN_MPI,
    "mpirun.mpich": HYDRA,
    "mpirun.openmpi": OPEN_MPI,
    "orterun": OPEN_MPI,
    "prterun": OPEN_MPI,
    "srun": SRUN,
}
BY_VERSION = {"Open MPI|OpenRTE|PRTE|PRRTE": OPEN_MPI, "HYDRA|Intel.*MPI": HYDRA}


def dialect_of(word: str) -> Dialect | None:
    """Of the launcher that a word names; None where it is none that is known."""
    name = Path(word).name
    if name in ("mpirun", "mpiexec"):  # Open MPI's and Hydra's have the same names
        return dialect_by_version(word)
    return BY_NAME.get(name)


def dialect_by_version(launcher: str) -> Dialect:
    try:
        asked = subprocess.run(
            [launcher, "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=ASKED_FOR
        )
    except (OSError, subprocess.TimeoutExpired) as wrong:
        raise Unclear(f"{launcher} does not say its version: {wrong}") from None
    said = asked.stdout + asked.stderr
    for pattern, dialect in BY_VERSION.items():
        if re.search(pattern, said):
            return dialect
    raise Unclear(f"{launcher} is neither Open MPI's nor Hydra's")
