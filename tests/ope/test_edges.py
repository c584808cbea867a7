"""Logs at the edge of sense: few events, no rewards, no support, sparse rows, missing values."""

import math

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import onearm
from onearm.ope.policies import Learning
from onearm.ope.uncertainty import VALID
from tests.ope.random_logs import as_log, mild_arrays, random_arrays

K = 3
EVERY = ["ips", "snips", "dm", "dr", "sndr", "switch_dr", "dros", "sub_gaussian", "cressie_read"]


def sound(result, low=0.0, high=1.0):
    """Whether every number is within the rewards, or not there."""
    for estimate in result.estimates:
        if estimate.interval in ("confidence_sequence", None):
            assert math.isnan(estimate.low) or low <= estimate.low <= estimate.high <= high
    for estimate in result.differences:
        assert low - high <= estimate.low <= estimate.high <= high - low
    assert str(result)


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("n", [1, 2, 19, 20, 21])
def test_few_events(n, whole):
    log = as_log(mild_arrays(n), whole)
    sound(onearm.evaluate(log, ["uniform", "always 1", onearm.EpsilonGreedy], estimator=EVERY))
    for name in ("dr", "ips", "snips", "sndr"):
        for kind in VALID[name]:
            onearm.evaluate(log, "uniform", estimator=name, interval=kind, max_weight=10.0)


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("options", [{"k": 2, "d": 1}, {"limited": True}, {"zeros": 0.4}])
def test_small_shapes_and_allowed_sets(options, whole):
    events = random_arrays(80, **options)
    sound(onearm.evaluate(as_log(events, whole), ["uniform", "always 1"], estimator=EVERY))


def test_sparse_rows_and_missing_values():
    events = mild_arrays(150)
    result = onearm.evaluate(as_log(events), ["uniform", onearm.EpsilonGreedy])
    sparse = as_log(events._replace(X=csr_matrix(events.X)))
    same = onearm.evaluate(
        sparse, ["uniform", Learning(as_log(events).learner(onearm.EpsilonGreedy), "EpsilonGreedy")]
    )
    for first, second in zip(result.estimates, same.estimates, strict=True):
        assert second.value == pytest.approx(first.value, abs=1e-9)
    X = np.where(np.random.default_rng(0).random(events.X.shape) < 0.3, np.nan, events.X)
    sound(onearm.evaluate(as_log(events._replace(X=X)), ["uniform", "always 1"], estimator=EVERY))


def test_no_event_has_a_reward():
    events = mild_arrays(20)
    pending = as_log(events._replace(reward=np.full(20, np.nan)))
    with pytest.raises(ValueError, match=r"the log has no event with a reward: .*20 pending"):
        onearm.evaluate(pending, "uniform")
    empty = onearm.Log.of(np.empty((0, 2)), np.empty(0, int), [], [])
    with pytest.raises(ValueError, match="the log has no event with a reward"):
        onearm.evaluate(empty, "uniform")
    with pytest.raises(ValueError, match="the log has no event with a reward"):
        onearm.evaluate(as_log(events).after(20), "uniform")


def test_outcomes_count_as_stated():
    events = mild_arrays(60)
    outcome = np.array(["reported", "default", "pending", "not_activated"])[np.arange(60) % 4]
    log = as_log(events, outcome=outcome)
    result = onearm.evaluate(log, "uniform", estimator="ips")
    judged = np.isin(outcome, ["reported", "default"])
    w = (1 / K / events.propensity)[judged]
    assert result.estimates[1].value == pytest.approx((w * events.reward[judged]).mean())
    assert result.estimates[1].n_events == 30
    assert [text.split()[0] for text in result.notes[1:4]] == ["15", "15", "15"]


def test_labels_never_chosen_and_weights_of_zero():
    n = 40
    log = onearm.Log.of(None, [0] * n, [0.9] * n, [1.0] * n, n_classes=3)
    result = onearm.evaluate(log, ["always 1", "uniform"], estimator=EVERY)
    sound(result)
    found = {e.estimator: e.value for e in result.estimates if e.policy == "always 1"}
    assert found["ips"] == 0
    assert math.isnan(found["snips"])
    assert math.isnan(found["sndr"])
    assert any("0.0 effective events: the answer is worth nothing" in w for w in result.warnings)
    for name, kind in (("snips", "gaussian"), ("sndr", "bootstrap")):
        ends = onearm.evaluate(log, "always 1", estimator=name, interval=kind).estimates[1]
        assert (ends.low, ends.high) == (-math.inf, math.inf)


def test_missing_support_is_said():
    chances = np.tile([0.5, 0.5, 0.0], (400, 1))
    label = np.arange(400) % 2
    log = onearm.Log.of(None, label, [0.5] * 400, label, chances=chances)
    for fitting in ("predictable", "cross_fitted"):
        kind = "confidence_sequence" if fitting == "predictable" else "gaussian"
        result = onearm.evaluate(log, "uniform", fitting=fitting, interval=kind)
        assert result.weights[0].unsupported == pytest.approx(1 / 3)
        assert any("33.3% of its choices were never made" in text for text in result.warnings)
    low, high = (lambda e: (e.low, e.high))(onearm.evaluate(log, "uniform").estimates[1])
    assert low < 1 / 3  # label 2 may earn 0
    assert high > 2 / 3  # or 1


def test_events_are_judged_on_parts_of_a_log():
    events = mild_arrays(150)
    part = onearm.evaluate(as_log(events).after(50), "uniform", estimator="ips").estimates[1]
    rest = type(events)(*(column[50:] for column in events))
    whole = onearm.evaluate(as_log(rest), "uniform", estimator="ips").estimates[1]
    assert (part.value, part.n_events) == (whole.value, 100)
