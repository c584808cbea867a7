"""Segments and windows: every event is in one part, judged by the terms of that part."""

import numpy as np
import pytest

import onearm
from onearm.ope.policies import Uniform
from onearm.ope.uncertainty import Bounded, sequence
from onearm.ope.weighing import KAPPA, weigh

N = 300


@pytest.fixture
def log():
    rng = np.random.default_rng(0)
    schema = onearm.Schema(
        {"device": ["phone", "desktop"], "age": "number", "words": "text"}, labels=["no", "yes"]
    )
    contexts = [
        {"device": device, "age": age, "words": "some text"}
        for device, age in zip(
            rng.choice(["phone", "desktop", "watch", None], N),
            np.where(rng.random(N) < 0.2, None, rng.normal(size=N)), strict=True,
        )
    ]  # fmt: skip
    label = rng.integers(0, 2, N)
    even = np.full((N, 2), 0.5)
    time = np.datetime64("2026-01-01T00:00") + np.arange(N) * np.timedelta64(1, "m")
    return onearm.Log.of(
        contexts, label, even[:, 0], rng.random(N), schema=schema, chances=even, time=time
    )


def parts_by_hand(log, codes):
    """Value and interval of the uniform policy on the events of each code."""
    x = weigh(log, [Uniform()], Uniform(), "linear", "predictable").policies[0]
    for code in dict.fromkeys(codes):
        which = np.flatnonzero(codes == code)
        low, high = sequence(
            Bounded(x.lower[which], x.upper[which], KAPPA), 0.05, np.array([len(which)])
        )
        value = (x.lower[which].mean() + 1 - x.upper[which].mean()) / 2
        yield code, (len(which), value, low[0], high[0], log.events().reward[which].mean())


def numbers(part):
    return part.n_events, part.value, part.low, part.high, part.reward


def test_segments_of_a_category(log):
    result = onearm.evaluate(log, "uniform", by="device")
    x = log.events().X
    column = x.toarray()[:, 0] if hasattr(x, "tocsr") else x[:, 0]
    names = {0.0: "phone", 1.0: "desktop", 2.0: "never seen"}
    codes = np.array([names.get(value, "missing") for value in column])
    found = {part.part: numbers(part) for part in result.segments}
    expected = dict(parts_by_hand(log, codes))
    assert found.keys() == expected.keys()
    for name, values in expected.items():
        assert found[name] == pytest.approx(values, abs=1e-12)


def test_segments_of_numbers_are_quarters(log):
    result = onearm.evaluate(log, "uniform", by="age")
    sizes = [part.n_events for part in result.segments]
    assert len(sizes) == 5
    assert sum(sizes) == N
    assert result.segments[-1].part == "missing"
    assert max(sizes[:4]) - min(sizes[:4]) <= 2


def test_texts_are_no_segments(log):
    with pytest.raises(ValueError, match="by must be one of the columns device, age, got 'words'"):
        onearm.evaluate(log, "uniform", by="words")


@pytest.mark.parametrize("n_windows", [1, 7, 1000])
def test_windows_have_equally_many_events(log, n_windows):
    result = onearm.evaluate(log, "uniform", n_windows=n_windows)
    sizes = [part.n_events for part in result.windows]
    assert sum(sizes) == N
    assert len(sizes) == min(n_windows, N)
    assert max(sizes) - min(sizes) <= 1
    assert result.windows[0].part.startswith("2026-01-01 00:00 to 2026-01-01 0")
    if n_windows == 1:
        assert numbers(result.windows[0])[2:4] == (
            result.curves[-1].low[-1],
            result.curves[-1].high[-1],
        )


def test_curves_end_with_the_estimate(log):
    result = onearm.evaluate(log, "uniform")
    estimate, curve = result.estimates[1], result.curves[-1]
    assert curve.events[-1] == N
    assert (curve.low[-1], curve.high[-1]) == pytest.approx((estimate.low, estimate.high))


def test_progress_counts_events(log):
    counts = []
    onearm.evaluate(log, "uniform", progress=counts.append)
    assert counts == sorted(counts)
    assert counts[-1] == N


@pytest.mark.parametrize(
    ("estimators", "fitting", "passes"),
    [("dr", "predictable", 1), ("ips", "cross_fitted", 2), (["snips", "replay"], "predictable", 3),
     (["snips", "replay"], "cross_fitted", 4)],
)  # fmt: skip
def test_progress_counts_every_pass(log, estimators, fitting, passes, monkeypatch):
    monkeypatch.setattr("onearm.log.pieces.ROWS", N // 4)
    counts, policies = [], ["uniform", "always no"]
    asked = {"estimator": estimators, "fitting": fitting}
    asked |= {"interval": "gaussian"} if passes == 2 else {}
    onearm.evaluate(log.after(0), policies, **asked, progress=counts.append)
    assert counts == sorted({*counts})
    assert (len(counts), counts[-1]) == (4 * passes, N * passes)
