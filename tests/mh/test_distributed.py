"""AdaBoost.MH on rows in blocks, here in one process: bit-identical."""

import sys
from contextlib import contextmanager

import pytest

pytest.importorskip("sklearn")

from onearm.mh.bandits import POLICIES
from onearm.mh.distributed import coordinator, ray_actors
from onearm.mh.distributed.block import Block, bounds, slice_rows
from onearm.mh.distributed.coordinator import Coordinator
from tests.mh.shared_rows import BASES, SEARCHING, agree, model, rows


class LocalTransport:
    """Sends messages to blocks in this process."""

    def __init__(self, training, n_blocks):
        self.bounds = bounds(len(training.weights.A), n_blocks)
        self.blocks = [
            Block(*slice_rows(training.columns, training.weights, *rows)) for rows in self.bounds
        ]
        self.changes, self.before = [], 0

    def change(self, *change):
        self.changes.append(change)

    def ask(self, *query):
        answers = [block.answer(self.before, self.changes, *query) for block in self.blocks]
        self.clear()
        return answers

    def clear(self):
        self.before += len(self.changes)
        self.changes.clear()


@contextmanager
def distributed(training, on, n_jobs):
    if on is not None:
        training.coordinator = Coordinator(training, LocalTransport(training, n_jobs))
    yield
    training.coordinator = None


@pytest.fixture(autouse=True)
def no_ray(monkeypatch):
    monkeypatch.setattr(ray_actors, "distributed", distributed)
    monkeypatch.setattr(ray_actors, "check", lambda on: None)


def both(base, n_jobs=3, n=60, several=False, **settings):
    X, y, w = rows(several, n)
    alone = model(base, **settings).fit(X, y, w)
    return alone, model(base, n_jobs=n_jobs, **settings).fit(X, y, w, on="blocks")


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("arms", POLICIES)
@pytest.mark.parametrize("several", [False, True])
def test_blocks_are_bit_identical_to_local_rows(base, arms, several):
    agree(*both(base, arms=arms, several=several, n_rounds=12))


@pytest.mark.parametrize("base", SEARCHING)
@pytest.mark.parametrize("arms", ["full", "recent"])
def test_sorted_columns_in_blocks(base, arms):
    agree(*both(base, arms=arms, exact=True, n_rounds=12))


@pytest.mark.parametrize("base", BASES)
def test_blocks_of_single_rows(base):
    agree(*both(base, n_jobs=20, n=20, arms_per_round=2, n_rounds=12))


@pytest.mark.parametrize("base", BASES)
def test_full_searches_in_several_messages(base, monkeypatch):
    monkeypatch.setattr(coordinator, "MESSAGE", 200)  # numbers: not all columns
    agree(*both(base, arms="full", n_rounds=6))


@pytest.mark.compiled
@pytest.mark.parametrize("base", SEARCHING)
def test_large_factors_are_multiplied_into_blocks(base, monkeypatch):
    multiplied = []
    monkeypatch.setattr(Block, "multiply_out", recorded(Block.multiply_out, multiplied))
    agree(*both(base, n_rounds=500))
    assert multiplied


def recorded(method, calls):
    def call(*given):
        calls.append(given)
        return method(*given)

    return call


def test_no_change_is_applied_twice():
    X, y, w = rows()
    training = model("stump", n_rounds=1).fit(X, y, w)._training
    block = Block(*slice_rows(training.columns, training.weights, 10, 30))
    block.answer(0, [("flip", 0, 0, 1)], "totals")
    with pytest.raises(RuntimeError, match="has 1 changes, and was sent from 0"):
        block.answer(0, [("flip", 0, 0, 1)], "totals")


def test_a_reset_undoes_the_changes_of_a_round():
    X, y, w = rows()
    training = model("stump", n_rounds=1).fit(X, y, w)._training
    block = Block(*slice_rows(training.columns, training.weights, 10, 30))
    before = block.total.copy()
    block.answer(0, [("flip", 0, 0, 5), ("move", 1, 0, 5, 0, 2)], "totals")
    assert (block.psi < 0).any()
    assert block.leaf_of.any()
    block.answer(2, [("reset",)], "totals")
    assert (block.psi == 1).all()
    assert not block.leaf_of.any()
    assert block.total.tolist() == before.tolist()


def test_a_missing_ray_is_reported(monkeypatch):
    monkeypatch.undo()
    monkeypatch.setitem(sys.modules, "ray", None)
    X, y, w = rows()
    with pytest.raises(ImportError, match=r"pip install 'onearm\[ray\]'"):
        model("stump").fit(X, y, w, on="ray")


def test_an_invalid_address_is_refused(monkeypatch):
    monkeypatch.undo()
    X, y, w = rows()
    with pytest.raises(ValueError, match="on must be None"):
        model("stump").fit(X, y, w, on=2)
