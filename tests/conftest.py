"""Fixtures for all tests. Doctests need compiled kernels: their streams are long."""

import signal

import pytest

from onearm.core.kernels import COMPILED
from onearm.streams import cache, datasets, delimited, fetch, parquet, sparse_lines


@pytest.fixture
def ctrl_c():
    """Let Ctrl-C raise KeyboardInterrupt, also for tests that were started in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def empty_cache(monkeypatch, tmp_path):
    """Let data sets use an empty cache in the test's folder, and look nowhere else."""
    monkeypatch.delenv("ONEARM_DATA", raising=False)
    for module in (datasets, fetch, cache):
        monkeypatch.setattr(module, "user_cache_path", lambda name: tmp_path / "cache")
    return tmp_path / "cache"


@pytest.fixture
def write(tmp_path):
    """Write a file into the test's folder and return its path."""

    def write_file(name, text):
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return write_file


@pytest.fixture
def small_chunks(monkeypatch):
    """Read files in chunks of three rows."""
    for module in (delimited, sparse_lines, parquet):
        monkeypatch.setattr(module, "ROWS", 3)


@pytest.hookimpl(tryfirst=True)  # before -m is applied
def pytest_collection_modifyitems(items):
    for item in items:
        if not COMPILED and isinstance(item, pytest.DoctestItem):
            item.add_marker("compiled")
