"""One lab as the outside sees it: its folder, its keeper, and how to build, enter and remove it."""

import contextlib
import fcntl
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from caretaker import Caller, in_caretaker
from rate import Rate

HERE = Path(__file__).resolve().parent
MOST_HOSTS = 64
BUILD_SECONDS = 60
TOOLS = ("ip", "tc", "nsenter", "unshare", "setpriv", "taskset", "mount")


class LabError(Exception):
    """What was asked, what is wrong, what to do."""


@dataclass(frozen=True)
class Host:
    name: str
    address: str
    cores: list[int]


def base_folder() -> Path:
    """Where the labs of this user keep their state. Not under $TMPDIR: a job's own must not hide the lab from it."""
    base = Path(os.environ.get("STRETTO_LAB_STATE") or f"/tmp/stretto-lab.{os.getuid()}")
    hidden = [top for top in ("/run", "/dev", "/proc", "/sys") if base.is_relative_to(top)]
    if not base.is_absolute() or hidden:
        raise LabError(
            f"the state folder {base} must be an absolute path outside /run, /dev, /proc and /sys, which a lab has of "
            "its own: change STRETTO_LAB_STATE"
        )
    return base


@contextlib.contextmanager
def locked(base: Path):
    """Only one at a time builds or removes labs. The lock is the folder itself, so that nothing is left behind."""
    while True:
        base.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            lock = os.open(base, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except FileNotFoundError:
            continue
        fcntl.flock(lock, fcntl.LOCK_EX)
        there = os.fstat(lock)
        if there.st_uid != os.getuid():
            raise LabError(f"{base} belongs to another user: set STRETTO_LAB_STATE")
        # The one before us may have removed the folder that we waited for.
        with contextlib.suppress(FileNotFoundError):
            if os.stat(base).st_ino == there.st_ino:
                break
        os.close(lock)
    try:
        yield lock
    finally:
        with contextlib.suppress(OSError):
            base.rmdir()  # only where no lab is left
        fcntl.flock(lock, fcntl.LOCK_UN)
        os.close(lock)


class Cluster:
    """A lab by its name. Everything known about it is read from its folder and from the kernel, nothing is cached."""

    def __init__(self, name: str = "default"):
        if not name.replace("-", "").replace("_", "").isalnum():
            raise LabError(f"a lab cannot be called '{name}': use letters, digits, - and _")
        self.name = name
        self.base = base_folder()
        self.state = self.base / name

    # --- what is there -------------------------------------------------------------------------------------

    def keeper(self) -> int | None:
        """A descriptor of the keeper's process, or None where it does not live."""
        try:
            pid, started = (self.state / "keeper").read_text().split()
            descriptor = os.pidfd_open(int(pid))
        except (OSError, ValueError):
            return None
        # A pid alone may have been given to somebody else since.
        with contextlib.suppress(OSError, IndexError):
            fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
            if fields[19] == started and fields[0] != "Z":
                return descriptor
        os.close(descriptor)
        return None

    def keeper_pid(self) -> int:
        descriptor = self.keeper()
        if descriptor is None or not (self.state / "lab.json").exists():
            raise LabError(f"the lab '{self.name}' is not up: build it with `{self.hint('up 2')}`")
        os.close(descriptor)
        return int((self.state / "keeper").read_text().split()[0])

    def description(self) -> dict | None:
        """Rate, delay and so on of a lab that is up, as `up` was told; None where none is."""
        descriptor = self.keeper()
        if descriptor is None:
            return None
        os.close(descriptor)
        try:
            return json.loads((self.state / "lab.json").read_text())
        except FileNotFoundError:
            return None

    def hosts(self) -> list[Host]:
        self.keeper_pid()
        return [Host(**host) for host in json.loads((self.state / "hosts.json").read_text())]

    def hint(self, command: str) -> str:
        verb, *rest = command.split()
        return " ".join(["stretto lab", verb, *rest] + ([] if self.name == "default" else ["--name", self.name]))

    # --- up and down ---------------------------------------------------------------------------------------

    def up(self, hosts: int, rate: Rate, delay_us: int, rootless: bool) -> None:
        if not 1 <= hosts <= MOST_HOSTS:
            raise LabError(f"{hosts} hosts: a lab has 1 to {MOST_HOSTS}")
        missing = [tool for tool in TOOLS if not shutil.which(tool, path=search_path())]
        if missing:
            raise LabError(f"needs {', '.join(missing)} (Debian: apt-get install iproute2 util-linux mount)")
        in_caretaker(lambda caller: self.build_for(caller, hosts, rate, delay_us, rootless))

    def build_for(self, caller: Caller, hosts: int, rate: Rate, delay_us: int, rootless: bool) -> None:
        with locked(self.base) as lock:
            there = self.description()
            if there:
                raise LabError(
                    f"a lab named '{self.name}' is up already ({there['hosts']} hosts at {there['rate']}): take it "
                    f"down with `{self.hint('down')}`, or give the new one another name with --name"
                )
            self.remove()  # what is left of one that died
            namespaces = may_make_namespaces(rootless)
            self.state.mkdir(mode=0o700)
            try:
                self.build(caller, namespaces, hosts, rate, delay_us, lock)
            except BaseException:
                self.remove()
                raise

    def build(self, caller: Caller, namespaces: list[str], hosts: int, rate: Rate, delay_us: int, lock: int) -> None:
        arguments = [str(self.state), str(hosts), str(rate), str(delay_us), str(lock)]
        with open(self.state / "log", "w") as log:
            keeper = subprocess.Popen(
                ["unshare", *namespaces, "--fork", "--kill-child", sys.executable, str(HERE / "keeper.py"), *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                pass_fds=[lock],
                env={**os.environ, "PATH": search_path()},
            )
        answered = select.select([keeper.stdout, caller], [], [], BUILD_SECONDS)[0]
        if keeper.stdout not in answered or keeper.stdout.readline() != b"ready\n":
            keeper.kill()
            log = (self.state / "log").read_text().strip()
            raise LabError(f"could not be built: {log or f'no answer within {BUILD_SECONDS} s'}")
        description = {
            "name": self.name,
            "hosts": hosts,
            "rate": str(rate),
            "rate_bits": rate.bits,
            "delay_us": delay_us,
            "rootless": "--user" in namespaces,
            "since": time.strftime("%Y-%m-%d %H:%M:%S"),
        }
        unfinished = self.state / "lab.json.new"
        unfinished.write_text(json.dumps(description))
        unfinished.rename(self.state / "lab.json")
        if not caller.accepts():
            raise LabError("abandoned")
        keeper.stdin.write(b"\n")
        keeper.stdin.flush()
        keeper.returncode = 0  # it stays when we go: nothing to wait for

    def down(self) -> bool:
        """Ends the lab, whatever state it is in; false where there was none."""
        if not self.base.exists():
            return False
        with locked(self.base):
            existed = self.state.exists()
            self.remove()
            return existed

    def remove(self) -> None:
        keeper = self.keeper()
        if keeper is not None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(keeper, signal.SIGKILL)
            select.select([keeper], [], [], 10)  # it ends after all processes of its namespace
            os.close(keeper)
        # A keeper that is just being born finds no folder to write its pid to, and ends.
        shutil.rmtree(self.state, ignore_errors=True)

    # --- inside ----------------------------------------------------------------------------------------------

    def entering(self, host: str, command: list[str]) -> list[str]:
        """The command line that runs `command` on a host. What it starts ends with it, and with the lab."""
        if host not in [known.name for known in self.hosts()]:
            names = ", ".join(known.name for known in self.hosts())
            raise LabError(f"no host '{host}': the lab '{self.name}' has {names}")
        namespaces = ["--mount", "--pid", "--net"]
        if self.description()["rootless"]:
            namespaces += ["--user", "--preserve-credentials"]
        # nsenter waits for a child in the pid namespace, and the child must not outlive it (Ctrl-C, a timeout).
        return [
            *("nsenter", "--target", str(self.keeper_pid()), *namespaces, f"--wd={os.getcwd()}"),
            *("setpriv", "--pdeathsig", "KILL", str(HERE / "host_shell"), "--argv", host, *command),
        ]


def search_path() -> str:
    """Debian keeps tc where an ordinary user's PATH does not look."""
    return os.environ.get("PATH", "") + ":/usr/sbin:/sbin"


def may_make_namespaces(rootless: bool) -> list[str]:
    """The options of `unshare` for a lab, or an error that says what the kernel refuses."""
    flags = ["--pid", "--mount", "--net"]
    if rootless or os.getuid() != 0:
        flags = ["--user", "--map-root-user", *flags]
    tried = subprocess.run(["unshare", *flags, "--fork", "--mount-proc", "true"], capture_output=True, text=True)
    if tried.returncode == 0:
        return flags
    reason = tried.stderr.strip()
    if "--user" not in flags:
        raise LabError(
            f"this root may not make namespaces ({reason}): try --rootless, or a container with CAP_SYS_ADMIN"
        )
    settings = []
    for name in (
        "kernel/unprivileged_userns_clone",
        "user/max_user_namespaces",
        "kernel/apparmor_restrict_unprivileged_userns",
    ):
        with contextlib.suppress(OSError):
            settings.append(f"{name.replace('/', '.')} = {Path('/proc/sys', name).read_text().strip()}")
    raise LabError(
        f"this user may not make user namespaces ({reason}; {', '.join(settings)}): become root, or ask for "
        "unprivileged user namespaces and an unmasked /proc"
    )
