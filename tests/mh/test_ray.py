"""AdaBoost.MH on a real Ray of this machine: bit-identical, also when actors are killed."""

import os
import signal

import numpy as np
import pytest

pytest.importorskip("sklearn")

import ray
from scipy.sparse import csr_array

from onearm.mh.distributed import ray_actors
from onearm.mh.distributed.ray_actors import Actors
from tests.mh.shared_rows import BASES, agree, model, rows

pytestmark = pytest.mark.compiled


@pytest.fixture(scope="module", autouse=True)
def local_ray():
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


@pytest.fixture
def transports(monkeypatch):
    """The Actors that a test makes."""
    made = []
    begin = Actors.__init__

    def noted(self, *given):
        made.append(self)
        begin(self, *given)

    monkeypatch.setattr(Actors, "__init__", noted)
    return made


def both(base, data, **settings):
    alone = model(base, **settings).fit(*data)
    return alone, model(base, **settings).fit(*data, on="ray")


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("arms", ["full", "uniform", "ucb", "exp3p"])
def test_actors_are_bit_identical_to_one_process(base, arms, transports):
    agree(*both(base, rows(several=arms == "uniform"), arms=arms, n_rounds=25))
    assert len(transports[0].actors) == 2


def test_sparse_rows_in_more_blocks_than_rows(transports):
    X, y, w = rows(n=6)
    data = csr_array(np.nan_to_num(X)), y, w
    agree(*both("product", data, n_rounds=20, n_jobs=9))
    assert len(transports[0].actors) == 6


def test_a_warm_start_may_switch_between_ray_and_one_process():
    data = rows()
    whole = model("product", n_rounds=30, warm_start=True).fit(*data)
    parts = model("product", n_rounds=10, warm_start=True).fit(*data, on="ray")
    parts.set_params(n_rounds=20).fit(*data)
    parts.set_params(n_rounds=30).fit(*data, on="ray")
    assert np.array_equal(whole.alpha_, parts.alpha_)
    assert np.array_equal(whole._training.weights.A, parts._training.weights.A)


def test_early_stopping_by_validation_rows():
    first, second = both("stump", rows(), n_rounds=800, validation=0.3)
    agree(first, second)
    assert first.validation_error_.tolist() == second.validation_error_.tolist()
    assert len(first.validation_error_) < 800


def pid(actor):
    return ray.get(actor.__ray_call__.remote(lambda block: os.getpid()))


def kill_at(monkeypatch, sent, when):
    """Kill actors at some messages to them: before they are sent, or right after.

    `when` gets the number of times that A was fetched, and of the message since then.
    """
    original, numbers = Actors._send, {}

    def send(self, b, query):
        stage = self.n_cleared
        numbers[stage] = numbers.get(stage, 0) + 1
        if not when(len(numbers) - 1, numbers[stage]):
            return original(self, b, query)
        process = pid(self.actors[b])
        answer = original(self, b, query) if sent else None
        os.kill(process, signal.SIGKILL)
        return original(self, b, query) if answer is None else answer

    monkeypatch.setattr(Actors, "_send", send)


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize(("arms", "rounds", "sent"), [("full", 15, False), ("exp3p", 210, True)])
def test_a_killed_actor_is_replaced(base, arms, rounds, sent, transports, monkeypatch):
    """During rounds, also after A has been fetched."""
    X, y, w = rows()
    alone = model(base, arms=arms, n_rounds=rounds).fit(X, y, w)
    kill_at(monkeypatch, sent, lambda fetched, n: (fetched, n) in ((0, 31), (1, 8)))
    agree(alone, model(base, arms=arms, n_rounds=rounds).fit(X, y, w, on="ray"))
    assert transports[0].n_replaced == 2


def test_an_actor_that_dies_before_its_answer_is_replaced(transports, monkeypatch):
    """It has changed its rows, and the other actor too; the change must not be made twice."""
    original, n = Actors._send, [0]

    def send(self, b, query):
        n[0] += query == ("sums",) and b == 1
        if query == ("sums",) and b == 1 and n[0] == 5:
            dies = self.actors[b].__ray_call__
            ray.get(dies.remote(lambda block: setattr(block, "sums", lambda: os._exit(1))))
        return original(self, b, query)

    alone = model("product", n_rounds=20).fit(*rows())
    monkeypatch.setattr(Actors, "_send", send)
    agree(alone, model("product", n_rounds=20).fit(*rows(), on="ray"))
    assert transports[0].n_replaced == 1


def test_replacing_actors_is_given_up_after_some_tries(monkeypatch):
    monkeypatch.setattr(ray_actors, "TRIES", 1)
    kill_at(monkeypatch, False, lambda fetched, n: n > 8)
    again = model("stump", n_rounds=20, warm_start=True)
    with pytest.raises(ray.exceptions.RayActorError):
        again.fit(*rows(), on="ray")
    monkeypatch.undo()
    agree(model("stump", n_rounds=20).fit(*rows()), again.fit(*rows(), on="ray"))


@pytest.mark.parametrize("n_jobs", [0, -2])
def test_invalid_numbers_of_blocks_are_refused(n_jobs):
    with pytest.raises(ValueError, match="n_jobs must be None, -1 or at least 1 on Ray"):
        ray_actors.number_of_blocks(n_jobs, 10)
