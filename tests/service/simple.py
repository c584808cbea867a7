"""Settings of a small service, for tests."""

from onearm.schema.schema import Schema


def settings(**changes):
    """Return settings of a service with one column and three labels."""
    return {
        "labels": ["a", "b", "c"], "schema": Schema({"x": "number"}).to_json(),
        "feedback": "reward", "seed": 0, "wait": 3600.0, "default_reward": 0.0,
        "promotion": {"rule": "never", "level": 0.95},
        "champion": "main", "policies": {"main": {"name": "InverseGap"}},
    } | changes  # fmt: skip
