"""Benchmarks are tested without the peers that they compare with."""

import sys

import pytest

PEERS = ("vowpalwabbit", "capymoa", "lightgbm", "xgboost", "river")


@pytest.fixture(autouse=True)
def without_peers(monkeypatch):
    for peer in PEERS:
        monkeypatch.setitem(sys.modules, peer, None)
