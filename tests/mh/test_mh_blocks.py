"""AdaBoost.MH on rows that lie in blocks, here in one process: the same to the bit."""

import sys
from contextlib import contextmanager

import pytest

pytest.importorskip("sklearn")

from onearm.mh.bandits import POLICIES
from onearm.mh.distributed import histograms, ray_actors
from onearm.mh.distributed.block import Block, bounds, cut
from onearm.mh.distributed.coordinator import Coordinator
from tests.mh.shared_rows import BASES, agree, model, rows


class Here:
    """Carries messages to blocks that are in this process."""

    def __init__(self, training, n_blocks):
        self.bounds = bounds(len(training.weights.A), n_blocks)
        self.blocks = [Block(*cut(training.columns, training.weights, *own)) for own in self.bounds]
        self.changes, self.before = [], 0

    def change(self, *change):
        self.changes.append(change)

    def ask(self, *question):
        answers = [block.answer(self.before, self.changes, *question) for block in self.blocks]
        self.rest()
        return answers

    def rest(self):
        self.before += len(self.changes)
        self.changes.clear()


@contextmanager
def shared(training, on, n_jobs):
    training.blocks = Coordinator(training, Here(training, n_jobs))
    yield
    training.blocks = None


@pytest.fixture(autouse=True)
def no_ray(monkeypatch):
    monkeypatch.setattr(ray_actors, "shared", shared)
    monkeypatch.setattr(ray_actors, "check", lambda on: None)


def both(base, n_jobs=3, n=60, several=False, **settings):
    X, y, w = rows(several, n)
    alone = model(base, **settings).fit(X, y, w)
    return alone, model(base, n_jobs=n_jobs, **settings).fit(X, y, w, on="blocks")


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("arms", POLICIES)
@pytest.mark.parametrize("several", [False, True])
def test_blocks_are_the_rows_to_the_bit(base, arms, several):
    agree(*both(base, arms=arms, several=several, n_rounds=12))


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("arms", ["full", "recent"])
def test_sorted_columns_in_blocks(base, arms):
    agree(*both(base, arms=arms, exact=True, n_rounds=12))


@pytest.mark.parametrize("base", BASES)
def test_a_row_may_be_a_block(base):
    agree(*both(base, n_jobs=20, n=20, arms_per_round=2, n_rounds=12))


@pytest.mark.parametrize("base", BASES)
def test_full_searches_may_take_several_messages(base, monkeypatch):
    monkeypatch.setattr(histograms, "AT_ONCE", 200)  # numbers: not all columns
    agree(*both(base, arms="full", n_rounds=6))


@pytest.mark.compiled
@pytest.mark.parametrize("base", BASES)
def test_factors_that_have_gone_far_are_multiplied_into_blocks(base, monkeypatch):
    multiplied = []
    monkeypatch.setattr(Block, "multiply_out", watched(Block.multiply_out, multiplied))
    agree(*both(base, n_rounds=500))
    assert multiplied


def watched(method, calls):
    def call(*given):
        calls.append(given)
        return method(*given)

    return call


def test_no_change_is_made_twice():
    X, y, w = rows()
    training = model("stump", n_rounds=1).fit(X, y, w)._training
    block = Block(*cut(training.columns, training.weights, 10, 30))
    block.answer(0, [("flip", 0, 1)], "totals")
    with pytest.raises(RuntimeError, match="seen 1 changes, and is told of 0"):
        block.answer(0, [("flip", 0, 1)], "totals")


def test_a_round_in_vain_leaves_nothing_behind():
    X, y, w = rows()
    training = model("stump", n_rounds=1).fit(X, y, w)._training
    block = Block(*cut(training.columns, training.weights, 10, 30))
    before = block.total.copy()
    block.answer(0, [("flip", 0, 5), ("move", 1, 5, 0, 2)], "totals")
    assert (block.psi < 0).any()
    assert block.at.any()
    block.answer(2, [("reset",)], "totals")
    assert (block.psi == 1).all()
    assert not block.at.any()
    assert block.total.tolist() == before.tolist()


def test_without_ray_it_is_said_what_is_missing(monkeypatch):
    monkeypatch.undo()
    monkeypatch.setitem(sys.modules, "ray", None)
    X, y, w = rows()
    with pytest.raises(ImportError, match=r"pip install 'onearm\[ray\]'"):
        model("stump").fit(X, y, w, on="ray")


def test_what_is_wrong_is_said(monkeypatch):
    monkeypatch.undo()
    X, y, w = rows()
    with pytest.raises(ValueError, match="on must be None"):
        model("stump").fit(X, y, w, on=2)
