"""Prices from noisy profits, the example of the docs.

A shop sets the prices of m articles for each customer and observes only noisy profits. Demand falls
linearly with prices; the demand at price 0 is linear in the customer's features. One article, and
five that are substitutes. Stores the runs in results/pricing.jsonl and writes pricing.md and .png;
re-running plays what is missing.
"""

from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import onearm
from bench.benchmark import PlayedBenchmark
from bench.timing import now
from onearm.experiments.identity import versions
from onearm.experiments.job import OnProgress, Record
from papers.figures import subplots
from papers.markdown import table

ARTICLES, ROUNDS, SEEDS, SMOOTH, STEP = (1, 5), 20_000, 5, 500, 100
LEARNERS = {
    "BanditGradientBooster": {"n_learners": {1: 10, 5: 30}, "lr": {1: 0.03, 5: 0.01}},
    "NFKM": {"n_points": {1: 10, 5: 30}, "lr": {1: 0.03, 5: 0.01}},
    "FKM": {"lr": {1: 0.03, 5: 0.003}},
}
COMMON: dict[str, Any] = {"delta": 0.5, "low": 0.0, "high": 6.0}
NOISE = 0.5
FIXED = "the same prices for all"


class Market:
    """Customers x with demand a(x) - Q p at prices p; the profit is ⟨p, a(x) - Q p⟩."""

    def __init__(self, m: int, n: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.X = np.column_stack([np.ones(n), rng.uniform(-1, 1, (n, 3))])
        self.a = self.X @ np.vstack([np.full((1, m), 4.0), rng.uniform(-1.5, 1.5, (3, m))])
        self.Q = np.eye(m) - 0.3 / m * (1 - np.eye(m))

    def loss(self, p: np.ndarray, a: np.ndarray) -> float:
        return -float(p @ (a - self.Q @ p))

    def profits(self, prices: np.ndarray) -> np.ndarray:
        return np.array([-self.loss(p, a) for p, a in zip(prices, self.a, strict=True)])

    def best(self) -> np.ndarray:
        return np.linalg.solve(2 * self.Q, self.a.T).T

    def fixed(self) -> np.ndarray:
        return np.broadcast_to(self.best().mean(axis=0), self.a.shape)


def settings(name: str, m: int) -> Record:
    return COMMON | {key: value[m] for key, value in LEARNERS[name].items()} | {"R": 3.0 * m**0.5}


class Job(NamedTuple):
    """A market, played by all learners."""

    articles: int
    seed: int

    def configuration(self) -> Record:
        learners = {name: settings(name, self.articles) for name in LEARNERS}
        return {**self._asdict(), "rounds": ROUNDS, "noise": NOISE, "learners": learners}

    def play(self, progress: OnProgress) -> Record:
        """Return the share of the best profit of each learner, by quarters and as a curve."""
        shares = self.shares()
        quarters = {
            name: [float(np.mean(part)) for part in np.array_split(share, 4)]
            for name, share in shares.items()
        }
        curves = {name: smooth(share) for name, share in shares.items()}
        facts = {"versions": versions(), "date": now()}
        return {"quarters": quarters, "curves": curves, **facts}

    def shares(self) -> dict[str, np.ndarray]:
        """Return the profit of each round minus the best, over the mean of the best, plus 1."""
        market = Market(self.articles, ROUNDS, self.seed)
        best = market.profits(market.best())
        profits = {FIXED: market.profits(market.fixed())}
        for name in LEARNERS:
            parameters = settings(name, self.articles) | {"seed": self.seed}
            learner = getattr(onearm, name)(market.X.shape[1], self.articles, **parameters)
            _, losses = learner.play(market.X, market.a, market.loss, noise=NOISE)
            profits[name] = -losses
        return {name: 1 + (profit - best) / best.mean() for name, profit in profits.items()}

    def summary(self, record: Record) -> str:
        last = ", ".join(f"{name} {100 * q[-1]:.1f} %" for name, q in record["quarters"].items())
        return f"{self.articles} articles, seed {self.seed}: {last}"


def smooth(values: np.ndarray) -> list[float]:
    """Return moving averages over SMOOTH rounds, at every STEP-th round."""
    averages = np.convolve(values, np.full(SMOOTH, 1 / SMOOTH), "valid")
    return [round(float(average), 5) for average in averages[::STEP]]


def jobs() -> list[Job]:
    return [Job(m, seed) for m in ARTICLES for seed in range(SEEDS)]


def by_articles(records: list[Record]) -> dict[int, list[Record]]:
    markets = defaultdict(list)
    for record in records:
        markets[record["articles"]].append(record)
    return markets


def report(records: list[Record]) -> str:
    rows = [
        [f"{m}", name, *(f"{100 * share:.1f}" for share in mean(records, "quarters", name))]
        for m, records in by_articles(records).items()
        for name in (FIXED, *LEARNERS)
    ]
    last = max(records, key=lambda record: record["date"])
    head = ["articles", "prices by", "1st quarter", "2nd", "3rd", "4th"]
    return f"""# Prices from noisy profits

Written by `python -m bench regression.pricing` on {last["date"][:10]}; onearm
{last["versions"]["onearm"]}, numpy {last["versions"]["numpy"]}. Profit in per cent of that of the
best prices for each customer, by quarters of {ROUNDS:,} rounds, mean of {SEEDS} runs, each with
another market.

{table(head, rows)}
"""


def mean(records: list[Record], what: str, name: str) -> np.ndarray:
    """Return the mean over runs of a learner's quarters or curves."""
    return np.mean([record[what][name] for record in records], axis=0)


def draw(records: list[Record], path: Path) -> None:
    markets = by_articles(records)
    figure, panels = subplots(1, len(markets), (9, 3.4), "tight")
    for panel, (m, records) in zip(panels, markets.items(), strict=True):
        for colour, name in enumerate((FIXED, *LEARNERS)):
            curve = mean(records, "curves", name)
            style = {"color": "0.5", "ls": "--"} if colour == 0 else {"color": f"C{colour - 1}"}
            x = np.arange(len(curve)) * STEP + SMOOTH
            panel.plot(x, 100 * curve, label=name, **style)
        panel.set(title=f"{m} article{'s' if m > 1 else ''}", xlabel="customers", ylim=(60, 101))
        panel.grid(alpha=0.3)
    panels[0].set_ylabel("% of the best profit")
    panels[0].legend(fontsize=8, loc="lower right")
    figure.savefig(path, dpi=130)


main = PlayedBenchmark("regression.pricing", __doc__, "pricing.jsonl", jobs, report, draw).main
