"""Vowpal Wabbit in the bake-off: its files and command lines. The program itself is not run."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bench.bakeoff import runs, vowpal
from bench.bakeoff.rivals import algorithms
from bench.bakeoff.runs import Job
from bench.bakeoff.sets import sets
from bench.chorus import vowpal_wabbit
from onearm import Stream


@pytest.fixture
def commands(monkeypatch):
    """Replace the program by one that always chooses the first label; return its commands."""
    given = []

    def child(command, timing=None, cwd=Path(), free=False):
        folder = Path(cwd)
        lines = (folder / "rows.txt").read_text().splitlines()
        if lines:  # the cache is written
            labels = [line.split()[0] for line in lines]
            (folder / "rows.cache").write_text("\n".join(labels))
        given.append((" ".join(command), lines))
        if timing is not None:
            timing.cpu.append(1.0)
        if "-p" not in command:
            return ""
        labels = (folder / "rows.cache").read_text().split()
        (folder / "labels.txt").write_text("1\n" * len(labels))
        return f"average loss = {np.mean([label != '1' for label in labels]):.6f}"

    monkeypatch.setattr(vowpal_wabbit, "child", child)
    monkeypatch.setattr(vowpal_wabbit, "starting", lambda: 0.0)
    vowpal.files.cache_clear()
    yield given
    vowpal.files.cache_clear()


def rows_of(name, seed):
    X = [[1.5, 0.0, 2.0], [0.0, 1.0, np.nan], [4.5, 2.0, 0.0], [2.0, 1.0, 4.0]]
    return Stream.of(X, [0, 1, 0, 2], 3, nominal=(0, 3, 0))


@pytest.mark.parametrize(
    ("name", "task"),
    [("VW squarecb", "--cbify 3 --cb_explore_adf --squarecb"), ("VW oaa", "--oaa 3")],
)
def test_a_run_has_its_options_and_string_names(commands, monkeypatch, name, task):
    monkeypatch.setattr(vowpal, "repeat", rows_of)
    setting = algorithms()[name].settings[1]
    record = Job("irish", name, setting, 2, rounds=3).play(lambda *_: None)
    assert (record["n"], record["error"]) == (3, round(1 / 3, 6))
    (_, lines), (command, _) = commands
    assert lines == ["1 | f0:1.5 f1=0 f2:2", "2 | f1=1", "1 | f0:4.5 f1=2"]
    assert f"{task}" in command
    assert "--learning_rate 0.02 --random_seed 2" in command
    assert "-b 18 " in command
    assert "interactions" not in command


def test_standardised_numbers_have_mean_0_and_names_stay(commands, monkeypatch):
    monkeypatch.setattr(vowpal, "repeat", rows_of)
    setting = algorithms()["VW greedy"].settings[0] | {"standardised": True}
    vowpal.play("irish", setting, 0, 4, informed=False)
    (_, lines), _ = commands
    numbers = [float(word[3:]) for line in lines for word in line.split() if word[:3] == "f0:"]
    assert len(numbers) == 3  # the mean itself is 0, which is left out
    assert np.sum(numbers) == pytest.approx(0.0, abs=1e-5)
    assert np.sum(np.square(numbers)) / 4 == pytest.approx(1.0, abs=1e-5)
    assert [word for line in lines for word in line.split() if "=" in word] == [
        "f1=0", "f1=1", "f1=2", "f1=1",
    ]  # fmt: skip


def test_files_are_written_once_for_all_settings(commands, monkeypatch):
    monkeypatch.setattr(vowpal, "repeat", rows_of)
    for setting in algorithms()["VW bag"].settings:
        vowpal.play("irish", setting, 0, 4, informed=False)
    assert sum(bool(lines) for _, lines in commands) == 2  # standardised, and not
    paths = [vowpal.files("irish", 0, 4, standardised).path for standardised in (False, True)]
    assert all(path.is_dir() for path in paths)
    vowpal.files.cache_clear()
    assert not any(path.exists() for path in paths)


def test_every_policy_has_room_for_its_weights(commands, monkeypatch):
    wide = replace(rows_of("", 0), nominal=(0, 2**14, 0))
    monkeypatch.setattr(vowpal, "repeat", lambda name, seed: wide)
    vowpal.play("irish", algorithms()["VW bag"].settings[0], 0, 4, informed=False)
    assert all("-b 22 " in command for command, _ in commands)  # 4 · 16 · 3 · 2¹⁴ is above 2²¹


def test_rounds_of_long_sets_are_recorded_for_the_first_repeat_alone():
    recorded = {name: [i for i in range(10) if runs.paired(sets()[name], i)] for name in
                ("letter", "credit_default", "covtype")}  # fmt: skip
    assert recorded == {"letter": [0, 1, 2], "credit_default": [0, 1], "covtype": [0]}
