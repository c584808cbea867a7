"""The report of the bake-off, from made-up records whose outcome is known."""

import re

import numpy as np
import pytest

from bench.bakeoff import page, report, standings
from bench.bakeoff.rivals import CHORUS, EXTRA_TREES, VOWPAL_WABBIT, algorithms
from bench.bakeoff.runs import pack
from bench.bakeoff.scores import TESTS, Contestant, Scores, read
from bench.bakeoff.sets import REPORTED, sets
from bench.bakeoff.verdicts import SELF, geometric_mean, reported, verdicts
from bench.benchmark import RESULTS
from tests.bench.bakeoff_records import full, tuning

SLB = Contestant("SLB")
THEIRS = [a for a in algorithms().values() if a.team == VOWPAL_WABBIT]
RULE, MCNEMAR = TESTS


def scores(tried=None, **errors):
    """Return the scores of algorithms without settings, by an error or a dict of errors by set."""
    records = {
        name: [r for data, error in by_set.items() for r in full(data, {}, name, error)]
        for name, by_set in errors.items()
    }
    return Scores(records, tried or {})


def everywhere(error):
    return dict.fromkeys(sets(), error)


def test_ratios_and_relative_errors():
    made = scores(
        ExtraTrees={"irish": 0.2, "pima": 0.1, "wdbc": 0.5}, SLB={"irish": 0.4, "pima": 0.1}
    )
    data = [sets()[name] for name in ("irish", "pima", "wdbc")]
    first, second = standings.rows(made, data)
    assert (first.contestant, second.contestant) == (Contestant(EXTRA_TREES), SLB)
    assert second.ratios == pytest.approx({"irish": 2.0, "pima": 1.0}, rel=0.02)
    assert second.mean == pytest.approx(2**0.5, rel=0.01)
    assert second.cells()[:5] == ["SLB", "2", f"{second.mean:.3f}", "+0.00", "+0.25"]
    assert "Not all played the same sets" in report.summary(made, data)


def test_only_common_repeats_are_compared():
    made = scores(ExtraTrees={"irish": 0.2}, SLB={"irish": 0.4})
    made.records["SLB"][0]["error"] = 0.9  # a repeat that the other lacks
    del made._runs[EXTRA_TREES, "irish", "{}"][0]
    assert made.ratio(SLB, sets()["irish"]) == pytest.approx(2.0)


@pytest.mark.parametrize(("test", "errors", "signs"), [
    (RULE, (0.10, 0.20), (1, 0)), (RULE, (0.20, 0.10), (0, 1)), (RULE, (0.20, 0.202), (0, 0)),
    (MCNEMAR, (0.10, 0.20), (1, 0)), (MCNEMAR, (0.20, 0.10), (0, 1)),
    (MCNEMAR, (0.20, 0.202), (0, 0)),
])  # fmt: skip
def test_a_lower_error_is_a_win(test, errors, signs):
    made = scores(Chorus={"irish": errors[0]}, SLB={"irish": errors[1]})
    data = [sets()["irish"], sets()["pima"]]
    assert made.balance(SELF, SLB, data, test) == (*signs, 1)
    assert made.balance(SLB, SELF, data, test) == (*signs[::-1], 1)


def test_mcnemar_counts_the_rounds_of_all_repeats():
    """Two rounds of one in each of three repeats against none: 2 · 2⁻⁶ = .03, but .5 in one."""
    made = scores(Chorus={"irish": 0.1}, SLB={"irish": 0.1})
    for record in made.records["SLB"]:
        record["rounds"] = pack(np.arange(500) >= 52)
    assert made.balance(SELF, SLB, [sets()["irish"]], MCNEMAR) == (1, 0, 1)
    for record in made.records["SLB"][1:]:
        del record["rounds"]
    assert made.balance(SELF, SLB, [sets()["irish"]], MCNEMAR) == (0, 0, 1)


def test_runs_of_earlier_code_of_chorus_do_not_count():
    made = full("irish", {}, CHORUS, 0.3, repeats=1) + full("irish", {}, CHORUS, 0.1, repeats=1)
    made[0] |= {"code": "old", "date": "2025-12-31T00:00:00+00:00"}
    assert Scores({CHORUS: made}, {}).error(SELF, sets()["irish"]) == pytest.approx(0.1)
    assert Scores({CHORUS: made[::-1]}, {}).error(SELF, sets()["irish"]) == pytest.approx(0.1)


# Verdicts. Vowpal Wabbit's settings have these errors; the bests have played all sets.

BEST, WORST = 0.2, 0.5


def tuned_everywhere(error=BEST):
    """Return runs of all of Vowpal Wabbit: greedy is best, always with its first setting."""
    records, tried = {}, {}
    for algorithm in THEIRS:
        shift = 0.0 if algorithm.name == "VW greedy" else 0.1
        first = algorithm.settings[0]
        tried[algorithm.name] = tuning(
            algorithm.name, lambda s, d, f=first: BEST if s == f else WORST
        )
        records[algorithm.name] = [
            r for name in sets() for r in full(name, first, algorithm.name, error + shift)
        ]
    return records, tried


@pytest.fixture(scope="module")
def played_by_vowpal_wabbit():
    return tuned_everywhere()


@pytest.fixture
def vowpal_wabbit(played_by_vowpal_wabbit, monkeypatch):
    monkeypatch.setattr("bench.bakeoff.sets.REPEATS", 3)  # as many as are made up
    return played_by_vowpal_wabbit


def judged(vowpal_wabbit, chorus, **others):
    records, tried = vowpal_wabbit
    played = {CHORUS: chorus, EXTRA_TREES: everywhere(0.2), **others}
    ours = {
        name: [r for data, error in by_set.items() for r in full(data, {}, name, error)]
        for name, by_set in played.items()
    }
    return verdicts(Scores(records | ours, tried))


def test_verdicts_where_all_is_won(vowpal_wabbit):
    found = judged(vowpal_wabbit, everywhere(0.05))
    words = [v.word for v in found]
    assert words[:5] == ["met"] * 5
    assert words[5:7] == ["open"] * 2  # our other learners did not play
    assert "VW greedy, fixed setting" in found[0].claim


@pytest.mark.parametrize("n_above", [0, 1, 2, 3])
def test_how_many_sets_may_be_above(vowpal_wabbit, n_above):
    names = [data.name for data in reported()][:n_above]
    found = judged(vowpal_wabbit, everywhere(0.1) | dict.fromkeys(names, 0.3))
    assert [v.met for v in found[:2]] == [n_above <= 1, n_above <= 2]
    assert all(name in found[0].found for name in names)
    assert found[2].met == (n_above == 0)  # the same difference on each shuffle


def test_equal_is_not_below(vowpal_wabbit):
    found = judged(vowpal_wabbit, everywhere(0.2))
    assert found[0].found.startswith(f"not below on {len(reported())} of")
    assert found[2].met  # but not significantly above


@pytest.mark.parametrize(("error", "met"), [(0.228, True), (0.232, False)])
def test_the_geometric_mean_of_ratios(vowpal_wabbit, error, met):
    found = judged(vowpal_wabbit, everywhere(error))
    assert found[3].met == met


def test_the_largest_ratio_counts_where_there_are_rows_enough(vowpal_wabbit):
    few = judged(vowpal_wabbit, everywhere(0.1) | {"primary_tumor": 0.9})
    assert few[4].met
    assert "sets with fewer rows: primary_tumor 4.49" in few[4].found
    many = judged(vowpal_wabbit, everywhere(0.1) | {"titanic": 0.9})
    assert many[4].met is False
    assert "titanic 4.5" in many[4].found


def test_generated_sets_do_not_count(vowpal_wabbit):
    made = {data.name: 0.9 for data in sets().values() if data.generated and data.half == REPORTED}
    assert len(made) == 4
    found = judged(vowpal_wabbit, everywhere(0.05) | made)
    assert [v.met for v in found[:5]] == [True] * 5


def test_a_verdict_is_open_while_a_run_is_missing(vowpal_wabbit):
    chorus = everywhere(0.05)
    del chorus["titanic"]
    found = judged(vowpal_wabbit, chorus)
    assert [v.met for v in found[:5]] == [None] * 5
    assert "runs of 1 of 13 sets are missing" in found[0].found


def test_a_verdict_is_open_while_a_repeat_is_missing(vowpal_wabbit, monkeypatch):
    monkeypatch.setattr("bench.bakeoff.sets.REPEATS", 4)
    found = judged(vowpal_wabbit, everywhere(0.05))
    assert [v.met for v in found[:5]] == [None] * 5
    assert "not below on 0 of 13 sets; runs of 12 of 13 sets are missing" in found[0].found


def test_hindsight_is_open_while_a_setting_is_missing(vowpal_wabbit):
    records, tried = vowpal_wabbit
    part = records | {"VW cover": [r for r in records["VW cover"] if r["set"] != "titanic"]}
    found = judged((part, tried), everywhere(0.05))
    assert [v.met for v in found[1:4]] == [None, None, True]


@pytest.mark.parametrize(("error", "met"), [(0.13, True), (0.14, False)])
def test_errors_on_named_sets(vowpal_wabbit, error, met):
    found = {v.claim: v for v in judged(vowpal_wabbit, {"letter": error})}
    assert found["error on letter at most 0.13"].met == met
    assert found["error on elec2 at most 0.083"].met is None


def test_wins_are_needed_against_every_rival(vowpal_wabbit):
    records, tried = vowpal_wabbit
    records, tried = dict(records), dict(tried)
    for algorithm in algorithms().values():
        if algorithm.team == "ours" and algorithm.name != CHORUS:
            first = algorithm.settings[0]
            tried[algorithm.name] = tuning(algorithm.name, lambda s, d: 0.3)
            records[algorithm.name] = [
                r for data in reported() for r in full(data.name, first, algorithm.name, 0.4)
            ]
    records[CHORUS] = [r for d in reported() for r in full(d.name, {}, CHORUS, 0.05)]
    found = verdicts(Scores(records, tried))
    assert [v.met for v in found[5:7]] == [True, True]
    for error in (0.01, 0.05):  # 0.05: none is won, none lost
        records["SLB"] = [r for d in reported() for r in full(d.name, {}, "SLB", error)]
        found = verdicts(Scores(records, tried))
        assert [v.met for v in found[5:7]] == [False, False]
        assert "not positive against 1 of 70: SLB" in found[5].found


def test_hindsight_is_the_best_of_all_settings_that_played(vowpal_wabbit):
    made = Scores(*vowpal_wabbit)
    data = sets()["irish"]
    assert made.best_vowpal_wabbit(data).algorithm == "VW greedy"
    records = dict(vowpal_wabbit[0])
    records["VW bag"] = full("irish", algorithms()["VW bag"].settings[0], "VW bag", 0.1)
    assert Scores(records, vowpal_wabbit[1]).best_vowpal_wabbit(data).algorithm == "VW bag"


# The report as a whole


def test_the_report_has_all_parts_and_says_what_is_missing():
    text = report.report(scores(ExtraTrees=everywhere(0.2), SLB={"titanic": 0.3}))
    for part in ("Verdict", "Reported half", "Development half", "Pairs of algorithms", "Missing"):
        assert f"\n## {part}" in text
    assert "| SLB | 1 | 1.5" in text
    assert "- Chorus: 0 of 571 runs recorded." in text
    assert "- SLB: 3 of 571 runs recorded." in text
    assert "its real level is 0.166" in " ".join(text.split())
    assert "nan" not in text


def test_without_records_there_is_a_report(tmp_path):
    paths = list(report.write(tmp_path))
    assert all(path.is_file() for path in paths)
    assert "0 runs are recorded" in paths[0].read_text()


def test_pairs_are_antisymmetric():
    made = scores(
        ExtraTrees=everywhere(0.1),
        SLB={"titanic": 0.3, "stroke": 0.1},
        HoeffdingTree={"titanic": 0.2},
    )
    for test in TESTS:
        cells = standings.pairs(made, reported(), test)
        assert [line[0] for line in cells] == ["1. SLB", "2. HoeffdingTree", "3. ExtraTrees"]
        assert cells[0][1:] == ["", "−1", "−1"]
        assert cells[1][1:] == ["+1", "", "−1"]
        assert cells[2][1:] == ["+1", "+1", ""]


def test_the_page_is_one_file_with_a_panel_per_group(tmp_path):
    made = scores(ExtraTrees=everywhere(0.2), SLB={"titanic": 0.3}, Chorus={"titanic": 0.1})
    page.write(made, standings.groups(), tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text()
    assert text.count('<section class="stream"') == 4
    assert "Chorus: 0.5" in text  # a dot, with its ratio
    assert not re.search(r'(src|href)="(?!#)', text)
    assert "onearm bakeoff" in text


def test_stored_report_and_page_are_those_of_the_stored_runs(tmp_path):
    stored = RESULTS / "bakeoff"
    made = read(RESULTS)
    assert report.report(made) == (stored / "table.md").read_text()
    page.write(made, standings.groups(), tmp_path / "page.html")
    written, expected = ((f / "page.html").read_text() for f in (tmp_path, stored))
    assert written[written.index("<main>") :].partition("<noscript>")[0] in expected


def test_geometric_mean():
    assert geometric_mean([1.0, 4.0]) == pytest.approx(2.0)
