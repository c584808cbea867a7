"""Random logs with all fields, and the comparison of two logs field by field."""

from dataclasses import fields

import numpy as np
from scipy.sparse import csr_array

from onearm import HIDDEN, Log, Schema
from onearm.log.events import OUTCOMES, Events

NAMES = [field.name for field in fields(Events)]
LABELS = ["north", "süd ost", "3"]
OPTIONAL = ("allowed", "chances", "policy", "version", "event_id", "time")


def random_log(n=20, sparse=False, without=(), labels=LABELS, rewards=(0.0, 1.0), seed=0):
    """Return a log in which every kind of value occurs, also those that are not known."""
    rng, k = np.random.default_rng(seed), len(labels)
    allowed = rng.random((n, k)) < 0.8
    label = rng.integers(k, size=n)
    allowed[np.arange(n), label] = True
    chances = np.where(allowed, rng.random((n, k)) + 0.01, 0)
    chances /= chances.sum(axis=1, keepdims=True)
    propensity = chances[np.arange(n), label]
    chances[::3] = np.nan
    X = rng.normal(size=(n, 4)) * (rng.random((n, 4)) < 0.6)
    X[1, 2] = np.nan
    known = {
        "allowed": allowed,
        "chances": chances,
        "policy": ["", "chorus", "soba é"][:3] * n,
        "version": np.where(rng.random(n) < 0.3, -1, np.arange(n)),
        "event_id": [f"event-{i}" if i % 4 else "" for i in range(n)],
        "time": np.datetime64("2026-01-31T12:00:00.123456", "us") + np.arange(n) * 10**6,
    }
    known["policy"] = known["policy"][:n]
    known["time"][2] = np.datetime64("NaT")
    low, high = rewards
    names, reward = [labels[code] for code in label], low + rng.random(n) * (high - low)
    return Log.of(
        csr_array(X) if sparse else X, names, propensity, reward,
        schema=Schema({}, labels), rewards=rewards, greedy=rng.integers(HIDDEN, k, size=n),
        outcome=[OUTCOMES[i % 4] for i in range(n)],
        **{name: value for name, value in known.items() if name not in without},
    )  # fmt: skip


def require_equal(log, other, names=NAMES):
    """Fail unless the events of two logs are equal, bit for bit."""
    some, others = log.events(), other.events()
    for name in names:
        a, b = getattr(some, name), getattr(others, name)
        assert (a is None) == (b is None), name
        if a is not None:
            a, b = (v.toarray() if hasattr(v, "tocsr") else v for v in (a, b))
            assert a.dtype == b.dtype, name
            np.testing.assert_array_equal(a, b, err_msg=name)
