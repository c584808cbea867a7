"""The smoke test of an installed package: what must work without extras. It is run by `dist`."""

import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np

import onearm


def learn() -> None:
    """Learn by choose and update, save, load, race, and write the page of the race."""
    learner = onearm.InverseGap(n_classes=3, n_features=3)
    for t in range(300):
        x = np.eye(3)[t % 3]
        choice = learner.choose(x)
        learner.update(x, choice, choice.label == t % 3)
    assert learner.predict(np.eye(3)).tolist() == [0, 1, 2]
    with tempfile.TemporaryDirectory() as folder:
        learner.save(Path(folder) / "model.safetensors")
        loaded = onearm.load(Path(folder) / "model.safetensors")
        assert (loaded.scores(np.eye(3)) == learner.scores(np.eye(3))).all()
        results = onearm.race(["SynSep", "balance"], ["Banditron", "SOBA"], rounds=500, on=2)
        assert len(results.runs) == 4, results.failures
        assert any(path.name == "race.html" for path in results.write(folder))


def run_program() -> None:
    program = Path(sys.executable).parent / "onearm"
    shown = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
    assert "race" in shown


def ask_for_an_extra() -> None:
    """A name whose extra is not installed says which that is."""
    reason = ""
    try:
        getattr(onearm, "BanditClassifier")  # noqa: B009 the name is loaded when it is asked for
    except ImportError as error:
        reason = str(error)
    assert reason.endswith("pip install 'onearm[mh]'"), reason


if __name__ == "__main__":
    assert "site-packages" in onearm.__file__, onearm.__file__
    assert find_spec("sklearn") is None
    for step in (learn, run_program, ask_for_an_extra):
        step()
    print(f"onearm {onearm.__version__} works on Python {sys.version.split()[0]}")
