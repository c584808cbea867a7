"""Actions of Vowpal Wabbit as labels: action j is the label j, or the j-th of a schema.

A cost c is the reward -c, so that the value of a policy is minus its loss there; where exactly one
label is right, costs are 0 and 1, and the reward is 1 - c. The features that an action has by
itself say nothing beyond the label if they are always the same, and are left out; if they differ
between events, the actions are not labels and the file is refused, unless that is to be ignored.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from onearm.core.sparse_check import MOST_FEATURES
from onearm.log.distributions import is_uniform
from onearm.log.log import Log
from onearm.log.passes import Passes
from onearm.log.records import MOST_LABELS, Labels, Records
from onearm.log.reward_range import RewardRange, as_range
from onearm.log.rows import DENSE, SPARSE, Rows
from onearm.log.text import Fielded, Numbered, chunked
from onearm.schema.schema import Schema
from onearm.schema.values import shown
from onearm.streams.vowpal import COLUMNS
from onearm.streams.vowpal import column as hashed_column

OWN = re.compile(r"f([0-9]{1,10})")  # the name of a column that we wrote


@dataclass
class Stated:
    """What a user states about a file of Vowpal Wabbit."""

    costs: tuple[float, float] = (0.0, 1.0)
    feedback: str = "reward"
    n_classes: int | None = None  # by default the largest action
    n_features: int | None = None
    hashed: bool = True  # else features are called f0, f1, … as we write them
    ignore_action_features: bool = False
    schema: Schema | None = None  # which encodes contexts; action j is its j-th label
    chances: str | None = None  # "uniform"

    def __post_init__(self) -> None:
        self.costs, self.is_uniform = as_range(self.costs, "costs"), is_uniform(self.chances)
        if self.feedback == "one_right" and self.costs != (0, 1):
            raise ValueError(f"costs must be (0, 1) with one_right, got {self.costs}")
        for size, most in (("n_classes", MOST_LABELS), ("n_features", MOST_FEATURES)):
            value = getattr(self, size)
            if value is not None and not (isinstance(value, int) and 1 <= value <= most):
                raise ValueError(f"{size} must be a whole number in [1, {most}], got {value!r}")
        labels = self.schema.labels if self.schema else ()
        if labels and self.n_classes not in (None, len(labels)):
            allowed = f"n_classes must be {len(labels)}, the number of labels of the schema"
            raise ValueError(f"{allowed}, got {self.n_classes}")
        self.n_classes = len(labels) or self.n_classes
        if self.schema and self.schema.columns and (self.n_features or not self.hashed):
            got = "hashed=False" if not self.hashed else f"n_features={self.n_features}"
            raise ValueError(f"features are by name with a schema of columns, got {got}, too")

    @property
    def rewards(self) -> RewardRange:
        """The range of rewards."""
        if self.feedback == "one_right":
            return RewardRange(one_right=True, are_costs=True)
        return RewardRange(0.0 - self.costs[1], 0.0 - self.costs[0], are_costs=True)

    def reward(self, cost: float) -> float:
        """Return the reward of a cost."""
        return 1.0 - cost if self.feedback == "one_right" else 0.0 - cost

    def rows(self) -> Rows:
        """Return the kind of rows."""
        if self.schema is not None and self.schema.columns:
            return Rows(SPARSE if self.schema.n_words else DENSE, self.schema.n_features)
        return Rows(SPARSE, self.n_features or (COLUMNS if self.hashed else None))

    def column(self) -> Callable[[str, str], int]:
        """Return what gives the column of a feature in a namespace."""
        d = self.n_features or COLUMNS
        return (lambda space, name: hashed_column(space, name, d)) if self.hashed else _own_column


def _own_column(namespace: str, feature: str) -> int:
    name = OWN.fullmatch(feature)
    if name is None:
        raise ValueError(f"features that are not hashed must be f0, f1, …, got {feature!r}")
    return int(name[1])


def encoded(context: dict[str, Any], schema: Schema, rows: Rows) -> Any:
    """Return the row of a context by name."""
    row = schema.encode(context)
    return rows.of_pairs(*row) if isinstance(row, tuple) else rows.of_list(row)


def as_action(number: Any, what: str = "an action") -> str:
    """Return the name of an action."""
    if isinstance(number, str) and number.isascii() and number.isdigit() and len(number) < 10:
        number = int(number)
    if type(number) is not int or not 1 <= number <= MOST_LABELS:
        raise ValueError(
            f"{what} must be a whole number in [1, {MOST_LABELS}], got {shown(number)}"
        )
    return str(number)


@dataclass
class ActionFeatures:
    """The features that actions have by themselves, in one pass."""

    file: str
    ignored: bool
    known: dict[str, Any] = field(default_factory=dict)  # the first of each action

    def require_same(self, action: str, features: Any, at: int) -> None:
        """Refuse a file where an action has other features than before."""
        before = self.known.setdefault(action, features)
        if before != features and not self.ignored:
            changed = f"action {action} had {shown(before)}, now {shown(features)}"
            why = "actions are labels only if their own features stay the same"
            way_out = "with ignore_action_features=True these are left out"
            raise ValueError(f"{self.file}, line {at}: {why}: {changed}; {way_out}")


def action_log(
    path: Path, stated: Stated, events: Callable[[Rows], Numbered], name: str | None
) -> Log:
    """Return the log of a file whose events have actions for labels."""
    rows, fielded = stated.rows(), Fielded()

    def parts() -> Iterator[Records]:
        return chunked(lambda: events(rows), fielded, rows, lambda: len(passes.labels))

    schema, uniform = stated.schema, stated.is_uniform
    names = range(1, (stated.n_classes or 0) + 1)
    passes = Passes(path.name, parts, stated.rewards, Labels(names), is_uniform=uniform)
    passes.first(parts)
    if passes.names:
        names = range(1, max(map(int, passes.names)) + 1)
        passes.labels = Labels(names)
    rows.is_open = False
    fielded.drop_full_sets(len(passes.labels))
    known = schema.labels if schema and schema.labels else names
    schema = schema.with_labels(known) if schema else Schema({}, known)
    return passes.log(rows.width, schema, stated.feedback, name or path.name)
