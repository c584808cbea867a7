"""Inheritance is Estimator, Learner or Regressor, algorithm; the bases between are listed here."""

import pytest

import onearm
from onearm.core.estimator import Estimator

BETWEEN = {  # what several algorithms share, with parameters that would else be repeated
    "SecondOrder", "Booster", "Adaptive", "ByMajority",
    "NFKM",  # FKM is NFKM with one point, which is played
}  # fmt: skip
ALGORITHMS = [
    name
    for name in onearm.__all__
    if isinstance(getattr(onearm, name), type) and issubclass(getattr(onearm, name), Estimator)
]


def lineage(cls: type) -> list[type]:
    """Return the bases of an estimator below Estimator, from the first to the class itself."""
    return [base for base in reversed(cls.__mro__) if issubclass(base, Estimator)][1:]


def unexpected(cls: type) -> list[str]:
    """Return the bases between Learner or Regressor and a class that are not listed."""
    return [base.__name__ for base in lineage(cls)[1:-1] if base.__name__ not in BETWEEN]


@pytest.mark.parametrize("name", ALGORITHMS)
def test_bases_between_are_known(name):
    bases = lineage(getattr(onearm, name))
    assert bases[0].__name__ in ("Learner", "Regressor")
    assert unexpected(getattr(onearm, name)) == []


@pytest.mark.parametrize("name", ALGORITHMS)
def test_no_estimator_has_two_bases(name):
    assert all(len(base.__bases__) == 1 for base in lineage(getattr(onearm, name)))


def test_an_algorithm_as_a_base_is_found():
    assert unexpected(type("Variant", (onearm.Banditron,), {})) == ["Banditron"]
    assert len(ALGORITHMS) > len(onearm.LEARNERS)
