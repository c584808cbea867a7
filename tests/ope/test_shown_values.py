"""Values that are shown: within their intervals and the range of rewards, each of a named kind."""

import numpy as np
import pytest

import onearm
from onearm.ope import Column

N, K = 2000, 20


def rare_clicks(chances=None, seed=0):
    """Return a log of uniform choices among many labels, of which few are clicked."""
    rng = np.random.default_rng(seed)
    X, label = rng.normal(size=(N, 2)), rng.integers(0, K, N)
    clicked = rng.random(N) < 0.01
    known = {} if chances is None else {"chances": np.full((N, K), 1 / K)}
    schema = onearm.Schema({"a": "number", "b": "number"}, [f"l{i}" for i in range(K)])
    return onearm.Log.of(X, label, np.full(N, 1 / K), clicked, schema=schema, **known)


@pytest.mark.parametrize("chances", [None, "whole"])
def test_values_lie_in_their_intervals(chances):
    result = onearm.evaluate(rare_clicks(chances), ["always l3", "uniform"], by="a")
    for part in [*result.windows, *result.segments, *result.estimates, *result.differences]:
        assert part.low <= part.value <= part.high
    for part in [*result.windows, *result.segments]:
        assert 0 <= part.value <= 0.2  # one of a hundred is clicked
    for curve in result.curves:
        assert ((curve.low <= curve.value) & (curve.value <= curve.high)).all()


def test_windows_have_the_terms_of_dr():
    log = rare_clicks("whole")
    (window,) = onearm.evaluate(log, "uniform", model="none", n_windows=1).windows
    assert window.value == pytest.approx(log.events().reward.mean(), abs=1e-12)


def test_without_distributions_the_interval_is_named_as_that_of_ips():
    alone, whole = (onearm.evaluate(rare_clicks(c), "uniform") for c in (None, "whole"))
    assert alone.estimates[1].interval_of == "ips"
    assert "confidence sequence of ips" in " ".join(str(alone).split())
    assert whole.estimates[1].interval_of == "dr"
    assert "of ips" not in str(whole)


def test_a_policy_that_was_fitted_on_the_log_is_named_as_a_cause():
    log = rare_clicks("whole")
    fitted = Column(log.events().label, "fitted")  # it "predicts" what was chosen
    with pytest.raises(ValueError, match="Or the policy was fitted on these events"):
        onearm.evaluate(log, fitted)


def test_labels_by_name():
    log = rare_clicks("whole")
    by_name = onearm.evaluate(log, Column(["l3"] * N), model="none")
    by_code = onearm.evaluate(log, Column(np.full(N, 3)), model="none")
    assert by_name.estimates[1].value == by_code.estimates[1].value
    with pytest.raises(ValueError, match="or names of labels"):
        onearm.evaluate(log, Column(["nothing"] * N))


def test_what_is_no_log_is_refused():
    with pytest.raises(ValueError, match=r"log must be an onearm.Log, got a list"):
        onearm.evaluate([1, 2], "uniform")


def test_uniform_choices_are_expected_without_a_warning():
    rng = np.random.default_rng(0)
    even = np.full((900, 3), 1 / 3)
    log = onearm.Log.of(None, rng.integers(0, 3, 900), even[:, 0], rng.random(900), chances=even)
    assert "nan" not in str(onearm.evaluate(log, "uniform"))


def test_reward_models_by_name():
    log = rare_clicks("whole")
    named = onearm.evaluate(log, "uniform", model="inversegap").estimates[1]
    by_class = onearm.evaluate(log, "uniform", model=onearm.InverseGap).estimates[1]
    assert named.value == by_class.value
