"""B10's Table 1: its verdicts, and which runs are played again with more rounds."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sklearn")
from onearm import AdaBoostMH
from onearm.core.kernels import interpreted
from onearm.mh import rounds
from papers import RESULTS
from papers.b10 import features, products, report, runs
from papers.b10.paper import POLICIES
from papers.b10.runs import CAP, Job, longer_jobs, settled
from papers.claims import FAILS, HOLDS
from papers.records import stored_runs
from papers.replication import Options, Request

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


def test_a_longer_run_has_its_own_key_and_plays_the_first_maximum_at_least(monkeypatch):
    short, longer = Job("letter", "product", "ucb", 0), Job("letter", "product", "ucb", 0, 77)
    assert "cap" not in short.configuration()  # as before there were others
    assert (short.max_rounds(), longer.max_rounds()) == (10_000, 77)
    assert longer.configuration()["most"] == longer.configuration()["cap"] == 77
    monkeypatch.setitem(runs.ROUNDS, "stump", ((600,) * 5, (600,) * 5))
    X, y = np.arange(40.0)[:, None] % 9, np.arange(40) % 9 > 4  # learnt in the first round
    rows = runs.Split(X, y.astype(int), X, y.astype(int))
    for cap in (None, 5000):
        model = Job("letter", "stump", "uniform", 0, cap).validated_model(rows)
        assert len(model.smoothed_error_) == 600
        assert len(model.alpha_) == 1


def test_parameters_of_exp3p_are_those_of_least_validation_error():
    tuning = runs.tuning_jobs(REQUEST, [])
    records = [job.values() | {"validation_error": abs(job.lam - 0.3) + job.eta} for job in tuning]
    assert runs.best_parameters(records, "letter") == (0.3, 0.0)
    assert runs.best_parameters(records[:-1], tuning[-1].data) == (None, None)
    tuned = [job for job in runs.jobs(REQUEST, records) if job.lam is not None]
    assert {(job.base, job.arms, job.lam, job.eta) for job in tuned} == {
        ("stump", "exp3p", 0.3, 0.0)
    }
    assert tuned[0].make(5).get_params()["lam"] == 0.3


def test_a_longer_run_counts_in_place_of_the_first():
    text = report.REPLICATION.page(
        [run(9000, 0.03), run(30_000, 0.0243, most=CAP, cap=CAP)], REQUEST
    )
    assert "2.43 / 2.30 (within; 30,000)" in text
    assert "0 of 1 runs are marked" in text
    text = report.REPLICATION.page([run(9000, 0.03)], REQUEST)
    assert "3.00 / 2.30 (worse; 9,000‡)" in text
    assert "Worse: letter product EXP3.P." in text


def test_products_are_refitted_in_the_order_of_the_variant(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 6))
    y = (X[:, 0] * X[:, 1] * X[:, 2] > 0).astype(int)

    def fitted(boost):
        monkeypatch.setitem(rounds.BOOSTERS, "products", interpreted(boost))  # compiles for long
        settings = {"n_rounds": 30, "arms_per_round": 1, "arms": "uniform", "random_state": 0}
        return AdaBoostMH("product", **settings).fit(X, y)

    usual = fitted(rounds.BOOSTERS["products"])
    assert fitted(products._boost("test")).loss_.tolist() == usual.loss_.tolist()
    searches = {name: fitted(boost).pulls_.sum() for name, boost in products.REFITS.items()}
    assert searches["refits: none"] <= 3 * 30 < usual.pulls_.sum()
    assert searches["refits: until no term gets better"] > usual.pulls_.sum()
    assert searches["refits: of random terms"] > 3 * 30
    more = searches["new terms and refits: until no term gets better"]
    assert more > searches["refits: until no term gets better"]


def test_cells_without_a_number_of_the_paper_have_no_verdict():
    records = [run(100, 0.5, arms="recent"), run(100, 0.0437, data="usps-smoothed", arms="full")]
    text = report.REPLICATION.page(records, REQUEST)
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
