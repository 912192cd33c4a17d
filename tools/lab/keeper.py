"""The keeper: process 1 of the lab, which builds the hosts and then only has to be there.

It runs in pid, mount and network namespaces (rootless: a user namespace as well) that `cluster.py` made
for it, and everything else of the lab lives inside these: the switch is a bridge in the keeper's network
namespace, a host is a named network namespace under a private /run/netns. So killing this one process
removes every process, link and mount of the lab, and nothing of the machine's own network is touched.

      h0 (mpirun, not shaped)
      |
 [ bridge switch ]---- port1 ==== eth0 (h1, 10.77.0.1)     ==== is shaped in both directions:
      |--------------- port2 ==== eth0 (h2, 10.77.0.2)          tbf to the rate, netem to the delay
"""

import ctypes
import fcntl
import json
import os
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
from pathlib import Path

from rate import Rate

# Inside the lab, in its own /run.
INSIDE = Path("/run/stretto-lab")
HOST_TABLE = INSIDE / "hosts"

# The most that a TCP connection has under way, from its first message on. A window that opens by itself does so for seconds where
# nothing is ever lost, and until then links idle while receivers compute: TCP acknowledges late what its program does not read.
WINDOW_BYTES = 1 << 20
SEGMENTS = str(WINDOW_BYTES // 1448)
# A packet takes more memory than its bytes, and Linux guesses how much more. Who has promised a window that he has no room for drops
# what comes and draws the window in; where both ends do so at once, Linux 6.18 takes neither's acknowledgements: they are stuck.
ROOM = 16 * WINDOW_BYTES
SYSCTLS = {
    "tcp_rmem": f"4096 {ROOM} {ROOM}",
    "tcp_wmem": f"4096 65536 {WINDOW_BYTES}",
    "tcp_no_metrics_save": "1",
}


def command(*words: str) -> None:
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(words)}: {(done.stderr or done.stdout).strip()}")


def generic_receive_offload(device: str) -> None:
    """Without it a veth hands single MTU packets to TCP, and the cores drown in them. (`ethtool -K DEVICE gro on`)"""
    SIOCETHTOOL, ETHTOOL_SGRO = 0x8946, 0x2C
    value = ctypes.create_string_buffer(struct.pack("II", ETHTOOL_SGRO, 1))
    request = struct.pack("16sP16x", device.encode(), ctypes.addressof(value))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SIOCETHTOOL, request)


def shape(device: str, rate: Rate, delay_us: int, flows: int, host: str | None = None) -> None:
    """Limits what leaves a device: packet by packet where it is a host's own. So many flows lose nothing in its queue."""
    tc = ["tc", "-n", host] if host else ["tc"]
    parent = ["root", "handle", "1:"]
    if rate.bits is not None:
        words = f"rate {rate.bits}bit limit {flows * WINDOW_BYTES} burst "
        if host and rate.paced:
            words += f"{rate.long_bucket_bytes} peakrate {rate.peak_bits}bit mtu {rate.peak_bucket_bytes}"
        else:
            words += f"{rate.bucket_bytes}"
        command(*tc, "qdisc", "add", "dev", device, *parent, "tbf", *words.split())
        parent = ["parent", "1:1"]
    if delay_us:
        try:
            command(*tc, "qdisc", "add", "dev", device, *parent, "netem", "delay", f"{delay_us}us", "limit", "10000")
        except SystemExit as failed:
            raise SystemExit(
                f"--delay needs the kernel's sch_netem, which this kernel does not have ({failed})"
            ) from None


def address_of(index: int) -> str:
    return f"10.77.{index // 250}.{index % 250}" if index else "10.77.255.1"


def build_host(index: int, hosts: int, rate: Rate, delay_us: int) -> None:
    host, port, address = f"h{index}", f"port{index}", address_of(index)
    command("ip", "netns", "add", host)
    command("ip", "link", "add", port, "type", "veth", "peer", "name", "cable")
    for device in (port, "cable"):
        generic_receive_offload(device)
        if index:
            # gro_max_size too, or GRO at the switch makes packets that are larger than the next bucket.
            size = str(rate.packet_bytes)
            command("ip", "link", "set", device, "gso_max_size", size, "gro_max_size", size)
    command("ip", "link", "set", "cable", "netns", host, "name", "eth0")
    command("ip", "link", "set", port, "master", "switch", "up")
    command("ip", "-n", host, "link", "set", "lo", "up")
    command("ip", "-n", host, "addr", "add", f"{address}/16", "dev", "eth0")
    if index:
        shape("eth0", rate, delay_us, hosts, host)
        shape(port, rate, delay_us, hosts)
    command("ip", "-n", host, "link", "set", "eth0", "up")
    # The same congestion control everywhere, whatever the machine's default is.
    route = ["ip", "-n", host, "route", "change", "10.77.0.0/16", "dev", "eth0", "src", address]
    command(*route, "congctl", "cubic", "initcwnd", SEGMENTS, "initrwnd", SEGMENTS)
    settings = "; ".join(f"echo {value} >/proc/sys/net/ipv4/{name}" for name, value in SYSCTLS.items())
    command("nsenter", f"--net=/run/netns/{host}", "sh", "-ec", settings)


def abandoned() -> bool:
    """The one who builds us holds the other end of our standard input until the lab is ready; has it gone?"""
    return bool(select.select([0], [], [], 0)[0])


def cores_of(index: int, hosts: int, cores: list[int]) -> list[int]:
    """Shared out evenly, neighbours together, as they may be one real core; more hosts than cores take turns. h0 may use all."""
    if index == 0:
        return cores
    each = max(len(cores) // hosts, 1)
    first = (index - 1) * each % len(cores)
    return cores[first : first + each]


def keep(state: Path, hosts: int, rate: Rate, delay_us: int) -> None:
    # Where /proc is still the outside one, it tells our pid as the outside sees it.
    pid = int(os.readlink("/proc/self"))
    started = Path("/proc/self/stat").read_text().rsplit(")", 1)[1].split()[19]
    (state / "keeper").write_text(f"{pid} {started}\n")

    command("mount", "-t", "proc", "proc", "/proc")
    command("mount", "-t", "tmpfs", "tmpfs", "/run")
    # What a killed rank leaves there goes with the lab.
    command("mount", "-t", "tmpfs", "tmpfs", "/dev/shm")
    Path("/run/netns").mkdir()
    INSIDE.mkdir()
    (INSIDE / "job").mkdir()  # where each job mounts a temporary folder of its own
    command("ip", "link", "set", "lo", "up")
    command("ip", "link", "add", "switch", "type", "bridge")
    command("ip", "link", "set", "switch", "up")

    cores = sorted(os.sched_getaffinity(0))
    table = []
    for index in range(hosts + 1):
        if abandoned():
            raise SystemExit("abandoned")
        build_host(index, hosts, rate, delay_us)
        table.append({"name": f"h{index}", "address": address_of(index), "cores": cores_of(index, hosts, cores)})
    names = "".join(f"{host['address']} {host['name']}\n" for host in table)
    (INSIDE / "etc_hosts").write_text("127.0.0.1 localhost\n" + names)
    command("mount", "--bind", str(INSIDE / "etc_hosts"), "/etc/hosts")
    HOST_TABLE.write_text("".join(f"{h['name']} {h['address']} {','.join(map(str, h['cores']))}\n" for h in table))
    (state / "hosts.json").write_text(json.dumps(table))


def main() -> None:
    state, hosts, rate, delay_us = Path(sys.argv[1]), int(sys.argv[2]), Rate.parse(sys.argv[3]), int(sys.argv[4])
    lock = int(sys.argv[5])
    try:
        keep(state, hosts, rate, delay_us)
        print("ready", flush=True)
        # It answers with one byte. Where it was killed there is none, and nobody knows of this lab: end it.
        if os.read(0, 1) != b"\n":
            raise SystemExit("abandoned")
    except BaseException:
        # The lock is still held, by us if by nobody else: nobody else builds a lab of this name yet.
        if abandoned():
            shutil.rmtree(state, ignore_errors=True)
        raise
    fcntl.flock(lock, fcntl.LOCK_UN)
    os.close(lock)
    nothing = os.open("/dev/null", os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    # Process 1 must reap what others leave; where it ignores the signal, the kernel does that.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        signal.pause()


if __name__ == "__main__":
    main()
