"""Plans: learners, parameters and streams as they are given; mistakes are explained."""

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import onearm
from onearm.racing.plan import Plan
from onearm.racing.race import race
from tests.racing.racers import ROUNDS, keys


def test_plans(tmp_path):
    text = """
repeats = 2
rounds = 50
tune = 0.1

[[streams]]
name = "synnonsep"
noise = 0.2

[[learners]]
name = "banditron"
gamma = [0.1, 0.2]

[[learners]]
name = "Perceptron"
"""
    path = tmp_path / "plan.toml"
    path.write_text(text)
    plan = Plan.read(path)
    jobs = plan.jobs()
    assert [(j.name, j.repeat) for j in jobs] == [
        (name, repeat) for repeat in (0, 1)
        for name in ("Banditron gamma=0.1", "Banditron gamma=0.2", "Perceptron")
    ]  # fmt: skip
    path.write_text(plan.toml())
    assert keys(Plan.read(path)) == keys(plan)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"streams": ["nowhere"]}, "stream must be a file or one of SynSep, .* got 'nowhere'"),
        ({"streams": [{"name": "SynSep", "noise": 1}]}, "SynSep has no parameter 'noise'"),
        ({"streams": []}, "streams must be at least one"),
        ({"learners": ["bandit"]}, "learners must be among Chorus, Perceptron, .* got 'bandit'"),
        (
            {"learners": [{"name": "SOBA", "gama": 1}]},
            "SOBA has the parameters .*gamma.* got 'gama'",
        ),
        ({"learners": [{"gamma": 1}]}, "learners must have a name"),
        ({"repeats": 0}, r"repeats must be a whole number in \[1, 100000\], got 0"),
        ({"repeats": "3"}, r"repeats must be a whole number in .*, got '3'"),
        ({"repeats": 10**9}, r"repeats must be a whole number in \[1, 100000\], got 1000000000"),
        ({"repeats": 60_000, "learners": ["SOBA", "Bag"]}, "runs must be at most 100000 .*120000"),
        (
            {"learners": [{"name": "SOBA", "gamma": [0.1] * 400, "a": [1.0] * 400}]},
            "runs must be at most 100000 .1 streams × 160000 learners × 1 repeats., got 160000",
        ),
        (
            {"streams": [{"name": "SynNonSep", "noise": [0.1] * 100_001}]},
            "runs must be at most 100000 .100001 streams",
        ),
        ({"exploration": [0.1] * 10**6}, "runs must be at most 100000 .*1000000 learners"),
        ({"rounds": 3}, r"rounds must be a whole number in \[10, 1000000000\], got 3"),
        ({"rounds": 10**12}, r"rounds must be a whole number in \[10, 1000000000\], got 1000"),
        ({"rounds": 1e4}, "rounds must be a whole number in .*, got 10000.0"),
        ({"streams": [{"noise": 1}]}, "streams must be names, files or Streams"),
        ({"streams": [pd.DataFrame()]}, "Streams, got a DataFrame: Stream.from_frame makes one"),
        ({"learners": [onearm.SOBA(3, 4)]}, "learners must be names or classes"),
        ({"tune": 0.9}, r"tune must be in \[0, 0.5\], got 0.9"),
    ],
)
def test_mistakes_in_a_plan_are_explained(change, error):
    given = {"streams": ["SynSep"], "learners": ["SOBA"], "repeats": 1} | change
    with pytest.raises(ValueError, match=error):
        Plan(**given).jobs()


@pytest.mark.parametrize("on", [0, -1, 2.5, "", 10**6])
def test_invalid_places_are_refused(on):
    with pytest.raises(ValueError, match=r"on must be all-cores, a number in \[1, 1024\]"):
        race("SynSep", "SOBA", rounds=ROUNDS, on=on)


def test_invalid_parameters_are_refused_before_anything_is_played(tmp_path):
    learners = ["Banditron", {"name": "Banditron", "gamma": 7.0}]
    with pytest.raises(ValueError, match="gamma must be a number in"):
        race("SynSep", learners, rounds=ROUNDS, on=1, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def written(text):
    path = Path(tempfile.mkdtemp()) / "plan.toml"
    path.write_text(text)
    return path


def test_streams_with_other_rows_or_sizes_have_other_keys():
    X, y = np.eye(3)[[0, 1, 2] * 9], [0, 1, 2] * 9
    given = [{}, {"nominal": (2, 2, 2)}, {"n_classes": 5}]
    plans = [Plan([onearm.Stream.of(X, y, **sizes)], ["SOBA"]) for sizes in given]
    assert len({key for plan in plans for key in keys(plan)}) == 3
    with pytest.raises(
        ValueError, match="streams must have different names, got 2 that are 'rows'"
    ):
        race([onearm.Stream.of(X, y), onearm.Stream.of(X[::-1], y)], "SOBA", on=1)


def test_given_streams_are_shuffled_too():
    results = race(onearm.SynSep(ROUNDS), "Perceptron", repeats=3, on=1)
    assert len({run["error"] for run in results.runs}) > 1
    results.plan.toml()
    with pytest.raises(ValueError, match="must have streams"):
        Plan.read(written(results.plan.toml()))


def test_a_file_may_have_a_name(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,label\n" + "\n".join(f"{i % 7},{i % 2}" for i in range(50)))
    results = race({"file": str(path), "name": "letter"}, "Banditron", on=1)
    assert results.runs[0]["n_rounds"] == 50
    with pytest.raises(ValueError, match=r"a file is read with file, label, .* got 'sep'"):
        race({"file": str(path), "sep": ","}, "Banditron", on=1)


def test_streams_have_grids_too():
    plan = Plan([{"name": "SynNonSep", "noise": [0.0, 0.1]}], ["SOBA"], rounds=50)
    names = [source.name for source in plan.sources]
    assert names == ["SynNonSep noise=0.0", "SynNonSep noise=0.1"]


@pytest.mark.parametrize(
    ("streams", "learners", "wrong"),
    [
        ("SynSep", {"name": "SOBA", "gamma": []}, r"gamma must have at least one value, got \[\]"),
        ({"name": "SynNonSep", "noise": 2.0}, "SOBA", "SynNonSep noise=2.0: noise must be"),
        ({"name": "SynNonSep", "noise": "x"}, "SOBA", "SynNonSep noise=x: "),
        ("SynSep", {"name": "SOBA", "gamma": 2.0}, "SOBA: gamma must be"),
        ("SynSep", dict, "a learner must have the methods choose and update.*dict has update"),
        ({"file": 5}, "SOBA", "stream must be a file or one of"),
    ],
)
def test_invalid_values_are_refused_before_the_race(streams, learners, wrong):
    with pytest.raises(ValueError, match=wrong):
        race(streams, learners, rounds=50, on=1)


def test_plans_that_are_written_can_be_read(tmp_path):
    rows = tmp_path / "rows.csv"
    rows.write_text("a,b,label\n" + "1,2,x\n2,1,y\n" * 10)
    odd = onearm.Stream.of(np.eye(3), [0, 1, 2], name="two\nlines")
    plan = Plan([{"file": str(rows), "label": None}, odd], ["SOBA"])
    (tmp_path / "plan.toml").write_text(plan.toml())
    assert Plan.read(tmp_path / "plan.toml").streams == [{"file": str(rows)}]


def test_a_plan_that_is_no_toml_is_named(tmp_path):
    (tmp_path / "bad.toml").write_text("rounds = = 3")
    with pytest.raises(ValueError, match=r"bad.toml: Invalid"):
        Plan.read(tmp_path / "bad.toml")


def test_user_classes_are_comments(tmp_path):
    mine = type("Mine", (onearm.SOBA,), {})
    text = Plan(["SynSep"], [{"name": mine, "gamma": [0.1, 0.2]}, "SOBA"]).toml()
    assert "# a class of Python: Mine, gamma = [0.1, 0.2]\n" in text
    (tmp_path / "plan.toml").write_text(text)
    assert Plan.read(tmp_path / "plan.toml").learners == [{"name": "SOBA"}]


def test_values_may_be_numpys():
    streams = {"name": "SynNonSep", "noise": np.array([0.1, 0.2])}
    plan = Plan([streams], [{"name": "SOBA", "gamma": np.array([0.01]), "a": np.float32(2)}])
    assert len(plan.jobs()) == 2
    assert "gamma = [0.01]\na = 2.0" in plan.toml()
