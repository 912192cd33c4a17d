"""mpirun over the hosts of a lab, one rank per host: the same things said in the words of each MPI.

host_shell in place of ssh, ranks on the hosts in their order, TCP over eth0 and no shared memory, waits that
yield (sleepy_waits.c then makes them sleep).
"""

import json
import os
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path

from cluster import HERE, Cluster, LabError

SHELL = str(HERE / "host_shell")
NAMES = ("openmpi", "openmpi5", "mpich", "mpich4", "abi")


@dataclass
class Job:
    """What is to be run, in nobody's dialect."""

    mpi: str
    ranks: int
    program: list[str]
    environment: dict[str, str] = field(default_factory=dict)
    preload: list[str] = field(default_factory=list)
    launcher_options: list[str] = field(default_factory=list)
    timeout: float = 120
    sleepy: bool = True


def known_mpis() -> dict[str, dict]:
    """The MPI libraries that the set-up found: $STRETTO_MPIS, or the project's build/env/mpis.json."""
    path = Path(os.environ.get("STRETTO_MPIS") or HERE.parent.parent / "build/env/mpis.json")
    try:
        return json.loads(path.read_text())
    except FileNotFoundError:
        raise LabError(f"{path} is missing: run `make setup` first, or set STRETTO_MPIS") from None
    except json.JSONDecodeError as wrong:
        raise LabError(f"{path}: {wrong}") from None


def sleepy_waits() -> Path:
    folder = Path(os.environ.get("STRETTO_LIBRARIES") or HERE.parent.parent / "build/release/lib")
    library = folder / "libsleepy_waits.so"
    if not library.exists():
        raise LabError(f"{library} is missing: run `make` first, or let the ranks spin with --awake")
    return library


def environment_of(job: Job) -> dict[str, str]:
    """What the ranks get on top of the launcher's own environment."""
    environment = dict(job.environment)
    preload = [*([str(sleepy_waits())] if job.sleepy else []), *job.preload]
    preload += filter(None, [environment.pop("LD_PRELOAD", "")])
    if preload:
        environment["LD_PRELOAD"] = ":".join(preload)
    # A core with a rank of its own can afford to spin through the short waits of a pipeline.
    environment.setdefault("SLEEPY_WAITS_SPIN", "400" if job.ranks <= len(os.sched_getaffinity(0)) else "24")
    return environment


def open_mpi_4(mpirun: str, hosts: str, job: Job) -> list[str]:
    words = [mpirun, "--mca", "plm", "rsh", "--mca", "plm_rsh_agent", SHELL, "--mca", "oob_tcp_if_include", "eth0"]
    return words + open_mpi_words(hosts, job)


def open_mpi_5(mpirun: str, hosts: str, job: Job) -> list[str]:
    words = [
        mpirun,
        "--prtemca",
        "plm",
        "ssh",
        "--prtemca",
        "plm_ssh_agent",
        SHELL,
        "--prtemca",
        "prte_if_include",
        "eth0",
    ]
    return words + open_mpi_words(hosts, job)


def open_mpi_words(hosts: str, job: Job) -> list[str]:
    words = ["--host", hosts, "--bind-to", "none", "--mca", "pml", "ob1", "--mca", "btl", "tcp,self"]
    words += ["--mca", "btl_tcp_if_include", "eth0", "--mca", "mpi_yield_when_idle", "1"]
    for name, value in environment_of(job).items():
        words += ["-x", f"{name}={value}"]
    return [*words, *job.launcher_options, "-n", str(job.ranks)]


def mpich(mpirun: str, hosts: str, job: Job) -> list[str]:
    words = [mpirun, "-launcher", "ssh", "-launcher-exec", SHELL, "-iface", "eth0", "-hosts", hosts, "-ppn", "1"]
    settings = {
        "MPIR_CVAR_NOLOCAL": "1",
        "MPIR_CVAR_CH4_NETMOD": "ofi",
        "FI_PROVIDER": "tcp",
        "FI_TCP_IFACE": "eth0",
        "MPIR_CVAR_POLLS_BEFORE_YIELD": "1",  # its default of 1000 wakes up too late to sleep
    }
    for name, value in (settings | environment_of(job)).items():
        words += ["-genv", name, value]
    return [*words, *job.launcher_options, "-n", str(job.ranks)]


DIALECTS = {"openmpi4": open_mpi_4, "openmpi5": open_mpi_5, "mpich": mpich, "abi": mpich}


def command_line(cluster: Cluster, job: Job) -> list[str]:
    """Everything from outside the lab to the ranks, as one command line."""
    hosts = [host.name for host in cluster.hosts() if host.name != "h0"]
    if job.ranks < 1:
        raise LabError(f"{job.ranks} ranks: at least 1")
    if job.ranks > len(hosts):
        raise LabError(f"{job.ranks} ranks, but the lab '{cluster.name}' has {len(hosts)} hosts: one rank runs on each")
    if job.mpi not in NAMES:
        raise LabError(f"no MPI is called '{job.mpi}': one of {', '.join(NAMES)}")
    if job.mpi == "mpich4" and job.ranks > 1:
        raise LabError(
            "Debian's MPICH 4.0 hangs in MPI_Finalize across hosts now and then: use it on one host, not in a lab"
        )
    known = known_mpis()
    if job.mpi not in known:
        raise LabError(f"the MPI '{job.mpi}' was not found by the set-up, which knows {', '.join(known) or 'none'}")
    mpi = known[job.mpi]
    if not shutil.which(job.program[0]):
        raise LabError(f"{job.program[0]}: no such program")
    for library in job.preload:
        if not Path(library).exists():
            raise LabError(f"{library}: no such library to preload")
    launcher = DIALECTS[mpi["family"]](mpi["mpirun"], ",".join(hosts[: job.ranks]), job)
    job_shell = ["unshare", "--pid", "--mount-proc", "--fork", "--kill-child", sys.executable, str(HERE / "job.py")]
    return cluster.entering("h0", [*job_shell, f"{job.timeout:g}", *launcher, *job.program])


def launcher_environment(mpi: str) -> dict[str, str]:
    """The launcher's own environment: in the lab root is only root of the lab."""
    known = known_mpis()[mpi]
    allow = {
        f"{launcher}_ALLOW_RUN_AS_ROOT{suffix}": "1" for launcher in ("OMPI", "PRTE") for suffix in ("", "_CONFIRM")
    }
    return {
        **os.environ,
        **allow,
        "PATH": f"{Path(known['mpirun']).parent}:{os.environ.get('PATH', '')}:/usr/sbin:/sbin",
    }
