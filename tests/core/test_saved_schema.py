"""The schema of a learner is saved with it, covered by its digest, and checked when loaded."""

import copy
import json
import pickle

import numpy as np
import pytest
from safetensors.numpy import save as serialized

import onearm
from onearm import Banditron, Schema, Stream
from onearm.core.saving import digest
from tests.core.attack_files import parse

ROWS = [
    {"age": t % 7, "device": ("phone", "desktop")[t % 2], "kind": "ab"[t % 2]} for t in range(20)
]


@pytest.fixture
def learner():
    learner = Stream.from_frame(ROWS, label="kind").learner(onearm.HoeffdingTree, max_bytes=2**20)
    learner.play(Stream.from_frame(ROWS, label="kind"))
    return learner


def test_a_schema_is_saved_with_its_learner(tmp_path, learner):
    learner.save(tmp_path / "model")
    loaded = onearm.load(tmp_path / "model")
    assert loaded.schema == learner.schema == Schema.infer(ROWS, label="kind")
    assert (
        copy.deepcopy(loaded).schema == pickle.loads(pickle.dumps(loaded)).schema == loaded.schema
    )
    x = loaded.schema.encode({"age": 3, "device": "phone"})
    assert loaded.schema.labels[loaded.predict(x)] == "a"
    other = Stream.from_frame([{"age": 1, "device": "tv", "kind": "b"}, *ROWS], label="kind")
    with pytest.raises(ValueError, match="column 'device' has other values: 'tv' is new"):
        loaded.play(other)


def test_a_learner_without_schema_has_none(tmp_path):
    Banditron(3, 2).save(tmp_path / "model")
    assert "schema" not in parse((tmp_path / "model").read_bytes())[0]
    assert onearm.load(tmp_path / "model").schema is None


def rewritten(path, signed, text):
    """Put another schema into a file, with a digest that vouches for it or not."""
    header, arrays = parse(path.read_bytes())
    header["schema"] = text
    if signed:
        header["sha256"] = digest(header["parameters"], arrays, text)
    path.write_bytes(serialized(arrays, header))


def test_a_changed_schema_is_refused(tmp_path, learner):
    path = tmp_path / "model"
    learner.save(path)
    changed = learner.schema.to_json().replace("phone", "watch")
    rewritten(path, False, changed)
    with pytest.raises(ValueError, match="is damaged"):
        onearm.load(path)
    rewritten(path, True, changed)
    assert onearm.load(path).schema.to_json() == changed


SMALL = {"columns": {"a": "number"}, "labels": [], "label": None}
HOSTILE = {
    "": "Expecting value",
    "[" * 50_000: "nested deeply",
    json.dumps(SMALL): "does not fit HoeffdingTree.*it has 0 labels and rows of 1 numbers",
    json.dumps(SMALL | {"columns": {"a": {"text": 2**24}}}): "rows of 16777216 numbers",
    json.dumps(SMALL | {"columns": {}, "labels": ["a", "b", "c"]}): "it has 3 labels",
}


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_schema_is_refused(tmp_path, learner, text):
    path = tmp_path / "model"
    learner.save(path)
    rewritten(path, True, text)
    with pytest.raises(ValueError, match=f"cannot be loaded: .*{HOSTILE[text]}"):
        onearm.load(path)


def test_arrays_are_predicted_by_a_learner_with_names(learner):
    assert set(learner.predict(np.array([[1.0, 0.0], [2.0, 1.0]]))) <= {0, 1}
