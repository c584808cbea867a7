"""What the README shows runs, and what it counts is so."""

import re
from pathlib import Path

import pytest

from onearm.checks import CHECKS
from onearm.cli.arguments import RACERS
from onearm.streams import datasets

README = (Path(__file__).parents[2] / "README.md").read_text()


@pytest.mark.compiled
def test_example_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    for block in re.findall(r"```python\n(.*?)```", README, re.S):
        exec(block, names)
    printed = capsys.readouterr().out
    assert printed.splitlines()[0] in README  # the labels that are predicted
    assert float(printed.split()[-1]) < 0.2
    assert (tmp_path / "news.safetensors").exists()


def test_counts():
    assert f"{len(CHECKS)} contracts" in README
    assert len(RACERS.split(",")) == 12
    assert "races twelve learners" in README
    sources = [name for name in datasets.names() if not datasets.about(name).of]
    assert f"{len(sources)} [data sets]" in README
