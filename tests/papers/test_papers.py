"""The benches of papers: verdicts, claims, tuning and tables, on runs made by hand."""

import numpy as np
import pytest
from rich.console import Console
from scipy.sparse import csr_array

from papers import claims, pool, texts, verdicts
from papers import records as runs
from papers.bh20 import report as bh20_table
from papers.boz17 import report as boz17_table
from papers.boz17.claims import Results
from papers.boz17.runs import LEARNERS, powers
from papers.c09 import figure as c09_figure
from papers.c09 import report as c09_table
from papers.c09 import runs as c09_run
from papers.c09.paper import METHODS, OVA, TREES, printed
from papers.verdicts import BETTER, WITHIN, WORSE
from papers.z19 import report as z19_tables
from papers.z19.report import Mean

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
    ("found", "verdict"),
    [
        (Mean(20, 0.90, 0.01), WITHIN),  # by the interval
        (Mean(20, 0.893, 0.001), WITHIN),  # by half a digit
        (Mean(20, 0.92, 0.01), BETTER),  # accuracies: the more, the better
        (Mean(20, 0.86, 0.01), WORSE),
        (Mean(1, 0.86, np.nan), "one run"),
    ],
)
def test_verdict_of_accuracies(found, verdict):
    assert z19_tables.judged(found, 0.89) == verdict


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


def test_half_width_is_students():
    assert runs.half_width([1.0, 2.0, 3.0, 4.0, 5.0]) == pytest.approx(1.9633, abs=1e-4)
    assert runs.half_width([1.0]) == float("inf")


def test_curve():
    correct = np.array([False, True, False, True])
    assert runs.errors(correct, np.array([1, 2, 4])) == [1.0, 0.5, 0.5]
    ends = runs.evenly(1000, 30, 10)
    assert (ends[0], ends[-1]) == (10, 1000)
    assert len(ends) <= 30
    assert (np.diff(ends) > 0).all()
    assert runs.evenly(5, 30, 10).tolist() == [5]


@pytest.mark.parametrize("line", ['{"a": 1', "7", "[]", '{"b": 2}', "\x00", "null"])
def test_damaged_lines_are_no_runs(tmp_path, line):
    path = tmp_path / "runs.jsonl"
    path.write_text('{"a": 1}\n' + line + "\n")
    assert list(runs.finished(path, lambda run: str(run["a"]))) == ["1"]


def test_a_run_after_a_line_that_was_cut_off_is_kept(tmp_path, monkeypatch):
    path = tmp_path / "runs.jsonl"
    path.write_text('{"a": 1}\n{"a":')
    monkeypatch.setattr(pool, "everywhere", lambda play, todo: [(job, play(job)) for job in todo])
    console = Console(quiet=True)
    assert not pool.play_all(lambda job: {"a": job}, [2], path, str, console)
    assert list(runs.finished(path, lambda run: run["a"])) == [1, 2]


def test_finished_reads_what_is_there(tmp_path):
    path = tmp_path / "runs.jsonl"
    assert runs.finished(path, str) == {}
    path.write_text('{"a": 1}\n{"a": 1}\n{"a": 2}\n')
    assert len(runs.finished(path, lambda run: str(run["a"]))) == 2


def tried(value, error, method="Banditron"):
    return {"data": "usps", "method": method, "changes": [["gamma", value]], "error": error}


def test_the_least_mean_error_settles_a_parameter():
    seen = [tried(0.1, 0.3), tried(0.1, 0.5), tried(0.3, 0.35), tried(0.3, 0.37)]
    assert c09_table.settled(seen) == {("usps", "Banditron"): 0.3}
    assert c09_table.settled([*seen, tried(0.2, 0.36)])["usps", "Banditron"] == 0.2


def test_jobs_of_a_table():
    best = dict.fromkeys(c09_run.TUNED, 0.1)
    jobs = c09_run.playing("usps", best, 10, 1000)
    assert len(set(jobs)) == len(jobs)
    cells = {job[:4]: sum(other[:4] == job[:4] for other in jobs) for job in jobs}
    assert sorted(set(cells.values())) == [c09_run.OTHERWISE, c09_run.RUNS]
    assert sum(n == c09_run.RUNS for n in cells.values()) == len(METHODS)
    assert all(job.make().n_features == 256 for job in jobs[:10])


def test_table_of_c09(tmp_path):
    records = [
        {**job._asdict(), **ABOUT, "changes": [list(c) for c in job.changes], "error": 0.5}
        for job in c09_run.playing("usps", dict.fromkeys(c09_run.TUNED, 0.3), 2, 1000)
    ]
    seen = [tried(0.3, 0.5, method) | ABOUT for method in c09_run.TUNED]
    c09_table.write(records, seen, tmp_path, 1000)
    text = (tmp_path / "table1.md").read_text()
    assert "(2 of 10 runs, first 1,000 rounds)" in text
    assert "`onearm papers c09.table1 --quick`" in text
    assert "Of 8 cells: 8 fewer rounds, 0 other data." in text
    assert "interval over 2 runs" in text
    c09_table.write(records, seen, tmp_path, c09_table.ALL)
    text = (tmp_path / "table1.md").read_text()
    assert "# Table I of C09 (2 of 10 runs)\n" in text
    assert "Of 8 cells: 1 within, 3 better, 4 worse, 0 other data." in text
    assert "| usps | Banditron | 50.28 | 50.00 ± 0.00 | -0.28 | within | 2 |" in text
    assert printed("usps", "Banditron") == pytest.approx(0.5028)
    assert printed("reuters", "OVA PA") == printed("rcv1", "OVA PA") == pytest.approx(0.0291)


def test_figures_of_c09_have_three_panels_each(tmp_path, monkeypatch):
    from matplotlib import pyplot

    jobs = c09_run.playing("usps", {"Banditron": 0.3}, 2, 1000)
    records = [
        {**job._asdict(), **ABOUT, "changes": [list(c) for c in job.changes], "curve": [0.5] * 30}
        for job in jobs
    ]
    monkeypatch.setattr(pyplot, "close", lambda figure: None)
    c09_figure.draw(records, {("usps", "Banditron"): 0.3}, tmp_path / "curves.png")
    shown = [
        [one.get_text() for one in axes.get_legend().get_texts()] for axes in pyplot.gcf().axes
    ]
    assert shown == [["Perceptron", "Banditron", "OVA PA-I", "tree PA-I"], [*OVA], [*TREES]]
    monkeypatch.undo()
    pyplot.close("all")


def test_table_of_bh20(tmp_path):
    losses = {"ogd": [3.70, 3.72], "full": [3.6, 3.6], "nfkm": [12.0, 12.6], "bandit": [13.0, 13.1]}
    own = {"lr": 0.1, "power": 0.5, "R": 1.0, "N": 10}
    about = {"zero": 109.0, "mean": 10.0, "runs": 2, "settings": own, **ABOUT}
    bh20_table.write(
        [
            {"data": "abalone", "order": "shuffled", "method": method, "losses": found, **about}
            for method, found in losses.items()
        ],
        84,
        tmp_path,
    )
    text = (tmp_path / "table2.md").read_text()
    assert "# Table 2 of BH20 (4 of 84 cells, 2 of 20 runs of abalone)\n" in text
    said = "| 3.708 (within) | 3.71 (better) | 12.21 (within) | 11.68 (worse) |"
    assert f"| the paper's |  |  {said}" in text


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
    found = Results([*figure_runs(), played("SOBAdiag", 3, 3, 0.0)])  # that seed has one γ alone
    assert found.best("synnonsep", "SOBAdiag") == 6
    assert found.seeds("synnonsep", "SOBAdiag") == [0, 1, 2]
    ours, theirs = found.pair("synnonsep", "SOBAdiag", "Perceptron")
    assert ours == pytest.approx([0.06, 0.0601, 0.0602])
    assert claims.less(ours, theirs) == claims.HOLDS
    assert found.good("synnonsep", "SOBAdiag") == 9  # γ from 2⁻² to 2⁻¹⁰
    assert found.good("synnonsep", "PNewtron") == 0


def test_table_of_boz17(tmp_path):
    boz17_table.write(figure_runs(), tmp_path, 5000)
    text = (tmp_path / "figure2.md").read_text()
    assert "# Figure 2 of BOZ17 (3 of 10 runs, first 5,000 rounds)" in text
    assert "| synnonsep | SOBAdiag | 2^-6 | 6.01 ± 0.02 |" in text
    assert "| SOBAdiag errs less than Perceptron | synnonsep | holds |" in text
    assert "| PNewtron is on par or worse than the Banditron | synnonsep | does not hold |" in text


def test_texts():
    X = texts.weighed(csr_array([[1.0, 2.0, 0.0], [0.0, 1.0, 3.0], [0.0, 1.0, 0.0]]))
    norms = np.sqrt((X.toarray() ** 2).sum(axis=1))
    assert norms == pytest.approx([1.0, 1.0, 0.0])  # a term that all texts have tells nothing
    assert X.toarray()[1].tolist() == pytest.approx([0.0, 0.0, 1.0])
    rows, labels = texts.largest(np.array([5, 7, 7, 9, 5, 7]), 2)
    assert (rows.tolist(), labels.tolist()) == ([0, 1, 2, 4, 5], [1, 0, 0, 1, 0])
    rows, labels = texts.single(np.array([[1, 0], [1, 1], [0, 0], [0, 1]]))
    assert (rows.tolist(), labels.tolist()) == ([0, 3], [0, 1])
