"""Why stumps on USPS have a higher error than in B10's table.

With the usual split stumps stay above the paper's 6.1 % however long they are boosted. Are these
the usual rows? The nearest neighbour is known to have an error of 5.63 % on them. And with other
splits of the same rows, or with smoothed pixels?
"""

from typing import Any

import numpy as np
from sklearn.neighbors import KNeighborsClassifier

from onearm.experiments.job import OnProgress, Record
from onearm.streams.preparations import smooth_images
from papers.b10 import products
from papers.b10.data import Split, load
from papers.markdown import table
from papers.replication import Options, Replication

ROUNDS, SEEDS = (1000, 2000, 4000, 8000, 16_000), 5
WIDTHS = (0.5, 0.75, 1.0)  # of Gaussians, in pixels
SETTINGS: dict[str, dict[str, Any]] = {
    "usual split": {},
    "usual split, exact thresholds": {"exact": True},
    "usual split, even weights": {"weights": "even"},
}
SMOOTHED = {f"usual split, pixels smoothed by {width}": width for width in WIDTHS}
RANDOM = {f"random split {seed}": seed for seed in range(SEEDS)}


class Job(products.Job):
    """A variant of the rows, or of the parameters."""

    def stages(self) -> tuple[int, ...]:
        """Return after how many rounds errors are counted."""
        return ROUNDS

    def changes(self) -> dict[str, Any]:
        """Return the parameters of the variant."""
        return {"arms": "exp3p", **SETTINGS.get(self.variant, {})}

    def rows(self) -> Split:
        """Return the rows of the variant."""
        usual = load("usps")
        if self.variant in SMOOTHED:
            soft = [
                smooth_images(X, usual.y, {}, 16, SMOOTHED[self.variant])[0]
                for X in (usual.X, usual.X_test)
            ]
            return usual._replace(X=soft[0], X_test=soft[1])
        return resplit(usual, RANDOM[self.variant]) if self.variant in RANDOM else usual

    def play(self, progress: OnProgress) -> Record:
        """Return the errors in percent of the nearest neighbour and, smoothed, of stumps."""
        data = self.rows()
        near = KNeighborsClassifier(1).fit(data.X, data.y).predict(data.X_test)
        return {"nearest": 100 * float((near != data.y_test).mean()), **super().play(progress)}


def resplit(data: Split, seed: int) -> Split:
    """Return a random split into as many rows."""
    X, y = np.vstack([data.X, data.X_test]), np.append(data.y, data.y_test)
    train, test = np.split(np.random.default_rng(seed).permutation(len(y)), [len(data.y)])
    return Split(X[train], y[train], X[test], y[test])


def jobs(*_: Any) -> list[Job]:
    """Return a job for each variant."""
    return [Job("usps", "stump", variant, 0) for variant in (*SETTINGS, *SMOOTHED, *RANDOM)]


def text(records: list[Record], _: Options) -> list[str]:
    """Return the table in Markdown."""
    rows = [
        [run["variant"], f"{run['nearest']:.2f}", *(f"{error:.2f}" for error in run["errors"])]
        for run in records
    ]
    head = ["rows", "nearest neighbour", *(f"{t:,} rounds" for t in ROUNDS)]
    notes = """\
Error on test rows in percent: of the nearest neighbour, and, smoothed over rounds, of stumps under
EXP3.P. The paper's table has 6.0 to 6.3 for stumps. Pixels are smoothed by Gaussians of these
widths; with 0.75 they are the column usps-smoothed of Table 1."""
    return [notes, table(head, rows)]


REPLICATION = Replication(
    stages=(jobs,), title="Stumps on USPS", report="usps.md", text=text, ledger="usps.jsonl",
)  # fmt: skip
