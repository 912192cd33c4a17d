"""All pairs: of the combinations of several options a few are enough, if each pair of values of two options is met in one of them.

Most faults need one value, or two together; the full product finds hardly more and takes many times as long.
"""

from itertools import combinations

ITSELF = "itself"  # its values (one, or a tuple of them) are met, but not paired with others'


def family(mpi):
    """Most of what one MPI shows, the others of its family show, too."""
    return "openmpi" if mpi.startswith("openmpi") else "mpich"


def by_family(mpi, **options):
    """Pairs of options under each family, and each MPI once."""
    return {"family": family(mpi), ITSELF: mpi} | options


def twin_of_another(mpi, **options):
    """Why it is left out, where one MPI of each family is enough."""
    return family(mpi) != mpi and "one of Open MPI and one of MPICH are enough"


def pairs_of(case):
    """Of a combination {option: value}: the pairs that it meets."""
    paired = sorted((option, value) for option, value in case.items() if option != ITSELF)
    itself = case.get(ITSELF)
    return {*combinations(paired, 2), *(itself if isinstance(itself, tuple) else (itself,))}


def thinned(cases, always=()):
    """Some of these combinations, in their order, that meet each pair that any of them meets; those of `always` among them."""
    chosen = list(always)
    left = set().union(*map(pairs_of, cases)).difference(*map(pairs_of, chosen))
    while left:
        chosen.append(max(cases, key=lambda case: len(pairs_of(case) & left)))
        left -= pairs_of(chosen[-1])
    return [case for case in cases if case in chosen]
