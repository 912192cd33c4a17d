"""What the benches of collectives are asked."""

import argparse

from plan import Parser, Wrong, check_hosts, check_mpi, count, default_dilation, sizes


def parser(bench: str, about: str | None, known: list[str], sizes_kib: list[int], turns: int) -> Parser:
    top = Parser(prog=f"stretto bench {bench}", description=about)
    top.add_argument("--mpi", default="openmpi")
    top.add_argument("-n", "--ranks", type=count, default=4, metavar="P", help="(default: 4)")
    top.add_argument("--collectives", default=",".join(known), metavar="C,C", help="(default: all)")
    top.add_argument(
        "--sizes",
        type=sizes,
        metavar="B,B",
        default=[2**10 * kib for kib in sizes_kib],
        help=f"of a message, or a block (default: {', '.join(map(str, sizes_kib))} KiB)",
    )
    top.add_argument("--lab", metavar="RATE", default="50mbit", help="the link, dilated (default: 50mbit); or none")
    top.add_argument("--reps", type=count, default=5, metavar="N", help="operations of a kind in a launch (default: 5)")
    top.add_argument(
        "--turns", type=count, default=turns, metavar="N", help=f"launches of each, in turns (default: {turns})"
    )
    top.add_argument("--patience", type=float, default=20, metavar="S", help="how long to wait for quiet (default: 20)")
    top.add_argument("--json", action="store_true")
    return top


def read(top: Parser, arguments: list[str], known: list[str]) -> argparse.Namespace:
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
        if bytes % 4 or not 4 <= bytes <= 2**24:
            raise Wrong(f"--sizes: {bytes}: want a multiple of 4 up to 16 MiB")
    if asked.ranks < 2:
        raise Wrong("-n: want at least 2 ranks")
    return asked


def words(asked: argparse.Namespace) -> list[object]:
    """For the program."""
    named = {"sizes": asked.sizes, "collectives": asked.collectives}
    lists = [word for name, values in named.items() for word in (f"--{name}", ",".join(map(str, values)))]
    return ["--dilate", asked.dilate, "--reps", asked.reps, *lists]
