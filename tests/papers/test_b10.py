"""B10's Table 1: its verdicts, and which runs are played again with more rounds."""

from pathlib import Path

import pytest

pytest.importorskip("sklearn")
from papers import RESULTS
from papers.b10 import features, report, runs
from papers.b10.paper import POLICIES
from papers.b10.runs import CAP, Job, longer_jobs, settled
from papers.claims import FAILS, HOLDS
from papers.replication import Options, Request
from papers.stored import stored_runs

REQUEST = Request(Options(runs=1, cap=CAP), Path(), "onearm papers b10.table1")


def run(rounds, error, data="letter", base="product", arms="exp3p", most=10_000, **more):
    about = {"data": data, "base": base, "arms": arms, "seed": 0, "most": most}
    curve = {"seconds": [1.0], "error": [error]}
    return about | {
        "validated": True, "rounds": rounds, "error": error, "versions": {}, "cpu_seconds": 1.0,
        "curve": curve, **more,
    }  # fmt: skip


def test_only_runs_that_may_still_fall_are_played_again():
    assert settled(run(6666, 0.1))
    assert not settled(run(6667, 0.1))
    full = run(10_000, 0.1, arms="full", validated=False)
    again = longer_jobs(REQUEST, [run(6666, 0.1), run(9000, 0.1, arms="ucb"), full])
    assert again == [Job("letter", "product", "ucb", 0, CAP)]
    quick = Request(Options(quick=True, cap=CAP), Path(), "")
    assert not longer_jobs(quick, [run(9000, 0.1)])


def test_a_longer_run_has_its_own_key_and_rule(monkeypatch):
    short, longer = Job("letter", "product", "ucb", 0), Job("letter", "product", "ucb", 0, 77)
    assert "cap" not in short.configuration()  # as before there were others
    assert (short.max_rounds(), longer.max_rounds()) == (10_000, 77)
    assert longer.configuration()["most"] == longer.configuration()["cap"] == 77
    made = []

    class Fitted:
        alpha_ = range(5)

        def fit(self, X, y):
            return self

    monkeypatch.setattr(Job, "make", lambda job, n, **more: made.append((n, more)) or Fitted())
    data = runs.Split(None, None, None, None)
    assert short.rounds_by_validation(data) == longer.rounds_by_validation(data) == 5
    assert [more["patience"] for _, more in made] == [100.0, 1.5]
    assert [n for n, _ in made] == [10_000, 77]


def test_a_longer_run_counts_in_place_of_the_shorter():
    text = report.text([run(9000, 0.03), run(30_000, 0.0243, most=CAP, cap=CAP)], REQUEST)
    assert "2.43 / 2.30 (within; 30,000)" in text
    assert "0 of 1 runs are marked" in text
    text = report.text([run(9000, 0.03), run(700, 0.04, most=CAP, cap=CAP)], REQUEST)
    assert "3.00 / 2.30 (worse; 9,000‡)" in text  # it stopped too soon to tell
    text = report.text([run(9000, 0.03)], REQUEST)
    assert "3.00 / 2.30 (worse; 9,000‡)" in text
    assert "Worse: letter product EXP3.P." in text


def test_cells_without_a_number_of_the_paper_have_no_verdict():
    records = [run(100, 0.5, arms="recent"), run(100, 0.0437, data="usps-smoothed", arms="full")]
    text = report.text(records, REQUEST)
    assert "50.00 / – (100)" in text
    assert "4.37 / 4.37 (within; 100)" in text
    assert "| products | 0 | 0 | 0 | 1 |" in text
    assert "Worse: none." in text


def test_stored_runs_have_the_keys_of_their_jobs():
    pairs = stored_runs(report.REPLICATION, RESULTS / "b10")
    assert len(pairs) > 100
    for job, stored in pairs:
        stated = job.configuration()
        assert {name: stored[name] for name in stated} == stated


def test_claims_of_figure_3():
    even, full = [0.1] * 10, [0.2] * 4 + [0.2 / 6] * 6
    shares = dict.fromkeys(POLICIES, even) | {"full": full, "exp3p": [0.14] * 4 + [0.44 / 6] * 6}
    records = [
        {"task": "DIAGONAL(10, 4, 0.1)", "arms": arms, "shares": [values]}
        for arms, values in shares.items()
    ]
    verdicts = {claim.statement: claim.verdict for claim in features.claims(records)}
    assert verdicts == {
        "UCB fails to discover the columns that matter": HOLDS,
        "UCBV chooses columns that matter most of the time": FAILS,
        "UCBV chooses them almost as frequently as FULL": FAILS,
        "EXP3.P chooses columns that matter most of the time": HOLDS,
        "EXP3.P chooses them almost as frequently as FULL": FAILS,
    }
