"""The command evaluate, as a user runs it."""

import csv
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import onearm
from onearm.cli.program import app

runner = CliRunner()
N = 600
DEVICES, LABELS = ("phone", "tv"), ("news", "sport", "tech")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a log in several formats, and a model."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    schema = onearm.Schema({"device": list(DEVICES), "age": "number"}, list(LABELS))
    X = np.c_[rng.integers(0, 2, N), rng.integers(20, 70, N)].astype(float)
    p = np.tile([0.5, 0.3, 0.2], (N, 1))
    label = (rng.random((N, 1)) > p.cumsum(axis=1)[:, :2]).sum(axis=1)
    reward = (rng.random(N) < np.where(label == 2, 0.9, 0.2)).astype(float)
    log = onearm.Log.of(X, label, p[np.arange(N), label], reward, schema=schema, chances=p)
    for suffix in ("parquet", "jsonl", "vw"):
        log.write(f"log.{suffix}")
    frame = pd.DataFrame({"device": np.array(DEVICES)[X[:, 0].astype(int)], "age": X[:, 1]})
    frame = frame.assign(shown=np.array(LABELS)[label], p=p[np.arange(N), label], click=reward)
    frame.to_csv("clicks.csv", index=False)
    (tmp_path / "schema.json").write_text(schema.to_json())
    return tmp_path


def run(*command, code=0):
    result = runner.invoke(app, ["evaluate", *map(str, command)])
    assert result.exit_code == code, result.output
    return re.sub(r"[\s│]+", " ", result.output)


def numbers(path="evaluation/results.csv"):
    with Path(path).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_a_table_a_page_and_numbers(folder):
    output = run("log.parquet", "--policy", "always tech", "--policy", "uniform", "--by", "device")
    assert re.search(r"always tech \+0\.\d{4} \+0\.\d{4} to \+0\.\d{4} better", output)
    assert "Compared with the logged policy, on the same events" in output
    assert (folder / "evaluation" / "evaluation.html").as_uri() in output
    lines = numbers()
    assert {line["part"] for line in lines if line["what"] == "segment"} == set(DEVICES)
    log = onearm.Log.read("log.parquet")
    same = onearm.evaluate(log, ["always tech", "uniform"], by="device")
    assert [float(x["value"]) for x in lines] == [x["value"] for x in same.rows()]
    page = (folder / "evaluation" / "evaluation.html").read_text(encoding="utf-8")
    assert "Value by device" in page
    assert '<pre id="command"' in page


def test_options_are_those_of_evaluate(folder):
    given = ["--estimator", "ips, snips", "--interval", "bootstrap", "--level", "0.9", "--model"]
    given += ["none", "--fitting", "cross_fitted", "--windows", "3", "--seed", "7", "--out", "new"]
    run("log.jsonl", "--policy", "always news", "--against", "always tech", *given)
    lines = numbers("new/results.csv")
    log = onearm.Log.read("log.jsonl")
    same = onearm.evaluate(
        log, "always news", against="always tech", estimator=["ips", "snips"], interval="bootstrap",
        level=0.9, model="none", fitting="cross_fitted", n_windows=3, seed=7,
    )  # fmt: skip
    for line, expected in zip(lines, same.rows(), strict=True):
        for key in ("value", "low", "high"):
            assert float(line[key]) == pytest.approx(expected[key], nan_ok=True)
    assert lines[1]["estimator"] == "ips"
    assert lines[1]["interval"] == "bootstrap"
    assert sum(line["what"] == "window" for line in lines) == 3
    assert next(x for x in lines if x["what"] == "difference")["against"] == "always tech"


def test_max_weight_is_passed_on(folder):
    run("log.parquet", "--policy", "always tech", "--estimator", "clipped_ips", "--max-weight", 2)
    clipped = next(line for line in numbers() if line["estimator"] == "clipped_ips")
    log = onearm.Log.read("log.parquet")
    same = onearm.evaluate(log, "always tech", estimator="clipped_ips", max_weight=2.0)
    assert float(clipped["value"]) == same.estimates[1].value


def test_columns_of_a_table_are_named(folder):
    columns = ["--label", "shown", "--propensity", "p", "--reward", "click", "--rewards", "0,2"]
    output = run("clicks.csv", *columns, "--policy", "always tech", "--by", "age")
    assert "600 events" in output
    values = {line["policy"]: float(line["value"]) for line in numbers()[:2]}
    frame = pd.read_csv("clicks.csv")
    assert values["logged"] == pytest.approx(frame["click"].mean())
    assert max(float(line["high"]) for line in numbers() if line["what"] == "window") > 1
    schema = json.loads((folder / "schema.json").read_text())
    schema["labels"] = schema["labels"][::-1]
    (folder / "schema.json").write_text(json.dumps(schema))
    run("clicks.csv", *columns, "--schema", "schema.json", "--policy", "always tech", "--out", "b")
    again = {line["policy"]: float(line["value"]) for line in numbers("b/results.csv")[:2]}
    assert again["logged"] == values["logged"]


def test_columns_of_the_context_are_chosen(folder):
    columns = ["--label", "shown", "--propensity", "p", "--reward", "click", "--columns", " age "]
    assert "(did you mean" not in run("clicks.csv", *columns, "--policy", "uniform", "--by", "age")
    words = "by must be one of the columns age, got 'device'"
    assert words in run("clicks.csv", *columns, "--policy", "uniform", "--by", "device", code=2)


def test_sizes_of_vowpal_wabbit(folder):
    (folder / "own.vw").write_text("1:0:0.5 | f0:1 f2:3\n2:1:0.5 | f1:1\n" * 300)
    sizes = ["--n-classes", "4", "--n-features", "5", "--not-hashed"]
    log = onearm.Log.read("own.vw", n_classes=4, n_features=5, hashed=False)
    log.learner(onearm.InverseGap).save("new.safetensors")
    output = run("own.vw", *sizes, "--policy", "always 4", "--policy", "new.safetensors")
    assert "always 4" in output
    output = run("own.vw", "--not-hashed", "--policy", "new.safetensors", code=2)
    assert "has 2 labels and 3 features" in output
    assert "must be one of 1, 2, got '4'" in run("own.vw", "--policy", "always 4", code=2)
    (folder / "words.vw").write_text("1:0:0.5 | red\n2:1:0.5 | blue\n")
    assert "must be f0, f1" in run("words.vw", "--not-hashed", "--policy", "uniform", code=2)
    run("words.vw", "--hashed", "--policy", "uniform", "--n-features", "16")


def test_costs_of_vowpal_wabbit(folder):
    """They are written as negative rewards; costs of another range are refused."""
    output = run("log.vw", "--costs", "-1,0", "--policy", "uniform")
    assert "bad line" not in output
    logged = next(line for line in numbers() if line["policy"] == "logged")
    assert float(logged["value"]) == pytest.approx(pd.read_csv("clicks.csv")["click"].mean())
    output = run("log.vw", "--costs", "0,4", "--policy", "uniform", code=2)
    assert "the cost must be in [0, 4]" in output
    assert "got -1.0" in output


@pytest.mark.compiled
def test_learners_and_saved_models(folder):
    log = onearm.Log.read("log.parquet")
    log.learner(onearm.InverseGap).save("new.safetensors")
    output = run(
        "log.parquet", "--policy", "inversegap scale=40", "--policy", "new.safetensors",
        "--model", "InverseGap",
    )  # fmt: skip
    assert "inversegap scale=40: the mean value of the learner's successive states" in output
    names = [line["policy"] for line in numbers() if line["what"] == "difference"]
    assert names == ["inversegap scale=40", "new.safetensors"]


@pytest.mark.compiled
@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet"])
def test_a_log_is_read_with_the_columns_and_labels_of_a_model(folder, suffix):
    """Which has them in another order, and a category of unknown values, than are inferred."""
    agent = onearm.Agent(
        ["tech", "sport", "news"], {"age": "number", "device": "category"}, learner="InverseGap"
    )
    events = pd.read_csv("clicks.csv").rename(
        columns={"shown": "label", "p": "propensity", "click": "reward"}
    )
    for _, event in events.iterrows():
        choice = (event["label"], None, event["propensity"])
        agent.update(event[["age", "device"]], choice, event["reward"])
    agent.save("agent.safetensors")
    if suffix == ".jsonl":
        contexts = events[["age", "device"]].to_dict("records")
        events = events.drop(columns=["age", "device"]).assign(context=contexts)
        events.to_json("mine.jsonl", orient="records", lines=True)
    else:
        getattr(events, f"to_{suffix[1:]}")(f"mine{suffix}", index=False)
    asked = [f"mine{suffix}", "--policy", "agent.safetensors", "--policy", "always tech"]
    output = run(*asked, code=2)
    assert "agent.safetensors may have learnt from events of this log" in output
    assert "unseen=True, or --unseen in a terminal" in output
    output = run(*asked, "--unseen")
    assert f"mine{suffix}: read with the columns and labels of agent.safetensors" in output
    first, second = (float(line["value"]) for line in numbers() if line["what"] == "difference")
    assert first == pytest.approx(second, abs=0.03)  # tech is always the best


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["log.parque", "--policy", "uniform"], "did you mean 'log.parquet'?"),
        (["."  , "--policy", "uniform"], "must be a file, not a folder"),
        (["log.parquet"], "Missing option '--policy'"),
        (["log.parquet", "--policy", "unifrom"], "did you mean 'uniform'?"),
        (["log.parquet", "--policy", "inversegap scal=3"], "did you mean 'scale'?"),
        (["log.parquet", "--policy", "modl.safetensors"], "must be a file that exists"),
        (["log.parquet", "--policy", "always golf"], "must be one of news, sport, tech"),
        (["log.parquet", "--policy", "uniform", "--against", "logge"], "did you mean 'logged'?"),
        (["log.parquet", "--policy", "uniform", "--policy", "uniform"], "different names"),
        (["log.parquet", "--policy", "uniform", "--by", "devise"], "did you mean 'device'?"),
        (["log.parquet", "--policy", "uniform", "--estimator", "sndrr"], "did you mean 'sndr'?"),
        (["log.parquet", "--policy", "uniform", "--estimator", "dm", "--interval", "gaussian"],
         "its bias is not known"),
        (["log.parquet", "--policy", "uniform", "--model", "inversgap"], "did you mean"),
        (["log.parquet", "--policy", "uniform", "--level", "95"], "level must be in (0, 1)"),
        (["log.parquet", "--policy", "uniform", "--costs", "0,1"], "got 'costs'"),
        (["clicks.csv", "--policy", "uniform", "--label", "show"], "did you mean 'shown'?"),
        (["clicks.csv", "--policy", "uniform", "--label", "shown", "--propensity", "p", "--reward",
          "click", "--columns", "agee"], "did you mean 'age'?"),
        (["clicks.csv", "--policy", "uniform", "--n-classes", "3"], "got 'n_classes'"),
        (["log.vw", "--policy", "uniform", "--columns", "age"], "got 'columns'"),
        (["log.vw", "--policy", "uniform", "--n-classes", "0"], "greater than or equal to 1"),
        (["log.parquet", "--policy", "uniform", "--hashed"], "got 'hashed'"),
        (["clicks.csv", "--policy", "uniform", "--rewards", "1,0"], "LOW,HIGH with LOW < HIGH"),
        (["clicks.csv", "--policy", "uniform", "--rewards", "1"], "LOW,HIGH with LOW < HIGH"),
        (["clicks.csv", "--policy", "uniform", "--rewards", "a,b"], "comma-separated numbers"),
        (["clicks.csv", "--policy", "uniform", "--schema", "clicks.csv"], "--schema clicks.csv:"),
        (["log.parquet", "--policy", "uniform", "--out", "clicks.csv"], "must be a folder"),
    ],
)  # fmt: skip
def test_errors_name_what_is_wrong_and_nothing_is_written(folder, command, words):
    before = {path.name for path in folder.iterdir()}
    assert words in run(*command, code=2)
    assert {path.name for path in folder.iterdir()} == before


def test_a_wrong_log_gets_the_reason_and_no_number(folder):
    frame = pd.read_csv("clicks.csv")
    frame.loc[frame["shown"] == "tech", "p"] = 0.02  # it was 0.2
    frame.to_csv("wrong.csv", index=False)
    columns = ["--label", "shown", "--propensity", "p", "--reward", "click"]
    output = run("wrong.csv", *columns, "--policy", "uniform", code=2)
    assert "logged propensities are wrong" in output
    assert not (folder / "evaluation").exists()


def test_bad_lines_are_counted_and_named(folder):
    lines = (folder / "log.jsonl").read_text().splitlines()
    lines[7] = "{"
    (folder / "bad.jsonl").write_text("\n".join(lines))
    output = run("bad.jsonl", "--policy", "uniform")
    assert "1 bad line" in output
    assert "left out: " in output
    assert "line 8" in output


def test_ctrl_c_ends_in_words(folder, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("onearm.evaluate", interrupted, raising=False)
    assert "stopped: nothing was written" in run("log.parquet", "--policy", "uniform", code=130)
    assert not (folder / "evaluation").exists()


def test_help_has_examples():
    output = run("--help")
    assert 'onearm evaluate log.parquet --policy inversegap --policy "linucb alpha=0.3"' in output


@pytest.mark.compiled
def test_the_first_example_works_on_rewards(folder):
    run("log.parquet", "--policy", "inversegap", "--policy", "linucb alpha=0.3")


def test_a_uniform_policy(folder):
    label = np.tile([0, 1, 2], 200)
    log = onearm.Log.of(None, label, np.full(600, 1 / 3), label == 2)
    log.write("even.jsonl")
    run("even.jsonl", "--uniform", "--policy", "always 2")
    assert "propensity must be 1/3 of 3" in run(
        "log.jsonl", "--uniform", "--policy", "uniform", code=2
    )
