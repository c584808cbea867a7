"""Foreign learners in a race: any class, function or object, and what becomes of bad ones."""

import csv
import io
from collections import Counter
from functools import partial

import numpy as np
import pytest
from river import bandit, compose, linear_model, naive_bayes, preprocessing
from sklearn.linear_model import SGDClassifier, SGDRegressor

import onearm
from onearm.experiments.pool import RunError
from onearm.racing.foreign import ForeignClass, as_chosen
from onearm.racing.race import race
from onearm.racing.rows import resolve, rows


class Linear:
    """Perceptron of the chosen label, with what it was called with."""

    def __init__(self, n_classes, n_features, seed=0, rate=1.0):
        self.W, self.rate, self.seed = np.zeros((n_classes, n_features)), rate, seed

    def choose(self, x):
        return int((self.W @ x).argmax())

    def update(self, x, choice, correct):
        self.W[choice] += self.rate * (1.0 if correct else -1.0) * x


class Scripted:
    """Does the same in every round, up to one."""

    def __init__(self, chosen=0, at=2, raised=None, updating=False):
        self.chosen, self.at, self.raised, self.updating, self.t = chosen, at, raised, updating, 0

    def choose(self, x):
        self.t += 1
        if self.t <= self.at:
            return 0
        if self.raised and not self.updating:
            raise self.raised
        return self.chosen

    def update(self, x, choice, correct):
        if self.raised and self.updating and self.t > self.at:
            raise self.raised


def single(learner, **more):
    return race("balance", learner, rounds=20, on=1, **more)


@pytest.mark.parametrize("given", [Linear, {"name": Linear, "rate": 0.5}])
def test_a_run_is_what_a_loop_gives(given):
    (record,) = race("balance", given, rounds=80, seed=3, on=1).runs
    stream = rows(resolve("balance"), 80, 3, False, "prepared")
    learner, wrong = Linear(3, stream.n_features), 0
    for x, truth in zip(*stream.arrays(), strict=True):
        label = learner.choose(x)
        learner.update(x, label, label == truth)
        wrong += label != truth
    assert record["error"] == wrong / 80
    assert record["bytes"] > learner.W.nbytes
    assert record["seconds"] > 0


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        (2, (2, -1, np.nan)), (np.int64(1), (1, -1, np.nan)), ((1, 0.5), (1, -1, 0.5)),
        (onearm.Choice(2, 1, 0.25), (2, 1, 0.25)), (np.array(2), (2, -1, np.nan)),
        (onearm.Choice(2, None, 0.25), (2, -1, 0.25)), ([1, 0.5], (1, -1, 0.5)),
    ],
)  # fmt: skip
def test_what_choose_may_return(chosen, expected):
    np.testing.assert_equal(as_chosen(chosen, 3), expected)


@pytest.mark.parametrize(
    "chosen",
    [3, -1, 1.0, "1", None, (), (0, 0.0), (0, 1.5), (0, float("nan")), (0, "p"), (0, 3, 0.5),
     (0, 1, 0.5, 1), 10**5000, (0, 10**400), np.arange(3), "x" * 10**6],
    ids=lambda chosen: repr(chosen)[:20] if not isinstance(chosen, int) else f"{chosen % 97}",
)  # fmt: skip
def test_bad_choices_are_refused_with_the_round(chosen):
    results = single(Scripted(chosen))
    assert not results.runs
    (failure,) = results.failures
    assert failure.startswith("Scripted on balance, repeat 0: choose in round 2 must return a ")
    assert len(failure) < 1000


class MuteError(ValueError):
    def __str__(self):
        raise TypeError


@pytest.mark.parametrize("updating", [False, True])
@pytest.mark.parametrize(
    ("raised", "text"),
    [
        (ZeroDivisionError("no"), "ZeroDivisionError: no"), (SystemExit(3), "SystemExit: 3"),
        (GeneratorExit(), "GeneratorExit: "), (MuteError(), "MuteError: ?"),
        (ValueError("y" * 10**6), f"ValueError: {'y' * 500} "),
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_what_a_learner_raises_is_reported_with_round_and_line(raised, text, updating):
    makes = lambda: Scripted(raised=raised, updating=updating)  # noqa: E731 a function, here
    (failure,) = single(makes).failures
    method = "update" if updating else "choose"
    assert f"<lambda> on balance, repeat 0: {method} in round 2 raised {text}" in failure
    assert "(test_race_foreign.py, line " in failure


class Halting(Linear):
    """Fails in the second repeat."""

    def choose(self, x):
        if self.seed > 0:
            raise RuntimeError("<b>")
        return super().choose(x)


def test_a_failed_learner_is_in_the_table_and_on_the_page(tmp_path):
    from rich.console import Console

    from onearm.racing.report import table

    results = race(
        "balance", [Linear, Halting, Scripted(7)], repeats=2, rounds=20, on=1, out=tmp_path
    )
    console = Console(width=200, file=io.StringIO())
    console.print(table(results.scores(), "balance", results.failed))
    text = console.file.getvalue()
    assert ["Scripted", "failed"] in [line.split() for line in text.splitlines()]
    assert "failed: Scripted on balance, repeat 0, 1: choose in round 2 must" in text
    assert "failed: Halting on balance, repeat 1: choose in round 0 raised RuntimeError" in text
    assert "Halting (1 of 2)" in text
    assert ["Scripted", "failed"] in [line.split() for line in repr(results).splitlines()]
    results.write(tmp_path)
    page = (tmp_path / "race.html").read_text()
    assert '<summary>Scripted <span class="mark">failed</span></summary>' in page
    assert "Failed: Halting on balance, repeat 1" in page
    assert "RuntimeError: <b>" not in page  # escaped
    with (tmp_path / "results.csv").open() as file:
        lines = {line["name"]: line for line in csv.DictReader(file)}
    assert lines["Scripted"]["error"] == "nan"
    assert lines["Scripted"]["runs"] == "0"
    assert "must return a label" in lines["Scripted"]["failed"]
    assert lines["Halting"]["runs"] == "1"
    assert "RuntimeError" in lines["Halting"]["failed"]
    assert lines["Linear"]["failed"] == ""


def test_a_race_where_all_fail_says_so():
    results = race(["balance", "car"], [Scripted(7)], rounds=20, on=1)
    assert [line.split(": ")[:2] for line in repr(results).splitlines()] == [
        ["failed", f"Scripted on {stream}, repeat 0"] for stream in ("balance", "car")
    ]


class Vandal(Linear):
    """Writes into the rows it gets."""

    def choose(self, x):
        x[:] = 1e9
        return 0


def test_a_learner_cannot_change_the_rows_of_others():
    alone = race("balance", [Linear], rounds=50, on=1)
    beside = race("balance", [Vandal, Linear], rounds=50, on=1)
    assert beside.runs[1]["error"] == alone.runs[0]["error"]


class Labels:
    """A classifier that notes what it learns."""

    def __init__(self):
        self.learned = []

    def predict_one(self, x):
        return self.learned[-1] if self.learned else None

    def learn_one(self, x, y):
        self.learned.append(y)


def test_the_copies_of_a_classifier_learn_what_is_known():
    learner = ForeignClass(Labels())(3, 2, epsilon=0.0)
    X, y = np.eye(2)[[0, 1, 0, 1]], np.array([1, 1, 1, 1])
    trace = learner.play(X, y)
    learned = [copy.learned for copy in learner.adapter.copies]
    rounds = list(zip(trace.label, trace.correct, strict=True))
    for label in range(3):
        known = [float(label == c) if right else 0.0 for c, right in rounds if right or c == label]
        assert learned[label] == known
    assert trace.correct[-1]


def test_exploration_has_the_stated_chances():
    """Frequencies of 4,000 choices within 4 standard deviations: false alarms below 1 in 5,000."""
    learner = ForeignClass(Labels())(4, 2, epsilon=0.4, seed=1)
    learner.adapter.copies[2].learned.append(2.0)  # clearly the best
    choices = [learner.adapter.choose({}) for _ in range(4000)]
    counts = Counter(choice.label for choice in choices)
    for label, chance in enumerate([0.1, 0.1, 0.7, 0.1]):
        deviation = (4000 * chance * (1 - chance)) ** 0.5
        assert abs(counts[label] - 4000 * chance) < 4 * deviation
        (propensity,) = {choice.propensity for choice in choices if choice.label == label}
        assert propensity == pytest.approx(chance)


def test_models_of_river_and_scikit_learn():
    def pipeline():
        return preprocessing.StandardScaler() | linear_model.LinearRegression()

    scaled = compose.Pipeline(preprocessing.StandardScaler(), naive_bayes.GaussianNB())
    models = [naive_bayes.GaussianNB, scaled, pipeline, bandit.LinUCBDisjoint]
    models += [SGDClassifier(loss="log_loss", random_state=1), SGDRegressor]
    results = race("balance", models, rounds=120, on=1, seed=1)
    assert not results.failures
    errors = {score.name: score.error.mean for score in results.scores()}
    assert len(errors) == 6
    assert max(errors.values()) < 0.6  # uniform guessing: 0.67


@pytest.mark.compiled
def test_sparse_rows_reach_every_protocol():
    class Counting(Linear):
        def choose(self, x):
            indices, values = x
            return int((self.W[:, indices] @ values).argmax())

        def update(self, x, choice, correct):
            self.W[choice, x[0]] += (1.0 if correct else -1.0) * x[1]

    results = race("SynSep", [Counting, Labels, SGDClassifier], rounds=60, on=1)
    assert not results.failures


def test_exploration_rates_are_given_or_tuned():
    rates = race("balance", Labels, rounds=60, on=1, exploration=[0.1, 0.5])
    assert {run["name"] for run in rates.runs} == {"Labels epsilon=0.1", "Labels epsilon=0.5"}
    (tuned,) = race("balance", Labels, rounds=60, on=1, tune=0.5).runs
    assert 0 < tuned["tuned"]["epsilon"] <= 1
    assert tuned["played"] == tuned["tuned"]


class Regressor(Labels):
    """Labels have no chances to predict: they are regressors."""


def test_streams_with_rewards():
    table = np.array([[1, 0.5, 0.25], [0.5, 1, 0.5], [0, 0.5, 1]])
    stream = onearm.datasets.load("balance").rewarded(table)
    learner = ForeignClass(Linear(3, 4))(3, 4)
    X, y = stream.arrays()
    trace = learner.play(X[:30], y[:30])
    np.testing.assert_array_equal(trace.correct, y[np.arange(30), trace.label])
    regressor = ForeignClass(Regressor)(3, 4, epsilon=0.5)
    trace = regressor.play(X[:30], y[:30])
    learned = [copy.learned for copy in regressor.adapter.copies]
    for label in range(3):
        assert learned[label] == trace.correct[trace.label == label].tolist()
    with pytest.raises(RunError, match="a classifier learns right or wrong, not rewards"):
        ForeignClass(SGDClassifier)(3, 4).play(X[:30], y[:30])
    assert not race(stream, [Linear, Regressor], rounds=40, on=1).failures


def test_what_won_is_played_again():
    results = race("balance", [Linear, partial(Labels)], rounds=60, on=1, tune=0.2)
    assert not results.failures
    learner = results.best().fit()  # which compares the digests of the chosen labels
    assert learner.model.W.any()


def test_an_object_is_copied_for_each_run():
    learner = Linear(3, 5)
    results = race("balance", learner, repeats=2, rounds=30, on=1)
    assert len(results.runs) == 2
    assert not learner.W.any()
