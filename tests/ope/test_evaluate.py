"""Evaluate: values in the units of the log, and what is refused."""

from itertools import product

import numpy as np
import pytest

import onearm
from onearm.ope.policies import Logged
from onearm.ope.uncertainty import VALID, Bounded, bounded_interval
from onearm.ope.weighing import KAPPA, weigh
from tests.ope.random_logs import Given, as_log, distributions, mild_arrays, simulate
from tests.reference import ope as plain
from tests.reference import ope_intervals

N, K = 150, 3
INTERVALS = (
    "gaussian", "bootstrap", "empirical_bernstein", "clopper_pearson", "betting",
    "confidence_sequence",
)  # fmt: skip


@pytest.mark.parametrize("fitting", ["predictable", "cross_fitted"])
@pytest.mark.parametrize("rewards", [(0.0, 1.0), (-3.0, 5.0)])
def test_values_are_those_of_the_plain_estimators(rewards, fitting):
    events = mild_arrays(N, rewards=rewards)
    log = as_log(events, rewards=rewards)
    pi = distributions(np.random.default_rng(1), events.allowed, 0.2)
    names = [name for name in VALID if name not in ("replay", "clipped_ips")]
    intervals = {} if fitting == "predictable" else {"interval": None}
    names = names if fitting == "predictable" else [name for name in names if name != "dr"]
    result = onearm.evaluate(log, Given(pi), estimator=names, fitting=fitting, **intervals)
    found = {estimate.estimator: estimate.value for estimate in result.estimates}
    low, high = rewards
    fit = plain.ridge(K)
    scaled = [
        (x, a, (r - low) / (high - low))
        for x, a, r in zip(events.X, events.label, events.reward, strict=True)
    ]
    if fitting == "predictable":
        q = plain.predictable(scaled, fit, fit([]))
    else:
        q = plain.cross_fitted(scaled, range(N), fit)
    q = low + (high - low) * np.array(q)
    rows = np.arange(N)
    w, r = pi[rows, events.label] / events.propensity, events.reward
    given = [list(w), list(r), list(q[rows, events.label]), list((pi * q).sum(axis=1))]
    for name in ("ips", "snips", "dm", "sndr", *(["dr"] if "dr" in names else [])):
        assert found[name] == pytest.approx(getattr(plain, name)(*given), abs=1e-8), name
    assert found["cressie_read"] == pytest.approx(plain.cressie_read(given[0], given[1]))
    assert found["mean"] == pytest.approx(r.mean())
    gaussian = onearm.evaluate(log, Given(pi), estimator="ips", interval="gaussian").estimates[1]
    assert (gaussian.low, gaussian.high) == pytest.approx(ope_intervals.gaussian(list(w * r), 0.05))


def test_intervals_are_of_the_terms_of_their_estimator():
    events, at = mild_arrays(N), np.array([N])
    log = as_log(events)
    pi = distributions(np.random.default_rng(1), events.allowed, 0.2)
    w, r = pi[np.arange(N), events.label] / events.propensity, events.reward
    x = weigh(log, [Given(pi)], Logged(), "linear", "predictable").policies[0]
    dr = x.of_policy + w * (r - x.of_label)
    clipped = np.minimum(w, 1.5)
    terms = {
        ("ips", "confidence_sequence"): (w * r, w * (1 - r), 0.0, 20.0),
        ("ips", "betting"): (w * r, w * (1 - r), 0.0, 20.0),
        ("ips", "empirical_bernstein"): (w * r, w * (1 - r), 0.0, 20.0),
        ("clipped_ips", "confidence_sequence"): (clipped * r, clipped * (1 - r), 0.0, 1.5),
        ("clipped_ips", "betting"): (clipped * r, clipped * (1 - r), 0.0, 1.5),
        ("clipped_ips", "empirical_bernstein"): (clipped * r, clipped * (1 - r), 0.0, 1.5),
        ("dr", "confidence_sequence"): (x.lower, x.upper, KAPPA, 20.0),
        ("dr", "empirical_bernstein"): (dr, 1 - dr, 20.0, 20.0),
    }
    for (name, kind), (lower, upper, least, most) in terms.items():
        asked = {"estimator": name, "interval": kind, "max_weight": most}
        found = onearm.evaluate(log, Given(pi), **asked).estimates[1]
        top = most + 1 if (name, kind) == ("dr", "empirical_bernstein") else most
        ends = bounded_interval(kind, Bounded(lower, upper, least), top, 0.05, at)
        assert (found.low, found.high) == pytest.approx((ends[0][0], ends[1][0]), abs=1e-12)


def test_units_of_rewards_scale_everything():
    """A log with rewards -3 + 8 r has values and ends -3 + 8 v, and differences 8 d."""
    events = mild_arrays(N, seed=3)
    scaled = events._replace(reward=-3 + 8 * events.reward)
    logs = as_log(events), as_log(scaled, rewards=(-3.0, 5.0))
    kinds = [("dr", None), ("ips", "betting"), ("dr", "empirical_bernstein"), ("dm", None)]
    for name, kind in kinds:
        pair = [
            onearm.evaluate(log, "uniform", estimator=name, interval=kind, max_weight=10.0)
            for log in logs
        ]
        for first, second in zip(pair[0].estimates, pair[1].estimates, strict=True):
            wanted = [-3 + 8 * v for v in (first.value, first.low, first.high)]
            if name != "ips":
                assert second.value == pytest.approx(wanted[0], abs=1e-9)
            assert (second.low, second.high) == pytest.approx(wanted[1:], abs=1e-9, nan_ok=True)
        one, other = (result.differences[0] for result in pair)
        assert (other.value, other.low, other.high) == pytest.approx(
            (8 * one.value, 8 * one.low, 8 * one.high), abs=1e-9
        )
        for first, second in zip(pair[0].curves, pair[1].curves, strict=True):
            np.testing.assert_allclose(second.low, -3 + 8 * first.low, atol=1e-9)


INVALID = [(name, kind) for name, kind in product(VALID, INTERVALS) if kind not in VALID[name]]


@pytest.mark.parametrize(("name", "kind"), INVALID)
def test_intervals_that_are_not_valid_are_refused(name, kind):
    with pytest.raises(ValueError, match=f"interval must be .* for {name}, got '{kind}'"):
        onearm.evaluate(
            as_log(mild_arrays(N)), "uniform", estimator=name, interval=kind, max_weight=9.0
        )


def test_the_table_of_intervals():
    assert {name: sorted(VALID[name]) for name in VALID} == {
        "ips": sorted({*INTERVALS} - {"clopper_pearson"}),
        "clipped_ips": ["betting", "confidence_sequence", "empirical_bernstein"],
        "snips": ["bootstrap", "gaussian"],
        "sndr": ["bootstrap", "gaussian"],
        "dr": ["bootstrap", "confidence_sequence", "empirical_bernstein", "gaussian"],
        "replay": ["clopper_pearson"],
        **{name: [] for name in ("dm", "switch_dr", "dros", "sub_gaussian", "cressie_read")},
    }


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"fitting": "cross_fitted"}, "fitting must be 'predictable' for confidence_sequence"),
        ({"fitting": "in_sample"}, "fitting must be"),
        ({"estimator": "ips", "interval": "betting"}, "max_weight must be given for ips with bett"),
        ({"interval": "empirical_bernstein"}, "max_weight must be given for dr with empirical"),
        ({"estimator": "clipped_ips"}, "max_weight must be given for clipped_ips .* the limit λ"),
        ({"estimator": "ips", "interval": "betting", "max_weight": 1.0}, "at least every weight"),
        ({"estimator": "magic"}, "estimator must be one of ips, .*, got 'magic'"),
        ({"interval": "magic"}, "interval must be one of .* for dr, got 'magic'"),
        ({"level": 1.0}, r"level must be in \(0, 1\), got 1.0"),
        ({"max_weight": 0.5}, r"max_weight must be in \[1, 1e12\], got 0.5"),
        ({"by": "age"}, r"by must be one of the columns \(none\), got 'age'"),
        ({"against": "champion"}, "a policy must be logged, uniform, .*, got 'champion'"),
    ],
)
def test_options_that_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        onearm.evaluate(as_log(mild_arrays(N)), "uniform", **options)


def test_betting_is_refused_for_policies_that_learn():
    """Their value changes, and betting is for one that does not."""
    options = {"estimator": "ips", "interval": "betting", "max_weight": 10.0}
    with pytest.raises(ValueError, match="must not be betting for EpsilonGreedy: its value chang"):
        onearm.evaluate(as_log(mild_arrays(N)), onearm.EpsilonGreedy, **options)


@pytest.mark.parametrize(
    ("policies", "words"),
    [
        ([], "policies must be at least one"),
        (["uniform", "uniform"], "different names, got 'uniform' again"),
        ("sobaa", "got 'sobaa'.*SOBA"),
        ("inversegap speed=3", "a parameter of InverseGap must be name=value"),
        (3.5, "a policy must be a name, .*, got 3.5"),
        ("slb", "SLB cannot learn from the choices of another policy"),
        (onearm.Perceptron, "Perceptron"),
    ],
)
def test_policies_that_are_refused(policies, words):
    with pytest.raises(ValueError, match=words):
        onearm.evaluate(as_log(mild_arrays(N)), policies)


@pytest.mark.parametrize("name", ["dm", "dr", "sndr", "switch_dr", "dros"])
def test_models_need_the_probabilities_of_all_labels(name):
    events = mild_arrays(N)
    column = {"half": events.propensity}
    with pytest.raises(ValueError, match=f"{name} needs the probabilities of all labels, which ha"):
        onearm.evaluate(as_log(events), column, estimator=name)


def test_several_policies_share_what_may_be_missed():
    log = as_log(mild_arrays(N))
    one = onearm.evaluate(log, "uniform").differences[0]
    many = onearm.evaluate(log, ["uniform", "always 0", "always 1", "always 2"]).differences
    assert (one.level, many[0].level) == pytest.approx((0.95, 0.9875))
    assert many[0].low < one.low < one.high < many[0].high


def test_the_logged_policy_judged_as_any_other():
    events = mild_arrays(N)
    for whole in (True, False):
        result = onearm.evaluate(as_log(events, whole), "logged", estimator=["dr", "ips", "sndr"])
        assert result.estimates[2].value == pytest.approx(events.reward.mean())
        assert result.differences[0].value == pytest.approx(0, abs=0.03 if whole else 1e-12)
        assert result.differences[0].low <= 0 <= result.differences[0].high
        assert result.weights[0].effective == pytest.approx(N)
    assert result.estimates[1].value == pytest.approx(events.reward.mean())


def test_what_is_estimated_is_said():
    result = onearm.evaluate(as_log(mild_arrays(N)), ["uniform", onearm.EpsilonGreedy])
    frozen, learning = result.estimates[1:]
    assert frozen.estimates == "the mean reward of this policy on the contexts of the log"
    assert learning.estimates.startswith("the mean value of the learner's successive states as tr")
    assert frozen.valid_while_learning is True
    fixed = onearm.evaluate(as_log(mild_arrays(N)), "uniform", interval="gaussian").estimates[1]
    assert fixed.valid_while_learning is False


def test_what_is_within_its_noise_is_not_extrapolated():
    """Of policies that differ by nothing no number is said, but in one of twenty logs."""
    rng, shown = np.random.default_rng(0), 0
    for _ in range(40):
        label = rng.integers(0, 2, 400)
        chances = np.full((400, 2), 0.5)
        log = onearm.Log.of(None, label, chances[:, 0], rng.random(400) < 0.5, chances=chances)
        found = onearm.evaluate(log, "always 1", against="always 0").differences[0]
        shown += not np.isnan(found.n_more)
    assert 0 <= shown <= 6


def test_what_more_events_would_not_decide():
    """Nothing is known of a label that was never tried: both ends stay away from 0."""
    label = np.arange(3000) % 2
    chances = np.tile([0.5, 0.5, 0.0], (3000, 1))
    reward = (label == 1) * 0.2 + 0.4
    log = onearm.Log.of(None, label, chances[:, 0], reward, chances=chances)
    found = onearm.evaluate(log, "always 2").differences[0]
    assert found.low < 0 < found.high
    assert found.n_more == np.inf


def test_more_events_decide_it():
    """So many more of the same events do decide: the forecast is not far off."""
    logs = simulate(1, 6000, False, seed=1)
    log = as_log(logs.arrays(0))
    early = onearm.evaluate(log.first(400), "always 2", model="none").differences[0]
    assert early.low < 0 < early.high
    assert 0 < early.n_more < 6000
    later = onearm.evaluate(log.first(int(400 + 6 * early.n_more)), "always 2", model="none")
    assert later.differences[0].n_more == 0
    assert later.differences[0].low > 0 or later.differences[0].high < 0
