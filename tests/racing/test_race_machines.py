"""The machines of a race: each record has one, and the page names all."""

import json
import os
import platform

from onearm.racing import report
from onearm.racing.race import RUNS, race

OTHER = {"cpu": "Z80", "cores": 1, "python": "3.12.0"}


def raced(folder):
    return race("SynSep", "Banditron", repeats=3, rounds=20, on=1, out=folder)


def test_a_record_has_its_machine(tmp_path):
    (record, *_) = raced(tmp_path).runs
    assert record["machine"]["cores"] == os.cpu_count()
    assert record["machine"]["python"] == platform.python_version()
    assert record["machine"]["cpu"]


def test_all_machines_are_named_and_older_runs_load(tmp_path):
    """One of three runs is from another machine, one from an older version."""
    path = tmp_path / RUNS
    first, second, third = raced(tmp_path).runs
    here = report.machines([first])[0]
    older = {key: value for key, value in third.items() if key != "machine"}
    records = [first, second | {"machine": OTHER}, older]
    path.write_text("\n".join(map(json.dumps, records)) + "\n")
    again = raced(tmp_path)
    assert again.runs == records
    again.write(tmp_path)
    page = (tmp_path / "race.html").read_text()
    for printed in ("<dt>Machines</dt>", f"<dd>{here}</dd>", "<dd>Z80, 1 core, Python 3.12.0</dd>"):
        assert printed in page
    assert "<dd>not recorded</dd>" in page
    caption = report.table(again.scores(), "SynSep").caption
    assert f"played on 3 machines: {here}; Z80, 1 core, Python 3.12.0; not recorded" in caption


def test_a_single_machine_is_named_on_the_page_only(tmp_path):
    results = raced(tmp_path)
    results.write(tmp_path)
    page = (tmp_path / "race.html").read_text()
    assert "<dt>Machine</dt>" in page
    assert f"<dd>{report.machines(results.runs)[0]}</dd>" in page
    assert "machines" not in str(report.table(results.scores(), "SynSep").caption)
