"""Reports come out of the stored results as they are in the repository."""

import json

import pytest

from bench import agent, defaults, preparation, race, schema, walks
from bench.benchmark import RESULTS
from bench.boosting import boosters_report, potentials
from bench.chorus import budget, floor, parts, rewards, spread, table, trials, values
from bench.chorus.comparison import Job, best, ledger_path, phase_2
from bench.chorus.streams import NAMES, repeats
from bench.mh import peers_report, speed_report
from bench.ope import report as ope
from bench.regression import speed as regression_speed
from bench.serve import report as serve
from bench.speed import report as speed
from bench.trees import report as trees
from onearm.experiments.ledger import Ledger
from onearm.experiments.run import Experiment

REQUIREMENTS = {
    "speed": speed, "trees": trees, "boosters": boosters_report, "mh_speed": speed_report,
    "schema": schema, "agent": agent, "race_speed": race, "regression_speed": regression_speed,
    "ope": ope, "serve": serve,
}  # fmt: skip
STUDIES = {
    "budget": budget, "floor": floor, "parts": parts, "rewards": rewards, "spread": spread,
    "trials": trials, "values": values,
}  # fmt: skip
REPORTS = REQUIREMENTS | {"potentials": potentials, "mh_peers": peers_report}


def stored(name):
    return json.loads((RESULTS / f"{name}.json").read_text())


@pytest.mark.parametrize("name", REPORTS)
def test_report_is_that_of_the_stored_results(name):
    assert REPORTS[name].report(stored(name)) == (RESULTS / f"{name}.md").read_text()


@pytest.mark.parametrize("name", REQUIREMENTS)
def test_requirements_are_those_stored(name):
    results = stored(name)
    bounds = REQUIREMENTS[name].requirements(results)
    assert [{**bound._asdict(), "met": bound.met} for bound in bounds] == results["requirements"]


def test_table_of_chorus_is_that_of_the_stored_runs():
    assert table.report(table.read(RESULTS)) == (RESULTS / "chorus" / "table.md").read_text()


@pytest.mark.parametrize(
    ("module", "ledger"),
    [
        (defaults, "defaults.jsonl"),
        (preparation, "preparation.jsonl"),
        *((module, f"chorus/{name}.jsonl") for name, module in STUDIES.items()),
    ],
)
def test_no_stored_run_is_played_again(module, ledger):
    experiment = Experiment(module.jobs(), Ledger(RESULTS / ledger))
    assert not experiment.missing()
    assert not experiment.damaged
    assert len(experiment.records()) == len(experiment.ledger.records())


def test_no_run_of_chorus_is_played_again():
    jobs = [Job(name, "Chorus", {}, r, 2) for name in NAMES for r in range(1, repeats(name) + 1)]
    assert not Experiment(jobs, Ledger(ledger_path(RESULTS, "chorus"))).missing()


def test_runs_of_the_other_learners_are_found_again():
    ledger = Ledger(ledger_path(RESULTS, "rivals"))
    tuned = best(ledger.records().values(), "SynNonSep", ["Banditron", "LinUCB"])
    assert sorted(tuned) == ["Banditron", "LinUCB"]
    jobs = phase_2("SynNonSep", tuned, 1.0, repeat=1)
    assert not Experiment(jobs, ledger).missing()


def test_table_of_preparations_is_that_of_the_stored_runs():
    records = Experiment(preparation.jobs(), Ledger(RESULTS / "preparation.jsonl")).records()
    assert preparation.report(records) == (RESULTS / "preparation.md").read_text()


@pytest.mark.parametrize("name", STUDIES)
def test_table_of_a_study_is_that_of_the_stored_runs(name):
    module, ledger = STUDIES[name], Ledger(RESULTS / "chorus" / f"{name}.jsonl")
    text = (RESULTS / "chorus" / f"{name}.md").read_text()
    assert module.report(Experiment(module.jobs(), ledger).records()) == text


def test_table_of_defaults_is_that_of_the_stored_runs():
    records = Experiment(defaults.jobs(), Ledger(RESULTS / "defaults.jsonl")).records()
    assert defaults.report(records) == (RESULTS / "defaults.md").read_text()


def test_walks_show_both_checkouts():
    facts = {"date": "2026-01-01", "cpu": "Z80", "python": "3", "onearm": "1", "numpy": "2"}
    walk = {"a.py": ["f", "g"], "b.py": ["C.h"]}
    checkout = {
        "walks": dict.fromkeys(walks.WALKS, walk), "imports": dict.fromkeys(walks.IMPORTS, 0.5),
    }  # fmt: skip
    results = {"command": "c", "about": facts | {"numba": "3"}, "before": checkout}
    text = walks.report(results | {"after": checkout})
    assert "| race | 2 | 2 | 3 | 3 |" in text
    assert "1. `a.py`: f, g\n2. `b.py`: C.h" in text
    assert "| `import onearm` | 0.50 | 0.50 |" in text
