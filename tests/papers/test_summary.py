"""What came out the same: one rule for all cells, and a page that the stored runs give."""

import pytest
from typer.testing import CliRunner

from onearm.cli.program import app
from papers import PUBLISHED, RESULTS, summary
from papers.bh20.report import printed_cells as bh20_cells
from papers.claims import FAILS, HOLDS, Claim
from papers.summary import CURVES, OUT, Outcome, outcomes, text, write
from papers.verdicts import BETTER, OTHER, WITHIN, WORSE, Cell, count_outcomes

pytest.importorskip("sklearn")
CELLS = {"c09.table1": 32, "z19.table1": 30, "z19.table2": 30, "b10.table1": 90, "bh20.table2": 16}


@pytest.mark.parametrize(
    ("ours", "theirs", "outcome"),
    [
        (11.0, 10.0, WITHIN),  # by a tenth
        (11.01, 10.0, WORSE),
        (8.99, 10.0, BETTER),
        (1.46, 1.26, WITHIN),  # by points
        (1.47, 1.26, WORSE),
        (1.05, 1.26, BETTER),
    ],
)
def test_outcome_of_a_cell(ours, theirs, outcome):
    assert Cell("", ours, theirs).outcome() == outcome
    assert Cell("", ours, theirs, same_data=False).outcome() == OTHER


def test_losses_have_no_points():
    assert Cell("", 0.16, 0.15, points=0.0).outcome() == WITHIN
    assert Cell("", 0.25, 0.15, points=0.0).outcome() == WORSE


def test_outcomes_are_counted():
    cells = [Cell("", 1.0, 1.0), Cell("", 9.0, 1.0), Cell("", 9.0, 1.0, same_data=False)]
    assert count_outcomes(cells) == {BETTER: 0, WITHIN: 1, WORSE: 1, OTHER: 1}


def test_answers_of_another_scale_are_other_data():
    run = {"data": "letter", "order": "file", "method": "ogd", "losses": [0.2], "zero": 0.4926}
    (cell,) = bh20_cells([run])
    assert cell.outcome() == OTHER  # the paper's OGD has 0.507
    (cell,) = bh20_cells([run | {"zero": 0.6}])
    assert cell.outcome() == BETTER
    assert not bh20_cells([run | {"method": "trees"}, run | {"order": "shuffled"}])


def test_every_table_of_a_paper_is_there_with_all_of_its_cells():
    every = {outcome.name: outcome for outcome in outcomes()}
    assert every.keys() == {name for name in PUBLISHED if not PUBLISHED[name].ours}
    counts = {name: len(outcome.cells) for name, outcome in every.items() if outcome.cells}
    assert counts == CELLS
    claimed = {name for name, outcome in every.items() if outcome.claims}
    assert claimed >= {"c09.table1", "boz17.figure2", "b10.figure3", "bh20.table1"}
    b10 = every["b10.table1"].cells
    assert not [cell for cell in b10 if "recent" in cell.name]  # the paper has no such number
    assert {cell.same_data for cell in b10 if "smoothed" in cell.name} == {False}


def test_page():
    cells = [Cell("iris stumps", 9.0, 1.0), Cell("iris trees", 1.0, 1.0)]
    claims = [Claim("it is so", "iris", HOLDS, "1"), Claim("it is not", "iris", FAILS, "2")]
    page = text([Outcome("c09.table1", cells, claims), Outcome("c09.figure1", [], [])])
    assert "Of 2 cells: 0 better, 1 within, 1 worse, 0 other data." in page
    assert "| `c09.table1` | 2 | 0 | 1 | 1 | 0 | 1 | 1 | 0 |" in page
    assert f"{CURVES}: `c09.figure1`." in page
    assert page.count("\n- c09: G. Chen et al.") == 1
    assert "| `c09.table1` | iris stumps | 1 | 9 |" in page
    assert "iris trees" not in page
    assert "| `c09.table1` | it is not | iris | 2 |" in page
    assert "it is so" not in page


def test_the_committed_page_is_what_the_committed_runs_say():
    assert (RESULTS / OUT).read_text() == text(outcomes())


def test_command(monkeypatch, tmp_path):
    monkeypatch.setattr(summary, "outcomes", lambda results: [])
    assert write(tmp_path).read_text().startswith("# What came out the same")
    monkeypatch.setattr(summary, "write", lambda: tmp_path / OUT)
    done = CliRunner().invoke(app, ["papers", "Summary"])
    assert (done.exit_code, done.output.strip()) == (0, str(tmp_path / OUT))
    refused = CliRunner().invoke(app, ["papers", "summary", "--quick"])
    assert refused.exit_code == 2
    assert "summary has no options" in refused.output
