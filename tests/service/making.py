"""Small services for tests: settings, contexts, cores."""

import json

import onearm
from onearm.service.core import Core
from onearm.service.memory import MemoryStore

SCHEMA = onearm.Schema({"age": "number", "device": ["phone", "desktop"]}).to_json()


def settings(**changes):
    """Return settings of a small service."""
    return {
        "labels": ["a", "b", "c"], "schema": SCHEMA, "feedback": "reward", "seed": 7,
        "policies": {"first": {"name": "InverseGap"}}, "champion": "first", "wait": 10.0,
        "default_reward": 0.0, "promotion": None,
    } | changes  # fmt: skip


def context(i=0):
    """Return a context as JSON; different numbers give different ones."""
    return json.dumps({"age": 20 + i % 7, "device": ["phone", "desktop"][i % 2]}).encode()


class Clock:
    """A clock that a test sets."""

    def __init__(self, now=1000.0):
        self.now = now

    def __call__(self):
        return self.now


def core(store=None, clock=None, **changes):
    """Return a core over a store."""
    return Core(store or MemoryStore(), settings(**changes), clock or Clock())
