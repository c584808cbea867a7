"""Files of learners: whole or not at all, and refused with a reason."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

import onearm
from onearm import Banditron
from onearm.checks.trial import bits, rows
from onearm.core.saving import digest
from tests.core.attack_files import model_file, parse

ROOT = Path(__file__).parents[2]


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
    save_file({"weights": np.zeros(3)}, tmp_path / "other")
    with pytest.raises(ValueError, match="names no class"):
        onearm.load(tmp_path / "other")
    with pytest.raises(FileNotFoundError):
        onearm.load(tmp_path / "missing")


@pytest.mark.parametrize("name", ["os.system", "onearm.linear.banditron.Nobody", "builtins.dict"])
def test_only_learners_are_made(tmp_path, name):
    header = {"class": name, "parameters": "{}", "version": "0", "sha256": ""}
    save_file({"weights": np.zeros(3)}, tmp_path / "bad", metadata=header)
    with pytest.raises(ValueError, match=f"no learner {name} is known"):
        onearm.load(tmp_path / "bad")


def test_arrays_must_fit(tmp_path):
    header = {
        "class": "onearm.linear.banditron.Banditron",
        "parameters": '{"n_classes": 3, "n_features": 2}',
        "version": "0",
    }
    arrays = {"weights": np.zeros((3, 2)), "choosing": np.ones(1), "updating": np.ones(1)}
    header["sha256"] = digest(header["parameters"], arrays)
    save_file(arrays, tmp_path / "bad", metadata=header)
    wrong = r"weights does not fit Banditron.*\(2, 3\).*\(3, 2\)|choosing"
    with pytest.raises(ValueError, match=wrong):
        onearm.load(tmp_path / "bad")


def test_a_damaged_file_is_refused(tmp_path):
    path = tmp_path / "learner"
    Banditron(3, 2).save(path)
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    with pytest.raises(ValueError, match="is damaged: its SHA-256 is not the one in its header"):
        onearm.load(path)


def tampered(path, **changes):
    """Write a Banditron with other parameters, and a digest that vouches for them."""
    Banditron(3, 2).save(path)
    header, arrays = parse(path.read_bytes())
    parameters = json.loads(header["parameters"]) | changes
    path.write_bytes(model_file(header | {"parameters": json.dumps(parameters)}, arrays))
    return path


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n_classes": 10**9}, "GiB"),
        ({"n_classes": 4}, r"weights does not fit Banditron: it must be float64 of shape \(2, 4\)"),
        ({"gamma": 7.0}, r"gamma must be a number in \[0, 1\], got 7.0"),
        ({"gamma": None}, "gamma must be a number"),
        ({"surprise": 1}, "Banditron has no parameter 'surprise'"),
    ],
)
def test_parameters_in_a_file_are_checked(tmp_path, changes, message):
    with pytest.raises(ValueError, match=message):
        onearm.load(tampered(tmp_path / "learner", **changes))


def test_nothing_is_allocated_before_the_sizes_are_compared(tmp_path, monkeypatch):
    """A file that states 10,000 features but has two must not make the arrays of 10,000."""
    path = tampered(tmp_path / "learner", n_features=10_000_000)
    monkeypatch.setattr("onearm.core.state.allocate", lambda owner: pytest.fail("allocated"))
    with pytest.raises(ValueError, match="weights does not fit"):
        onearm.load(path)


@pytest.mark.parametrize("header", ["[]", "null", '"x"', "[" * 100_000, "{", '{"a": NaN}'])
def test_parameters_must_be_an_object(tmp_path, header):
    path = tmp_path / "learner"
    Banditron(3, 2).save(path)
    saved, arrays = parse(path.read_bytes())
    path.write_bytes(model_file(saved | {"parameters": header}, arrays))
    with pytest.raises(ValueError, match="learner"):
        onearm.load(path)


def test_states_out_of_range_are_refused(tmp_path):
    for array, value, message in (
        ("weights", np.nan, r"weights of Banditron must be in \[-1e\+150, .*got nan at \(0, 0\)"),
        ("weights", -np.inf, "got -inf"),
        ("choosing", None, "choosing of Banditron is missing"),
    ):
        Banditron(3, 2).save(tmp_path / "learner")
        header, arrays = parse((tmp_path / "learner").read_bytes())
        if value is None:
            del arrays[array]
        else:
            arrays[array][0] = value
        (tmp_path / "learner").write_bytes(model_file(header, arrays))
        with pytest.raises(ValueError, match=message):
            onearm.load(tmp_path / "learner")


def test_loading_imports_the_class_that_is_named_and_no_other(tmp_path):
    Banditron(3, 2).save(tmp_path / "learner")
    code = f"""
import sys, onearm
onearm.load({str(tmp_path / "learner")!r})
others = "onearm.chorus", "onearm.boosting", "onearm.convex"
print([m for m in sys.modules if m.startswith(others)])
print(sorted(m for m in sys.modules if m.startswith("onearm.linear.")))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout == "[]\n['onearm.linear.banditron']\n", done.stderr


HUGE = [
    ("AdaBandit", {"n_learners": 2}, {"n_learners": 2**31 - 1}),
    ("BinBandit", {"n_learners": 2}, {"n_learners": 2**31 - 1}),
    ("HoeffdingTree", {}, {"n_features": 2**31 - 1}),
    ("HoeffdingTree", {}, {"n_features": 2**27}),
    ("Chorus", {}, {"n_features": 2**31 - 1}),
    ("BanditBBM", {"n_learners": 2}, {"n_classes": 2**31 - 1, "n_learners": 500}),
    ("BanditGradientBooster", {}, {"n_learners": 2**31 - 1}),
]


@pytest.mark.parametrize(("name", "small", "huge"), HUGE, ids=[f"{h[0]}-{h[2]}" for h in HUGE])
def test_a_small_file_cannot_ask_for_memory_or_time(tmp_path, name, small, huge):
    """Refused within the memory of a small process, before sizes become arrays or loops."""
    getattr(onearm, name)(3, 2, **small).save(tmp_path / "model")
    header, arrays = parse((tmp_path / "model").read_bytes())
    parameters = json.dumps(json.loads(header["parameters"]) | huge)
    (tmp_path / "model").write_bytes(model_file(header | {"parameters": parameters}, arrays))
    code = """
import resource, sys
import onearm
onearm.max_bytes = 2**40
used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    onearm.load(sys.argv[1])
except ValueError:
    print("refused", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - used < 2**19)
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "model")],
        capture_output=True, text=True, cwd=ROOT, timeout=60,
    )  # fmt: skip
    assert done.stdout == "refused True\n", done.stderr


def test_folders_and_pipes_are_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", "/dev/zero"):
        with pytest.raises(ValueError, match="no ordinary file"):
            onearm.load(path)
    with pytest.raises(IsADirectoryError):
        onearm.load(tmp_path)
