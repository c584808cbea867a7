"""What the public methods do beyond the contracts: streams, interruption, memory, odd input."""

import math
import os
import signal
import threading
import tracemalloc

import numpy as np
import pytest
from scipy.sparse import csc_array, csr_array, csr_matrix

import onearm
from onearm import HIDDEN, Banditron, Choice, ConservativeOVA, Perceptron, Stream, SynSep, Tally
from onearm.checks.trial import bits, rows, same_trace
from tests.cases import SMALL


def banditron(**params):
    return Banditron(4, 6, **params)


def test_play_of_a_stream_equals_play_of_its_arrays():
    X, y = rows(banditron())
    first, second = banditron(), banditron()
    assert same_trace(first.play(X, y), second.play(Stream.of(X, y, n_classes=4)))
    assert bits(first) == bits(second)


def test_play_of_many_chunks_equals_one():
    X, y = rows(banditron())
    pieces = Stream(
        "pieces", 4, 6, lambda: ((X[i : i + 7], y[i : i + 7]) for i in range(0, 200, 7))
    )
    first, second = banditron(), banditron()
    assert same_trace(first.play(X, y), second.play(pieces))
    assert bits(first) == bits(second)


def test_arrays_are_converted_in_chunks(monkeypatch):
    monkeypatch.setattr("onearm.core.chunks.CHUNK", 60)
    X, y = rows(banditron())
    single = X.astype(np.float32)
    first, second = banditron(), banditron()
    assert same_trace(first.play(single.astype(float), y), second.play(single, y))
    before, single[-1, 0] = bits(second), np.nan
    with pytest.raises(
        ValueError, match=r"row 199 of X: values must be finite .*, got nan for feature 0"
    ):
        second.play(single, y)
    assert bits(second) == before


def test_a_bad_chunk_of_a_stream_is_refused_and_named():
    X, y = rows(banditron())
    bad = X[100:].copy()
    bad[3, 2] = np.inf
    learner, reference = banditron(), banditron()
    with pytest.raises(ValueError, match="row 103 of X"):
        learner.play(Stream("bad", 4, 6, lambda: iter([(X[:100], y[:100]), (bad, y[100:])])))
    reference.play(X[:100], y[:100])
    assert bits(learner) == bits(reference)


def test_in_memory_streams_are_refused_as_a_whole(monkeypatch):
    monkeypatch.setattr("onearm.core.chunks.CHUNK", 60)
    X, y = rows(banditron())
    X = X.astype(np.float32)
    X[150, 0] = np.nan
    learner = banditron()
    before = bits(learner)
    with pytest.raises(ValueError, match="row 150"):
        learner.play(Stream.of(X, y, n_classes=4))
    assert bits(learner) == before


def test_progress_and_tally():
    X, y = rows(banditron())
    seen = []
    tally = banditron().play(X, y, trace=False, progress=lambda *done: seen.append(done))
    trace = banditron().play(X, y)
    assert tally == Tally(200, int(trace.correct.sum()))
    assert seen[-1] == tuple(tally)
    assert [n for n, _ in seen] == sorted(n for n, _ in seen)


@pytest.mark.compiled  # a round in plain Python can be interrupted in its middle
def test_ctrl_c_keeps_what_was_learnt(ctrl_c):
    """A signal in the middle of play: the trace and the state are those of the rounds played."""
    X, y = rows(banditron(), 400)
    endless = Stream("endless", 4, 6, lambda: ((X, y) for _ in iter(int, 1)))
    learner, reference = banditron(), banditron()
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt) as caught:
        learner.play(endless)
    trace = caught.value.trace
    n = len(trace.label)
    assert n > 0
    for start in range(0, n, 400):
        reference.play(X[: n - start], y[: n - start])
    assert bits(learner) == bits(reference)


@pytest.mark.compiled
def test_memory_does_not_grow_with_the_stream():
    def peak(n):
        tracemalloc.start()
        Banditron(9, 400).play(SynSep(n), trace=False)
        high = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return high

    peak(20_000)
    assert peak(200_000) < 1.2 * peak(40_000)


def test_true_labels_are_for_full_information_only():
    X, _ = rows(banditron())
    perceptron = Perceptron(4, 6)
    choice = perceptron.choose(X[0])
    with pytest.raises(ValueError, match="truth must be given"):
        perceptron.update(X[0], choice, True)
    with pytest.raises(ValueError, match="truth must not be given"):
        banditron().update(X[0], banditron().choose(X[0]), True, truth=1)
    assert HIDDEN == -1


def test_sparse_rows_of_all_types_agree():
    X, y = rows(banditron())
    traces = [banditron().play(form(X), y) for form in (csr_array, csr_matrix, csc_array, np.array)]
    assert all(same_trace(traces[0], trace) for trace in traces)
    learner = banditron()
    dense = learner.choose(X[3], rng=onearm.seeded(1))
    assert learner.choose(csr_array(X)[[3]], rng=onearm.seeded(1)) == dense
    assert learner.choose(csr_matrix(X)[3], rng=onearm.seeded(1)) == dense


def test_an_all_zero_sparse_row():
    learner = ConservativeOVA(3, 5)
    choice = learner.choose(([], []))
    learner.update(([], []), choice, False)
    assert not learner.weights.any()


def test_ties_are_broken_at_random_and_nothing_else_is_random():
    learner = ConservativeOVA(3, 2)
    assert {learner.choose([1.0, 0.0]).label for _ in range(60)} == {0, 1, 2}
    assert learner.choose([1.0, 0.0]).propensity == 1 / 3
    learner.update([1.0, 0.0], Choice(2, 0, 1 / 3), True)
    assert learner.choose([1.0, 0.0]) == Choice(2, 2, 1.0)


def test_a_reward_reveals_nothing_about_other_labels():
    """True means that all other labels are wrong; 1.0 does not."""
    informed, rewarded = onearm.InverseGap(3, 2), onearm.InverseGap(3, 2)
    informed.update([1.0, 0.0], Choice(0, 0, 0.5), True)
    rewarded.update([1.0, 0.0], Choice(0, 0, 0.5), 1.0)
    assert informed.weights[0, 0] == rewarded.weights[0, 0] > 0
    assert informed.weights[0, 1] < 0 == rewarded.weights[0, 1]


def test_unknown_names_and_folders_are_refused():
    with pytest.raises(AttributeError, match="no attribute 'Bandit'"):
        onearm.Bandit  # noqa: B018 the access is the test
    assert "SOBA" in dir(onearm)
    with pytest.raises(TypeError):
        Banditron(3, 4, 0.1, 7)  # the seed goes by name


def test_an_empty_stream_gives_an_empty_trace():
    nothing = Stream("nothing", 4, 6, lambda: iter([]))
    assert len(banditron().play(nothing).label) == 0
    with pytest.raises(ValueError, match="empty"):
        banditron().scores(nothing)


def test_learn_needs_as_many_rows_as_the_trace():
    X, y = rows(banditron())
    trace = banditron().play(X, y)
    short = Stream("short", 4, 6, lambda: iter([(X[:50], y[:50])]))
    long = Stream("long", 4, 6, lambda: iter([(X, y), (X, y)]))
    with pytest.raises(ValueError, match="only 50 rows, the trace has 200"):
        banditron().learn(short, trace)
    with pytest.raises(ValueError, match="more than the 200 rows"):
        banditron().learn(long, trace)


def test_same_key_same_choice():
    learner, x = banditron(gamma=1.0), np.ones(6)
    before = learner.choosing.copy()
    labels = [learner.choose(x, key=key).label for key in range(2000)]
    assert labels == [learner.choose(x, key=str(key)).label for key in range(2000)]
    assert labels[:8] == [2, 0, 2, 1, 0, 2, 0, 1]
    assert learner.choosing == before
    counts = np.bincount(labels)  # five standard deviations: a false alarm in 10⁶
    assert (abs(counts - 2000 / len(counts)) < 5 * (2000 / len(counts)) ** 0.5).all()
    other = banditron(gamma=1.0, seed=1)
    assert labels != [other.choose(x, key=key).label for key in range(2000)]
    assert learner.choose(x, among=[2], key="a") == (2, 2, 1.0)


def test_a_key_and_a_generator_are_refused_together():
    with pytest.raises(ValueError, match="rng and key must not be given together"):
        banditron().choose(np.ones(6), rng=onearm.seeded(1), key="a")


@pytest.mark.parametrize("rng", [7, np.random.default_rng(0), np.zeros(1)])
def test_other_generators_are_refused(rng):
    with pytest.raises(ValueError, match=r"rng must be a generator made by onearm.seeded"):
        banditron().choose(np.ones(6), rng=rng)


@pytest.mark.parametrize("number", [1, 0.5, np.float32(0.5), np.int64(1), np.float64(0.25)])
def test_rewards_of_any_number_type(number):
    learner = onearm.LinUCB(4, 6)
    learner.update(np.ones(6), learner.choose(np.ones(6)), number)
    assert learner.weights.any()


def test_propensities_in_single_precision_are_accepted():
    X, y = rows(banditron())
    for name in ("SOBA", "ConservativeOVA", "Gaptron", "OffsetTree"):
        learner = getattr(onearm, name)(4, 6)
        trace = learner.play(X, y)
        learner.learn(X, trace._replace(propensity=trace.propensity.astype(np.float32)))


@pytest.mark.parametrize("ratio", [1, 30, 300])
def test_lints_propensity_with_unequal_widths(ratio):
    """Two labels: the chance of the first is Φ((μ₁-μ₂)/√(σ₁²+σ₂²)), exactly."""
    learner = onearm.LinTS(2, 1, v=1.0)
    learner.second_order[1, 0, 0] = ratio**-2.0
    learner.weights[0] = [0.1, 0.3]
    exact = 0.5 * math.erfc(0.2 / math.sqrt(2 * (1 + ratio**-2.0)))
    np.testing.assert_allclose(learner.chances([[1.0]]), [[exact, 1 - exact]], atol=2e-8)


@pytest.mark.parametrize("scale", [1e3, 1e8, 1e50, 1e99])
@pytest.mark.parametrize("name", onearm.LEARNERS)
def test_large_values_leave_a_learner_usable(name, scale):
    """What is not refused must not end in a propensity that is none."""
    learner = getattr(onearm, name)(4, 6, **SMALL.get(name, {}))
    X, y = rows(learner, 60)
    trace = learner.play(scale * X, y)
    assert ((trace.propensity > 0) & (trace.propensity <= 1)).all()
    truth = 0 if learner.full_information else None
    choice = learner.choose(X[0])
    learner.update(X[0], choice, choice.label == 0, truth)


def test_values_too_large_are_refused():
    with pytest.raises(ValueError, match=r"finite and within ±1e\+100, got 1e\+101 for feature 5"):
        banditron().choose([0, 0, 0, 0, 0, 1e101])


def test_a_stream_with_more_classes_is_refused_before_the_first_round():
    learner = banditron()
    before = bits(learner)
    with pytest.raises(ValueError, match="has 9 classes, Banditron has 4"):
        learner.play(SynSep(10))
    assert bits(learner) == before


@pytest.mark.parametrize("bad", [None, 3, (1, 2, 0.3, True), ([0], [0], [1.0])])
def test_invalid_traces_are_refused(bad):
    with pytest.raises(ValueError, match="trace must be arrays"):
        banditron().learn(np.ones((1, 6)), bad)


@pytest.mark.parametrize("propensity", ["0.98", 10**400, None])
def test_invalid_propensities_are_refused(propensity):
    with pytest.raises(ValueError, match="choice must be"):
        banditron().update(np.ones(6), (0, 0, propensity), True)


def test_other_invalid_input_is_refused():
    with pytest.raises(ValueError, match="two dimensions"):
        banditron().play(5.0, [0])
    with pytest.raises(ValueError, match="must not be masked"):
        banditron().choose(np.ma.masked_array(np.ones(6), np.arange(6) == 2))
    with pytest.raises(ValueError, match="among must be labels, at least one, got 1"):
        banditron().choose(np.ones(6), among=1)


@pytest.mark.compiled  # in plain Python a part is most of so few rounds
def test_without_a_trace_memory_is_that_of_a_part():
    n = 200_000
    X, y = np.ones((n, 1)), np.zeros(n, np.int64)
    learner = Banditron(2, 1)
    learner.play(X[:10], y[:10])
    tracemalloc.start()
    learner.play(X, y, trace=False)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 25 * n  # what a trace of all rounds takes
