"""Parts of the papers' tables: verdicts, claims, tuning and reports, on runs made by hand."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import onearm
from onearm import Stream
from papers import claims, playing, verdicts
from papers.bh20 import report as bh20_report
from papers.boz17 import report as boz17_report
from papers.boz17.paper import LEARNERS, powers
from papers.boz17.results import Results
from papers.c09 import figure as c09_figure
from papers.c09 import gate as c09_gate
from papers.c09 import report as c09_report
from papers.c09 import runs as c09_runs
from papers.c09.paper import METHODS, OVA, TREES, printed
from papers.figures import subplots
from papers.replication import Options, Request
from papers.verdicts import BETTER, WITHIN, WORSE
from papers.z19 import report as z19_report
from papers.z19.runs import Job as BoosterJob

REQUEST = Request(Options(), Path(), "")
ABOUT = {"versions": {"python": "3"}, "cpu_seconds": 1.0, "played": 1000}


@pytest.mark.parametrize(
    ("errors", "theirs", "verdict"),
    [
        ([0.14, 0.142], 0.145, WITHIN),  # by the tolerance
        ([0.10, 0.20, 0.15], 0.18, WITHIN),  # by the interval
        ([0.14, 0.142, 0.141], 0.16, BETTER),
        ([0.14, 0.142, 0.141], 0.12, WORSE),
        ([0.14], 0.16, BETTER),
    ],
)
def test_verdict(errors, theirs, verdict):
    assert verdicts.verdict(errors, theirs, 0.01) == verdict


@pytest.mark.parametrize(
    ("ours", "verdict"),
    [
        ([0.85, 0.95] * 10, WITHIN),  # by the interval
        ([0.893] * 20, WITHIN),  # by half a digit
        ([0.87, 0.97] * 10, BETTER),  # accuracies: the more, the better
        ([0.81, 0.91] * 10, WORSE),
        ([0.86], "one run"),
    ],
)
def test_verdict_of_accuracies(ours, verdict):
    assert z19_report.verdict(ours, 0.89) == verdict


def test_accuracies_are_shown_with_their_standard_error():
    assert z19_report.mean([0.85, 0.95] * 10) == "0.900 ± 0.011"
    assert z19_report.mean([0.86]) == "0.860"


def test_claims_are_decided_by_pairs():
    a, b = [0.10, 0.20, 0.30], [0.11, 0.21, 0.31]
    assert claims.less(a, b) == claims.HOLDS
    assert claims.less(b, a) == claims.FAILS
    assert claims.less(a, b, by=0.02) == claims.FAILS
    assert claims.less(a, b[::-1]) == claims.OPEN
    assert claims.less(a, a) == claims.OPEN
    assert claims.less(a[:1], b[:1]) == claims.OPEN
    assert claims.not_less(a, b) == claims.FAILS
    assert claims.not_less(b, a) == claims.not_less(a, a) == claims.HOLDS
    assert claims.not_less(b[:1], a[:1]) == claims.OPEN


def test_percent_shows_small_errors_too():
    assert claims.percent([0.5]) == "50.00"
    assert claims.percent([0.0002, 0.0002]) == "0.020 ± 0.000"


def test_a_trial_is_told_by_its_fields_and_numbers():
    job = BoosterJob("car", "AdaBandit", "ours", 4)
    record = {"total": 0.5, "alpha": [1.0, 2.0], "curve": {"rounds": [1]}, "name": "x", "none": []}
    assert job.summary(record) == "car AdaBandit ours 4: total 0.5, alpha 1.5"
    assert job.values() == {"data": "car", "learner": "AdaBandit", "settings": "ours", "seed": 4}
    assert job.constants() == {"copies": 6}


def test_half_width_is_students():
    assert verdicts.half_width([1.0, 2.0, 3.0, 4.0, 5.0]) == pytest.approx(1.9633, abs=1e-4)
    assert verdicts.half_width([1.0]) == float("inf")


def test_curve():
    correct = np.array([False, True, False, True])
    assert playing.curve(correct, np.array([1, 2, 4])) == [1.0, 0.5, 0.5]
    ends = playing.curve_rounds(1000, 30, 10)
    assert (ends[0], ends[-1]) == (10, 1000)
    assert len(ends) <= 30
    assert (np.diff(ends) > 0).all()
    assert playing.curve_rounds(5, 30, 10).tolist() == [5]


def tuning_run(value, error, method="Banditron"):
    run = {"data": "usps", "method": method, "rows": c09_runs.MAIN, "seed": c09_runs.TUNING[0]}
    return {**run, **ABOUT, "changes": [["gamma", value]], "error": error}


def test_the_value_of_least_mean_error_is_chosen():
    runs = [
        tuning_run(0.1, 0.3),
        tuning_run(0.1, 0.5),
        tuning_run(0.3, 0.35),
        tuning_run(0.3, 0.37),
    ]
    assert c09_runs.best_values(runs) == {("usps", "Banditron"): 0.3}
    assert c09_runs.best_values([*runs, tuning_run(0.2, 0.36)])["usps", "Banditron"] == 0.2


def test_jobs_of_a_table():
    best = dict.fromkeys(c09_runs.TUNED, 0.1)
    jobs = c09_runs.data_set_jobs("usps", best, 10, 1000)
    assert len(set(jobs)) == len(jobs)
    cells = Counter(tuple(job.values().values())[:4] for job in jobs)
    assert sorted(set(cells.values())) == [c09_runs.ALTERNATIVE_RUNS, c09_runs.RUNS]
    assert sum(n == c09_runs.RUNS for n in cells.values()) == len(METHODS)
    assert all(job.make().n_features == 256 for job in jobs[:10])


def c09_records(best, seeds=2, **results):
    return [
        {**job.values(), **ABOUT, "changes": [list(c) for c in job.changes], **results}
        for job in c09_runs.data_set_jobs("usps", best, seeds, 1000)
    ]


def test_table_of_c09():
    records = c09_records(dict.fromkeys(c09_runs.TUNED, 0.3), error=0.5)
    records += [tuning_run(0.3, 0.5, method) for method in c09_runs.TUNED]
    quick = Request(Options(quick=True), Path(), "onearm papers c09.table1 --quick")
    text = c09_report.REPLICATION.page(records, quick)
    assert "(2 of 10 runs, first 2,000 rounds)" in text
    assert "`onearm papers c09.table1 --quick`" in text
    assert "Of 8 cells: 8 fewer rounds, 0 other data." in text
    assert "over 2 runs" in text
    text = c09_report.REPLICATION.page(records, REQUEST)
    assert "# Table I of C09 (2 of 10 runs)\n" in text
    assert "Of 8 cells: 1 within, 3 better, 4 worse, 0 other data." in text
    assert "| usps | Banditron | 50.28 | 50.00 ± 0.00 | -0.28 | within | 2 |" in text
    assert printed("usps", "Banditron") == pytest.approx(0.5028)
    assert printed("reuters", "OVA PA") == printed("rcv1", "OVA PA") == pytest.approx(0.0291)


def test_figures_of_c09_have_three_panels_each(tmp_path, monkeypatch):
    records = c09_records({"Banditron": 0.3}, curve=[0.5] * 30) + [tuning_run(0.3, 0.5)]
    figure, panels = subplots(1, 3, (13, 4), squeeze=False)
    monkeypatch.setattr(c09_figure, "subplots", lambda *_, **__: (figure, panels))
    c09_figure.draw(records, tmp_path / "curves.png")
    shown = [[text.get_text() for text in axes.get_legend().get_texts()] for axes in figure.axes]
    assert shown == [["Perceptron", "Banditron", "OVA PA-I", "tree PA-I"], [*OVA], [*TREES]]


def test_gates_of_c09_are_shown_side_by_side():
    jobs = c09_gate.jobs(REQUEST, [])
    assert len(set(jobs)) == len(jobs) == 5 * 3 * (3 * 3 + 5)
    errors = {"none": 0.6, "right": 0.4, "all": 0.3}
    records = [
        {**job.values(), **ABOUT, "error": errors[job.gate], "n_classes": 20, "starved": 2}
        for job in jobs
        if job.seed < 2
    ]
    text = c09_gate.REPLICATION.page(records, REQUEST)
    cells = [f"{100 * error:.2f} ± 0.00 (2.0 of 20)" for error in errors.values()]
    assert f"| newsgroups | OVA PA | 33.75 | {' | '.join(cells)} |" in text
    assert f"| letter | OVA PA-I | {' | '.join(cells)} |" in text
    assert "contradicts the printed Algorithm 2" in text


def test_a_run_with_a_gate_counts_labels_that_are_never_chosen(monkeypatch):
    stream = Stream.of(np.eye(3)[[0, 1, 2] * 20], np.array([0, 1, 2] * 20), name="three")
    monkeypatch.setattr(c09_gate, "rows", lambda *_: stream)
    monkeypatch.setattr(onearm.ConservativeOVA, "play", lambda *_: trace)
    label = np.array([2] * 30 + [0, 1] * 15)
    trace = onearm.Trace(label, label, np.ones(60), np.arange(60) < 15)
    record = c09_gate.Job("usps", "OVA PA", "all", 0, 60).play(None)
    assert record == {"played": 60, "error": 0.75, "n_classes": 3, "starved": 1}


def test_table_of_bh20():
    losses = {"ogd": [3.70, 3.72], "full": [3.6, 3.6], "nfkm": [12.0, 12.6], "bandit": [13.0, 13.1]}
    settings = {"lr": 0.1, "power": 0.5, "R": 1.0, "N": 10}
    common = {"zero": 109.0, "mean": 10.0, "runs": 2, "settings": settings, **ABOUT}
    records = [
        {"data": "abalone", "order": "shuffled", "method": method, "losses": values, **common}
        for method, values in losses.items()
    ]
    text = bh20_report.REPLICATION.page(records, REQUEST)
    assert "# Table 2 of BH20 (4 of 98 cells, 2 of 20 runs of abalone)\n" in text
    theirs = "| 3.708 (within) | 3.71 (better) | 12.21 (within) | 11.68 (worse) |"
    assert f"| the paper's |  |  {theirs}" in text


def played(learner, power, seed, error):
    about = {"data": "synnonsep", "learner": learner, "power": power, "seed": seed}
    return {**about, **ABOUT, "error": error, "last": error, "curve": [error] * 30}


def figure_runs():
    base = {"Banditron": 0.2, "PNewtron": 0.15, "SOBAdiag": 0.06, "Perceptron": 0.1}
    return [
        played(
            learner, power, seed, base[learner] + 0.011 * abs(power - 6) * (power > 0) + 1e-4 * seed
        )
        for learner in LEARNERS
        for power in powers(learner)
        for seed in range(3)
    ]


def test_best_gamma_and_pairs():
    results = Results([*figure_runs(), played("SOBAdiag", 3, 3, 0.0)])  # that seed has only one γ
    assert results.best("synnonsep", "SOBAdiag") == 6
    assert results.seeds("synnonsep", "SOBAdiag") == [0, 1, 2]
    ours, theirs = results.pair("synnonsep", "SOBAdiag", "Perceptron")
    assert ours == pytest.approx([0.06, 0.0601, 0.0602])
    assert claims.less(ours, theirs) == claims.HOLDS
    assert results.good("synnonsep", "SOBAdiag") == 9  # γ from 2⁻² to 2⁻¹⁰
    assert results.good("synnonsep", "PNewtron") == 0


def test_table_of_boz17():
    text = boz17_report.REPLICATION.page(figure_runs(), Request(Options(quick=True), Path(), ""))
    assert "# Figure 2 of BOZ17 (3 of 10 runs, first 5,000 rounds)" in text
    assert "| synnonsep | SOBAdiag | 2^-6 | 6.01 ± 0.02 |" in text
    assert "| SOBAdiag has a lower error than Perceptron | synnonsep | holds |" in text
    assert "| PNewtron is on par or worse than the Banditron | synnonsep | does not hold |" in text
