"""The report of an evaluation: tables in words, rows of numbers, files."""

import csv
import math
import re
from dataclasses import replace
from io import StringIO

import numpy as np
import pytest
from rich.console import Console

import onearm
from onearm.ope import words
from onearm.ope.evaluation import Estimate
from onearm.ope.page_data import page_data
from onearm.ope.report import print_tables, rows

N = 1200


def simulated(rewards=(0.0, 1.0), chances=True, n=N, **known):
    """Return a log of a policy that explores, with two columns; label 2 is best for phones."""
    rng = np.random.default_rng(0)
    schema = onearm.Schema({"device": ["phone", "tv"], "age": "number"}, ["a", "b", "c"])
    X = np.c_[rng.integers(0, 2, n), rng.integers(20, 70, n)].astype(float)
    p = np.tile([0.5, 0.3, 0.2], (n, 1))
    label = (rng.random((n, 1)) > p.cumsum(axis=1)[:, :2]).sum(axis=1)
    right = label == np.where(X[:, 0] == 0, 2, 0)
    reward = rewards[0] + (rewards[1] - rewards[0]) * (rng.random(n) < 0.2 + 0.6 * right)
    given = {"chances": p} if chances else {}
    return onearm.Log.of(
        X, label, p[np.arange(n), label], reward, schema=schema, rewards=rewards, **given | known
    )


def phones_first(X):
    return np.where(X[:, 0] == 0, 2, 0)


POLICIES = {"phones first": phones_first, "[bold]b[/bold]": "always b", "uniform": "uniform"}


@pytest.fixture(scope="module")
def judged():
    return onearm.evaluate(simulated(), POLICIES, estimator=["dr", "snips", "dm"], by="device")


def text_of(evaluation, width=100):
    file = StringIO()
    print_tables(evaluation, Console(file=file, width=width, highlight=False))
    return file.getvalue()


def squeezed(text):
    return re.sub(r"\s+", " ", text)


def test_tables_fit_into_100_columns_and_less(judged):
    for width in (100, 80, 60):
        lines = text_of(judged, width).splitlines()
        assert max(map(len, lines)) <= width
        # each table has names, and no column is cut
        assert sum(line.startswith("unifo") for line in lines) >= 5
        assert len(re.findall(r"\byes\b", "\n".join(lines))) == 1 + 3 + 1
    narrow = squeezed(text_of(judged, 60))
    for estimate in judged.estimates:
        assert f"{estimate.value:.4f}" in narrow


def test_each_estimate_says_what_its_interval_is(judged):
    lines = {tuple(line.split()[:3]): squeezed(line) for line in text_of(judged).splitlines()}
    dr, snips, dm = (lines["phones", "first", name] for name in ("dr", "snips", "dm"))
    assert dr.endswith("confidence sequence yes ") or dr.endswith("confidence sequence yes")
    assert re.search(r"Gaussian no ?$", snips)
    assert re.search(r"none – – ?$", dm)
    text = squeezed(text_of(judged))
    assert "logged: the mean reward of the logged choices." in text
    assert "the mean reward of this policy on the contexts of the log." in text
    assert "valid while the logging policy learns: yes" in text
    assert "98.33 % each, 95 % together" in text


def test_names_are_no_markup(judged):
    lines = [line for line in text_of(judged).splitlines() if line.startswith("[bold]b[/bold]")]
    assert len(lines) == 3 + 1 + 1  # estimates, weights, difference


def test_verdicts_weights_checks_and_notes(judged):
    text = squeezed(text_of(judged))
    assert re.search(r"phones first \+0\.\d{4} \+0\.\d{4} to \+0\.\d{4} better", text)
    by_name = {w.policy: w for w in judged.weights}
    w = by_name["phones first"]
    assert f"phones first {w.effective:,.0f} {w.largest:.3g} {w.mean:.3f} 0 %" in text
    assert "passed: label frequencies" in text
    assert f"Of {N:,} events of the log, {N:,} are judged." in text


def test_what_is_left_out_is_counted():
    outcome = np.array(["reported"] * N, object)
    outcome[:50], outcome[50:57], outcome[57:60] = "pending", "default", "not_activated"
    log = simulated(outcome=outcome)
    text = squeezed(text_of(onearm.evaluate(replace(log, n_bad_lines=4), "uniform")))
    assert f"Of {N:,} events of the log, {N - 53:,} are judged." in text
    for words_of in ("50 events without a reward yet", "7 events got no reward in time",
                     "3 events never shown", "4 bad lines"):  # fmt: skip
        assert words_of in text


def test_worthless_answers_are_warned_of():
    text = text_of(onearm.evaluate(simulated(n=20), "always c"))
    assert "Warnings" in text
    assert "the answer is worth nothing" in text
    assert "not decided: too few effective events" in squeezed(text)


def difference(low, high, more=0.0):
    numbers = (low + high) / 2, low, high, 0.95, "confidence_sequence", True, "", 100
    return Estimate("b", "difference", *numbers, "a", more)


OPEN = "not decided"


@pytest.mark.parametrize(
    ("estimate", "verdict", "more"),
    [
        (difference(0.1, 0.3), "better", ""),
        (difference(-0.3, -0.1), "worse", ""),
        (difference(-0.1, 0.3, 46_871.0), OPEN, "about 46,900 more events would decide it"),
        (difference(-0.1, 0.3, math.inf), OPEN, "more events like these would not decide it"),
        (
            difference(-0.1, 0.3, math.nan),
            OPEN,
            "too noisy yet to tell how many more would",
        ),
        (difference(0.0, 0.3, 12.0), OPEN, "about 12 more events would decide it"),
    ],
)
def test_verdicts(estimate, verdict, more):
    assert words.verdict(estimate) == verdict
    assert words.what_would_decide(estimate, 100.0) == more
    few = "too few effective events to tell how many more would decide it"
    assert words.what_would_decide(estimate, 49.0) == (few if more else "")


@pytest.mark.parametrize(
    ("passed", "doubtful", "word"),
    [(True, False, "passed"), (True, True, "doubtful"), (False, False, "failed")],
)
def test_what_a_check_found_is_a_word(judged, passed, doubtful, word):
    finding = judged.findings[0]._replace(passed=passed, doubtful=doubtful)
    text = text_of(replace(judged, findings=[finding]))
    assert f"{word}: {finding.check}: " in text


def test_rewards_of_any_range_have_enough_decimals():
    costs = onearm.evaluate(simulated((-2500.0, -500.0)), POLICIES)
    value = costs.estimates[0].value
    assert f"−{-value:,.1f}" in text_of(costs)
    tiny = onearm.evaluate(simulated((0.0, 0.001)), POLICIES)
    assert f"{tiny.estimates[0].value:.7f}" in text_of(tiny)


def test_rows_have_every_number(judged):
    lines = rows(judged)
    kinds = [line["what"] for line in lines]
    n_parts = (len(judged.segments), len(judged.windows))
    assert [kinds.count(x) for x in ("value", "difference", "segment", "window")] == [
        10,
        3,
        *n_parts,
    ]
    assert len({tuple(line) for line in lines}) == 1  # the same columns
    dr = next(x for x in lines if (x["policy"], x["estimator"]) == ("phones first", "dr"))
    estimate = judged.estimates[1]
    assert (dr["value"], dr["low"], dr["high"]) == (estimate.value, estimate.low, estimate.high)
    assert dr["effective_events"] == judged.weights[0].effective
    phones = next(x for x in lines if (x["what"], x["part"]) == ("segment", "phone"))
    assert phones["n_events"] == sum(judged.log.events().X[:, 0] == 0)


def test_written_files_have_the_rows(judged, tmp_path):
    written = judged.write(tmp_path / "new" / "folder", "onearm evaluate x")
    names = [path.name for path in written]
    assert names[:2] == ["evaluation.html", "results.csv"]
    assert sorted(path.name for path in (tmp_path / "new" / "folder").iterdir()) == sorted(names)
    with written[1].open(newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == len(rows(judged))
    assert [float(x["value"]) for x in lines] == [x["value"] for x in rows(judged)]
    if "results.parquet" in names:
        import pandas as pd

        frame = pd.read_parquet(written[2])
        assert frame["value"].tolist() == [x["value"] for x in rows(judged)]
    assert "onearm evaluate x" in written[0].read_text(encoding="utf-8")


def test_a_page_that_cannot_be_written_leaves_the_old_files(judged, tmp_path, monkeypatch):
    judged.write(tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def no_space(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(csv.DictWriter, "writerows", no_space)
    with pytest.raises(OSError, match="No space left"):
        judged.write(tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_the_page_shows_what_was_computed(judged):
    data = page_data(judged, "onearm evaluate")
    assert [line["label"] for line in data["curves"]] == ["logged", *POLICIES]
    for curve, made in zip(data["curves"], judged.curves, strict=True):
        assert curve["curve"]["high"] == made.high.tolist()
    assert [x["verdict"] for x in data["differences"]] == [
        words.verdict(x) for x in judged.differences
    ]
    assert [x["part"] for x in data["segments"]] == ["phone", "tv"]
    values = [x["value"] for part in data["segments"] for x in part["policies"]]
    assert values == [x.value for x in judged.segments]
    assert len(data["windows"]) == 10
    assert data["by"] == "device"
    assert data["level"] == 0.95


def test_curves_stay_within_the_rewards():
    log = onearm.Log.of(None, [0, 1] * 20, [0.999, 0.001] * 20, [0, 1] * 20)
    data = page_data(onearm.evaluate(log, "always 1"))
    means = [x for curve in data["curves"] for x in curve["curve"]["mean"]]
    assert min(means) >= 0
    assert max(means) <= 1
