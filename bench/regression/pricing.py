"""The pricing example of the docs: `python -m bench.pricing`.

A shop sets the prices of m articles for each customer and hears only noisy profits. Demand falls
linearly with prices; what is asked for at price 0 is linear in what is known of the customer. One
article, and five that replace each other. Writes results/pricing.md and .png.
"""

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track

import onearm
from bench.speed import report

FOLDER = Path(__file__).parents[1] / "results"
ARTICLES, ROUNDS, SEEDS, SMOOTH = (1, 5), 20_000, 5, 500
LEARNERS = {
    "BanditGradientBooster": {"n_learners": {1: 10, 5: 30}, "lr": {1: 0.03, 5: 0.01}},
    "NFKM": {"n_points": {1: 10, 5: 30}, "lr": {1: 0.03, 5: 0.01}},
    "FKM": {"lr": {1: 0.03, 5: 0.003}},
}
COMMON: dict[str, Any] = {"delta": 0.5, "low": 0.0, "high": 6.0}
NOISE = 0.5


class Market:
    """Customers x with demand a(x) - Q p at prices p; the profit is ⟨p, a(x) - Q p⟩."""

    def __init__(self, m: int, n: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.X = np.column_stack([np.ones(n), rng.uniform(-1, 1, (n, 3))])
        self.a = self.X @ np.vstack([np.full((1, m), 4.0), rng.uniform(-1.5, 1.5, (3, m))])
        self.Q = np.eye(m) - 0.3 / m * (1 - np.eye(m))

    def loss(self, p: np.ndarray, a: np.ndarray) -> float:
        """Less profit is more loss."""
        return -float(p @ (a - self.Q @ p))

    def profits(self, prices: np.ndarray) -> np.ndarray:
        return np.array([-self.loss(p, a) for p, a in zip(prices, self.a, strict=True)])

    def best(self) -> np.ndarray:
        """The best prices for each customer."""
        return np.linalg.solve(2 * self.Q, self.a.T).T

    def fixed(self) -> np.ndarray:
        """The best prices that are the same for all."""
        return np.broadcast_to(self.best().mean(axis=0), self.a.shape)


def played(m: int, seed: int) -> dict[str, np.ndarray]:
    """The profit of each round less the best, over the mean of the best, and 1."""
    market = Market(m, ROUNDS, seed)
    best = market.profits(market.best())
    profits = {"the same prices for all": market.profits(market.fixed())}
    for name, own in LEARNERS.items():
        settings = COMMON | {key: value[m] for key, value in own.items()}
        settings |= {"R": 3.0 * m**0.5, "seed": seed}
        learner = getattr(onearm, name)(market.X.shape[1], m, **settings)
        _, lost = learner.play(market.X, market.a, market.loss, noise=NOISE)
        profits[name] = -lost
    return {name: 1 + (profit - best) / best.mean() for name, profit in profits.items()}


def text(results: dict[int, dict[str, list[np.ndarray]]]) -> str:
    facts = report.about()
    rows = [
        [
            f"{m}",
            name,
            *(f"{100 * np.mean(part):.1f}" for part in np.array_split(np.array(runs), 4, axis=1)),
        ]
        for m, by in results.items()
        for name, runs in by.items()
    ]
    head = ["articles", "prices by", "1st quarter", "2nd", "3rd", "4th"]
    return f"""# Prices from noisy profits

Written by `python -m bench.pricing` on {facts["date"]}; onearm {facts["onearm"]}, numpy
{facts["numpy"]}. Profit in percent of what the best price for each customer would bring, by
quarters of {ROUNDS:,} rounds, mean of {SEEDS} runs with markets of their own.

{report.table(head, rows)}
"""


def draw(results: dict[int, dict[str, list[np.ndarray]]], path: Path) -> None:
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, len(results), figsize=(9, 3.4))
    kernel = np.full(SMOOTH, 1 / SMOOTH)
    for panel, (m, by) in zip(panels, results.items(), strict=True):
        for colour, (name, runs) in enumerate(by.items()):
            curve = np.convolve(np.mean(runs, axis=0), kernel, "valid")
            style = {"color": "0.5", "ls": "--"} if colour == 0 else {"color": f"C{colour - 1}"}
            panel.plot(np.arange(len(curve)) + SMOOTH, 100 * curve, label=name, **style)
        panel.set(title=f"{m} article{'s' if m > 1 else ''}", xlabel="customers", ylim=(60, 101))
        panel.grid(alpha=0.3)
    panels[0].set_ylabel("% of the best profit")
    panels[0].legend(fontsize=8, loc="lower right")
    figure.tight_layout()
    figure.savefig(path, dpi=130)


def main() -> int:
    """Play and write."""
    parser = argparse.ArgumentParser(prog="python -m bench.pricing", description=__doc__)
    parser.add_argument("--out", type=Path, default=FOLDER, help="folder of the results")
    asked, console = parser.parse_args(), Console(stderr=True)
    results: dict[int, Any] = {m: {} for m in ARTICLES}
    jobs = [(m, seed) for m in ARTICLES for seed in range(SEEDS)]
    for m, seed in track(jobs, "playing", console=console):
        for name, shares in played(m, seed).items():
            results[m].setdefault(name, []).append(shares)
    (asked.out / "pricing.md").write_text(text(results))
    draw(results, asked.out / "pricing.png")
    console.print((asked.out / "pricing.md").read_text(), highlight=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
