"""AdaBoostMH beside its peers: budgets, verdicts from the reported half alone, missing runs."""

import numpy as np
import pytest

pytest.importorskip("sklearn")

from bench.mh import bakeoff, contenders
from bench.mh.bakeoff_report import cells, report, verdicts
from bench.mh.contenders import CONTENDERS, FOREST, OURS, play, rows_of
from onearm.experiments.job import key

PEERS = [name for name in CONTENDERS if name != OURS]


def record(name, learner, split, error, loss):
    about = {"set": name, "learner": learner, "split": split, "tuned": False, "budget": 4.0}
    return about | {"error": error, "log_loss": loss, "cpu_seconds": 0.4, "unit": 0.1}


def records(name, ours, theirs, losses=(0.5, 0.5)):
    pairs = [(OURS, ours, losses[0]), *((peer, theirs, losses[1]) for peer in PEERS)]
    return [record(name, learner, 0, error, loss) for learner, error, loss in pairs]


def test_verdicts_are_from_complete_sets_of_the_reported_half():
    played = [
        *records("titanic", 0.2, 0.25, (0.4, 0.5)), *records("stroke", 0.1010, 0.1, (0.6, 0.5)),
        *records("kc1", 0.3, 0.2), *records("pima", 0.9, 0.1), *records("dmft", 0.9, 0.1)[:-1],
    ]  # fmt: skip
    errors, losses = (cells(played, value, 4.0) for value in ("error", "log_loss"))
    assert set(errors) == {"titanic", "stroke", "kc1", "pima"}
    first, second = verdicts(errors, losses)
    assert "lowest error on 1 of 3 sets" in first
    assert "within 2 % of it on 2 " in first
    assert "boosters on 2 of 3 " in second
    assert "median ratio is 1.000" in second
    assert f"{len(played)} of 99 planned runs" in report(played, 99)


def test_a_learner_climbs_its_ladder_within_the_budget(monkeypatch):
    rng = np.random.default_rng(0)
    X = np.stack([rng.integers(0, 3, 200), rng.normal(size=200)], axis=1)
    y = (np.isin(X[:, 0], [0, 2]) ^ (X[:, 1] > 1.5)).astype(int)
    rows = rows_of(X, y, (3, 0))
    assert rows.codes.shape == (200, 4)
    train, test = rows.part(np.arange(120)), rows.part(np.arange(120, 200))
    for name in (OURS, FOREST, "HistGradientBoosting"):
        short = CONTENDERS[name]._replace(sizes=(5, 20, 100))
        monkeypatch.setitem(contenders.CONTENDERS, name, short)
        assert play(name, False, train, test, 0.0)["size"] == 5
        best = play(name, False, train, test, 60.0)
        assert best["size"] in ((5, 20, 100) if CONTENDERS[name].held_out else (100,))
        assert best["error"] < 0.2


def test_the_middle_budget_is_played_first():
    jobs = bakeoff.jobs_of(bakeoff.named(["titanic", "pima"]), 2, 3, True)
    assert len(jobs) == 2 * 6 * 2 * 2 * 3
    assert {job.budget for job in jobs[:48]} == {4.0}
    assert not any(job.tuned for job in jobs[:24])
    assert len({tuple(job.configuration().values()) for job in jobs}) == len(jobs)


def test_runs_of_other_code_are_not_shown(monkeypatch, tmp_path):
    jobs = bakeoff.jobs_of(bakeoff.named(["titanic"]), 1, 1, False)
    with bakeoff.ledger(tmp_path).writer() as write:
        for job in jobs:
            given = record("titanic", job.learner, 0, 0.25, 0.5)
            write({"key": key(job.configuration()), **given, **job.configuration()})
    for code, shown in (("present", 6), ("other", 5)):
        if code == "other":
            monkeypatch.setattr(bakeoff, "code", lambda cls: "other")
        assert bakeoff.main(["--render", "--out", str(tmp_path)]) == 0
        text = (tmp_path / "mh_bakeoff" / "README.md").read_text()
        assert f"{shown} of 11,160 planned runs" in text
        assert ("| titanic |" in text) == (shown == 6)
