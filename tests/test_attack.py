"""Model files, damaged and crafted: a part of what `make attack` does."""

import pytest

from tests.attack import UNCHECKED, attack
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


@pytest.mark.compiled
def test_without_the_checks_the_attack_gets_through():
    """The test above can fail: the same files crash a process that does not check them."""
    counts, failures = attack("Chorus-0" + UNCHECKED, "crafted", 60)
    assert failures
    assert counts["crash"] + counts["hang"] + counts["wrong"] == len(failures)
