"""The commands fit, predict and inspect, as a user runs them."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import onearm
from onearm import Schema
from onearm.cli.program import app

runner = CliRunner()
ROWS = [
    {
        "age": t % 50,
        "device": ("phone", "desktop", "tv")[t % 3],
        "kind": ("sport", "news", "film")[t % 3],
    }
    for t in range(400)
]
TREE = ("--learner", "hoeffdingtree", "--set", "grace_period=50")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a table to learn from and one to predict, which has other columns."""
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame(ROWS)
    frame.to_csv("data.csv", index=False)
    new = frame.drop(columns="kind").assign(hour=9)[["hour", "device", "age"]].iloc[:6]
    new.loc[5, "device"] = "watch"
    new.to_parquet("new.parquet")
    return tmp_path


def run(*command, code=0):
    result = runner.invoke(app, [str(word) for word in command])
    assert result.exit_code == code, result.output
    return re.sub(r"[\s│]+", " ", result.output)


def test_fit_predict_inspect(folder):
    output = run("fit", "data.csv", "--label", "kind", *TREE, "--out", "model.safetensors")
    assert "data.csv: 400 rows, 2 features; label: column 'kind' (given), 3 classes" in output
    error = float(
        re.search(r"data: 400 rounds, error ([\d.]+) \(last tenth 0.0000; always", output)[1]
    )
    assert 0.0 < error < 0.3
    learner = onearm.load("model.safetensors")
    stream = onearm.read("data.csv", label="kind")
    same = stream.learner(onearm.HoeffdingTree, grace_period=50.0)
    assert 1 - same.play(stream).correct.mean() == pytest.approx(error, abs=1e-4)
    assert learner.schema == stream.schema
    result = runner.invoke(app, ["predict", "model.safetensors", "new.parquet"])
    assert result.stdout.split()[:5] == ["sport", "news", "film", "sport", "news"]
    assert len(result.stdout.split()) == 6
    counts = "new.parquet: 6 rows; unseen values: 'device' (1); extra columns: 'hour' (6)"
    assert result.stderr.splitlines()[-1] == counts  # after what is compiled
    shown = run("inspect", "model.safetensors")
    assert "class: onearm.boosting.hoeffding_tree.HoeffdingTree n_classes: 3" in shown
    assert "grace_period: 50.0" in shown
    assert "1 number: 'age'; 1 category: 'device' (3 values); label 'kind': 3 labels" in shown
    assert "labels: 'film', 'news', 'sport'" in shown
    assert re.search(r"SHA-256: [0-9a-f]{64}", shown)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_labels_are_written_to_a_table(folder, suffix):
    run("fit", "data.csv", *TREE)
    run("predict", "model.safetensors", "data.csv", "--out", f"labels.{suffix}")
    read = pd.read_csv if suffix == "csv" else pd.read_parquet
    labels = read(f"labels.{suffix}")
    assert list(labels) == ["kind"]
    assert (labels["kind"] == [row["kind"] for row in ROWS]).mean() > 0.95
    output = run("predict", "model.safetensors", "data.csv", "--out", "labels.txt", code=2)
    assert "--out must end with .csv, .parquet or .pq" in output


def test_a_single_column_is_enough(folder):
    """Also where a value is missing: there is a label for each row."""
    frame = pd.DataFrame(ROWS)
    frame[["device", "kind"]].to_csv("data.csv", index=False)
    run("fit", "data.csv", "--label", "kind", *TREE, "--out", "model")
    (folder / "new.csv").write_text('device\nphone\n""\ndesktop\n\n')
    run("predict", "model", "new.csv", "--out", "labels.csv")
    labels = pd.read_csv("labels.csv")["kind"].tolist()
    assert (len(labels), labels[0], labels[2]) == (3, "sport", "news")


def test_a_schema_says_what_columns_are(folder):
    schema = {"columns": {"device": ["phone", "tv"]}, "label": "kind"}
    (folder / "schema.json").write_text(json.dumps(schema))
    run("fit", "data.csv", "--schema", "schema.json", *TREE)
    assert onearm.load("model.safetensors").schema == Schema(
        schema["columns"], ["film", "news", "sport"], label="kind"
    )
    command = ["race", "data.csv", "--on", "1", "--repeats", "1", "--rounds", "30", "--out", "race"]
    command += ["--learners", "hoeffdingtree"]
    assert "as encoded: 400 rows; unseen values: 'device' (133)" in run(
        *command, "--schema", "schema.json"
    )
    output = run(
        *command[:-3], "nominal", *command[-2:], "--label", "kind", "--nominal", "age,device"
    )
    assert "nominal: 'age', 'device'" in output
    rows = [row | {"title": f"some words of row {i}"} for i, row in enumerate(ROWS[:120])]
    pd.DataFrame(rows).to_csv("titles.csv", index=False)
    run("fit", "titles.csv", "--label", "kind", "--schema", "infer", "--learner", "banditron")
    assert onearm.load("model.safetensors").schema == Schema.infer("titles.csv", label="kind")
    assert onearm.load("model.safetensors").schema.columns[-1].kind == "text"
    assert "only files have columns" in run("race", "letter", "--label", "x", code=2)


def test_streams_and_data_sets_by_name(folder):
    output = run("fit", "balance", "--learner", "banditron", "--shuffle", "--set", "gamma=0.2")
    assert "balance: 625 rounds, error" in output
    model = onearm.load("model.safetensors")
    assert (model.gamma, model.schema.labels) == (0.2, ("B", "L", "R"))


def test_agents_are_predicted_and_inspected(folder):
    agent = onearm.Agent(["news", "film"], {"age": "number"}, "InverseGap", feedback="one_right")
    for row in ROWS[:50]:
        choice = agent.choose(row)
        agent.update(row, choice, choice.label == "film")
    agent.save("agent")
    result = runner.invoke(app, ["predict", "agent", "data.csv"])
    assert result.stdout.split() == agent.predict(ROWS)
    assert "extra columns: 'device' (400), 'kind' (400)" in result.stderr
    shown = run("inspect", "agent")
    assert "class: onearm.agent.agent.Agent" in shown
    assert "updates: 50" in shown
    assert "labels: 'news', 'film'" in shown
    agent.retire_label("film")
    agent.save("agent")
    assert set(runner.invoke(app, ["predict", "agent", "data.csv"]).stdout.split()) == {"news"}


WRONG = {
    ("fit", "dat.csv"): "must be a file: there is none, got 'dat.csv' (did you mean 'data.csv'?)",
    ("fit", "."): "stream must be a file: this is a folder, got '.'",
    ("fit", "data.csv", "--race", "no"): "No such file or directory: 'no/race.toml'",
    ("predict", "plain", "data.csv", "--out", "no/p.csv"): "--out must be a file in a folder",
    ("fit", "lettr"): "(did you mean 'letter'?)",
    ("fit", "data.csv", "--label", "knd"): "got 'knd' (did you mean 'kind'?)",
    ("fit", "data.csv", "--learner", "chors"): "(did you mean 'Chorus'?)",
    ("fit", "data.csv", *TREE[:2], "--set", "delta"): "--set must be name=value, with one of",
    ("fit", "data.csv", *TREE[:2], "--set", "delt=1"): "got 'delt=1' (did you mean 'delta'?)",
    ("fit", "data.csv", *TREE[:2], "--set", "delta=7"): "delta must be a number in",
    (
        "fit",
        "data.csv",
        "--schema",
        "none.json",
    ): "schema must be a Schema, its JSON, a file of it or",
    ("fit", "data.csv", "--schema", "wrong.csv"): "schema wrong.csv: Expecting value",
    ("fit", "data.csv", "--label", "kind", "--schema", "pages.json"): "data.csv, line 2: a context "
    "must have at least one of the columns 'pages', got 'age', 'device'",
    ("fit", "data.csv", "--out", "no/model"): "--out must be a file in a folder that exists",
    (
        "fit",
        "wrong.csv",
        "--nominal",
        "device",
    ): "wrong.csv, line 3, column 'age': must be a number",
    ("predict", "plane", "data.csv"): "model must be a file that exists, got 'plane' (did you mean",
    ("predict", "plain", "dta.csv"): "data must be a file that exists, got 'dta.csv' (did you mean",
    ("predict", "no/model", "data.csv"): "model must be a file that exists, got 'no/model'",
    ("inspect", "plan"): "got 'plan' (did you mean 'plain'?)",
    ("predict", "data.csv", "data.csv"): "data.csv is not a saved learner",
    ("predict", "plain", "data.csv"): "data.csv is a table, but the model has no names of columns",
    ("inspect", "data.csv"): "data.csv is not a saved learner",
}


@pytest.mark.parametrize("command", WRONG, ids=map(" ".join, WRONG))
def test_errors_name_what_is_wrong(folder, command):
    (folder / "wrong.csv").write_text("age,device,kind\n1,a,x\nold,b,y\n")
    (folder / "pages.json").write_text('{"columns": {"pages": "number"}}')
    onearm.Banditron(2, 2).save("plain")
    assert WRONG[command] in run(*command, code=2)


def test_ctrl_c_saves_what_was_learnt(folder, monkeypatch):
    played = onearm.HoeffdingTree.play

    def interrupted(self, stream, progress):
        error = KeyboardInterrupt()
        error.trace = played(self, stream.first(100), progress=progress)
        raise error

    monkeypatch.setattr(onearm.HoeffdingTree, "play", interrupted)
    output = run("fit", "data.csv", *TREE, code=130)
    assert "stopped after 100 of 400 rounds" in output
    assert "data: 100 rounds, error" in output
    assert onearm.load("model.safetensors").schema.label == "kind"


@pytest.mark.compiled
def test_the_winner_of_a_race_is_fitted_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [f"{i % 7},{'ab'[i % 2]},{'xyz'[(i % 7) % 3]}" for i in range(300)]
    (tmp_path / "data.csv").write_text("size,side,kind\n" + "\n".join(lines))
    racing = ["race", "data.csv", "--label", "kind", "--learners", "banditron,conservativeova"]
    run(*racing, "--repeats", "1", "--out", "race")
    fitting = ["fit", "data.csv", "--label", "kind", "--race", "race", "--out", "model"]
    assert "Winner(Banditron, parameters={}, seed=0" in run(*fitting)
    assert onearm.load("model").n_rounds[0] == 300
    run(*fitting, "--new-order", "3")
    assert "leave out" in run(*fitting, "--learner", "soba", code=2)
    assert "must come with --race" in run("fit", "data.csv", "--new-order", "3", code=2)


def test_a_winner_of_ones_own_has_no_file(folder):
    always = (
        "class Always:\n    choose = lambda self, x: 0\n    update = lambda self, *given: None\n"
    )
    (folder / "mine.py").write_text(always)
    race = ["race", "data.csv", "--label", "kind", "--learners", "mine.py:Always", "--on", "1"]
    run(*race, "--repeats", "1", "--out", "race")
    output = run("fit", "data.csv", "--label", "kind", "--race", "race", "--out", "m", code=2)
    assert "Winner(Always" in output
    assert "the winner is no learner of onearm and has no file: in Python, results.best()" in output
    assert not (folder / "m").exists()
    learner = onearm.racing.race.Results.read("race").best().fit()
    assert learner.choose(np.zeros(2)) == 0
