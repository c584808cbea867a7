"""What cannot race is refused before the race, with what it needs."""

import threading

import pytest

import onearm
from tests.racing.test_race_foreign import Labels, Linear, Scripted, single


def needy(n_classes, depth):
    return Linear(n_classes, 5)


class Slots:
    """An object that cannot be copied to a worker."""

    def __init__(self):
        self.lock = threading.Lock()

    choose, update = Linear.choose, Linear.update


class Refusing:
    """Its methods cannot even be looked up."""

    @property
    def choose(self):
        raise RuntimeError

    update = choose


class Half:
    def choose(self, x):
        return 0


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        (Half, "must have the methods choose and update, .*, or predict and .*; Half has choose"),
        (Half(), "Half has choose"), (7, "int has none"), (Refusing(), "Refusing has none"),
        ({"name": Linear, "rates": 1}, "Linear has the parameters rate, got 'rates' .did you mean"),
        (needy, "needy needs the parameter 'depth': give {\"name\": needy, \"depth\": …}"),
        ({"name": Labels, "epsilon": 2}, r"Labels: epsilon must be in \[0, 1\], got 2"),
        ({"name": Scripted(), "at": 1}, r"Scripted has the parameters \(none\), got 'at'"),
        (Slots(), "cannot be sent to workers .*: give its class, or a function that makes it"),
        ("inversgap", r"got 'inversgap' .did you mean 'InverseGap'"),
        (onearm.SOBA(3, 4), "learners must be names or classes: give SOBA, not an object of it"),
        ([Linear(3, 5), Linear(3, 4)], "must have different names, got 2 that are 'Linear'"),
    ],
)  # fmt: skip
def test_bad_learners_are_refused_in_words(given, wrong):
    with pytest.raises(ValueError, match=wrong):
        single(given)
