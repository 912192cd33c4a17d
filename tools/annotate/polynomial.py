"""Integer polynomials over names: which byte an index means, and whether one lies behind another. Plain data, exact.

A polynomial maps products of atoms to factors: 8*n*i + 3 is {("i", "n"): 8, (): 3}.
"""

from collections.abc import Iterable


class Polynomial:
    def __init__(self, terms: dict[tuple[str, ...], int] | None = None) -> None:
        self.terms = {atoms: factor for atoms, factor in (terms or {}).items() if factor}

    @classmethod
    def of(cls, number: int) -> "Polynomial":
        return cls({(): number})

    @classmethod
    def atom(cls, name: str) -> "Polynomial":
        return cls({(name,): 1})

    def __add__(self, other: "Polynomial | int") -> "Polynomial":
        terms = dict(self.terms)
        for atoms, factor in as_polynomial(other).terms.items():
            terms[atoms] = terms.get(atoms, 0) + factor
        return Polynomial(terms)

    def __mul__(self, other: "Polynomial | int") -> "Polynomial":
        terms: dict[tuple[str, ...], int] = {}
        for mine, factor in self.terms.items():
            for its, by in as_polynomial(other).terms.items():
                atoms = tuple(sorted(mine + its))
                terms[atoms] = terms.get(atoms, 0) + factor * by
        return Polynomial(terms)

    def __neg__(self) -> "Polynomial":
        return self * -1

    def __sub__(self, other: "Polynomial | int") -> "Polynomial":
        return self + -as_polynomial(other)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (Polynomial, int)) and not (self - other).terms

    __hash__ = None  # type: ignore[assignment]

    @property
    def number(self) -> int | None:
        """Its value, where it has no atom."""
        return None if any(self.terms) else self.terms.get((), 0)

    @property
    def atoms(self) -> set[str]:
        return {atom for atoms in self.terms for atom in atoms}

    def only_atom(self) -> str | None:
        """The a of a, 2 * a, 3 * a …"""
        [(atoms, factor), *more] = list(self.terms.items()) or [((), 0)]
        return atoms[0] if len(atoms) == 1 and factor > 0 and not more else None

    def factor_of(self, atom: str) -> "Polynomial | None":
        """f in f * atom + rest; None where it is not linear in the atom."""
        if any(atoms.count(atom) > 1 for atoms in self.terms):
            return None
        return Polynomial(
            {tuple(a for a in atoms if a != atom): factor for atoms, factor in self.terms.items() if atom in atoms}
        )

    def without(self, atom: str) -> "Polynomial":
        return Polynomial({atoms: factor for atoms, factor in self.terms.items() if atom not in atoms})

    def replaced(self, atom: str, by: "Polynomial") -> "Polynomial | None":
        """Where it is linear in the atom."""
        factor = self.factor_of(atom)
        return None if factor is None else factor * by + self.without(atom)

    def is_at_least(self, bound: "Polynomial | int", positive: Iterable[str] = ()) -> bool:
        """Certainly, where these atoms are 1 or more."""
        known = set(positive)
        difference = self - bound
        least = 0
        for atoms, factor in difference.terms.items():
            if not known.issuperset(atoms) or factor < 0 < len(atoms):
                return False
            least += factor
        return least >= 0

    def text(self, names: dict[str, str]) -> str:
        """As C and Fortran write it."""
        words = ""
        for atoms, factor in sorted(self.terms.items(), key=lambda term: (term[0] == (), term[1] < 0)):
            parts = [names[atom] for atom in atoms]
            if abs(factor) != 1 or not parts:
                parts.insert(0, str(abs(factor)))
            words += (" - " if factor < 0 else " + ") if words else ("-" if factor < 0 else "")
            words += " * ".join(parts)
        return words or "0"


def as_polynomial(value: Polynomial | int) -> Polynomial:
    return Polynomial.of(value) if isinstance(value, int) else value
