"""The guide on recovery, backup and retention is run as it stands, and prints what it says."""

import datetime
import json
import re
import shlex
from contextlib import closing
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE, OutputChecker
from pathlib import Path

import pytest
from typer.testing import CliRunner

import onearm
from onearm.cli.program import app
from onearm.service.requests import Decide, Feedback
from onearm.service.sqlite import SqliteStore
from tests.service import making

PAGE = Path(__file__).parents[2] / "docs" / "service" / "recovery.md"
SCHEMA = onearm.Schema({"age": "number", "user": [f"u{i}" for i in range(10)]}).to_json()


@pytest.fixture
def news(tmp_path, monkeypatch):
    """A file of 300 events, 200 of them before March."""
    begin = datetime.datetime(2026, 2, 28, 20, 40, tzinfo=datetime.UTC).timestamp()
    clock = making.Clock(begin)
    with closing(SqliteStore(tmp_path / "news.db")) as store:
        service = making.core(store, clock, schema=SCHEMA, wait=1e6)
        for i in range(300):
            body = {"age": 20 + i % 50, "user": f"u{i % 10}"}
            service.handle([Decide(f"e{i}", json.dumps(body).encode())])
            if i < 299:
                service.handle([Feedback(f"e{i}", float(i % 3 == 0))])
            clock.now += 60.0
        service.save_snapshot()
    monkeypatch.chdir(tmp_path)


def test_the_guide_prints_what_it_says(news):
    pairs = re.findall(r"```sh\n(.*?)```\n\n```text\n(.*?)```", PAGE.read_text(), re.S)
    assert len(pairs) == 5
    for commands, expected in pairs:
        got = ""
        for command in commands.splitlines():
            done = CliRunner().invoke(app, shlex.split(command)[1:])
            assert done.exit_code == 0, done.output
            got += done.output
        same = OutputChecker().check_output(expected, got, ELLIPSIS | NORMALIZE_WHITESPACE)
        assert same, f"{commands}\n{got}"
