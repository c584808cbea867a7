"""Checks of a log: wrong propensities are found, right ones of policies that learn are not."""

import numpy as np
import pytest
from scipy.stats import binom

import onearm
from onearm.ope.checks import LogCheck
from onearm.ope.policies import Uniform
from tests.ope.random_logs import Given, as_log, random_arrays, simulate

K = 3


def findings(log):
    check = LogCheck(log)
    for events in log.judged():
        check.add(events)
    return {finding.check: finding for finding in check.findings()}


def fine(finding):
    return finding.passed and not finding.doubtful


@pytest.fixture(scope="module")
def simulated():
    return simulate(4, 3000, True, seed=2)


def rescaled(chances, factor, label=None):
    """Return wrong distributions: the chance of one label, by default of all, times a factor."""
    wrong = chances.copy()
    which = slice(None) if label is None else label
    wrong[:, which] *= factor
    return wrong


HALVED = "label 1 was chosen [0-9,]+ times, expected [0-9,]+ ± [0-9]+"
MEAN = "the mean of 1.chosen./propensity is [0-9.]+ for label"


@pytest.mark.parametrize("i", range(4))
def test_right_logs_pass(simulated, i):
    events = simulated.arrays(i)
    for whole in (True, False):
        assert all(fine(finding) for finding in findings(as_log(events, whole)).values())
        onearm.evaluate(as_log(events, whole), ["uniform", "always 1"], model="none")


@pytest.mark.parametrize("factor", [0.5, 2.0])
def test_wrong_distributions_of_a_label(simulated, factor):
    events = simulated.arrays(0)
    wrong = rescaled(events.chances, factor, 1)
    wrong /= wrong.sum(axis=1, keepdims=True)
    with pytest.raises(ValueError, match=f"logged propensities are wrong: {HALVED}"):
        onearm.evaluate(as_log(events._replace(chances=wrong)), "uniform", model="none")


def test_distributions_at_the_wrong_events(simulated):
    """Their sums are right: only the chances of the chosen labels show it."""
    events = simulated.arrays(0)
    wrong = np.random.default_rng(0).permutation(events.chances)
    text = "labels chosen have a mean chance of 0.[0-9]+, expected 0.[0-9]+ ± 0.[0-9]+"
    with pytest.raises(ValueError, match=f"logged propensities are wrong: the {text}"):
        onearm.evaluate(as_log(events._replace(chances=wrong)), "uniform", model="none")
    shifted = np.roll(events.chances, 1, axis=0)
    with pytest.raises(ValueError, match="logged propensities are wrong"):
        onearm.evaluate(as_log(events._replace(chances=shifted)), "uniform", model="none")


def only_propensities(events, p):
    return onearm.Log.of(events.X, events.label, p, events.reward, n_classes=K)


@pytest.mark.parametrize(("label", "factor"), [(1, 0.5), (None, 0.5)])
def test_propensities_that_are_too_small_are_refused(simulated, label, factor):
    events = simulated.arrays(0)
    wrong = rescaled(events.chances, factor, label)
    p = wrong[np.arange(len(wrong)), events.label]
    with pytest.raises(ValueError, match=f"logged propensities are wrong: {MEAN}"):
        onearm.evaluate(only_propensities(events, p), "uniform", model="none")


@pytest.mark.parametrize("label", [1, None])
def test_propensities_that_are_too_large_are_doubtful(simulated, label):
    """A label that had no chance in half of the events would look the same."""
    events = simulated.arrays(0)
    p = np.minimum(rescaled(events.chances, 2, label)[np.arange(3000), events.label], 1.0)
    log = only_propensities(events, p)
    finding = findings(log)["propensities"]
    assert finding.passed
    assert finding.doubtful
    assert "too large, or it had next to no chance in many" in finding.text
    assert finding.text in onearm.evaluate(log, "uniform", model="none").warnings


def test_shuffled_propensities_are_refused(simulated):
    events = simulated.arrays(0)
    shuffled = np.random.default_rng(0).permutation(events.propensity)
    with pytest.raises(ValueError, match=f"logged propensities are wrong: {MEAN}"):
        onearm.evaluate(only_propensities(events, shuffled), "uniform", model="none")


def test_propensities_of_the_greedy_label_alone_are_doubtful():
    """A policy that samples its greedy label, as Thompson sampling: p given that label is 1."""
    rng = np.random.default_rng(0)
    log = onearm.Log.of(None, rng.integers(0, K, 3000), np.ones(3000), rng.random(3000))
    assert findings(log)["propensities"].doubtful


def test_propensities_of_two_labels_say_the_whole_distribution():
    rng = np.random.default_rng(0)
    p = rng.uniform(0.05, 0.95, 3000)
    label = (rng.random(3000) < p).astype(int)
    own = np.where(label == 1, p, 1 - p)
    right = onearm.Log.of(None, label, own, rng.random(3000))
    assert [*findings(right)] == ["label frequencies", "chances of chosen labels"]
    assert all(finding.passed for finding in findings(right).values())
    larger = np.where(label == 1, np.minimum(own * 1.3, 1), own)
    wrong = onearm.Log.of(None, label, larger, rng.random(3000))
    with pytest.raises(ValueError, match=f"logged propensities are wrong: {HALVED[:-20]}"):
        onearm.evaluate(wrong, "uniform", model="none")
    allowed = np.ones((3000, 4), bool)
    allowed[:, 2:] = False
    limited = onearm.Log.of(None, label, larger, rng.random(3000), n_classes=4, allowed=allowed)
    assert not findings(limited)["label frequencies"].passed


def test_versions_are_checked_apart():
    """Two versions whose errors cancel in the sum."""
    rng, n = np.random.default_rng(0), 4000
    version = np.arange(n) // 2000
    true = np.where(version[:, None] == 0, [0.5, 0.5], [0.3, 0.7])
    logged = np.where(version[:, None] == 0, [0.4, 0.6], [0.4, 0.6])
    label = (rng.random(n) > true[:, 0]).astype(int)
    own = logged[np.arange(n), label]
    log = onearm.Log.of(
        None, label, own, rng.random(n), chances=logged, version=version, policy=["a"] * n
    )
    with pytest.raises(ValueError, match=r"label [01] was chosen [0-9,]+ times by version a [01]"):
        onearm.evaluate(log, "uniform", model="none")
    many = onearm.Log.of(
        None, label, own, rng.random(n), chances=logged, version=np.arange(n), policy=["a"] * n
    )
    assert findings(many)["label frequencies"].passed  # each has too few events


def test_allowed_sets_count(simulated):
    """Of events that did not allow a label nothing is expected."""
    events = random_arrays(3000, limited=True, seed=1)
    even = events.allowed / events.allowed.sum(axis=1, keepdims=True)
    label = np.array([np.random.default_rng(i).choice(K, p=p) for i, p in enumerate(even)])
    events = events._replace(label=label, chances=even)
    for whole in (True, False):
        assert all(fine(finding) for finding in findings(as_log(events, whole)).values())
    wrong = rescaled(events.chances, 0.5, 2)[np.arange(3000), events.label]
    log = onearm.Log.of(
        events.X, events.label, wrong, events.reward, n_classes=K, allowed=events.allowed
    )
    assert not findings(log)["propensities"].passed


def test_propensities_that_differ_from_the_distribution_are_told(simulated):
    events = simulated.arrays(0)
    log = onearm.Log.of(
        events.X, events.label, np.full(3000, 0.5), events.reward, chances=events.chances
    )
    text = findings(log)["propensities of the distribution"].text
    n = int((np.abs(events.propensity - 0.5) > 1e-6).sum())
    assert text == f"{n:,} propensities differ from the distribution, which is used"
    assert onearm.evaluate(log, "uniform").estimates[1].value == pytest.approx(
        onearm.evaluate(as_log(events), "uniform").estimates[1].value
    )


def test_rare_labels_are_no_reason_to_refuse():
    """A label of chance 0.001 that was never chosen has weight 0 in all events."""
    n = 400
    chances = np.tile([0.999, 0.001], (n, 1))
    reward = np.arange(n) % 2
    for known in ({"chances": chances}, {}):
        log = onearm.Log.of(None, np.zeros(n, int), chances[:, 0], reward, n_classes=2, **known)
        result = onearm.evaluate(log, "always 1")
        assert result.estimates[1].low == 0
        assert result.estimates[1].high == 1
        assert any("0.0 effective events" in text for text in result.warnings)


def test_weights_that_should_have_mean_1_are_tested():
    """Propensities that are wrong only where the policy looks: the frequencies are right."""
    rng, n = np.random.default_rng(0), 6000
    x = rng.integers(0, 2, n)
    true = np.where(x[:, None], [0.3, 0.5, 0.2], [0.5, 0.3, 0.2])
    label = (rng.random((n, 1)) > np.cumsum(true, axis=1)[:, :2]).sum(axis=1)
    wrong = np.tile([0.4, 0.4, 0.2], (n, 1))  # Σ p² is 0.36, as the mean of p_a
    log = onearm.Log.of(x[:, None], label, wrong[0, label], rng.random(n), chances=wrong)
    assert all(finding.passed for finding in findings(log).values())
    better = np.eye(3)[x]
    with pytest.raises(ValueError, match=r"wrong: the mean weight of given is 0.7[0-9]+, expected"):
        onearm.evaluate(log, Given(1 - better - [0, 0, 1]), model="none")
    with pytest.raises(ValueError, match=r"wrong: the mean weight of given is 1.2[0-9]+, expected"):
        onearm.evaluate(log, Given(better), model="none")


@pytest.mark.compiled
@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("learns", [True, False])
def test_false_alarms(learns, whole):
    """Each check fails a right log with probability 1e-3: over 1,000 logs more than 9 have 1e-6.

    The last number is of the mean weights, of 50 logs.
    """
    logs = simulate(1000, 300, learns, seed=5)
    failed = np.zeros(4, int)
    target = np.tile([0.1, 0.6, 0.3], (300, 1))
    for i in range(1000):
        log = as_log(logs.arrays(i), whole)
        found = list(findings(log).values())
        failed[: len(found)] += [not finding.passed for finding in found]
        if i < 50:  # the rest of the pipeline
            try:
                onearm.evaluate(log, [Given(target), Uniform()], model="none")
            except ValueError:
                failed[3] += 1
    most = int(binom.isf(1e-6, 1000, 1e-3))
    assert (failed <= most).all(), failed
