"""Functions of contexts by name, as policies."""

import numpy as np
import pytest

import onearm
from onearm import ope

SCHEMA = onearm.Schema({"age": "number", "device": ["phone", "tv"]}, ["news", "tech"])
CONTEXTS = [{"age": 31, "device": "phone"}, {"age": 64}, {"device": "watch"}, {"device": "tv"}]


def log(schema=SCHEMA, **known):
    n = len(CONTEXTS) * 30
    rows = schema.encode_all(CONTEXTS * 30) if schema.columns else np.ones((n, 2))
    label = np.random.default_rng(0).integers(0, 2, n)
    return onearm.Log.of(rows, label, np.full(n, 0.5), label, schema=schema, **known)


def chances(function, log):
    policy = ope.Function(function, by_name=True)
    policy.start(log)
    events = log.events()
    return policy.chances(events, np.arange(len(events)))


def test_a_function_gets_contexts_by_name():
    seen = []

    def by_device(context):
        seen.append(context)
        return "tech" if context["device"] == "phone" else "news"

    p = chances(by_device, log())
    assert seen[:4] == [
        {"age": 31.0, "device": "phone"}, {"age": 64.0, "device": None},
        {"age": None, "device": "(other)"}, {"age": None, "device": "tv"},
    ]  # fmt: skip
    np.testing.assert_array_equal(p, np.tile([[0, 1], [1, 0], [1, 0], [1, 0]], (30, 1)))
    result = onearm.evaluate(log(), ope.Function(by_device, by_name=True))
    rows = onearm.evaluate(log(), lambda X: np.where(X[:, 1] == 0, 1, 0))
    assert result.estimates[1].value == rows.estimates[1].value
    assert result.estimates[1].policy == "by_device"


def test_it_may_return_chances_by_label():
    p = chances(lambda context: {"tech": 0.25, "news": 0.75}, log())
    np.testing.assert_array_equal(p, np.tile([0.75, 0.25], (120, 1)))
    allowed = np.tile([True, True], (120, 1))
    allowed[0] = [True, False]
    at = int(np.flatnonzero(log().events().label == 0)[0])
    allowed[[0, at]] = allowed[[at, 0]]
    limited = chances(lambda context: "tech", log(allowed=allowed))
    assert (limited[at].tolist(), limited.sum(axis=0).tolist()) == ([1, 0], [1, 119])


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        ("tehc", "must return one of the labels 'news', 'tech', or chances by label, got 'tehc'"),
        (None, "got None"),
        ([1], r"got \[1\]"),
        ({"news": 1.0, "sport": 0.0}, "must return one of the labels"),
        ({"news": 0.5}, "must return chances of at least 0 that sum up to 1"),
        ({"news": 1.5, "tech": -0.5}, "must return chances of at least 0 that sum up to 1"),
        ({}, "must return chances of at least 0 that sum up to 1"),
    ],
)
def test_what_it_must_not_return(returned, words):
    with pytest.raises(ValueError, match=words):
        chances(lambda context: returned, log())


def test_an_error_in_a_function_of_rows_has_a_note():
    def by_device(context):
        return "tech" if context["device"] == "phone" else "news"

    with pytest.raises(IndexError) as error:
        onearm.evaluate(log(), by_device)
    assert "by_device got many encoded rows, an array of shape" in error.value.__notes__[0]
    assert "by_name=True" in error.value.__notes__[0]


def test_a_log_without_names_is_refused():
    with pytest.raises(ValueError, match="needs contexts by name: the log has no schema"):
        chances(lambda context: "news", log(onearm.Schema({}, ["news", "tech"])))
