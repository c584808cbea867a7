"""AdaBoost.MH on a real Ray of this machine: the same to the bit, also when actors are killed."""

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
def carriers(monkeypatch):
    """The Actors that are made in a test."""
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
def test_actors_are_one_process_to_the_bit(base, arms, carriers):
    agree(*both(base, rows(several=arms == "uniform"), arms=arms, n_rounds=25))
    assert len(carriers[0].actors) == 2


def test_sparse_rows_in_more_blocks_than_there_are_rows(carriers):
    X, y, w = rows(n=6)
    data = csr_array(np.nan_to_num(X)), y, w
    agree(*both("product", data, n_rounds=20, n_jobs=9))
    assert len(carriers[0].actors) == 6


def test_it_goes_on_where_it_was_whoever_goes_on():
    data = rows()
    whole = model("product", n_rounds=30, warm_start=True).fit(*data)
    parts = model("product", n_rounds=10, warm_start=True).fit(*data, on="ray")
    parts.set_params(n_rounds=20).fit(*data)
    parts.set_params(n_rounds=30).fit(*data, on="ray")
    assert np.array_equal(whole.alpha_, parts.alpha_)
    assert np.array_equal(whole._training.weights.A, parts._training.weights.A)


def test_it_stops_when_held_back_rows_say_so():
    one, two = both("stump", rows(), n_rounds=800, validation=0.3)
    agree(one, two)
    assert one.validation_error_.tolist() == two.validation_error_.tolist()
    assert len(one.validation_error_) < 800


def pid(actor):
    return ray.get(actor.__ray_call__.remote(lambda block: os.getpid()))


def kill_at(monkeypatch, sent, when):
    """Kill actors at some messages to them: before they are sent, or right after.

    `when` is asked with the number of times that A was fetched, and of the message since then.
    """
    ask, numbers = Actors._asked, {}

    def asked(self, b, question):
        stage = self.before
        numbers[stage] = numbers.get(stage, 0) + 1
        if not when(len(numbers) - 1, numbers[stage]):
            return ask(self, b, question)
        process = pid(self.actors[b])
        answer = ask(self, b, question) if sent else None
        os.kill(process, signal.SIGKILL)
        return ask(self, b, question) if answer is None else answer

    monkeypatch.setattr(Actors, "_asked", asked)


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize(("arms", "rounds", "sent"), [("full", 15, False), ("exp3p", 210, True)])
def test_an_actor_that_is_killed_is_made_again(base, arms, rounds, sent, carriers, monkeypatch):
    """Amid rounds, also after A has been fetched."""
    X, y, w = rows()
    alone = model(base, arms=arms, n_rounds=rounds).fit(X, y, w)
    kill_at(monkeypatch, sent, lambda fetched, n: (fetched, n) in ((0, 31), (1, 8)))
    agree(alone, model(base, arms=arms, n_rounds=rounds).fit(X, y, w, on="ray"))
    assert carriers[0].made_again == 2


def test_an_actor_that_dies_with_the_answer_on_its_lips_is_made_again(carriers, monkeypatch):
    """It has changed its rows, and the other actor too; the change must not be made twice."""
    ask, n = Actors._asked, [0]

    def asked(self, b, question):
        n[0] += question == ("sums",) and b == 1
        if question == ("sums",) and b == 1 and n[0] == 5:
            dies = self.actors[b].__ray_call__
            ray.get(dies.remote(lambda block: setattr(block, "sums", lambda: os._exit(1))))
        return ask(self, b, question)

    alone = model("product", n_rounds=20).fit(*rows())
    monkeypatch.setattr(Actors, "_asked", asked)
    agree(alone, model("product", n_rounds=20).fit(*rows(), on="ray"))
    assert carriers[0].made_again == 1


def test_actors_that_always_die_are_given_up(monkeypatch):
    monkeypatch.setattr(ray_actors, "TRIES", 1)
    kill_at(monkeypatch, False, lambda fetched, n: n > 8)
    again = model("stump", n_rounds=20, warm_start=True)
    with pytest.raises(ray.exceptions.RayActorError):
        again.fit(*rows(), on="ray")
    monkeypatch.undo()
    agree(model("stump", n_rounds=20).fit(*rows()), again.fit(*rows(), on="ray"))


@pytest.mark.parametrize("n_jobs", [0, -2])
def test_what_is_wrong_is_said(n_jobs):
    with pytest.raises(ValueError, match="n_jobs must be None, -1 or at least 1 on Ray"):
        ray_actors.number_of_blocks(n_jobs, 10)
