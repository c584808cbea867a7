"""What the bake-off plays: settings, and how they are chosen."""

import doctest
import json

import pytest

from bench.bakeoff import dry_run, ours, plan, rivals, vowpal
from bench.bakeoff.plan import DEFAULT, FIXED, TUNED, Tuning, full_jobs, tuning_jobs
from bench.bakeoff.rivals import algorithms
from bench.bakeoff.sets import REPORTED, sets
from bench.benchmark import RESULTS
from onearm import Stream
from onearm.experiments.run import Experiment
from tests.bench.bakeoff_records import tuning

LINUCB = algorithms()["LinUCB"]
FIRST, SECOND, THIRD = LINUCB.settings[:3]


def test_examples():
    assert doctest.testmod(vowpal).failed == 0
    assert doctest.testmod(dry_run).failed == 0


def test_everyone_takes_part():
    teams = {team: [a.name for a in algorithms().values() if a.team == team] for team in
             (rivals.OURS, rivals.VOWPAL_WABBIT, rivals.REFERENCE)}  # fmt: skip
    assert len(teams[rivals.OURS]) == 18
    assert teams[rivals.REFERENCE] == ["VW oaa", "HoeffdingTree", "ExtraTrees"]
    assert [name.removeprefix("VW ") for name in teams[rivals.VOWPAL_WABBIT]] == [
        "greedy", "epsilon", "bag", "cover", "regcb-opt", "squarecb", "synthcover",
    ]  # fmt: skip
    with pytest.raises(ValueError, match=r"learners must be of Chorus, .* got 'VW bags'"):
        rivals.named(["VW bags"])


def test_vowpal_wabbit_has_at_most_24_settings_with_5_learning_rates():
    for name in rivals.VW_OPTIONS:
        settings = algorithms()[name].settings
        assert len(settings) <= 24 * 5
        assert {s["learning_rate"] for s in settings} == set(rivals.LEARNING_RATES)
        assert settings[0]["learning_rate"] == 0.5
        assert not settings[0]["standardised"]
    assert len(rivals.LEARNING_RATES) <= 5


@pytest.mark.parametrize("name", [a.name for a in algorithms().values() if a.team == rivals.OURS])
def test_every_setting_of_ours_is_another_one_that_plays(name, monkeypatch):
    settings = algorithms()[name].settings
    assert settings[0] == {}
    assert all(s not in settings[:i] for i, s in enumerate(settings))
    rows = Stream.of([[0.0, 1.0], [1.0, 0.0]], [0, 1])
    monkeypatch.setattr(Stream, "chunks", lambda rows: iter([]))
    for setting in settings:
        with pytest.raises(ValueError, match="need at least one array"):  # made, but no rows
            ours.play(rows, name, setting, 0)


def test_exploration_is_a_factor_of_the_default(monkeypatch):
    made = {}
    rows = Stream.of([[0.0, 1.0], [1.0, 0.0]], [0, 1])

    def learner(rows, cls, seed, **given):
        made.update(given)
        raise RuntimeError

    monkeypatch.setattr(Stream, "learner", learner)
    with pytest.raises(RuntimeError):
        ours.play(rows, "EpsilonGreedy", {"exploration": 0.25, "loss": "squared"}, 0)
    assert made == {"epsilon": 0.0125, "loss": "squared"}


def test_matrices_that_are_too_large_are_diagonal(monkeypatch):
    rows = Stream.of([[0.0, 1.0], [1.0, 0.0]], [0, 1])  # three inputs: one is constant
    made, learner = [], Stream.learner

    def spy(rows, cls, **given):
        made.append(given.get("diagonal"))
        return learner(rows, cls, **given)

    monkeypatch.setattr(Stream, "learner", spy)
    for size, diagonal in ((18, False), (17, True)):
        monkeypatch.setattr(ours, "FULL_SIZE", size)
        ours.play(rows, "LinUCB", {}, 0)
        assert made[-1] is diagonal
    ours.play(rows, "SOBA", {}, 0)  # diagonal by default
    assert made[-1] is None


def chosen(error, **options):
    return Tuning(LINUCB, tuning("LinUCB", error, **options))


def test_the_fixed_setting_is_chosen_on_the_development_half_alone():
    def error(setting, data):
        if data.half == REPORTED:
            return 0.01 if setting == THIRD else 0.5
        return 0.2 if setting == SECOND else 0.3

    tunings = chosen(error)
    assert tunings.fixed == SECOND
    assert tunings.tuned(sets()["titanic"]) == THIRD
    assert tunings.tuned(sets()["ecoli"]) == SECOND


def test_the_fixed_setting_has_the_lowest_geometric_mean():
    """.42 on all sets but one, and .001 there, has a lower one than .398, but a higher mean."""

    def error(setting, data):
        return {json.dumps(SECOND): 0.001 if data.name == "ecoli" else 0.42}.get(
            json.dumps(setting), 0.398
        )

    assert chosen(error).fixed == SECOND


def test_of_equal_settings_the_first_is_chosen_and_of_incomplete_ones_none():
    assert chosen(lambda s, d: 0.3).fixed == FIRST
    part = chosen(lambda s, d: 0.3, leave_out=("ecoli",))
    assert part.fixed is None
    assert part.tuned(sets()["ecoli"]) is None
    assert part.tuned(sets()["irish"]) == FIRST
    assert chosen(lambda s, d: 0.3, leave_out=("titanic",)).fixed == FIRST


def test_each_run_is_planned_once():
    tunings = chosen(lambda s, d: 0.2 if s == SECOND else 0.3)
    data = sets()["ecoli"]
    assert plan.settings(tunings, data) == {DEFAULT: FIRST, FIXED: SECOND, TUNED: SECOND}
    jobs = list(full_jobs(tunings, data))
    assert [(job.setting, job.repeat) for job in jobs] == [
        (setting, i) for setting in (FIRST, SECOND) for i in range(10)
    ]
    assert {job.rounds for job in tuning_jobs(LINUCB, data)} == {plan.TUNING_ROUNDS}
    assert not tuning_jobs(algorithms()["SLB"], data)
    assert plan.n_repeats(algorithms()["AdaBandit"], data) == 3


def test_boosters_play_no_words():
    boosters, data = algorithms()["AdaBandit"], sets()["newsgroups"]
    assert not tuning_jobs(boosters, data)
    assert not list(full_jobs(Tuning(boosters, ()), data))
    tried = tuning("AdaBandit", lambda s, d: 0.2 if s == boosters.settings[1] else 0.3)
    assert Tuning(boosters, tried).fixed == boosters.settings[1]


@pytest.mark.parametrize("name", ["newsgroups", "connect4"])
def test_words_and_names_are_not_standardised(name):
    oaa, data = algorithms()["VW oaa"], sets()[name]
    n = len(rivals.LEARNING_RATES)
    assert len(tuning_jobs(oaa, data)) == n
    assert len(tuning_jobs(oaa, sets()["letter"])) == 2 * n
    tunings = Tuning(oaa, tuning("VW oaa", lambda s, d: s["learning_rate"]))
    assert not tunings.missing(data)
    assert tunings.error(oaa.settings[n], data) == tunings.error(oaa.settings[0], data)


def test_stored_runs_are_found_again():
    for name in ("ExtraTrees", "LinUCB", "VW bag"):
        records = plan.ledger(RESULTS, name).records()
        tunings = Tuning(algorithms()[name], ())
        jobs = [job for data in sets().values() for job in full_jobs(tunings, data)]
        known = len(Experiment(jobs, plan.ledger(RESULTS, name)).finished)
        default = [r for r in records.values() if r["setting"] == tunings.algorithm.settings[0]]
        assert known == len(default)
