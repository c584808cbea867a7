"""The dry run of the bake-off, and its command."""

import pytest

from bench.bakeoff import command, dry_run, plan
from bench.bakeoff.plan import Tuning
from bench.bakeoff.rivals import LEARNING_RATES, algorithms
from bench.bakeoff.sets import DEVELOPMENT, sets
from bench.benchmark import RESULTS
from tests.bench.bakeoff_records import full, tuning


def need(algorithm, names, full=(), tried=()):
    return dry_run.need(algorithms()[algorithm], [sets()[n] for n in names], [*full], [*tried])


def test_without_records_the_time_is_unknown():
    found = need("SLB", ["ecoli", "letter"])
    assert found == ("SLB", 20, 0, 0.0, 0.0, 20)
    assert "20 runs are of algorithms that never played" in dry_run.report([found])


def test_runs_are_estimated_by_rounds_and_recorded_ones_are_not_counted_again():
    records = full("ecoli", {}, "SLB", 0.5, repeats=4, rate=100.0)  # 3.36 s each
    found = need("SLB", ["ecoli"], records)
    assert (found.runs, found.recorded, found.unknown) == (10, 4, 0)
    assert found.spent == pytest.approx(4 * 3.36)
    assert found.seconds == pytest.approx(6 * 3.36)


def test_another_set_is_estimated_by_classes_and_columns():
    records = full("ecoli", {}, "SLB", 0.5, repeats=10, rate=100.0)
    found = need("SLB", ["letter"], records)
    scale = (26 * 16) / (8 * 7)
    assert found.seconds == pytest.approx(10 * 20_000 / 100 * scale)


def test_starting_is_not_scaled():
    """.1 s to start and 1 µs for each round, class and column, on sets of very different sizes."""
    records = []
    for name in ("ecoli", "irish", "letter"):
        data = sets()[name]
        for record in full(name, {}, "SLB", 0.5):
            work = data.rounds * data.classes * data.features
            records.append(record | {"spent": 0.1 + 1e-6 * work})
    found = need("SLB", ["pendigits"], records)
    assert found.seconds == pytest.approx(10 * (0.1 + 1e-6 * 10_992 * 10 * 16))


def test_policies_and_sets_have_factors_of_their_own():
    bag = algorithms()["VW bag"]
    few, many = (next(s for s in bag.settings if f"--bag {n}" in s["options"]) for n in (4, 16))
    records = [r for n in ("ecoli", "letter") for r in full(n, few, "VW bag", 0.5)]
    for record in records:
        slow = 3.0 if record["set"] == "letter" else 1.0
        record["spent"] = slow * 1e-6 * dry_run.work(sets()[record["set"]], few, record["n"])
    rates = dry_run.Rates(records)
    for name, slow in (("letter", 3.0), ("ecoli", 1.0)):
        rows = sets()[name].rounds * sets()[name].classes * sets()[name].features
        estimates = [rates.estimate(sets()[name], s, sets()[name].rounds) for s in (few, many)]
        assert estimates == pytest.approx([slow * 4e-6 * rows, slow * 16e-6 * rows], rel=0.01)


def test_settings_that_are_not_chosen_yet_are_counted_at_the_slowest():
    oaa = algorithms()["VW oaa"]
    records = full("ecoli", oaa.settings[0], "VW oaa", 0.5, repeats=1, rate=100.0)
    found = need("VW oaa", ["ecoli"], records)
    assert (found.runs, found.recorded) == (len(oaa.settings) + 10 + 20, 1)
    assert found.seconds == pytest.approx((found.runs - 1) * 3.36)
    tried = tuning("VW oaa", lambda s, d: 0.3)
    done = need("VW oaa", ["ecoli"], records, tried)
    assert done.runs == len(oaa.settings) + 10
    bag = full("ecoli", algorithms()["VW bag"].settings[0], "VW bag", 0.5, repeats=1, rate=100.0)
    n_tried = 2 * len(LEARNING_RATES)
    policies = 9 * 4 + n_tried * (4 + 4 + 16) + 20 * 16  # the default has 4, the slowest 16
    assert need("VW bag", ["ecoli"], bag).seconds == pytest.approx(policies / 4 * 3.36)


def test_the_dry_run_says_whether_it_is_within_the_bound():
    needs = [dry_run.Need("a", 3, 1, 3600.0 * 20, 3600.0 * 10, 0)]
    assert "30.0 CPU hours in all, within the bound of 30" in dry_run.report(needs)
    above = [*needs, dry_run.Need("b", 1, 0, 400.0, 0.0, 0)]
    assert "30.1 CPU hours in all, above the bound of 30" in dry_run.report(above)


def test_the_whole_bakeoff_is_within_the_bound_by_the_stored_runs():
    needs = command.needs(list(algorithms().values()), list(sets().values()), RESULTS)
    assert {n.algorithm for n in needs if n.unknown} <= {"Chorus"}  # its code may have changed
    assert sum(n.hours for n in needs) <= dry_run.MOST_HOURS


# The command


@pytest.fixture
def short(monkeypatch):
    monkeypatch.setattr(plan, "TUNING_ROUNDS", 100)
    monkeypatch.setattr(plan, "n_repeats", lambda algorithm, data: 2)


def test_the_command_plays_what_is_missing_stage_by_stage(short, tmp_path, capsys, monkeypatch):
    asked = ["--only", "balance", "--learners", "ConservativeOVA", "--on", "1"]
    second = algorithms()["ConservativeOVA"].settings[1]
    monkeypatch.setattr(Tuning, "tuned", lambda tuning, data: second if tuning.errors else None)
    assert command.main([*asked, "--out", str(tmp_path)]) == 0
    full = plan.ledger(tmp_path, "ConservativeOVA").records()
    tried = plan.ledger(tmp_path, "ConservativeOVA", tuning=True).records()
    assert len(tried) == len(algorithms()["ConservativeOVA"].settings)
    assert {r["n"] for r in tried.values()} == {100}
    assert [(r["setting"], r["repeat"]) for r in full.values()] == [
        ({}, 0), ({}, 1), (second, 0), (second, 1),
    ]  # fmt: skip
    assert all("rounds" in record for record in full.values())
    capsys.readouterr()
    assert command.main([*asked, "--out", str(tmp_path)]) == 0
    assert "ConservativeOVA , repeat" not in capsys.readouterr().err
    assert plan.ledger(tmp_path, "ConservativeOVA").records() == full
    assert (tmp_path / "bakeoff" / "table.md").is_file()


def test_the_first_stage_plays_defaults_alone(short, tmp_path):
    asked = ["--only", "balance", "--learners", "SLB", "ConservativeOVA", "--stages", "1"]
    assert command.main([*asked, "--on", "1", "--repeats", "1", "--out", str(tmp_path)]) == 0
    assert len(plan.ledger(tmp_path, "ConservativeOVA").records()) == 1
    assert not plan.ledger(tmp_path, "ConservativeOVA", tuning=True).records()


def test_the_dry_run_plays_nothing(tmp_path, capsys):
    assert command.main(["--dry-run", "--only", "balance", "--out", str(tmp_path)]) == 0
    assert "runs at most, of which 0 are recorded" in capsys.readouterr().out
    assert not list(tmp_path.iterdir())


def test_without_vowpal_wabbit_the_others_are_played(short, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(command, "find_spec", lambda name: None)
    asked = ["--only", "balance", "--learners", "SLB", "VW bag", "--on", "1"]
    assert command.main([*asked, "--out", str(tmp_path)]) == 1
    assert "VW bag needs vowpalwabbit: pip install 'onearm[bench]'" in capsys.readouterr().err
    assert plan.ledger(tmp_path, "SLB").records()


@pytest.mark.parametrize(
    ("asked", "words"),
    [(["--half", "both"], "half must be development or reported, got 'both'"),
     (["--stages", "4"], r"stages must be in \[1, 3\], got 4"),
     (["--only", "lettter"], "got 'lettter'")],
)  # fmt: skip
def test_wrong_options_are_refused(asked, words):
    with pytest.raises(ValueError, match=words):
        command.main(asked)


def test_halves_and_lengths_select_sets():
    options = command.parse(
        "bakeoff", "", command.OPTIONS, ["--half", "reported", "--rounds", "400"]
    )
    assert [data.name for data in command.chosen_sets(options)] == ["primary_tumor", "dermatology"]
    options = command.parse("bakeoff", "", command.OPTIONS, ["--half", "development"])
    assert {data.half for data in command.chosen_sets(options)} == {DEVELOPMENT}
