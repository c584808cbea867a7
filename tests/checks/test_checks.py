"""Every learner keeps every contract; and every check can fail."""

import pytest

from onearm.checks import CHECKS, CheckError, check_learner, exemption, run
from onearm.checks.choosing import propensities_are_frequencies
from tests.cases import ids, make
from tests.checks.broken import BROKEN, Fickle

PAIRS = [(case, check) for case in ids() for check in CHECKS]


@pytest.mark.parametrize(("case", "check"), PAIRS, ids=[f"{c}:{f.__name__}" for c, f in PAIRS])
def test_contract(case, check):
    learner = make(case, 4, 6)
    if exemption(check, learner) is None:
        run(check, learner)


NEEDS_JIT = {"compiled_equals_plain"}  # uncompiled, there is nothing that could differ


@pytest.mark.parametrize(
    "check",
    [
        pytest.param(c, id=c.__name__, marks=[pytest.mark.compiled] * (c.__name__ in NEEDS_JIT))
        for c in CHECKS
    ],
)
def test_broken_learner_is_caught(check):
    for broken in BROKEN[check.__name__]:
        learner = broken(n_classes=4, n_features=6)
        assert exemption(check, learner) is None
        with pytest.raises(CheckError, match=check.__name__):
            run(check, learner)


def test_chances_must_include_a_random_greedy_label():
    """Every propensity of Fickle is true, given the greedy label: its chances alone are not."""
    with pytest.raises(CheckError, match=r"chances say .*, label \d was chosen \d+ times of"):
        run(propensities_are_frequencies, Fickle(n_classes=4, n_features=6))


def test_every_exemption_is_a_property():
    """A learner is exempt by what its class says of itself, and from nothing else."""
    for case in ids():
        learner = make(case, 4, 6)
        exempt = {check.__name__ for check in CHECKS if exemption(check, learner)}
        expected = {"hidden_labels_are_not_used"} if learner.full_information else set()
        assert exempt == expected | (set() if learner.real_rewards else {"rewards_are_accepted"})


def test_prints_what_passed():
    lines = []
    check_learner(make("Banditron-0", 3, 5), lines.append)
    assert len(lines) == 1 + len(CHECKS)
    assert lines[0].startswith("Banditron(n_classes=3, n_features=5")
    assert sum("passed" in line for line in lines) == len(CHECKS) - 1
    assert "does not apply: learns from right or wrong only" in "\n".join(lines)
