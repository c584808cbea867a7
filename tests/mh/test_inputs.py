"""The inputs of AdaBoostMH: weights of any scale, labels, parameters of any type, huge values."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
from scipy.sparse import csr_array

pytest.importorskip("sklearn")

from onearm.mh import classifier, ensemble
from onearm.mh.bandits import Bandit
from onearm.mh.binning import bin_columns
from onearm.mh.classifier import AdaBoostMH
from onearm.mh.settings import Settings
from onearm.mh.weights import relative_weights
from tests.mh.shared_rows import BASES, SEARCHING, same_ensemble


def rows(n=120, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, (X[:, 0] + X[:, 1] > 0).astype(int) + (X[:, 2] > 0.3)


def fitted(w, base="stump", **settings):
    X, y = rows()
    settings = {"n_rounds": 15, "max_bins": 8, "random_state": 0} | settings
    return AdaBoostMH(base, **settings).fit(X, y, w)


WEIGHTS = {
    "equal": np.ones(120),
    "integers": np.random.default_rng(1).integers(0, 5, 120).astype(float),
    "reals": np.random.default_rng(2).uniform(0.01, 3.0, 120),
    "wide": 10.0 ** np.random.default_rng(3).uniform(-30, 30, 120),
}
SCALES = [2.0**-900, 2.0**900, 0.1, 3.0, 1 / 120, 1e-270, 1e270]


@pytest.mark.parametrize("c", SCALES)
@pytest.mark.parametrize("name", WEIGHTS)
@pytest.mark.parametrize("settings", [{}, {"validation": 0.2}, {"base": "tree", "arms": "full"}])
def test_the_scale_of_weights_does_not_matter(settings, name, c):
    """To the bit for powers of two; for others too, unless a weight lies at an edge of rounding."""
    w = WEIGHTS[name]
    first, second = fitted(w, **settings), fitted(c * w, **settings)
    same_ensemble(first, second)
    if settings.get("validation"):
        assert first.validation_error_.tolist() == second.validation_error_.tolist()


@pytest.mark.parametrize("c", [1e-320, 1e300, 1.7e308])
def test_equal_weights_of_any_size_change_nothing(c):
    same_ensemble(fitted(None), fitted(np.full(120, c)))


@pytest.mark.parametrize("base", BASES)
def test_integer_weights_equal_repeated_rows(base):
    """As scikit-learn asks, also where values are grouped by weight."""
    X, y = rows()
    w = WEIGHTS["integers"].astype(int)
    settings = {"n_rounds": 15, "max_bins": 8, "random_state": 0}
    weighted = AdaBoostMH(base, **settings).fit(X, y, w)
    repeated = AdaBoostMH(base, **settings).fit(X.repeat(w, axis=0), y.repeat(w))
    assert np.array_equal(
        weighted.ensemble_.threshold, repeated.ensemble_.threshold, equal_nan=True
    )
    assert weighted.alpha_ == pytest.approx(repeated.alpha_, abs=1e-9)


def test_weights_are_relative_to_the_lightest():
    assert relative_weights(np.array([0.3, 0.1, 0.7])).tolist() == [3.0, 1.0, 7.0]
    light = relative_weights(np.array([1.0, 1e-300, 1e300]))
    assert light.tolist() == [1.0, 1.0, 2.0**48]  # no row is lighter than the finest unit


@pytest.mark.parametrize(
    "w", [np.full(120, np.nan), np.full(120, np.inf), -np.ones(120), np.zeros(120), np.ones(3)]
)
def test_invalid_weights_are_refused(w):
    with pytest.raises(ValueError, match=r"(?i)sample.weight"):
        fitted(w)


@pytest.mark.parametrize(
    ("Y", "value"),
    [([[0, 1], [3, 0], [2, 1]], "3"), ([[0, 2], [2, 0], [0, 2]], "2"),
     ([[-1, 1], [1, -1], [1, 1]], "-1"), ([[0.0, 0.5], [1.0, 0.0], [1.0, 1.0]], "0.5|continuous"),
     ([["a", "b"], ["b", "a"], ["a", "a"]], "'a'")],
)  # fmt: skip
def test_a_matrix_of_labels_has_zeros_and_ones(Y, value):
    with pytest.raises(ValueError, match=f"(must be 0 or 1.*|Unknown label type: )({value})"):
        AdaBoostMH("stump", n_rounds=2).fit(np.arange(3.0)[:, None], np.array(Y))


@pytest.mark.parametrize("kind", [int, bool, float, csr_array])
def test_a_matrix_of_labels_may_have_any_type(kind):
    X, y = rows()
    Y = (y[:, None] == np.arange(3)).astype(int)
    settings = {"n_rounds": 5, "random_state": 0}
    first = AdaBoostMH("stump", **settings).fit(X, Y)
    second = AdaBoostMH("stump", **settings).fit(
        X, kind(Y) if kind is csr_array else Y.astype(kind)
    )
    same_ensemble(first, second)
    assert second.predict(X).shape == Y.shape


@pytest.mark.parametrize(
    ("base", "exact"), [*((base, True) for base in SEARCHING), *((base, False) for base in BASES)]
)
@pytest.mark.parametrize("large", [1e308, 1.7e308, 5e-324])
def test_huge_values_have_thresholds_between_them(base, large, exact):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    X = np.where(y == 1, large, -large)[:, None] * np.array([1.0, -1.0])
    model = AdaBoostMH(base, n_rounds=5, random_state=0, exact=exact).fit(X, y)
    assert model.score(X, y) == 1.0
    used = model.ensemble_.column >= 0
    assert np.isfinite(model.ensemble_.threshold[used]).all()


def test_infinite_values_are_refused():
    X, y = rows()
    X[3, 1] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        AdaBoostMH().fit(X, y)


REFUSED = [
    *({name: value} for name in ("lam", "eta", "validation", "patience")
      for value in (np.nan, "1", None, True, -0.1, -np.inf, 1j, [0.5])),
    *({name: value} for name in ("n_rounds", "n_leaves", "n_terms", "arms_per_round", "max_bins")
      for value in (np.nan, "2", None, True, 2.5, 3.0, 0, -1, 2**70, np.inf, [3])),
    *({name: value} for name in ("base", "arms", "reward", "weights")
      for value in (None, 0, "", "Full", ["full"], np.ones(3))),
    *({name: value} for name in ("scale_reward", "exact", "warm_start") for value in (None, 1, "")),
    {"lam": 1.5}, {"eta": np.inf}, {"validation": 0.95}, {"patience": 0.5}, {"n_terms": 2**15 + 1},
    {"n_jobs": 0}, {"n_jobs": 1.5}, {"n_jobs": "2"}, {"verbose": "yes"}, {"verbose": -1},
    *({name: 10**400} for name in ("lam", "n_rounds")), {"random_state": -1},
    {"random_state": "seed"}, {"random_state": 0.5}, {"arms_per_round": 2, "arms": "uct"},
]  # fmt: skip


@pytest.mark.parametrize("wrong", REFUSED, ids=lambda wrong: str(wrong)[:30])
def test_invalid_parameters_are_refused(wrong):
    X, y = rows(20)
    (name, value), *_ = wrong.items()
    model = AdaBoostMH(**wrong)
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match=f"{name} must be .*got ") as refused:
        model.fit(X, y)
    assert repr(value) in str(refused.value)
    assert pickle.dumps(model) == before


SAME = [
    {"lam": 1, "eta": 2}, {"lam": np.float32(1), "eta": np.int64(2)},
    {"lam": np.float64(1.0), "eta": 2.0, "n_rounds": np.int64(3), "arms_per_round": np.int32(1)},
    {"eta": np.uint8(2), "scale_reward": np.bool_(False), "arms": np.str_("exp3p")},
]  # fmt: skip


@pytest.mark.parametrize("given", SAME, ids=str)
def test_kernels_see_one_type_and_parameters_stay_as_given(given, monkeypatch):
    made = []
    begin = Bandit.__init__

    def noted(self, *arguments):
        begin(self, *arguments)
        made.append(self.settings)

    monkeypatch.setattr(Bandit, "__init__", noted)
    X, y = rows(20)
    model = AdaBoostMH(**{"arms": "exp3p", "n_rounds": 3, "random_state": 0} | given).fit(X, y)
    assert [type(value) for value in made[0]] == [int, int, int, float, float, float, bool]
    for name, value in given.items():
        assert getattr(model, name) is value


def test_very_many_rounds_are_allowed():
    """Where nothing is left to gain it ends; EXP3.P must not overflow by the number of rounds."""
    model = AdaBoostMH("stump", arms="full", n_rounds=2**31 - 1)
    model.fit([[0], [0], [1], [1]], [0, 1, 0, 1])
    assert len(model.alpha_) == 0
    most = {"n_leaves": 2**15, "n_rounds": 2**31 - 1, "arms_per_round": 2**31 - 1}
    assert Settings("tree", **most).horizon() == pytest.approx(2.0**78, rel=1e-3)


BLOCKED = """
import sys
sys.modules["{package}"] = None
import onearm
try:
    {use}
except ImportError as error:
    print(type(error).__name__, error)
"""


@pytest.mark.parametrize(
    ("package", "use", "extra"),
    [("sklearn", "onearm.AdaBoostMH", "mh"), ("sklearn", "import onearm.mh.classifier", "mh"),
     ("sklearn", "from onearm.mh.settings import Settings", "mh"),
     ("ray", "from onearm.mh.distributed import ray_actors; ray_actors.check('ray')", "ray"),
     ("ray", "from onearm.core.cluster import connected; connected('ray').__enter__()", "ray"),
     ("matplotlib", "from onearm.racing import figures; figures.require_matplotlib()", "plots"),
     ("pyarrow",
      "from onearm.streams.parquet import opened; from pathlib import Path; opened(Path('a'))",
      "parquet")],
)  # fmt: skip
def test_missing_packages_are_reported_with_their_extra(package, use, extra):
    program = BLOCKED.format(package=package, use=use)
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert f"pip install 'onearm[{extra}]'" in run.stdout, run.stderr


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("max_bins", [7, 256])
def test_bytes_are_as_floats_and_stay_bytes(base, max_bins, monkeypatch):
    X = np.random.default_rng(0).integers(0, 256, (120, 5), np.uint8)
    y = (X[:, 0] > 100) + (X[:, 1] > 200).astype(int)
    settings = {"max_rounds": 20, "max_bins": max_bins, "random_state": 0, "validation": 0.2}
    seen = []
    binned = lambda X, *given: seen.append(X.dtype) or bin_columns(X, *given)  # noqa: E731
    monkeypatch.setattr(classifier, "bin_columns", binned)
    monkeypatch.setattr(ensemble, "DENSE", 40)  # numbers: several rows at a time
    bytes_, floats = (AdaBoostMH(base, **settings).fit(Z, y) for Z in (X, X.astype(float)))
    assert seen == [np.uint8, np.float64]
    same_ensemble(bytes_, floats)
    assert bytes_.vote_scale_ == floats.vote_scale_
    assert np.array_equal(bytes_.predict_proba(X), floats.predict_proba(X.astype(float)))
    first, second = (next(m.staged_decision_function(Z)) for m, Z in ((bytes_, X), (floats, X)))
    assert np.array_equal(first, second)
