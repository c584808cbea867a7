"""Prepared: rows made ready online, without look-ahead, in any form of input."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

import onearm
from onearm import Prepared, Schema, Stream, SynSep
from onearm.prepare.prepared import assembled
from tests.twins import NOMINAL, D, K, compare_a_round, compare_states, nominal_examples, reference

PAIRS = ((0, 2), (1, 3), (4, 5))


@pytest.mark.parametrize("learner", ["InverseGap", "LinUCB"])
@pytest.mark.parametrize("interactions", [(), PAIRS])
def test_equals_reference_with_codes_gaps_and_products(learner, interactions):
    prepared = Prepared(K, D, learner=learner, nominal=NOMINAL, interactions=interactions)
    naive = reference(prepared)
    X, y = nominal_examples(4, missing=True)
    X[40:, 0] *= np.where(np.arange(len(X) - 40) % 9 == 0, 1e5, 1.0)  # outliers
    for t, (x, label) in enumerate(zip(X[:150], y[:150], strict=True)):
        compare_a_round(prepared, naive, x, int(label), t)
    compare_states(prepared, naive)


def test_equals_reference_on_words_beside_columns():
    prepared = Prepared(K, D, nominal=(0, 3, 0, 0, 0, 0), n_words=3, interactions=[(0, 1)])
    naive = reference(prepared)
    X, y = nominal_examples(5, missing=True)
    X[:, 3:] = np.random.default_rng(0).poisson(0.7, (len(X), 3))
    X[::11, 4] = np.nan
    for t, (x, label) in enumerate(zip(X[:120], y[:120], strict=True)):
        compare_a_round(prepared, naive, x, int(label), t)
    compare_states(prepared, naive)


@pytest.mark.parametrize("n_words", [0, 3])
def test_dense_equals_sparse_rows_to_the_bit(n_words):
    X = np.random.default_rng(1).poisson(0.5, (120, D)).astype(float)
    y = np.arange(120) % K
    learners = [Prepared(K, D, nominal=(3, 0, 0, 0, 0, 0), n_words=n_words) for _ in range(2)]
    dense, sparse = (a.play(rows, y) for a, rows in zip(learners, (X, csr_array(X)), strict=True))
    assert all(np.array_equal(a, b) for a, b in zip(dense, sparse, strict=True))
    for name, array in learners[0].content().items():
        assert array.tobytes() == learners[1].content()[name].tobytes()


def test_learners_by_name():
    stream = Stream.of(np.eye(3), [0, 1, 2])
    assert stream.learner("LinUCB", alpha=2.0) == stream.learner(onearm.LinUCB, alpha=2.0)
    for wrong in ("LinUBC", 3):
        with pytest.raises(ValueError, match=r"learner must be a class or one of Chorus, .* got"):
            stream.learner(wrong)


def test_the_form_of_a_stream_decides_nothing():
    X = np.random.default_rng(1).poisson(0.5, (120, D)).astype(float)
    y = np.arange(120) % K
    learners = []
    for rows in (X, csr_array(X)):
        stream = Stream.of(rows, y)
        learners.append(stream.learner(onearm.InverseGap))
        learners[-1].play(stream)
    assert learners[0].params() == learners[1].params()
    for name, array in learners[0].content().items():
        assert array.tobytes() == learners[1].content()[name].tobytes()


@pytest.mark.parametrize("kind", [np.asarray, csr_array])
def test_many_columns_without_names_count_words(kind):
    rows = kind(np.eye(2, 5000))
    assert Stream.of(rows, [0, 1]).n_words == 5000
    assert Stream.of(rows[:, :4096], [0, 1]).n_words == 0
    named = Stream.of(rows, [0, 1], feature_names=tuple(f"gene {j}" for j in range(5000)))
    assert named.n_words == 0
    assert SynSep(5).n_words == 400


def test_rows_with_few_entries_have_the_bits_of_dense_ones(monkeypatch):
    rng = np.random.default_rng(2)
    X = np.column_stack([rng.integers(0, 30, 150), rng.normal(size=150)]).astype(float)
    y = rng.integers(0, K, 150)
    states = []
    for few in (4, 1000):
        monkeypatch.setattr("onearm.prepare.prepared.FEW", few)
        learner = Prepared(K, 2, nominal=(30, 0))
        learner.play(X, y)
        states.append({name: array.tobytes() for name, array in learner.content().items()})
    assert states[0] == states[1]


def test_wide_codes_are_prepared_sparsely():
    learner = Prepared(3, 2, nominal=(5000, 0))
    assert learner.sparse
    assert learner.inner.n_features == 5002
    learner.play([[4999.0, 2.0], [1.0, 3.0]], [0, 1])
    assert learner.moments[1].tolist() == [0.0, 2.5]


def test_scores_stay_small_when_a_constant_column_becomes_large():
    """100 times the same value, then a million: no deviation is known when it first comes."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4))
    X[:100, 3], X[100:, 3] = 7.0, 1e6 * rng.random(300)
    y = (X[:, 0] > 0).astype(int)
    for name in ("InverseGap", "LinUCB", "Banditron", "ConservativeOVA"):
        learner = Prepared(2, 4, learner=name)
        largest, errors = 0.0, []
        for x, label in zip(X, y, strict=True):
            largest = max(largest, float(abs(learner.scores(x)).max()))
            choice = learner.choose(x)
            learner.update(x, choice, choice.label == label)
            errors.append(choice.label != label)
        assert largest < 50.0
        assert np.mean(errors[300:]) < 0.25


def test_outliers_do_not_hide_a_column():
    X = np.random.default_rng(0).normal(size=(3000, 3))
    y = (X[:, 0] > 0).astype(int)
    X[10::300] *= 1e9
    trace = Prepared(2, 3).play(X, y)
    assert (~trace.correct[1000:]).mean() < 0.15


def test_choosing_changes_nothing_and_unanswered_rows_count_nothing():
    learner = Prepared(K, D)
    learner.play(*nominal_examples(1, missing=True))
    before = learner.content()["moments"].copy()
    for x in nominal_examples(2, missing=True)[0][:20]:
        learner.choose(x)
        learner.scores(x)
        learner.chances(x)
    assert np.array_equal(before, learner.moments)


def test_parameters_of_the_learner_are_attributes():
    learner = Prepared(3, 4, learner="Banditron", settings={"gamma": 0.2})
    assert learner.gamma == 0.2
    assert learner.exploration == "gamma"
    before = learner.chances([1.0, 2.0, 3.0, 4.0])
    learner.gamma = 0.4
    assert learner.params()["settings"] == {"gamma": 0.4}
    assert learner.chances([1.0, 2.0, 3.0, 4.0]).min() == pytest.approx(2 * before.min())
    with pytest.raises(ValueError, match=r"gamma must be a number in .* got 7"):
        learner.gamma = 7
    assert learner.gamma == 0.4
    assert learner.weights is learner.inner.weights
    with pytest.raises(AttributeError, match="weights of Banditron cannot be replaced"):
        learner.weights = np.zeros((5, 3))
    with pytest.raises(AttributeError, match="Prepared has no attribute '_nothing'"):
        getattr(learner, "_nothing")  # noqa: B009 a private name


def test_a_class_may_be_given_in_place_of_its_name():
    assert Prepared(3, 4, learner=onearm.LinUCB).learner == "LinUCB"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"learner": "Chorus"}, "learner must be one that does not prepare rows itself"),
        ({"learner": "Prepared"}, "learner must be one that does not prepare"),
        ({"learner": "Nobody"}, "no learner Nobody is known"),
        ({"learner": 3}, "learner must be the name of a learner, got 3"),
        ({"settings": {"scal": 1}}, "InverseGap has no parameter 'scal' .did you mean 'scale'"),
        ({"settings": {"seed": 1}}, "settings must not have seed, got 1"),
        ({"settings": [1]}, r"settings must be a dict of parameters, got \[1\]"),
        ({"nominal": (2,)}, "nominal must have n_features=6 entries or none, got 1"),
        ({"n_words": 7}, "n_words must be at most the 6 columns"),
        ({"n_words": 1, "nominal": (0, 0, 0, 0, 0, 2)}, "n_words must be .* none of them nominal"),
        ({"interactions": [(0, 6)]}, r"interactions must be pairs of columns in \[0, 5\], got"),
        ({"interactions": [(0, 1, 2)]}, "interactions must be pairs of integers"),
        ({"interactions": "ab"}, "interactions must be pairs of integers"),
    ],
)
def test_bad_parameters_are_refused(changes, words):
    with pytest.raises(ValueError, match=words):
        Prepared(K, D, **changes)


def test_kernels_are_assembled_once_for_a_class_and_form():
    assert Prepared(3, 4).kernels is Prepared(5, 6).kernels
    assert assembled(onearm.InverseGap, "sparse") is not assembled(onearm.InverseGap, "dense")


def test_texts_are_weighed_by_how_rare_words_are():
    stream = SynSep(2000)
    learner = Prepared(9, 400, n_words=400)
    assert learner.play(stream).correct.mean() > 0.8
    assert learner.moments[0].max() == learner.moments[0][:].max() > 0


def test_products_of_columns_are_given_by_name():
    X = np.random.default_rng(0).normal(size=(2000, 2))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    stream = Stream.of(X, y, feature_names=("width", "height"))
    alone = stream.learner(onearm.LinUCB).play(stream)
    learner = stream.learner(onearm.LinUCB, interactions=["width*height"])
    assert learner.interactions == ((0, 1),)
    assert learner.play(stream).correct.mean() > 0.9 > 0.6 > alone.correct.mean()
    assert stream.learner(onearm.LinUCB, interactions="height * width").interactions == ((1, 0),)
    for wrong in (["width*depth"], ["width"], "width*height*width"):
        with pytest.raises(
            ValueError, match=r"interactions must be two .* of 'width', 'height', got"
        ):
            stream.learner(onearm.LinUCB, interactions=wrong)
    for cls, raw in ((onearm.LinUCB, True), (onearm.Chorus, False)):
        with pytest.raises(ValueError, match="interactions must be left out where"):
            stream.learner(cls, raw=raw, interactions=["width*height"])


def test_products_of_columns_beside_a_text():
    rows = [{"title": "a b", "x": i % 2, "c": "uv"[i // 2 % 2], "y": i % 3} for i in range(40)]
    schema = Schema({"title": {"text": 8}, "x": "number", "c": ["u", "v"]})
    stream = Stream.from_frame(rows, label="y", schema=schema)
    assert stream.learner(onearm.LinUCB, interactions=["x*c"]).interactions == ((0, 1),)
    with pytest.raises(ValueError, match=r"interactions must be two columns, .* of 'x', 'c', got"):
        stream.learner(onearm.LinUCB, interactions=["x*title"])


def test_products_of_columns_in_a_race():
    X = np.random.default_rng(0).normal(size=(600, 2))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    stream = Stream.of(X, y, feature_names=("width", "height"), name="sheets")
    entry = {"name": "LinUCB", "interactions": "width*height"}
    winner = onearm.race(stream, ["LinUCB", entry], on=1).best()
    assert winner.parameters == {"interactions": "width*height"}
    assert winner.fit(stream).interactions == ((0, 1),)
    with pytest.raises(ValueError, match=r"a run of the race must have ended: .* got 'width[*]z'"):
        onearm.race(stream, [entry | {"interactions": "width*z"}], on=1).best()


def test_texts_of_a_frame_are_words():
    frame = pd.DataFrame({"size": [1.0, 2.0], "title": ["a fine day", "a day"], "y": ["u", "v"]})
    schema = Schema({"size": "number", "title": {"text": 8}}, ["u", "v"], label="y")
    stream = Stream.from_frame(frame, label="y", schema=schema)
    learner = stream.learner(onearm.Perceptron)
    assert (stream.n_words, learner.n_words, learner.n_features) == (8, 8, 9)
