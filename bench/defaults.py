"""Where the learners' defaults come from: the error over a few values of what matters most.

`python -m bench.defaults` plays rows of norm 1 and writes bench/results/defaults.json and .md.
"""

import json
import platform
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import track
from sklearn.datasets import load_digits

import onearm
from onearm import metrics

SEEDS = 3
ROUNDS = 30_000
RESULTS = Path(__file__).parent / "results"
GRIDS: dict[str, dict[str, list]] = {
    "Banditron": {"gamma": [0.01, 0.02, 0.05, 0.1]},
    "SOBA": {"gamma": [2**-7, 2**-6, 2**-5, 2**-4]},
    "Newtron": {"gamma": [2**-10, 2**-8, 2**-6], "D": [1.0, 6.5, 20.0]},
    "ConservativeOVA": {"variant": ["PA", "PA-I", "PA-II"]},
    "OffsetTree": {"rule": ["before", "after"], "explore": [0.0, 1.0]},
    "Confidit": {"eta": [0.01, 0.1, 1.0, 10.0]},
    "Gaptron": {"loss": ["logistic", "hinge", "smooth_hinge"], "gamma": [0.005, 0.02, 0.05]},
    "RDUE": {"q0": [0.005, 0.02, 0.05]},
    "SLB": {},
    "InverseGap": {"loss": ["logistic", "squared"], "eta": [0.1, 0.5, 2.0, 4.0]},
    "EpsilonGreedy": {"estimator": ["mtr", "dr", "ips"], "eta": [0.1, 0.5, 2.0]},
    "LinUCB": {"alpha": [0.1, 0.3, 1.0, 2.0]},
    "LinTS": {"v": [0.03, 0.1, 0.3, 1.0]},
    "Bag": {"epsilon": [0.01, 0.05, 0.1], "eta": [0.5, 2.0, 4.0]},
}


def streams() -> dict[str, Any]:
    """Rows of norm 1: sparse texts with noise, and images seen twenty times over."""
    digits = load_digits()
    X = digits.data / np.linalg.norm(digits.data, axis=1, keepdims=True)
    images = onearm.Stream.of(X, digits.target, name="digits × 20").repeated(20).shuffled(0)
    return {
        "SynNonSep": onearm.SynNonSep(ROUNDS, unit=True, seed=0).arrays(),
        "digits × 20": images.first(ROUNDS).arrays(),
    }


def measure() -> list[dict[str, Any]]:
    """The error of every learner, for every value of its grid, on every stream."""
    jobs = [
        (name, dict(zip(grid, values, strict=True)))
        for name, grid in GRIDS.items()
        for values in product(*grid.values())
    ]
    rows = streams()
    return [_one(*job, rows) for job in track(jobs, "playing")]


def _one(name: str, params: dict[str, Any], rows: dict[str, Any]) -> dict[str, Any]:
    errors = {}
    for stream, (X, y) in rows.items():
        sizes = int(y.max()) + 1, X.shape[1]
        players = [getattr(onearm, name)(*sizes, **params, seed=seed) for seed in range(SEEDS)]
        errors[stream] = [metrics.error(player.play(X, y).correct) for player in players]
    return {"learner": name, "parameters": params, "errors": errors}


def text(found: dict[str, Any]) -> str:
    """The table for people; defaults are bold."""
    lines = [
        f"Mean error of {SEEDS} seeds over {ROUNDS:,} rounds, rows of norm 1, onearm "
        f"{found['version']}, Python {found['python']}, {found['date']}. Defaults in bold.\n",
        "| learner | parameters | SynNonSep | digits × 20 |",
        "| --- | --- | --- | --- |",
    ]
    for row in found["rows"]:
        said = ", ".join(f"{key}={value}" for key, value in row["parameters"].items())
        means = [f"{np.mean(values):.3f}" for values in row["errors"].values()]
        said = f"**{said}**" if _is_default(row) and said else said
        lines.append(f"| {row['learner']} | {said} | {' | '.join(means)} |")
    return "\n".join(lines) + "\n"


def _is_default(row: dict[str, Any]) -> bool:
    """Whether the learner made without these parameters would be given the same numbers."""
    cls = getattr(onearm, row["learner"])
    default, given = (_numbers(cls(2, 1, **p).model()) for p in ({}, row["parameters"]))
    return default == given


def _numbers(model: tuple) -> list:
    parts = [_numbers(part) if isinstance(part, tuple) else part for part in model]
    return [part for part in parts if not isinstance(part, np.ndarray)]


if __name__ == "__main__":
    found = {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "version": onearm.__version__,
        "python": platform.python_version(),
        "seeds": SEEDS,
        "rounds": ROUNDS,
        "rows": measure(),
    }
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "defaults.json").write_text(json.dumps(found, indent=1) + "\n")
    (RESULTS / "defaults.md").write_text(text(found))
