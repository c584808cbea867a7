"""The sets of the bake-off: halves, sizes and orders."""

import doctest
import lzma
from hashlib import sha256

import numpy as np
import pytest

from bench.bakeoff import extra_trees, runs, sets, trial
from onearm import datasets


@pytest.mark.parametrize("module", [extra_trees, runs, sets, trial])
def test_examples(module):
    assert doctest.testmod(module).failed == 0


def test_halves_share_no_set_and_a_catalogued_set_is_never_reported():
    halves = [{data.name for data in sets.named(half=half)} for half in sets.HALVES]
    assert [len(names) for names in halves] == [45, 17]
    assert not halves[0] & halves[1]
    assert not halves[1] & set(datasets.names())
    assert {data.name for data in sets.named() if data.generated} == {
        "banana", "grid_stability", "led7digit", "twonorm", "waveform",
    }  # fmt: skip


def test_long_sets_are_cut_and_have_few_repeats():
    known = sets.sets()
    assert (known["letter"].rounds, known["letter"].repeats) == (20_000, 10)
    assert (known["covtype"].rounds, known["covtype"].repeats) == (60_000, 3)
    assert known["elec2"].repeats == 3


def test_a_repeat_is_the_shuffled_set_cut(monkeypatch):
    monkeypatch.setattr(sets, "MAX_ROUNDS", 500)
    X, y = sets.repeat("car", 4).arrays()
    shuffled = datasets.load("car").shuffled(4).arrays()
    np.testing.assert_array_equal(X, shuffled[0][:500])
    np.testing.assert_array_equal(y, shuffled[1][:500])
    assert not np.array_equal(sets.repeat("car", 5).arrays()[1], y)


def test_a_listed_set_is_read_with_its_nominal_columns(monkeypatch, tmp_path):
    text = b"size,code,label\n1.5,7,no\n,8,yes\n2,,no\n"
    (tmp_path / "bakeoff").mkdir()
    path = tmp_path / "bakeoff" / "tiny.csv.xz"
    path.write_bytes(lzma.compress(text))
    facts = {"file": path.name, "sha256": sha256(path.read_bytes()).hexdigest()}
    tiny = sets.Set("tiny", "reported", 3, 2, 2, nominal=("code",), **facts)
    monkeypatch.setattr(sets, "sets", lambda: {"tiny": tiny})
    monkeypatch.setenv("ONEARM_DATA", str(tmp_path))
    stream = sets.load("tiny")
    X, y = stream.arrays()
    assert (stream.nominal, stream.class_names, y.tolist()) == ((0, 3), ("no", "yes"), [0, 1, 0])
    np.testing.assert_array_equal(X[:, 0], [1.5, np.nan, 2.0])
    assert len(set(X[:, 1])) == 3
    path.write_bytes(lzma.compress(text + b"3,7,no\n"))
    sets.load.cache_clear()
    with pytest.raises(FileNotFoundError, match=r"tiny.csv.xz \(SHA-256"):
        sets.load("tiny")


def test_a_wrong_name_is_refused():
    with pytest.raises(ValueError, match="got 'lettter'"):
        sets.named(["letter", "lettter"])


def test_the_first_rows_of_extra_trees_are_errors_and_the_rest_is_learnt():
    run = runs.play(sets.repeat("balance", 0), runs.EXTRA_TREES, {}, 0)
    assert not run.correct[: extra_trees.FIRST].any()
    assert run.correct[300:].mean() > 0.75
