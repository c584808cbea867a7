"""How rows are given to regressors: arrays, lists, sparse, data frames, streams; and Ctrl-C."""

import os
import signal
import threading

import numpy as np
import pytest
from scipy import sparse

import onearm
from onearm.checks.trial import bits

BOOSTERS = [name for name in onearm.REGRESSORS if name.endswith("Booster")]
CASES = [*onearm.REGRESSORS, *(f"{name}-tree" for name in BOOSTERS)]


def make(case, n_outputs=1):
    name, _, weak = case.partition("-")
    form = {"weak": weak, "max_leaves": 3} if weak else {}
    return getattr(onearm, name)(4, n_outputs, lr=0.05, R=4.0, seed=1, **form)


def rows(n=300, m=1):
    rng = np.random.default_rng(0)
    X = np.where(rng.random((n, 4)) < 0.6, rng.normal(size=(n, 4)), 0.0)
    return X, np.clip(X @ rng.normal(size=(4, m)), -2, 2)


def play(regressor, X, y=None, **more):
    return regressor.play(X, y, noise=0.0 if regressor.full_information else 0.1, **more)


def results(case, X, y=None, m=1):
    """Predictions and losses, then the state, to the bit."""
    regressor = make(case, m)
    return [a.tobytes() for a in play(regressor, X, y)], bits(regressor)


class Chunks:
    """What is needed of a stream."""

    def __init__(self, *pairs):
        self.pairs = pairs

    def chunks(self):
        return iter(self.pairs)


@pytest.mark.parametrize("form", ["csr_array", "csc_array", "coo_array", "csr_matrix"])
@pytest.mark.parametrize("case", CASES)
def test_sparse_rows_are_bit_identical_to_dense_ones(case, form):
    X, y = rows(60)
    X[5] = 0.0  # a row without entries
    made = getattr(sparse, form)(X)
    assert results(case, made, y) == results(case, X, y)
    regressor = make(case)
    play(regressor, X, y)
    assert regressor.predict(made).tobytes() == regressor.predict(X).tobytes()


@pytest.mark.parametrize("case", CASES)
def test_a_sparse_row_may_be_chosen_for(case):
    first, second = make(case), make(case)
    if first.full_information:
        return
    X, _ = rows(20)
    for x in X:
        a, b = first.choose(x), second.choose(sparse.csr_array(x[None]))
        assert [part.tolist() for part in a] == [part.tolist() for part in b]
        first.update(x, a, a.points[:, 0])
        second.update((np.flatnonzero(x), x[x != 0]), b, b.points[:, 0])
    assert bits(first) == bits(second)


@pytest.mark.parametrize("m", [1, 2])
@pytest.mark.parametrize("case", CASES)
def test_lists_data_frames_and_streams_equal_arrays(case, m):
    pandas = pytest.importorskip("pandas")
    X, y = rows(60, m)
    expected = results(case, X, y, m)
    frame = pandas.DataFrame(X, columns=list("abcd"))
    assert results(case, X.tolist(), y.tolist(), m) == expected
    assert results(case, frame, pandas.DataFrame(y), m) == expected
    pairs = [(X[:7], y[:7]), (sparse.csr_array(X[7:30]), y[7:30]), (frame[30:], y[30:].tolist())]
    assert results(case, Chunks(*pairs), m=m) == expected
    assert results(case, onearm.Stream.of(X, y, n_classes=0), m=m) == expected


def test_one_row_may_be_predicted():
    X, y = rows(m=2)
    regressor = make("OGD", 2)
    play(regressor, X, y)
    assert regressor.predict(X[3]).tolist() == regressor.predict(X)[3].tolist()


def test_arrays_that_need_conversion_are_refused_as_a_whole(monkeypatch):
    monkeypatch.setattr("onearm.core.chunks.CHUNK", 40)
    X, y = rows()
    single = X.astype(np.float32)
    assert results("OGD", single, y) == results("OGD", single.astype(float), y)
    single[299, 2] = np.inf
    regressor = make("OGD")
    before = bits(regressor)
    for bad, answers, message in (
        (single, y, r"row 299 of X: .* got inf for feature 2"),
        (
            X.astype(np.float32),
            np.where(np.arange(300) < 299, y[:, 0], np.nan),
            "y must be numbers",
        ),
    ):
        with pytest.raises(ValueError, match=message):
            regressor.play(bad, answers)
    assert bits(regressor) == before


def test_a_bad_chunk_of_a_stream_is_refused_and_named():
    X, y = rows()
    bad = X[100:].copy()
    bad[3, 2] = np.inf
    regressor, reference = make("OGD"), make("OGD")
    with pytest.raises(ValueError, match="row 103 of X"):
        regressor.play(Chunks((X[:100], y[:100]), (bad, y[100:])))
    reference.play(X[:100], y[:100])
    assert bits(regressor) == bits(reference)


@pytest.mark.parametrize("loss", ["squared", lambda p, y: float(((p - y) ** 2).sum())])
def test_progress_counts_rounds_and_losses(loss):
    X, y = rows()
    seen = []
    regressor = make("NFKM")
    _, losses = regressor.play(
        Chunks((X, y), (X, y)), None, loss, progress=lambda *n: seen.append(n)
    )
    assert seen[-1] == (600, pytest.approx(losses.sum()))
    assert [n for n, _ in seen] == sorted(n for n, _ in seen)


@pytest.mark.parametrize("loss", ["squared", lambda p, y: float(((p - y) ** 2).sum())])
def test_an_interrupt_keeps_what_was_learnt(loss):
    """Between two parts, in whatever way they are played."""
    X, y = rows()
    regressor, reference = make("NFKM"), make("NFKM")

    def interrupt(rounds, total):
        if rounds > 300:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        regressor.play(Chunks((X, y), (X, y)), None, loss, progress=interrupt)
    n = len(caught.value.trace[1])
    assert 300 < n < 600
    again = reference.play(np.vstack([X, X])[:n], np.vstack([y, y])[:n], loss)
    assert [a.tobytes() for a in again] == [a.tobytes() for a in caught.value.trace]
    assert bits(regressor) == bits(reference)


@pytest.mark.compiled  # a round in plain Python can be interrupted in its middle
@pytest.mark.parametrize("case", ["OGD", "BanditGradientBooster"])
def test_ctrl_c_keeps_what_was_learnt(case, ctrl_c):
    X, y = rows(400)
    regressor, reference = make(case), make(case)
    regressor.play(X[:1], y[:1]), reference.play(X[:1], y[:1])
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt) as caught:
        regressor.play(Chunks(*[(X, y)] * 100_000))
    predictions, losses = caught.value.trace
    assert len(predictions) == len(losses) > 0
    for start in range(0, len(losses), 400):
        reference.play(X[: len(losses) - start], y[: len(losses) - start])
    assert bits(regressor) == bits(reference)


def test_a_stream_of_numbers_has_no_classes():
    X, y = rows()
    stream = onearm.Stream.of(X, y[:, 0], n_classes=0)
    assert (stream.n_classes, stream.n_features, stream.n_rows) == (0, 4, 300)
    make("OGD").play(stream.first(10).repeated(2))
    with pytest.raises(ValueError, match="y must be numbers of type int64, got dtype float64"):
        onearm.Banditron(2, 4).play(stream)
    with pytest.raises(ValueError, match="to must be given for a stream of numbers"):
        stream.drifting([3])
    with pytest.raises(ValueError, match="y must have one number for each of 300 rows"):
        onearm.Stream.of(X, y[:, 0][1:], n_classes=0)


def test_full_information_takes_no_queries():
    X, y = rows()
    with pytest.raises(TypeError, match="OGD learns from answers, by play: it cannot choose"):
        make("OGD").choose(X[0])
    with pytest.raises(ValueError, match=r"noise must be 0 for OGD, which gets the answer"):
        make("OGD").play(X, y, noise=0.1)
