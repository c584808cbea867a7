"""One round by call: kernels that do not ask for types must never be given others."""

import copy
import pickle
import sys

import numpy as np
import pytest

import onearm
from onearm import Banditron, Choice, ConservativeOVA
from onearm.checks.trial import bits

ROW = np.array([0.5, -1.0, 0.0, 2.0, 0.25, 1.0])
INDICES, VALUES = np.array([0, 2, 5], np.int32), np.array([0.5, -1.0, 2.0])


def banditron():
    """One that has been used: what is prepared for calls is there."""
    learner = Banditron(4, 6, gamma=0.5)
    for x in (ROW, (INDICES, VALUES)):
        learner.update(x, learner.choose(x), True)
    return learner


def unaligned(array):
    raw = np.empty(array.nbytes + 1, np.uint8)[1:]
    view = raw.view(array.dtype)
    view[...] = array
    return view


def read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


LAYOUTS = {
    "every second": lambda a: np.repeat(a, 2)[::2],
    "backwards": lambda a: a[::-1].copy()[::-1],
    "a column": lambda a: np.stack([a, a], axis=1)[:, 0],
    "unaligned": unaligned,
    "read only": read_only,
    "big-endian": lambda a: a.astype(a.dtype.newbyteorder(">")),
    "of a dtype of its own": lambda a: pickle.loads(pickle.dumps(a)),
    "of another class": lambda a: a.view(np.recarray),
    "a list": lambda a: a.tolist(),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts_make_no_difference(layout):
    form = LAYOUTS[layout]
    for x, other in (
        (ROW, form(ROW)),
        ((INDICES, VALUES), (form(INDICES), VALUES)),
        ((INDICES, VALUES), (INDICES, form(VALUES))),
    ):
        first, second = banditron(), banditron()
        for right in (True, False):
            choice = first.choose(x)
            assert second.choose(other) == choice
            first.update(x, choice, right)
            second.update(other, choice, right)
        assert bits(first) == bits(second)


@pytest.mark.parametrize("kind", [np.int64, np.uint64, np.int32, np.float32, np.bool_])
def test_numbers_of_other_types_are_converted(kind):
    whole = np.array([1, 0, 0, 1, 1, 0])
    first, second = banditron(), banditron()
    choice = first.choose(whole.astype(float))
    assert second.choose(whole.astype(kind)) == choice
    first.update(whole.astype(float), choice, True)
    second.update(whole.astype(kind), choice, True)
    assert bits(first) == bits(second)


BAD_ROWS = [
    ROW[:5],
    np.stack([ROW, ROW]),
    ROW[:, None],
    np.array(1.0),
    ROW.view(np.complex128),
    ROW.view("M8[s]"),
    np.ma.masked_array(ROW, ROW == 2),
    np.full(6, np.nan),
    (INDICES, VALUES[:2]),
    (INDICES[:, None], VALUES[:, None]),
    (INDICES[:1, None], VALUES[:1]),
    (INDICES + 1, VALUES),
    (INDICES[::-1].copy(), VALUES),
    (INDICES, VALUES, VALUES),
    (INDICES.view(np.float32), VALUES),
    (INDICES, VALUES.view("M8[s]")),
    None,
]


@pytest.mark.parametrize("x", BAD_ROWS, ids=range(len(BAD_ROWS)))
def test_bad_rows_are_refused_and_change_nothing(x):
    learner = banditron()
    before = bits(learner)
    for call in (
        lambda: learner.choose(x),
        lambda: learner.choose(x, rng=onearm.seeded(1)),
        lambda: learner.update(x, Choice(1, 1, 0.625), True),
    ):
        with pytest.raises(ValueError, match=r".+"):
            call()
    assert bits(learner) == before


BAD_CHOICES = [(4, 0, 0.125), (0, -1, 0.125), (2**70, 0, 0.125), (0, -(2**63), 0.125)]
BAD_CHOICES += [(1.0, 1, 0.625), ("1", 1, 0.625), (1, 1, "0.625"), (1, 1, np.nan), (1, 1, 0.0)]
BAD_CHOICES += [(1, 1, 1e-13), (1, 1, 2), (1, "0", 0.625)]


@pytest.mark.parametrize("choice", BAD_CHOICES)
def test_bad_choices_are_refused_and_change_nothing(choice):
    learner = banditron()
    before = bits(learner)
    with pytest.raises(ValueError, match=r"choice must be|labels of|propensity must"):
        learner.update(ROW, Choice(*choice), True)
    assert bits(learner) == before


@pytest.mark.parametrize("kind", [tuple, list, lambda c: Choice(np.int32(c[0]), *c[1:])])
@pytest.mark.parametrize("yes", [bool, np.bool_])
def test_choices_and_feedback_of_other_types_are_accepted(kind, yes):
    first, second = banditron(), banditron()
    choice = first.choose(ROW)
    first.update(ROW, choice, True)
    second.choose(ROW)
    second.update(ROW, kind(choice), yes(True))
    assert bits(first) == bits(second)


def test_a_parameter_set_later_is_used():
    learner = banditron()
    learner.gamma = 1.0
    assert learner.choose(ROW).propensity == 0.25
    learner.update(ROW, Choice(0, 1, 0.25), True)


@pytest.mark.parametrize(
    "way", [copy.copy, copy.deepcopy, lambda learner: pickle.loads(pickle.dumps(learner))]
)
def test_copies_of_a_used_learner_are_independent(way):
    first = banditron()
    second = way(first)
    before = bits(first)
    assert bits(second) == before
    choice = second.choose(ROW)
    second.update(ROW, choice, True)
    assert bits(first) == before
    assert first.choose(ROW) == choice
    first.update(ROW, choice, True)
    assert bits(first) == bits(second)


def test_a_subclass_may_add_attributes_and_override_methods():
    class Counting(ConservativeOVA):
        calls = 0

        def choose(self, x, among=None, rng=None):
            self.calls += 1
            return super().choose(x, among, rng)

    first, second = ConservativeOVA(4, 6), Counting(4, 6)
    for _ in range(20):
        choice = first.choose(ROW)
        assert second.choose(ROW) == choice
        first.update(ROW, choice, choice.label == 2)
        second.update(ROW, choice, choice.label == 2)
    assert second.calls == 20
    assert bits(first) == bits(second)


@pytest.mark.parametrize("x", [ROW, (INDICES, VALUES)], ids=["dense", "sparse"])
def test_reference_counts_do_not_grow(x):
    learner = banditron()
    arrays = [*learner.arrays().values(), *(x if isinstance(x, tuple) else (x,))]
    learner.update(x, learner.choose(x), True)
    before = [sys.getrefcount(array) for array in arrays]
    for right in (True, False) * 50:
        learner.update(x, learner.choose(x), right)
    assert [sys.getrefcount(array) for array in arrays] == before
