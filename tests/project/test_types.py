"""The types of the public names, as a type checker sees them in the project of a user."""

import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from tests.project.stub import STUB, stub

ROOT = Path(__file__).parents[2]
USER = """
import onearm

learner = onearm.Banditron(n_classes=3, n_features=4)
reveal_type(learner)
choice = learner.choose([1.0, 0.0, 0.0, 1.0])
reveal_type(choice.propensity)
learner.update([1.0, 0.0, 0.0, 1.0], choice, True)
learner.save("model.safetensors")
reveal_type(onearm.load("model.safetensors").n_classes)
reveal_type(onearm.race("letter", [learner], repeats=1).failures)
reveal_type(onearm.AdaBoostMH(n_rounds=3).fit([[0.0], [1.0]], [0, 1]))
reveal_type(onearm.OGD(n_features=4).n_outputs)
reveal_type(onearm.datasets.names())
"""
REVEALED = [
    "onearm.Banditron", "float", "Any", "list[str]", "onearm.mh.classifier.AdaBoostMH", "int",
    "list[str]",
]  # fmt: skip
MISUSE = {
    "onearm.Banditron(n_features=4)": 'Missing positional argument "n_classes"',
    "onearm.Banditron(3, 4, gama=0.1)": 'did you mean "gamma"?',
    'onearm.Banditron(3, 4, gamma="much")': 'incompatible type "str"; expected "float"',
    "onearm.AdaBoostMH(rounds=3)": 'did you mean "n_rounds"?',
    "onearm.OGD()": 'Missing positional argument "n_features"',
    "onearm.Banditrom": "Module has no attribute",
    "learner.chose([1.0])": '"Banditron" has no attribute "chose"',
}


def test_stub_is_current():
    assert STUB.read_text() == stub(), "run python -m tests.project.stub"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def user(wheel, tmp_path_factory):
    """An environment where onearm is installed from its wheel, beside what it needs."""
    folder = tmp_path_factory.mktemp("user")
    venv.create(folder, with_pip=False)
    installed = Path(sysconfig.get_path("purelib", vars={"base": str(folder)}))
    zipfile.ZipFile(wheel).extractall(installed)
    (installed / "needed.pth").write_text(sysconfig.get_path("purelib"))
    return folder


def type_check(user, text):
    (user / "project.py").write_text(text)
    python = user / "bin" / "python"
    command = [sys.executable, "-m", "mypy", "--cache-dir", str(ROOT / ".mypy_cache" / "user")]
    command += ["--python-executable", str(python), "--config-file=", "project.py"]
    return subprocess.run(command, cwd=user, env={}, capture_output=True, text=True).stdout


def test_wheel_has_types_pages_and_data(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {"onearm/py.typed", "onearm/__init__.pyi", "onearm/page/page.html"} <= names
    assert not [name for name in names if name.startswith(("papers", "bench", "tests"))]
    assert not [name for name in names if "__pycache__" in name]


def test_a_users_project_knows_the_types(user):
    lines = type_check(user, USER + "\n".join(MISUSE)).splitlines()
    revealed = [line.split('"')[1] for line in lines if "Revealed type" in line]
    assert revealed == REVEALED
    errors = [line for line in lines if "error:" in line]
    first = USER.count("\n") + 1
    for number, (line, message) in enumerate(zip(errors, MISUSE.values(), strict=True), first):
        assert line.startswith(f"project.py:{number}: error:")
        assert message in line
