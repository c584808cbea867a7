"""Streams are what their papers describe, the same in any chunks, and drift where they should."""

import math

import numpy as np
import pytest

from onearm import Banditron, Chess, Concatenated, Diagonal, Separable, Stream, SynNonSep, SynSep
from onearm.core.kernels import COMPILED
from onearm.core.rng import seeded

N = 3000 if COMPILED else 200
SIGMAS = 5.5  # a false alarm in 4 of 10⁸


def dense(stream):
    X, y = stream.arrays()
    return (X.toarray() if hasattr(X, "toarray") else X), y


def test_synsep_is_built_as_published():
    X, y = dense(SynSep(N, seed=1))
    assert X.shape == (N, 400)
    assert set(np.unique(X)) == {0.0, 1.0}
    assert (X[:, 120:].sum(axis=1) == 20).all()
    for c in range(9):
        texts = X[y == c, :120]
        keywords = texts.any(axis=0).sum()
        assert 20 <= keywords <= 40
        assert (texts.sum(axis=1) == keywords - 5).all()
    counts = np.bincount(y, minlength=9)
    assert (abs(counts - N / 9) < SIGMAS * math.sqrt(N * 8 / 81)).all()
    common = X[:, 120:].mean(axis=0) - 20 / 280
    assert (abs(common) < SIGMAS * math.sqrt(20 / 280 * (260 / 280) / N)).all()


def test_rows_of_norm_one():
    X, _ = dense(SynSep(50, unit=True))
    np.testing.assert_allclose((X**2).sum(axis=1), 1)
    assert np.array_equal(X > 0, dense(SynSep(50))[0] > 0)


@pytest.mark.parametrize(("wrong", "expected"), [(False, 0.3 * 8 / 9), (True, 0.3)])
def test_share_of_noisy_labels(wrong, expected):
    X, y = dense(SynSep(N, seed=2))
    noisy_X, noisy = dense(SynNonSep(N, noise=0.3, wrong=wrong, seed=2))
    assert np.array_equal(X, noisy_X)
    changed = (y != noisy).mean()
    assert abs(changed - expected) < SIGMAS * math.sqrt(expected * (1 - expected) / N)


def test_seeds_differ_and_repeat():
    first, again, other = (SynSep(100, seed=s).arrays() for s in (1, 1, 2))
    assert (first[0] != again[0]).nnz == 0
    assert np.array_equal(first[1], again[1])
    assert not np.array_equal(first[1], other[1])


@pytest.mark.parametrize("make", [SynSep, Separable, Diagonal, Chess, Concatenated])
def test_rows_do_not_depend_on_the_size_of_chunks(make, monkeypatch):
    whole = dense(make(60, seed=4))
    monkeypatch.setattr("onearm.streams.chunks.ROWS", 7)
    pieces = dense(make(60, seed=4))
    assert len(list(make(60).chunks())) == 9
    assert all(np.array_equal(a, b) for a, b in zip(whole, pieces, strict=True))


def test_concatenated():
    X, y = dense(Concatenated(N, n_classes=12, scale=2, seed=3))
    assert X.shape == (N, 80)
    assert (X[:, 20:].sum(axis=1) == 10).all()
    for c in np.unique(y):
        texts = X[y == c, :20]
        assert (texts == texts[0]).all()
        assert 2 <= texts[0].sum() <= 10


def test_separable_has_one_coordinate_per_class():
    X, y = Separable(200, n_classes=5, n_features=50, seed=2).arrays()
    np.testing.assert_allclose((X**2).sum(axis=1), 1)
    signs = [
        [(np.sign(X[:, j]) == np.where(y == c, 1, -1)).all() for j in range(50)] for c in range(5)
    ]
    assert np.array(signs).any(axis=1).all()
    shown = np.array([X[:, np.argmax(sign)] for sign in signs])
    assert abs(shown).min() > 0.09


def test_diagonal():
    X, y = Diagonal(N, n_features=10, n_used=4, noise=0.1, seed=1).arrays()
    clean = X[:, :4].sum(axis=1) > 2
    assert ((X >= 0) & (X < 1)).all()
    assert abs((y != clean).mean() - 0.1) < SIGMAS * math.sqrt(0.09 / N)


def test_chess():
    X, y = Chess(N, n_features=5, n_used=3, n_squares=3, seed=1).arrays()
    assert np.array_equal(y, (np.floor(3 * X[:, :3]).sum(axis=1) % 2 == 0).astype(int))


def test_stream_of_arrays_is_checked():
    X, y = np.eye(3), np.array([0, 2, 1])
    stream = Stream.of(X, y, name="mine", class_names=("a", "b", "c"))
    assert (stream.n_classes, stream.n_features, stream.n_rows) == (3, 3, 3)
    assert isinstance(stream.learner(Banditron, gamma=0.1, raw=True), Banditron)
    assert stream.learner(Banditron, gamma=0.1).inner.gamma == 0.1
    with pytest.raises(ValueError, match="labels in"):
        Stream.of(X, [0, -1, 1])
    with pytest.raises(ValueError, match="one label for each"):
        Stream.of(X, [0, 1])
    with pytest.raises(ValueError, match="finite"):
        Stream.of([[np.inf]], [0])
    with pytest.raises(ValueError, match="two dimensions"):
        Stream.of(np.ones(3), [0, 1, 0])
    with pytest.raises(ValueError, match="dtype"):
        Stream.of(X, ["a", "b", "c"])
    with pytest.raises(ValueError, match="times must be at least 1"):
        stream.repeated(0)


def test_first_repeated_shuffled():
    stream = Stream.of(np.arange(10.0)[:, None], np.arange(10) % 3)
    assert stream.first(4).arrays()[1].tolist() == [0, 1, 2, 0]
    assert stream.first(4).n_rows == 4
    assert stream.repeated(2).first(13).arrays()[0][:, 0].tolist() == [*range(10), 0, 1, 2]
    X, y = stream.shuffled(1).arrays()
    assert sorted(X[:, 0]) == list(range(10)) != X[:, 0].tolist()
    assert np.array_equal(y, X[:, 0] % 3)
    assert np.array_equal(stream.shuffled(1).arrays()[0], X)


def test_drift_by_permuted_labels(monkeypatch):
    monkeypatch.setattr("onearm.streams.chunks.ROWS", 30)
    stream = SynSep(200, seed=1)
    (X, y), (drifted_X, drifted) = stream.arrays(), stream.drifting([70, 150], seed=3).arrays()
    assert (drifted_X != X).nnz == 0
    assert np.array_equal(y[:70], drifted[:70])
    maps = []
    for part in (slice(70), slice(70, 150), slice(150, 200)):
        pairs = dict(zip(y[part].tolist(), drifted[part].tolist(), strict=True))
        assert all(pairs[a] == b for a, b in zip(y[part].tolist(), drifted[part], strict=True))
        assert len(set(pairs.values())) == len(pairs)
        maps.append(pairs)
    assert maps[0] != maps[1] != maps[2]


def test_drift_to_another_concept(monkeypatch):
    monkeypatch.setattr("onearm.streams.chunks.ROWS", 30)
    first, other = SynSep(200, seed=1), SynSep(200, seed=2)
    X, y = dense(first.drifting([70, 150], to=other))
    for part, source in ((slice(70), first), (slice(70, 150), other), (slice(150, 200), first)):
        source_X, source_y = dense(source)
        assert np.array_equal(X[part], source_X[part])
        assert np.array_equal(y[part], source_y[part])
    with pytest.raises(ValueError, match="sizes"):
        first.drifting([5], to=Diagonal(10))
    with pytest.raises(ValueError, match="ascending"):
        first.drifting([5, 5])


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: SynSep(0), "n_rows must be at least 1, got 0"),
        (lambda: SynNonSep(10, noise=7), r"noise must be in \[0, 1\], got 7"),
        (
            lambda: Separable(10, n_classes=9, n_features=4),
            r"n_classes must be in \[2, n_features=4\]",
        ),
        (lambda: Diagonal(10, n_used=11), r"n_used must be in \[1, n_features=10\], got 11"),
        (lambda: Chess(10, n_squares=0), "n_squares must be at least 1"),
        (lambda: Concatenated(10, scale=0), "scale must be at least 1"),
    ],
)
def test_invalid_parameters_are_refused(make, error):
    with pytest.raises(ValueError, match=error):
        make()


@pytest.mark.parametrize("at", [[10], [10, 20], [10, 60]])
def test_drift_ends_with_the_shorter_stream(at):
    for first, other in ((SynSep(100), SynSep(30)), (SynSep(30), SynSep(100))):
        drifting = first.drifting(at, to=other)
        assert drifting.n_rows == 30
        assert len(drifting.arrays()[1]) == 30


@pytest.mark.parametrize("make", [SynSep, Separable, Diagonal])
def test_streams_use_other_generators_than_learners(make, monkeypatch):
    """Else a learner with the same seed would explore with the random numbers of the rows."""
    taken = []

    def spy(seed, stream=0):
        taken.append(stream)
        return seeded(seed, stream)

    for module in ("texts", "dense", "stream"):
        monkeypatch.setattr(f"onearm.streams.{module}.seeded", spy)
    make(20).drifting([5]).shuffled().arrays()
    assert taken
    assert set(taken).isdisjoint({0, 1})


@pytest.mark.parametrize("chunk", [None, "ab", [1], (np.ones(3), [0]), ("ab", "cd"), 5])
def test_malformed_chunks_are_refused(chunk):
    stream = Stream("odd", 3, 3, lambda: iter([chunk]))
    with pytest.raises(ValueError, match=r"must"):
        Banditron(3, 3).play(stream)
