"""What the benches of collectives are asked."""

import argparse
from collections.abc import Sequence

from plan import Parser, Wrong, check_hosts, check_mpi, count, default_dilation, size

LARGEST = 2**24


def sizes(text: str) -> list[int]:
    """`1KiB,64KiB`; `1-4MiB`: by powers of four."""
    every = set()
    for word in text.split(","):
        first, _, last = word.partition("-")
        at, end = size(first), size(last or first)
        if not 0 < at <= end:
            raise argparse.ArgumentTypeError(f"'{word}': want a size, or a range of sizes as 1-4MiB")
        while at <= end:
            every.add(at)
            at *= 4
    return sorted(every)


def parser(bench: str, about: str | None, known: list[str], sizes_kib: list[int], turns: int) -> Parser:
    top = Parser(prog=f"stretto bench {bench}", description=about)
    top.add_argument("--mpi", default="openmpi")
    top.add_argument("-n", "--ranks", type=count, default=4, metavar="P", help="(default: 4)")
    top.add_argument("--collectives", default=",".join(known), metavar="C,C", help="(default: all)")
    top.add_argument(
        "--sizes",
        type=sizes,
        metavar="B,B-B",
        default=[2**10 * kib for kib in sizes_kib],
        help=f"of a message, or a block; 1KiB-1MiB: by powers of four (default: {', '.join(map(str, sizes_kib))} KiB)",
    )
    top.add_argument("--lab", metavar="RATE", default="50mbit", help="the link, dilated (default: 50mbit); or none")
    top.add_argument("--reps", type=count, default=5, metavar="N", help="operations of a kind in a launch (default: 5)")
    top.add_argument(
        "--turns", type=count, default=turns, metavar="N", help=f"launches of each, in turns (default: {turns})"
    )
    top.add_argument("--patience", type=float, default=20, metavar="S", help="how long to wait for quiet (default: 20)")
    top.add_argument("--json", action="store_true")
    return top


def read(top: Parser, arguments: list[str], known: list[str], unit: int = 1) -> argparse.Namespace:
    """Raises Wrong for what cannot be, before anything is started."""
    asked = top.parse_args(arguments)
    check_mpi(asked.mpi)
    check_hosts(asked.mpi, asked.lab)
    asked.dilate = default_dilation(asked.lab)
    asked.collectives = asked.collectives.split(",")
    for name in asked.collectives:
        if name not in known:
            raise Wrong(f"--collectives: {name} is unknown (it may be: {', '.join(known)})")
    for bytes in asked.sizes:
        check_size("sizes", bytes, unit)
    if asked.ranks < 2:
        raise Wrong("-n: want at least 2 ranks")
    return asked


def check_size(option: str, bytes: int, unit: int = 1) -> None:
    if bytes % unit or not 0 < bytes <= LARGEST:
        want = "1 byte" if unit == 1 else f"a multiple of {unit}"
        raise Wrong(f"--{option}: {bytes}: want {want} up to 16 MiB")


def words(asked: argparse.Namespace, names: Sequence[str], sizes: Sequence[int]) -> list[object]:
    """For the program."""
    named = {"sizes": sizes, "collectives": names}
    lists = [word for name, values in named.items() for word in (f"--{name}", ",".join(map(str, values)))]
    return ["--dilate", asked.dilate, "--reps", asked.reps, *lists]
