"""Fixtures for tests of logs."""

import pytest

from onearm.log import jsonl, parquet, pieces, tables, text
from onearm.streams import delimited


@pytest.fixture
def small_chunks(monkeypatch):
    """Read and write in chunks of three events."""
    for module in (pieces, text, jsonl, parquet, tables, delimited):
        monkeypatch.setattr(module, "ROWS", 3)
