"""A synthetic evaluation for the tests of its page: all numbers are invented."""

import numpy as np

NAMES = ("soba", "inversegap scale=40", "uniform", "always tech", "rule", "model.safetensors")


def estimate(label, value, half, **more):
    line = {"label": label, "value": value, "low": value - half, "high": value + half}
    return line | more


def part(name, policies, rng, low, width):
    values = [estimate(x, low + width * rng.uniform(0.3, 0.7), 0.2 * width) for x in policies]
    return {"part": name, "n_events": 900, "reward": low + 0.5 * width, "policies": values}


def curve(label, rng, low, width, n=60):
    at = np.unique(np.geomspace(1, 20000, n).round())
    mean = low + width * (0.5 + 0.1 * rng.normal())
    half = width * np.minimum(1.0, 3 / np.sqrt(at))
    value = mean + 0.2 * half * rng.normal(size=len(at))
    points = {"rounds": at.astype(int), "mean": value, "low": mean - half, "high": mean + half}
    return {"label": label, "curve": {key: x.tolist() for key, x in points.items()}}


def weights(label):
    edges = [0.0, *np.geomspace(0.01, 40, 25)]
    counts = [0] * 25
    counts[0], counts[14], counts[24] = 15000, 4000, 17
    numbers = {"effective": 812.4, "largest": 39.7, "mean": 1.003, "unsupported": 0.02}
    return {"policy": label, **numbers, "edges": edges, "counts": counts, "warnings": ()}


def evaluation(n=4, rewards=(0.0, 1.0), names=NAMES):
    low, width = rewards[0], rewards[1] - rewards[0]
    rng, names = np.random.default_rng(0), list(names[:n])
    about = {"estimates": "the mean reward", "n_events": 20000}
    interval = {"kind": "confidence sequence", "valid": "yes"}
    unknown = {"effective": None, "largest": None, "unsupported": None}
    rest = {"effective": 812.4, "largest": 39.7, "unsupported": 0.02}
    mean = {"estimator": "mean"} | about | interval | unknown
    estimates = [estimate("logged", low + 0.4 * width, 0.02 * width, **mean)]
    for i, name in enumerate(names):
        value = low + (0.3 + 0.1 * i) * width
        both = {"estimator": "dr"} | about | interval | rest
        none = {"estimator": "dm", "kind": None, "valid": "–", "low": None, "high": None}
        estimates.append(estimate(name, value, 0.1 * width, **both))
        estimates.append(estimates[-1] | none)
    words = [
        ("worse", ""),
        ("not decided", "about 46,900 more events would decide it"),
        ("better", ""),
    ]
    differences = [
        estimate(name, (i % 3 - 1) * 0.2 * width, 0.1 * width, verdict=words[i % 3][0],
                 more=words[i % 3][1])
        for i, name in enumerate(names)
    ]  # fmt: skip
    return {
        "title": "Evaluation: clicks.parquet", "date": "2026-11-16T16:00:00+00:00",
        "command": "onearm evaluate clicks.parquet --policy soba",
        "versions": {"onearm": "0.1.0", "python": "3.11.7"}, "machines": ["AMD EPYC, 2 cores"],
        "facts": "20,000 events judged · 4 labels", "log": "20,000 events: 20,000 reported",
        "decimals": 4, "rewards": list(rewards), "against": "the logged policy", "level": 0.95,
        "levels": "98.75 % each, 95 % together", "kind": "confidence sequence", "valid": "yes",
        "differences": differences, "estimates": estimates,
        "meanings": ["logged: the mean reward of the logged choices"],
        "weights": [weights(name) for name in names],
        "curves": [curve(name, rng, low, width) for name in ("logged", *names)],
        "by": "device", "segments": [part(x, names, rng, low, width) for x in ("phone", "tv")],
        "windows": [part(f"events {i}", names, rng, low, width) for i in range(5)],
        "warnings": ["uniform: only 3.0 effective events: the answer is worth nothing"],
        "findings": [{"check": "label frequencies", "outcome": "passed", "text": "as expected"}],
        "notes": ["Left out of the file: 17 bad lines."], "settings": {"Level": "95 %"},
    }  # fmt: skip
