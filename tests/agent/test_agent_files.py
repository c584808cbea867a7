"""Files of agents that are damaged or made to deceive: refused, or an agent that works."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import onearm
from onearm.cli.program import app
from tests.agent.means import Means
from tests.core.attack_files import PARAMETER_VALUES, craft, damage, model_file, parse

CONTEXT = {"age": 31, "device": "phone"}


@pytest.fixture
def file(tmp_path):
    """The file of an agent that has learnt a little and has a retired label."""
    agent = onearm.Agent(
        ["a", "b", 3], {"age": "number", "device": ["phone", "desktop"]}, "LinUCB", seed=5
    )
    for reward in (0, 1, 0.5):
        agent.update(CONTEXT, agent.choose(CONTEXT), reward)
    agent.retire_label("b")
    agent.save(tmp_path / "agent")
    return tmp_path / "agent"


def with_parameters(path, **changes):
    header, arrays = parse(path.read_bytes())
    parameters = json.loads(header["parameters"]) | changes
    parameters = {name: value for name, value in parameters.items() if value is not ...}
    path.write_bytes(model_file(header | {"parameters": json.dumps(parameters)}, arrays))


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"learner": ...}, "an agent must have"),
        ({"more": 1}, "an agent must have"),
        ({"learner": "onearm.agent.agent.Agent"}, "must be a class of learners"),
        ({"learner": "onearm.mh.classifier.AdaBoostMH"}, "must be a class of learners"),
        ({"learner": "onearm.regression.linear_regressors.OGD"}, "must be a class of learners"),
        ({"learner": "os.system"}, "no learner os.system is known"),
        ({"learner": "onearm.linear.banditron.Banditron"}, "cannot be loaded"),
        ({"schema": "{}"}, "a schema must have"),
        ({"schema": '{"columns": {"age": "number"}, "labels": ["a"]}'}, "at least two"),
        ({"schema": '{"columns": {"age": "number"}, "labels": ["a", "b", "c"]}'}, "features"),
        ({"schema": "[" * 10**5}, "a schema must not be nested deeply"),
        ({"retired": [0, 1, 2]}, "but not of all"),
        ({"retired": [3]}, "retired must be ids"),
        ({"retired": [True]}, "retired must be ids"),
        ({"retired": ["b"]}, "retired must be ids"),
        ({"version": -1}, "version must be at least 0, got -1"),
        ({"version": True}, "version must be a int, got True"),
        ({"feedback": "clicks"}, "feedback must be one of"),
        ({"floors": 1}, "floors must be a bool"),
        ({"settings": {}}, "must be"),
        ({"settings": {"n_classes": 10**9, "n_features": 10**9}}, "cannot be loaded"),
    ],
)
def test_hostile_parameters_are_refused(file, changes, match):
    with_parameters(file, **changes)
    with pytest.raises(ValueError, match=match):
        onearm.load(file)


def test_labels_of_the_file_are_checked_against_the_learner(file):
    with_parameters(
        file, schema=onearm.Schema({"age": "number", "d": ["x", "y"]}, ["a", "b"]).to_json()
    )
    with pytest.raises(ValueError, match="must have 2 labels"):
        onearm.load(file)


def test_random_damage(file):
    """Whatever is changed: a ValueError, or an agent that chooses, learns and predicts."""
    data, rng, loaded = file.read_bytes(), np.random.default_rng(0), 0
    header, arrays = parse(data)
    parameters = json.loads(header["parameters"])
    attacks = [make(data, rng) for make in (damage, craft) for _ in range(40)]
    for name in parameters:
        for value in PARAMETER_VALUES:
            changed = header | {"parameters": json.dumps(parameters | {name: value})}
            attacks.append(model_file(changed, arrays))
    for attack in attacks:
        file.write_bytes(attack)
        try:
            agent = onearm.load(file)
        except ValueError:
            continue
        loaded += 1
        context = dict.fromkeys(agent.schema.names)
        with np.errstate(all="ignore"):  # of numbers that are huge, where kernels run as Python
            agent.update(context, agent.choose(context).to_json(), 1)
            assert agent.predict([context])[0] in agent.labels
    assert 0 < loaded < len(attacks)


def test_an_agent_of_a_class_of_ones_own(tmp_path):
    agent = onearm.Agent(["a", "b"], {"age": "number"}, Means)
    agent.save(tmp_path / "agent")
    assert type(onearm.load(tmp_path / "agent").learner) is Means


def test_the_program_knows_agents(file, tmp_path):
    (tmp_path / "new.csv").write_text("age,device\n31,phone\n20,desktop\n")
    result = CliRunner().invoke(app, ["predict", str(file), str(tmp_path / "new.csv")])
    expected = onearm.load(file).predict([CONTEXT, {"age": 20, "device": "desktop"}])
    assert result.stdout.split() == [str(label) for label in expected]
    result = CliRunner().invoke(app, ["inspect", str(file)])
    assert result.exit_code == 0, result.output
    for part in ("class: onearm.agent.agent.Agent", "updates: 3", "retired labels: 'b'"):
        assert part in result.stdout
