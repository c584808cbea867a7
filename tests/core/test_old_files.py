"""Files written before names were changed load, with the same state, and go on as they would have.

`tests/data/old_files.tar.xz` has a file of every class, and what its model computed back then: for
learners scores and chances before and after twelve rounds, for regressors predictions.
"""

import io
import json
import tarfile
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import onearm
from onearm.core import old_names
from onearm.core.kernels import COMPILED
from onearm.core.old_names import ARRAYS, PARAMETERS, current_arrays, current_parameters
from tests.core.attack_files import model_file, parse
from tests.core.attack_use import rows

ARCHIVE = Path(__file__).parents[1] / "data" / "old_files.tar.xz"
PUBLIC = {**onearm.LEARNERS, **onearm.REGRESSORS, **onearm.ESTIMATORS}

NEW = {"Prepared", "PreparedRegressor"}  # of which there are no files with earlier names
NEW_ARRAYS = {"AdaBoostMH": ("subset",)}  # of cuts of categories, which there were not


@cache
def archive():
    with tarfile.open(ARCHIVE) as tar:
        return {member.name: tar.extractfile(member).read() for member in tar}


# Learners that are other models by now: their files are refused, with the reason.
CHANGED = {"Chorus"}
EVERY = sorted(archive().keys() - {"expected.npz"})
CASES = [case for case in EVERY if case.split("-")[0] not in CHANGED]


def load(data, tmp_path):
    (tmp_path / "model").write_bytes(data)
    return onearm.load(tmp_path / "model")


def arrays_of(model):
    return model.content() if hasattr(model, "content") else model.ensemble_.arrays()


def outputs(model):
    """What the archive has of a model, computed again."""
    X = rows(6)
    if hasattr(model, "decision_function"):
        return model.decision_function(X)
    if not hasattr(model, "chances"):
        before = model.predict(X)
        model.play(X, np.clip(X[:, :2], -2, 2))
        return np.stack([before, model.predict(X)])
    before = [model.scores(X), model.chances(X)]
    model.play(X, np.arange(len(X)) % 4)
    return np.stack([*before, model.scores(X), model.chances(X)])


def test_there_is_a_file_of_every_class():
    assert {case.split("-")[0] for case in EVERY} == set(PUBLIC) - NEW


@pytest.mark.parametrize("case", sorted(set(EVERY) - set(CASES)))
def test_a_file_of_another_model_is_refused(case, tmp_path):
    with pytest.raises(ValueError, match="a version whose Chorus had no forest"):
        load(archive()[case], tmp_path)


@pytest.mark.parametrize("case", CASES)
def test_an_old_file_loads(case, tmp_path):
    model = load(archive()[case], tmp_path)
    header, arrays = parse(archive()[case])
    name = type(model).__name__
    assert name == case.split("-")[0]
    saved = current_arrays(name, arrays)
    for array, values in arrays_of(model).items():
        if array in NEW_ARRAYS.get(name, getattr(model, "added_later", ())):
            assert not values.any(), array
            continue
        assert values.tobytes() == saved[array].tobytes(), array
    given = current_parameters(name, json.loads(header["parameters"]))
    for parameter, value in given.get("parameters", given).items():
        stored = getattr(model, parameter)
        assert stored == (tuple(value) if isinstance(value, list) else value), parameter
    expected = np.load(io.BytesIO(archive()["expected.npz"]))[case]
    rounding = 0.0 if COMPILED else 1e-9  # `**` rounds otherwise in plain Python
    np.testing.assert_allclose(outputs(model), expected, rounding, rounding)


@pytest.mark.parametrize("case", CASES)
def test_an_old_file_saved_again_has_only_new_names(case, tmp_path):
    load(archive()[case], tmp_path).save(tmp_path / "model")
    header, arrays = parse((tmp_path / "model").read_bytes())
    name, given = header["class"].rsplit(".", 1)[1], json.loads(header["parameters"])
    assert header["class"] == f"{PUBLIC[name]}.{name}"
    assert not arrays.keys() & ARRAYS.get(name, {}).keys()
    assert not given.get("parameters", given).keys() & PARAMETERS.get(name, {}).keys()


@pytest.mark.parametrize("case", CASES)
def test_a_file_with_the_old_and_the_new_name_is_refused(case, tmp_path):
    header, arrays = parse(archive()[case])
    name, given = case.split("-")[0], json.loads(header["parameters"])
    inner = given.get("parameters", given)
    for old, new in ARRAYS.get(name, {}).items():
        if old in arrays:
            with pytest.raises(ValueError, match=f"array {new} is there twice"):
                load(model_file(header, arrays | {new: arrays[old]}), tmp_path)
    for old, new in PARAMETERS.get(name, {}).items():
        if old in inner:
            both = inner | {new: inner[old]}
            changed = json.dumps(given | {"parameters": both} if "parameters" in given else both)
            with pytest.raises(ValueError, match=f"parameter {new} is there twice"):
                load(model_file(header | {"parameters": changed}, arrays), tmp_path)


def test_every_old_name_is_used_in_some_file():
    """Each old name is in some file; classes are public ones, and no entry is for another."""
    seen = {(case.split("-")[0], name) for case in EVERY for name in parse(archive()[case])[1]}
    assert {(cls, old) for cls, names in ARRAYS.items() for old in names} <= seen
    assert PARAMETERS.keys() | ARRAYS.keys() <= PUBLIC.keys()
    assert set(old_names.MODULES.values()) <= set(PUBLIC.values())
