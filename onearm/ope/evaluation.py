"""Evaluation: what `evaluate` returns, estimates and differences with all that they rest on."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from onearm.log.log import Log
from onearm.ope.checks import Finding

MANY_BAD = 0.01  # share of bad lines from which on there is a warning


@dataclass(frozen=True)
class Estimate:
    """The value of a policy, or how much more it is than that of another."""

    policy: str
    estimator: str
    value: float
    low: float  # NaN where there is no interval
    high: float
    level: float
    interval: str | None  # its kind
    valid_while_learning: bool | None  # whether the logging policy may have learnt meanwhile
    estimates: str  # what the value is, in words
    n_events: int
    against: str | None = None  # of a difference: the policy compared with
    n_more: float | None = None  # of a difference: events that would decide it; NaN: not known yet
    interval_of: str | None = None  # the estimator whose terms the interval is made of


@dataclass(frozen=True)
class Weights:
    """What the weights of a policy are like: whether its estimates are worth anything."""

    policy: str
    effective: float  # (Σ w)²/Σ w², the effective number of events
    largest: float
    mean: float  # should be 1
    unsupported: float | None  # share of choices that the logging policy never made, where known
    edges: list[float] = field(repr=False)  # of the histogram, logarithmic
    counts: list[int] = field(repr=False)
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Curve:
    """The value of a policy over the first events, with a confidence sequence."""

    policy: str
    events: np.ndarray
    value: np.ndarray
    low: np.ndarray
    high: np.ndarray


@dataclass(frozen=True)
class Part:
    """The value of a policy on some of the events: a segment or a window of time."""

    policy: str
    part: str
    n_events: int
    value: float
    low: float
    high: float
    reward: float  # mean of the logged rewards there


@dataclass(frozen=True)
class Evaluation:
    """Policies judged on a log.

    Examples
    --------
    >>> import numpy as np, onearm
    >>> rng = np.random.default_rng(0)
    >>> x = rng.integers(0, 2, 2000)
    >>> label = rng.integers(0, 2, 2000)
    >>> even = np.full((2000, 2), 0.5)
    >>> log = onearm.Log.of(x[:, None], label, even[:, 0], label == x, chances=even)
    >>> result = onearm.evaluate(log, ["always 1", lambda X: X[:, 0].astype(int)])
    >>> for estimate in result.estimates:
    ...     print(f"{estimate.policy}: {estimate.low:.2f} to {estimate.high:.2f}")
    logged: 0.46 to 0.54
    always 1: 0.47 to 0.58
    <lambda>: 0.96 to 1.00
    """

    log: Log
    estimates: list[Estimate]
    differences: list[Estimate]
    weights: list[Weights]
    curves: list[Curve]
    segments: list[Part]
    windows: list[Part]
    findings: list[Finding]
    notes: list[str]
    settings: dict[str, Any]

    @property
    def warnings(self) -> list[str]:
        """What makes an answer worth less than it looks."""
        found = [f"{w.policy}: {text}" for w in self.weights for text in w.warnings]
        found += [finding.text for finding in self.findings if finding.doubtful]
        bad, n = self.log.n_bad_lines, len(self.log)
        if bad > MANY_BAD * (bad + n):
            found.append(f"{bad / (bad + n):.1%} of the lines of the file are bad and left out")
        return found

    def __str__(self) -> str:
        from rich.console import Console

        from onearm.ope.report import print_tables

        console = Console(width=110, no_color=True, highlight=False)
        with console.capture() as captured:
            print_tables(self, console)
        return "\n".join(line.rstrip() for line in captured.get().splitlines())

    __repr__ = __str__

    def rows(self) -> list[dict[str, Any]]:
        """Return estimates, differences, segments and windows as flat rows, for a data frame."""
        from onearm.ope.report import rows

        return rows(self)

    def write_page(self, path: str | Path, command: str = "") -> None:
        """Write a page with tables and charts: one HTML file that needs nothing else."""
        from onearm.ope.report import write_page

        write_page(self, path, command)

    def write(self, folder: str | Path, command: str = "") -> list[Path]:
        """Write the page and the numbers into a folder: evaluation.html and results.csv."""
        from onearm.ope.report import write

        return write(self, folder, command)
