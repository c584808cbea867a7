"""Explanations: weight × value where the learner is linear, and the planted column comes first."""

import numpy as np
import pytest

from onearm import Agent, Explanation
from tests.cases import SMALL

NUMBERS = {"a": "number", "b": "number", "c": "number"}


def taught(columns, rounds, planted, **given):
    """An agent that was paid for the label that a column of numbers or categories says."""
    agent = Agent(["x", "y"], columns, **given)
    rng = np.random.default_rng(0)
    for _ in range(rounds):
        context = {
            name: rng.normal() if form == "number" else str(rng.choice(form or ["u", "v", "w"]))
            for name, form in columns.items()
        }
        value = context[planted]
        best = "x" if (value > 0 if isinstance(value, float) else value == "u") else "y"
        choice = agent.choose(context)
        agent.update(context, choice, choice.label == best)
    return agent


@pytest.mark.parametrize("learner", ["InverseGap", "LinUCB"])
def test_weight_times_value(learner):
    """Of the prepared row: standardised, clipped, with a constant, scaled to norm 1."""
    agent = taught(NUMBERS, 60, "b", learner=learner)
    context = {"a": 0.5, "b": -1.0, "c": 40.0}
    counts, means, squares = agent.learner.moments
    z = (np.array([0.5, -1.0, 40.0]) - means) / np.sqrt(squares / counts)
    z = np.append(np.clip(z, -2, 2), 1.0)
    z /= np.sqrt((z * z).sum())
    explanation = agent.explain(context)
    order = ["abc".index(name) for name in explanation.columns]
    weights = agent.learner.weights
    expected = (z[:3, None] * weights[:3]).T[:, order]
    assert explanation.changes == pytest.approx(expected, rel=1e-9, abs=1e-12)
    total = explanation.changes.sum(axis=1) + z[3] * weights[3]
    assert total == pytest.approx(agent.learner.scores([0.5, -1.0, 40.0]), rel=1e-9)


def test_a_missing_column_says_nothing():
    agent = taught(NUMBERS, 60, "b", learner="LinUCB")
    explanation = agent.explain({"a": 1.0, "b": None})
    changes = dict(zip(explanation.columns, explanation.changes.T, strict=True))
    assert not changes["b"].any()
    assert not changes["c"].any()
    assert changes["a"].any()


@pytest.mark.parametrize("planted", ["number", "category", "city"])
@pytest.mark.parametrize("learner", ["InverseGap", "LinUCB", "EpsilonGreedy", "Chorus"])
def test_the_planted_column_comes_first(learner, planted):
    columns = {
        "noise": "number",
        "number": "number",
        "category": ["u", "v"],
        "city": ["u", "v", "w"],
    }
    agent = taught(
        columns, 150, planted, learner=learner, feedback="one_right", **SMALL.get(learner, {})
    )
    context = {"noise": 0.3, "number": 1.5, "category": "u", "city": "u"}
    explanation = agent.explain(context)
    assert explanation.columns[0] == planted
    x, y = explanation.changes[:, 0]
    assert x > y  # it speaks for x


def test_texts_and_hashed_categories():
    columns = {"title": "text", "city": "category"}
    agent = Agent(["x", "y"], columns, "InverseGap", feedback="one_right")
    for t in range(60):
        context = {"title": "good news" if t % 2 else "bad news", "city": f"c{t}"}
        choice = agent.choose(context)
        agent.update(context, choice, choice.label == ("x" if t % 2 else "y"))
    explanation = agent.explain({"title": "good", "city": "c3"})
    assert explanation.columns[0] == "title"
    assert explanation.changes[0, 0] > explanation.changes[1, 0]


def test_retired_labels_are_left_out():
    agent = taught(NUMBERS, 30, "b", learner="LinUCB")
    agent.add_label("z")
    agent.retire_label("x")
    assert agent.explain({"a": 1.0, "b": 1.0, "c": 0.0}).labels == ("y", "z")


def test_tables():
    explanation = Explanation(("<b>", 2), ("age", "<i>"), np.array([[0.5, 0.0], [-0.25, 1.0]]))
    assert explanation.rows() == [
        {"label": "<b>", "column": "age", "change": 0.5},
        {"label": "<b>", "column": "<i>", "change": 0.0},
        {"label": 2, "column": "age", "change": -0.25},
        {"label": 2, "column": "<i>", "change": 1.0},
    ]
    html = explanation._repr_html_()
    assert "<th>&lt;b&gt;</th><td>+0.500</td>" in html
    assert "<i>" not in html
    wide = Explanation(("a",), tuple("abcdefghij"), np.zeros((1, 10)))
    assert repr(wide).endswith("and 2 more columns")


def test_frames_are_made_of_rows():
    pd = pytest.importorskip("pandas")
    agent = taught(NUMBERS, 30, "b", learner="LinUCB")
    frame = pd.DataFrame(agent.explain({"a": 1.0, "b": 1.0, "c": 0.0}).rows())
    assert frame.pivot(index="label", columns="column", values="change").shape == (2, 3)


def test_explaining_changes_nothing():
    agent = taught(NUMBERS, 30, "b", learner="InverseGap")
    before = {name: array.copy() for name, array in agent.learner.content().items()}
    agent.explain({"a": 1.0, "b": 1.0, "c": 0.0})
    assert all(np.array_equal(before[n], a) for n, a in agent.learner.content().items())
