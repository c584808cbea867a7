"""Label frequencies: are labels chosen as often as their probabilities say, whenever one looks?

For each label S = Σ (1[a] - p_a) is a martingale, and z = S/√V with V = Σ p_a (1 - p_a). The check
is made every second for months, so its limit is not that of one normal number but the normal
mixture's, which |S| crosses at any time with probability α/m for each of m sums:

    |S| < √((V + ρ) (ln((V + ρ)/ρ) + 2 ln(m/α))).

The m-th sum is that of the probabilities of the chosen labels (see `ope.checks`).

S. Howard, A. Ramdas, J. McAuliffe, J. Sekhon. Time-uniform, nonparametric, nonasymptotic
confidence sequences. Annals of Statistics 49, 2021: equation 14. It holds for normal sums;
these are nearly normal once z is shown.
"""

import math
from typing import Any

import numpy as np

from onearm.ope.checks import ALPHA, EXPECTED, VARIANCE, Counts
from onearm.service.records import Sampled

RHO = EXPECTED  # the limit is lowest for sums of about this variance and more


class Frequencies:
    """Counts of labels over all decisions, while labels are added."""

    def __init__(self) -> None:
        self.counts = Counts(0)

    def add(self, rows: list[Sampled]) -> None:
        """Count decisions; those with fewer labels have the others' probabilities at 0."""
        for size in dict.fromkeys(len(row.pmf) for row in rows):
            same = [row for row in rows if len(row.pmf) == size]
            p = np.frombuffer(b"".join(row.pmf for row in same)).reshape(len(same), -1)
            if p.shape[1] > len(self.counts.chosen):
                self.counts = _widened(self.counts, p.shape[1])
            p = np.pad(p, ((0, 0), (0, len(self.counts.chosen) - p.shape[1])))
            self.counts.add(np.array([row.label for row in same]), p)

    def labels(self, names: tuple[Any, ...], retired: tuple[Any, ...]) -> list[dict[str, Any]]:
        """Return a row for each label; z is None where too few choices are expected."""
        counts, n = self.counts, max(self.counts.n, 1)
        z = counts.z()
        return [
            {
                "label": str(names[i]), "chosen": int(counts.chosen[i]),
                "share": counts.chosen[i] / n, "expected": counts.expected[i] / n,
                "z": float(z[i]) if z[i] else None, "retired": names[i] in retired,
            }
            for i in range(len(counts.chosen))
        ]  # fmt: skip

    def checks(self, names: tuple[Any, ...]) -> list[dict[str, Any]]:
        """Return the check of labels, by the one that is worst, and that of chosen probabilities.

        z is None while there are too few decisions.
        """
        counts, m = self.counts, len(self.counts.chosen) + 1
        z, limits = counts.z(), [limit(v, m) for v in counts.variance]
        worst = int(np.argmax(np.abs(z) / limits)) if len(z) and z.any() else None
        first = (None, None, None) if worst is None else (z[worst], limits[worst], names[worst])
        variance = counts.of_chosen[2]
        known = variance >= VARIANCE
        second = (counts.z_of_chosen(), limit(variance, m), None) if known else (None,) * 3
        rows = zip(("label frequencies", "chances of chosen labels"), (first, second), strict=True)
        return [_check(name, *row) for name, row in rows]


def limit(variance: float, m: int = 1, alpha: float = ALPHA) -> float:
    """Return what |z| of any of m right sums ever exceeds with probability α.

    >>> round(limit(1000.0, 27), 2), round(limit(1e6, 27), 2)
    (4.98, 5.59)
    """
    v = max(float(variance), 1e-9)
    return math.sqrt((1 + RHO / v) * (math.log1p(v / RHO) + 2 * math.log(m / alpha)))


def _check(name: str, z: Any, most: Any, label: Any) -> dict[str, Any]:
    return {
        "check": name, "z": None if z is None else float(z), "limit": most,
        "label": None if label is None else str(label), "passed": z is None or abs(z) <= most,
    }  # fmt: skip


def _widened(counts: Counts, k: int) -> Counts:
    """Return the same counts for more labels."""
    new = Counts(k)
    new.n, new.of_chosen = counts.n, counts.of_chosen
    for name in ("chosen", "expected", "variance"):
        old = getattr(counts, name)
        getattr(new, name)[: len(old)] = old
    return new
