"""The documentation agrees with the code: tables, pages, and the worked example."""

import csv
import importlib.util
import re
from pathlib import Path

import pytest
from typer.main import get_command

import onearm
from onearm.cli.program import app
from onearm.ope.uncertainty import ANYTIME, VALID, require_valid

ROOT = Path(__file__).parents[2]


def module(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def test_table_of_checks_is_current():
    written = module(ROOT / "docs" / "check_table.py", "check_table").table()
    assert (ROOT / "docs" / "check_table.md").read_text() == written


@pytest.mark.compiled
def test_worked_example_keeps_every_contract(tmp_path):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text(), re.S)
    file = tmp_path / "nearest_mean.py"
    file.write_text(next(block for block in blocks if "class NearestMean" in block))
    onearm.check_learner(module(file, "nearest_mean").NearestMean, lambda line: None)


def test_the_map_of_the_design_names_files_that_are_there():
    page = (ROOT / "docs" / "design.md").read_text()
    rows = re.findall(r"^\| `(\w+)/` \|(.*)\|$", page.partition("## Four walks")[0], re.M)
    folders = {path.parent.name for path in (ROOT / "onearm").glob("*/__init__.py")}
    assert {folder for folder, _ in rows} == folders
    for folder, text in rows:
        names = re.findall(r"`(\w+\.py)`", text)
        gone = [name for name in names if not (ROOT / "onearm" / folder / name).is_file()]
        assert not gone, folder


def test_every_learner_has_a_page():
    pages = {path.stem for path in (ROOT / "docs" / "learners").glob("*.md")}
    assert {place.rsplit(".", 1)[1] for place in onearm.LEARNERS.values()} <= pages


def test_every_public_name_has_a_reference_entry():
    text = "\n".join(path.read_text() for path in (ROOT / "docs").rglob("*.md"))
    entries = set(re.findall(r"^\.\. (?:auto|py:)\w+:: onearm\.(\w+)$", text, re.M))
    assert not set(onearm.__all__) - entries
    linked = set(re.findall(r"`~onearm\.(\w+)`", (ROOT / "docs/reference/index.md").read_text()))
    assert linked == set(onearm.__all__)


def test_the_page_of_the_command_line_has_every_command_and_option():
    page = (ROOT / "docs" / "command_line.md").read_text()
    sections = re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", page, re.S | re.M)
    by_name = {name: text for names, text in sections for name in names.split(", ")}
    commands = get_command(app).commands
    assert by_name.keys() == commands.keys()
    for name, command in commands.items():
        options = {option for p in command.params for option in p.opts if option.startswith("--")}
        assert options - {"--help"} <= set(re.findall(r"--[a-z-]+", by_name[name])), name


def test_navigation_has_at_most_seven_entries():
    entries = re.search(r"```{toctree}\n:hidden:\n\n(.*?)```", index(), re.S)[1].split()
    assert len(entries) <= 7


def test_errors_on_the_front_page_are_those_of_the_race():
    shown = re.findall(
        r"^\| \**(\w+?)[*\\]* \| \**([\d.]+)\** \| \**([\d.]+)\** \|$", index(), re.M
    )
    with (ROOT / "docs/race/results.csv").open(newline="") as file:
        errors = {(row["name"], row["stream"]): row["error"] for row in csv.DictReader(file)}
    assert 2 * len(shown) == len(errors)
    for name, *numbers in shown:
        written = [f"{float(errors[name, stream]):.4f}" for stream in ("letter", "SynNonSep")]
        assert numbers == written


def test_the_front_page_counts_the_learners():
    assert f"{len(onearm.LEARNERS)} online learners" in index()


def test_table_of_intervals_is_what_evaluate_accepts():
    text = (ROOT / "docs" / "evaluate.md").read_text()
    head, *lines = re.findall(r"^\| (.*) \|$", text[text.index("| estimator |") :], re.M)
    kinds = head.split(" | ")[1:]
    rows = {line.split(" | ")[0]: line.split(" | ")[1:] for line in lines[: len(VALID) + 1]}
    learns = rows.pop("valid while the logging policy learns")
    assert {k for k, word in zip(kinds, learns, strict=True) if word == "yes"} == set(ANYTIME)
    assert rows == {name: [entry(name, kind) for kind in kinds] for name in VALID}


def entry(estimator, interval):
    """Return what the table says of an interval: as `require_valid` behaves."""
    if interval not in VALID[estimator]:
        return "–"
    words = ["default"] if interval == VALID[estimator][0] else []
    require_valid(estimator, interval, "predictable", 10.0)
    try:
        require_valid(estimator, interval, "predictable", None)
    except ValueError:
        words.append("with max_weight")
    return ", ".join(words) or "yes"


def index():
    return (ROOT / "docs" / "index.md").read_text()
