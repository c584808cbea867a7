"""The user's learners in a race: a changed class is a new run, and two of a name are refused."""

import importlib.util
import subprocess
import sys

import pytest

import onearm
from onearm.experiments.identity import code
from onearm.racing.plan import Plan
from onearm.racing.race import race
from tests.racing.racers import keys

MODULE = """
import onearm
STEP = {step}


class Mine(onearm.Banditron):
    def steps(self):
        return STEP
"""


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """Give the class of a module of this text."""

    def imported(text):
        path = tmp_path / f"mine{len(list(tmp_path.iterdir()))}.py"
        path.write_text(text)
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, path.stem, module)
        spec.loader.exec_module(module)
        return module.Mine

    return imported


def test_a_change_anywhere_in_its_module_is_another_learner(mine):
    first, same, other = (mine(MODULE.format(step=step)) for step in (1, 1, 2))
    assert code(first) == code(same) != code(other)
    plans = [Plan(["car"], [cls], rounds=100) for cls in (first, same, other)]
    assert len({key for plan in plans for key in keys(plan)}) == 2


def test_a_base_in_another_module_counts(mine):
    bases = [mine(MODULE.format(step=step)) for step in (1, 2)]
    first, second = (type("Mine", (base,), {"__module__": "__main__"}) for base in bases)
    assert code(first) != code(second)


def test_two_learners_of_the_same_name_are_refused(mine):
    SOBA = type("SOBA", (onearm.SOBA,), {})
    with pytest.raises(ValueError, match="must have different names, got 2 that are 'SOBA'"):
        race("car", ["SOBA", SOBA], rounds=100, on=1)
    pair = [mine(MODULE.format(step=1)) for _ in range(2)]
    with pytest.raises(ValueError, match="got 2 that are 'Mine'"):
        race("car", pair, rounds=100, on=1)


SCRIPT = """
import onearm

class Careful(onearm.Banditron):
    pass

if __name__ == "__main__":
    results = onearm.race("car", [Careful, "SOBA"], repeats=2, rounds=100, on=2)
    print([run["learner"] for run in results.runs])
"""


@pytest.mark.compiled
def test_a_class_of_the_script_itself_is_played_by_workers(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, tmp_path / "script.py"], capture_output=True, text=True, timeout=300
    )
    assert done.stdout == "['Careful', 'SOBA', 'Careful', 'SOBA']\n", done.stderr


@pytest.mark.parametrize(
    "body", ["    a = {}", "    def f(self, x={}): ...", "    def f(self): return {}",
             "    def f(self): return (lambda: {})()"],
)  # fmt: skip
def test_a_class_of_a_prompt_is_identified_by_its_code(body):
    """Where there is no text, constants and defaults count too."""

    def typed(value):
        names = {"onearm": onearm, "__name__": "__main__"}
        exec(f"class Typed(onearm.SOBA):\n{body.format(value)}", names)
        return names["Typed"]

    assert code(typed(1)) == code(typed(1)) != code(typed(2))
