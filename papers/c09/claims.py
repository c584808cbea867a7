"""What C09 concludes from its Table I, tested on our runs."""

import numpy as np

from papers.c09.paper import METHODS, OVA, STAND_IN, TREES, printed
from papers.claims import Claim, Values, beside, holds_if, less

FAR = 0.05  # the least difference that is "far better"
SLIGHT = 0.05  # the largest difference that is "slight"
COMPARABLE = 0.05  # the largest difference that is "comparable"
Cells = dict[tuple[str, str], Values]


def claims(cells: Cells) -> list[Claim]:
    """Return all claims on each data set that all methods have played equally often."""
    runs: dict[str, list[int]] = {}
    for (data, _), errors in cells.items():
        runs.setdefault(data, []).append(len(errors))
    complete = [data for data, n in runs.items() if len(n) == len(METHODS) and len(set(n)) == 1]
    tests = (_banditron, _perceptron, _offset, _slight)
    return [claim for test in tests for data in complete for claim in test(cells, data)]


def _best(cells: Cells, data: str, methods: tuple[str, ...]) -> str:
    return min(methods, key=lambda method: float(np.mean(cells[data, method])))


def _beside(cells: Cells, data: str, *methods: str) -> str:
    return beside(methods, [cells[data, method] for method in methods])


def _banditron(cells: Cells, data: str) -> list[Claim]:
    ours = _best(cells, data, OVA)
    verdict = less(cells[data, ours], cells[data, "Banditron"], FAR)
    says = f"Conservative OVA has a far lower error than Banditron (by over {100 * FAR:g} points)"
    return [Claim(says, data, verdict, _beside(cells, data, ours, "Banditron"))]


def _perceptron(cells: Cells, data: str) -> list[Claim]:
    ours = _best(cells, data, OVA)
    near = less(cells[data, ours], [v + COMPARABLE for v in cells[data, "Perceptron"]])
    says = f"Conservative OVA is comparable to the perceptron (within {100 * COMPARABLE:g} points)"
    return [Claim(says, data, near, _beside(cells, data, ours, "Perceptron"))]


def _offset(cells: Cells, data: str) -> list[Claim]:
    ours, tree = _best(cells, data, OVA), _best(cells, data, TREES)
    numbers = _beside(cells, data, ours, tree)
    if STAND_IN.get(data, data) == "rcv1":
        near = less(cells[data, tree], [v + COMPARABLE for v in cells[data, ours]])
        return [Claim("The offset tree is comparable to OVA on RCV1", data, near, numbers)]
    verdict = less(cells[data, ours], cells[data, tree], FAR)
    says = f"The offset tree has a higher error except on RCV1 (by over {100 * FAR:g} points)"
    return [Claim(says, data, verdict, numbers)]


def _slight(cells: Cells, data: str) -> list[Claim]:
    claims = []
    for name, methods in (("OVA", OVA), ("offset tree", TREES)):
        means = [float(np.mean(cells[data, method])) for method in methods]
        theirs = [printed(data, method) for method in methods]
        apart = f"{100 * np.ptp(means):.2f} points apart; in the paper {100 * np.ptp(theirs):.2f}"
        says = f"PA, PA-I and PA-II differ slightly (at most {100 * SLIGHT:g} points): {name}"
        claims.append(Claim(says, data, holds_if(np.ptp(means) <= SLIGHT), apart))
    return claims
