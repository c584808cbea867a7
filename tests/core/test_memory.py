"""How much memory an estimator takes is known before it takes any."""

import numpy as np
import pytest

import onearm
from onearm.chorus.echo import echo, follow
from tests.cases import ids, make


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: onearm.Chorus(1000, 10**6), "29.8 GiB, 22.4 GiB of it for weights of shape"),
        (lambda: onearm.Banditron(10**5, 10**6), r"needs 745 GiB"),
        (lambda: onearm.Newtron(100, 1000, diagonal=False), "use diagonal=True"),
        (lambda: onearm.LinUCB(1000, 10**4), "use diagonal=True"),
        (lambda: onearm.HoeffdingTree(3, 4, max_bytes=2**50), "GiB"),
        (lambda: onearm.AdaBandit(1000, 10**6, weak="linear"), "learners|onearm.max_bytes"),
        (lambda: onearm.BanditGradientBooster(10**7, 100), "weak learners"),
    ],
)  # fmt: skip
def test_a_model_too_large_is_refused_with_its_size_and_advice(build, message):
    with pytest.raises(ValueError, match=message) as refused:
        build()
    assert "onearm.max_bytes" in str(refused.value)


def test_the_limit_can_be_set(monkeypatch):
    assert onearm.max_bytes > 2**28
    onearm.Banditron(10, 1000)
    monkeypatch.setattr(onearm, "max_bytes", 50_000, raising=False)
    with pytest.raises(ValueError, match="weights of shape"):
        onearm.Banditron(10, 1000)


@pytest.mark.parametrize("case", ids())
def test_bytes_are_those_of_the_arrays(case):
    learner = make(case, 4, 6)
    expected = {name: (array.shape, array.dtype) for name, array in learner.arrays().items()}
    assert {n: (s, np.dtype(kind)) for n, (s, kind) in learner.shapes().items()} == expected


def test_chorus_degrades_for_many_labels():
    """Its table of labels by labels would have 149 GiB: it keeps less, and still chooses."""
    learner = onearm.Chorus(100_000, 2, n_components=32)
    assert learner.frozen_outcomes.shape == (100_000, 1, 2)
    few = onearm.Chorus(1000, 2, n_components=32)
    assert few.frozen_outcomes.shape == (1000, 1000, 2)


def test_with_many_labels_the_frozen_model_has_outcomes_per_label_only():
    """T has a column: how often the label was chosen after its own echo, and right."""
    T, out = np.zeros((5, 1, 2)), np.empty(5)
    follow(3, 3, 1.0, T)
    follow(3, 3, 0.0, T)
    follow(3, 2, 1.0, T)
    assert T[3, 0].tolist() == [2.0, 1.0]
    assert T.sum() == 3.0
    echo(3, T, out)
    assert out[3] == (1.0 + 1 / 5) / 3.0
    assert (np.delete(out, 3) == 1 / 5).all()


@pytest.mark.compiled
def test_chorus_learns_with_many_labels():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 2000)
    X = np.eye(3)[y] + 0.1 * rng.normal(size=(2000, 3))
    learner = onearm.Chorus(1200, 3, n_components=32)
    learner.change[:] = 0.0, 1.0  # as after a change: the echo has a voice
    learner.play(X, y)
    assert learner.frozen_outcomes[:, 0, 0].any()
    assert all(np.isfinite(array).all() for array in learner.content().values())
