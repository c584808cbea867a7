"""The frame of the benchmarks: options, requirements, and what is written where."""

import json
from typing import NamedTuple

import numpy as np
import pytest

from bench.benchmark import Option, PlayedBenchmark, Requirement, TimedBenchmark, parse, verdict
from bench.boosting.boosters import exponent
from bench.chorus.parts import recovery
from bench.timing import Timing
from bench.trees.contest import accuracies


class Square(NamedTuple):
    """A job."""

    x: int

    def configuration(self):
        return {"x": self.x}

    def play(self, progress):
        if self.x == 13:
            raise ValueError("unlucky")
        return {"square": self.x**2}

    def summary(self, record):
        return f"{self.x}: {record['square']}"


def squares(numbers):
    def report(records):
        return " ".join(str(r["square"]) for r in records)

    jobs = [Square(x) for x in numbers]
    return PlayedBenchmark("squares", "Squares.", "squares.jsonl", lambda: jobs, report).main


def timed(bound):
    return TimedBenchmark(
        "numbers", "Numbers.", "numbers",
        measure=lambda options: {"n": {options.size: 3.0}},
        report=lambda results: f"{results['n']}\n",
        requirements=lambda results: [Requirement("n", max(results["n"].values()), "≥", bound)],
        options=(Option("size", 5, "how many"),),
    ).main  # fmt: skip


def test_options_have_the_types_of_their_defaults():
    options = (
        Option("size", 5, "how many"), Option("quick", False, "few"),
        Option("data", ("a",), "which", ("a", "b")),
    )  # fmt: skip
    given = parse("numbers", "Numbers.", options, ["--size", "7", "--data", "a", "b"])
    assert (given.size, given.quick, given.data) == (7, False, ["a", "b"])
    assert given.command == "python -m bench numbers --size 7 --data a b"


@pytest.mark.parametrize(
    ("sign", "below", "at", "above"),
    [("≥", False, True, True), ("≤", True, True, False), ("<", True, False, False)],
)
def test_bounds(sign, below, at, above):
    met = [Requirement("r", value, sign, 1.0).met for value in (0.5, 1.0, 1.5)]
    assert met == [below, at, above]


def test_verdict_names_what_is_not_met():
    good, bad = (Requirement("rate", value, "≥", 2) for value in (3, 1))
    assert verdict([good]) == "All requirements are met."
    assert verdict([good, bad], ["a part failed"]).splitlines()[2:] == [
        "- a part failed",
        "- rate: 1, required ≥ 2",
    ]


def test_a_timed_benchmark_writes_what_its_report_is_made_of(tmp_path):
    assert timed(2)(["--size", "9", "--out", str(tmp_path)]) == 0
    results = json.loads((tmp_path / "numbers.json").read_text())
    assert results["command"].startswith("python -m bench numbers --size 9")
    assert results["requirements"] == [
        {"what": "n", "value": 3.0, "sign": "≥", "bound": 2, "met": True}
    ]
    assert (tmp_path / "numbers.md").read_text() == "{'9': 3.0}\n"


def test_a_timed_benchmark_fails_below_its_bound_and_renders_without_measuring(tmp_path, capsys):
    assert timed(4)(["--out", str(tmp_path)]) == 1
    assert "failed: n: 3, required ≥ 4" in capsys.readouterr().err
    (tmp_path / "numbers.md").unlink()
    assert timed(2)(["--size", "6", "--render", "--out", str(tmp_path)]) == 0
    assert (tmp_path / "numbers.md").read_text() == "{'5': 3.0}\n"


def test_a_played_benchmark_plays_what_is_missing(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("onearm.experiments.pool.cpu_count", lambda: 1)  # in this process
    out = ["--out", str(tmp_path)]
    assert squares([2, 3])(out) == 0
    first = (tmp_path / "squares.jsonl").read_bytes()
    assert squares([2, 3, 4])(out) == 0
    assert (tmp_path / "squares.jsonl").read_bytes().startswith(first)
    assert (tmp_path / "squares.md").read_text() == "4 9 16"
    assert squares([2, 13])(out) == 1
    assert "ValueError: unlucky" in capsys.readouterr().err
    assert squares([3, 13])([*out, "--render"]) == 0
    assert (tmp_path / "squares.md").read_text() == "9"


def test_timing_counts_the_best_repeat():
    timing = Timing(100, [2.0, 1.0], [4.0, 5.0])
    assert (timing.rate(), timing.rate("wall")) == (100, 25)
    assert timing.less(Timing(1, [0.5, 0.75], [1.0, 2.0])).cpu == [1.5, 0.5]


def test_recovery_counts_rounds_until_the_error_is_as_before():
    correct = np.ones(4000, bool)
    correct[:300] = correct[2000:2500] = False
    assert recovery(correct) == {"from_start": 296, "after_change": 496}


def test_exponent_and_accuracies():
    assert exponent([1, 2, 4], [3.0, 12.0, 48.0]) == pytest.approx(2.0)
    assert accuracies([1, None, 0], np.array([1, 1, 0]), 1, 3, 9) == {"1": 1.0, "3": 2 / 3}
