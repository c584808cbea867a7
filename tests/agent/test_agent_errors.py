"""What agents refuse: every error says what was allowed and what was given, and changes nothing."""

import numpy as np
import pytest

from tests.agent.means import Means
from tests.agent.test_agent import CONTEXT, agent, state, taught


@pytest.mark.parametrize(
    ("labels", "match"),
    [
        (["a"], "labels must be at least two"),
        ([], "labels must be at least two"),
        (["a", "a"], "different as texts, got 'a', 'a'"),
        ([1, "1"], "different as texts, got 1, '1'"),
        (["a", " a"], "different as texts"),
        (["a", True], "texts or integers, got True"),
        (["a", None], "texts or integers, got None"),
        (["a", 1.5], "texts or integers, got 1.5"),
        (["a", ""], "can be printed, got ''"),
        (["a", " "], "can be printed, got ' '"),
        (["a", "\n"], "can be printed"),
        (["a", "\ud800"], "can be printed"),
        ("ab", "labels must be a list of names, got 'ab'"),
        (7, "labels must be a list of names, got 7"),
        ({"a", "b"}, "labels must be in an order, as in a list, got {"),
    ],
)
def test_strange_labels_are_refused(labels, match):
    with pytest.raises(ValueError, match=match):
        agent(labels=labels)
    if isinstance(labels, list) and labels:
        made = agent(labels=["a", 1] if labels == [1, "1"] else ["a", "b"])
        if labels[-1] != "a" and len(labels) > 1:
            with pytest.raises(ValueError, match="label"):
                made.add_label(labels[-1])
            assert made.learner.n_classes == 2


def test_the_keys_of_a_dict_are_in_an_order():
    assert agent(labels={"b": 1, "a": 2}.keys()).labels == ("b", "a")


@pytest.mark.parametrize("schema", [None, "age", 7, [{"age": 1}]])
def test_a_schema_must_be_given(schema):
    with pytest.raises(ValueError, match=r"schema must be a dict.*Schema.infer\(frame\).*, got"):
        agent(schema=schema)


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"learner": "InversGap"}, "got 'InversGap' .did you mean 'InverseGap'?"),
        ({"learner": int}, "learner must be a class or one of"),
        ({"learner": "OGD"}, "learner must be a class or one of"),
        ({"feedback": "clicks"}, "feedback must be one of reward, one_right, got 'clicks'"),
        ({"feedback": ["reward"]}, "feedback must be one of reward, one_right, got"),
        ({"seed": -1}, "seed must be an integer"),
        ({"scale": -1}, "scale must be a number"),
        ({"sclae": 1}, "parameters of InverseGap are .*, got 'sclae' .did you mean 'scale'"),
        ({"n_classes": 7}, "parameters of InverseGap are .*, got 'n_classes'"),
        ({"raw": True}, "parameters of InverseGap are .*, got 'raw'"),
        ({"learner": "Chorus", "nominal": ()}, "parameters of Chorus are .*, got 'nominal'"),
        ({"schema": {}}, "schema must have at least one column, got none"),
        ({"labels": None}, "labels must be given: the schema has none"),
        ({"interactions": ["age*hour"]}, "interactions must be two columns, .*, got 'age.hour'"),
        ({"interactions": [(0, 1)]}, "interactions must be two columns"),
    ],
)
def test_wrong_arguments_are_refused(given, match):
    with pytest.raises(ValueError, match=match):
        agent(**given)


@pytest.mark.parametrize(
    ("among", "match"),
    [
        (["sprots"], "among must be one of .*, got 'sprots' .did you mean 'sports'?"),
        ([], "among must be different labels, at least one, got none"),
        (["tech", "tech"], "among must be different labels"),
        ("tech", "among must be a list of labels, got 'tech'"),
        (3, "among must be a list of labels, got 3"),
        ([True], "among must be one of .*, got True"),
        ([["tech"]], r"among must be one of .*, got \['tech'\]"),
    ],
)
def test_wrong_allowed_labels_are_refused(among, match):
    for call in (agent().choose, agent().chances):
        with pytest.raises(ValueError, match=match):
            call(CONTEXT, among=among)


@pytest.mark.parametrize(
    ("choice", "match"),
    [
        (("weather", "tech", 0.5), "the label of a choice must be one of .*, got 'weather'"),
        (("tech", "politcs", 0.5), "greedy label .*, got 'politcs' .did you mean 'politics'?"),
        (("tech", "tech", 0.0), "propensity must be in"),
        (("tech", "tech", float("nan")), "propensity must be in"),
        (("tech", "tech", "0.5"), "propensity must be a number, got '0.5'"),
        (("tech", "tech"), "a choice must be what `choose` returned"),
        (None, "a choice must be what `choose` returned"),
        (0, "a choice must be what `choose` returned"),
        ({}, "a choice must have 'label', 'greedy', 'propensity', got nothing"),
        ({"label": "tech", "propensity": 1.0}, "must have .*, got only 'label', 'propensity'"),
        ("", "a choice must be JSON"),
        ("tech", "a choice must be JSON"),
        (b"\xff", "a choice must be JSON"),
        ("[" * 100_000, "a choice must be JSON: nested too deeply|a choice must be JSON: max"),
        ('{"label": ["tech"], "greedy": "tech", "propensity": 1}', "the label of a choice must"),
        ('{"label": true, "greedy": "tech", "propensity": 1}', "label of a choice .*, got True"),
        ('{"label": "tech", "greedy": "tech", "propensity": NaN}', "propensity must be in"),
        ('{"label": "tech", "greedy": "tech", "propensity": null}', "propensity must be a num"),
        ('{"label": "tech", "greedy": "tech", "propensity": 1e400}', "propensity must be in"),
    ],
)
def test_wrong_choices_are_refused(choice, match):
    made = taught(20)
    before = state(made)
    with pytest.raises(ValueError, match=match):
        made.update(CONTEXT, choice, 1.0)
    assert state(made) == before


def test_a_log_is_no_table():
    with pytest.raises(ValueError, match=r"log must be an onearm.Log, got a list"):
        agent().learn([CONTEXT])


def test_choices_of_another_policy():
    made = agent()
    made.update(CONTEXT, ("tech", None, 0.25), 1.0)
    made.update(CONTEXT, {"label": "tech", "greedy": None, "propensity": 0.25, "event": 7}, 0.0)
    assert made.version == 2


@pytest.mark.parametrize(
    ("context", "match"),
    [
        ({}, "a context must have at least one of the columns 'age', 'device', got nothing"),
        ({"agee": 3}, "at least one of the columns 'age', 'device', got 'agee'"),
        ({"age": "old", "device": "phone"}, "column 'age' must be a number or missing, got 'old'"),
        ({"age": np.inf, "device": "phone"}, "column 'age' must be finite"),
        ({"age": 1, "device": ["phone"]}, "column 'device' must be a text, a number or missing"),
        (None, "a context must be a dict"),
        (3, "a context must be a dict"),
        ((1, 2, 3), "got 3 values"),
        ("age", "a context must be a dict"),
    ],
)
def test_wrong_contexts_are_refused(context, match):
    made = agent(learner=Means)
    for call in (
        lambda: made.choose(context),
        lambda: made.update(context, ("tech", "tech", 1.0), 1),
        lambda: made.chances(context),
        lambda: made.explain(context),
    ):
        with pytest.raises(ValueError, match=match):
            call()
    assert made.version == 0


@pytest.mark.parametrize("name", ["feedback", "labels", "retired", "schema", "learner", "version"])
def test_what_was_set_once_stays(name):
    made = agent()
    with pytest.raises(AttributeError):
        setattr(made, name, getattr(made, name))


def test_many_contexts_must_be_many():
    with pytest.raises(ValueError, match="a frame or a list of contexts, got a single dict"):
        agent().choose_many(CONTEXT)
