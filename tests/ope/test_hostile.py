"""What a hostile or careless user gives: an answer or a clear error, never a misleading number."""

import numpy as np
import pytest

import onearm
from tests.ope.random_logs import as_log, random_arrays


@pytest.fixture(scope="module")
def log():
    return as_log(random_arrays(60))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"estimator": None}, "estimator must be one of ips, .*, got None"),
        ({"estimator": 3}, "estimator must be one of ips, .*, got 3"),
        ({"estimator": []}, "estimator must be at least one of ips, .*, got none"),
        ({"level": "0.9"}, r"level must be in \(0, 1\), got '0.9'"),
        ({"max_weight": "x"}, r"max_weight must be in \[1, 1e12\], got 'x'"),
        ({"n_windows": 0}, "n_windows must be a whole number of at least 1, got 0"),
        ({"n_windows": 1.5}, "n_windows must be a whole number of at least 1, got 1.5"),
        ({"seed": "x"}, "seed must be a whole number in .*, got 'x'"),
        ({"seed": -1}, "seed must be a whole number in .*, got -1"),
        ({"against": ""}, "a policy must be logged, uniform, .*, got ''"),
        ({"policies": " "}, "a policy must be logged, uniform, .*, got ' '"),
        ({"policies": {}}, "policies must be at least one, got none"),
        ({"policies": {"logged": "uniform"}}, "'logged' is the policy that wrote the log"),
    ],
)
def test_wrong_options_are_named(log, options, words):
    with pytest.raises(ValueError, match=words):
        onearm.evaluate(log, **{"policies": "uniform"} | options)


def test_an_estimator_that_is_named_twice_is_shown_once(log):
    result = onearm.evaluate(log, "uniform", estimator=["ips", "dr", "ips"])
    assert [estimate.estimator for estimate in result.estimates] == ["mean", "ips", "dr"]


def test_labels_that_would_fill_the_memory_are_refused():
    with pytest.raises(ValueError, match="there must be at most 65,536 labels, got 1,000,001"):
        onearm.Log.of(None, [0, 10**6], [0.5, 0.5], [0, 1])


def test_with_many_labels_a_chunk_has_fewer_events():
    n, k = 600, 2**16
    log = onearm.Log.of(None, np.arange(n) % 2, np.full(n, 0.5), np.zeros(n), n_classes=k)
    assert [len(events) for events in log.chunks()] == [256, 256, 88]


def test_times_that_are_none_are_named():
    with pytest.raises(ValueError, match=r"time must be times, or texts in ISO 8601: .*yesterday"):
        onearm.Log.of(None, [0], [1.0], [0], time=["yesterday"])


def test_the_same_policy_twice_is_never_decided():
    label = np.random.default_rng(0).integers(0, 2, 400)
    chances = np.full((400, 2), 0.5)
    log = onearm.Log.of(None, label, chances[:, 0], label, chances=chances)
    difference = onearm.evaluate(log, {"a": "always 1"}, against="always 1").differences[0]
    assert (difference.value, difference.n_more) == (0.0, np.inf)


def test_large_numbers_are_short():
    p = np.full(600, 1e-12)
    log = onearm.Log.of(None, np.arange(600) % 3, p, np.zeros(600))
    with pytest.raises(
        ValueError, match=r"is 3\.33e\+11 for label 0, expected 1\.000 ± 3\.33e\+11"
    ):
        onearm.evaluate(log, "uniform")


def test_a_saved_model_that_is_no_policy(log, tmp_path):
    model = onearm.AdaBoostMH(n_rounds=2).fit(np.eye(4), [0, 1, 0, 1])
    model.save(tmp_path / "mh.safetensors")
    words = r"a saved policy must be a learner or an agent: mh\.safetensors is a AdaBoostMH"
    with pytest.raises(ValueError, match=words):
        onearm.evaluate(log, str(tmp_path / "mh.safetensors"))
