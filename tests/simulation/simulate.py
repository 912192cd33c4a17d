"""The simulation as a command: what it is run with, and what it prints.

done = simulate("--ranks", 3, "--count", 2000)
assert done.returncode == 0, done.stdout
"""

import collections
import re
import subprocess

from launch import BUILD

PROGRAM = BUILD / "simulation/simulate"
LIBRARY = BUILD / "lib/mpich/libstretto.so"

# The networks and libraries under which programs run: how many ranks, what is eager, whether a send is complete at once.
CONFIGURATIONS = {
    "two": ("--ranks", 2),
    "three": ("--ranks", 3),
    "three-held": ("--ranks", 3, "--holds"),
    "three-node": ("--ranks", 3, "--one-node"),
    "four": ("--ranks", 4),
    "four-short": ("--ranks", 4, "--eager", 9000),
    "seven": ("--ranks", 7),
}
# What cannot happen there: no pages, no helper, nothing that is tried, no compiler's code; and types that no fragment fits.
NEVER = re.compile(
    "pages_|helper_|short_range_|compiled_|receive_guarded|receive_released|receive_unmatched|collective_guarded|collective_released|"
    "send_given_up|send_no_border|send_held|system_call_seen|thread_unseen|channels_none|tags_none|cancel_framed"
)


def simulate(*words, library=LIBRARY, timeout=600):
    command = [PROGRAM, "--library", library, *words]
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=timeout)


def counters(text):
    """Of all ranks and batches: the rules of the protocol, and the algorithms of collectives, how often each."""
    found = collections.Counter()
    for name, n in re.findall(r"^stretto: counter \d+ (\w+) (\d+)$", text, re.M):
        found[name] += int(n)
    return found
