"""Files of learners: whole or not at all, and refused with a reason."""

import numpy as np
import pytest
from safetensors.numpy import save_file

import onearm
from onearm import Banditron
from onearm.checks.trial import bits, rows
from onearm.saving import digest


def test_saved_and_loaded(tmp_path):
    learner = Banditron(4, 6, gamma=0.1, seed=3)
    learner.play(*rows(learner))
    learner.save(tmp_path / "learner")
    assert [file.name for file in tmp_path.iterdir()] == ["learner"]
    loaded = onearm.load(str(tmp_path / "learner"))
    assert loaded == learner
    assert bits(loaded) == bits(learner)
    loaded.update(np.ones(6), loaded.choose(np.ones(6)), True)  # its arrays can be written


def test_not_a_learner(tmp_path):
    (tmp_path / "text").write_text("hello")
    with pytest.raises(ValueError, match="is not a saved learner"):
        onearm.load(tmp_path / "text")
    save_file({"W": np.zeros(3)}, tmp_path / "other")
    with pytest.raises(ValueError, match="names no class"):
        onearm.load(tmp_path / "other")
    with pytest.raises(FileNotFoundError):
        onearm.load(tmp_path / "missing")


@pytest.mark.parametrize("name", ["os.system", "onearm.linear.banditron.Nobody", "builtins.dict"])
def test_only_learners_are_made(tmp_path, name):
    header = {"class": name, "parameters": "{}", "version": "0", "sha256": ""}
    save_file({"W": np.zeros(3)}, tmp_path / "bad", metadata=header)
    with pytest.raises(ValueError, match=f"no learner {name} is known"):
        onearm.load(tmp_path / "bad")


def test_arrays_must_fit(tmp_path):
    header = {
        "class": "onearm.linear.banditron.Banditron",
        "parameters": '{"n_classes": 3, "n_features": 2}',
        "version": "0",
    }
    arrays = {"W": np.zeros((3, 2)), "choosing": np.ones(1), "updating": np.ones(1)}
    header["sha256"] = digest(header["parameters"], arrays)
    save_file(arrays, tmp_path / "bad", metadata=header)
    with pytest.raises(ValueError, match=r"W does not fit Banditron.*\(2, 3\).*\(3, 2\)|choosing"):
        onearm.load(tmp_path / "bad")
