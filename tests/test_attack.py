"""Model files, damaged and crafted: a part of what `make attack` does."""

import pytest

from tests.attack import attack
from tests.attack_use import CASES

DAMAGED, CRAFTED = 300, 50  # files of each class


def share(case, n):
    """How many files a form gets of those of its class."""
    name = case.split("-")[0]
    return -(-n // sum(other.split("-")[0] == name for other in CASES))


@pytest.mark.compiled
@pytest.mark.parametrize("case", CASES)
def test_files_are_refused_or_work(case):
    for kind, n in (("damaged", DAMAGED), ("crafted", CRAFTED)):
        counts, failures = attack(case, kind, share(case, n))
        assert not failures
        assert sum(counts.values()) == share(case, n)
