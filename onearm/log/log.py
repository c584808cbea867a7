"""Log: what a policy chose, with what probability, and what came of it.

A log is read in chunks of events, from memory or from a file that may be larger than memory. Its
rewards lie in a stated range, which is fixed beforehand: intervals and learners rest on it.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from onearm.core.assembly import HIDDEN
from onearm.core.choice import Trace, class_name
from onearm.log.arrays import (
    as_n_classes,
    chance_rows,
    decision_fields,
    encoded_rows,
    label_codes,
    n_labels,
    require_schema,
)
from onearm.log.events import Events, as_events
from onearm.log.identity import identity_of, n_learnt, with_log
from onearm.log.pieces import events_after, first_events, pieces
from onearm.log.reward_range import RewardRange, as_range
from onearm.log.scan import Scan, unnamed_column
from onearm.prepare.prepared import learner_for
from onearm.schema.difference import difference
from onearm.schema.names import counted, listed
from onearm.schema.schema import Schema

FEEDBACK = ("reward", "one_right")


@dataclass(frozen=True, repr=False)
class Log:
    """Logged choices with propensities and outcomes, in chunks.

    Made by `Log.of`, `Log.from_trace`, `Log.from_decisions`, `Log.from_table` or `Log.read`.

    Examples
    --------
    >>> log = Log.of([[0.0], [1.0], [2.0]], [0, 1, 1], [0.5, 0.5, 0.8], [1.0, 0.0, None])
    >>> log
    <Log: 3 events: 2 reported, 1 pending; 2 labels; rewards in [0, 1]>
    """

    source: Callable[[], Iterator[Events]]
    n_classes: int
    n_features: int
    schema: Schema | None = None  # names of columns and labels, where they are known
    rewards: tuple[float, float] = (0.0, 1.0)  # the range of rewards, fixed beforehand
    feedback: str = "reward"  # or "one_right": exactly one label is right
    name: str = "log"
    start: int = 0  # how many earlier events of the same log are left out
    whole: Callable[[], Iterator[Events]] | None = None  # with those that are left out
    bad_lines: tuple[str, ...] = field(default=(), compare=False)  # of its file, the first ones
    n_bad_lines: int = 0
    left_out: tuple[str, ...] = field(default=(), compare=False)  # columns without a name

    def __post_init__(self) -> None:
        as_range(self.rewards)
        if self.feedback not in FEEDBACK:
            raise ValueError(f"feedback must be one of {listed(FEEDBACK)}, got {self.feedback!r}")
        if self.feedback == "one_right" and self.rewards != (0.0, 1.0):
            raise ValueError(f"rewards must be in (0, 1) with one_right, got {self.rewards}")

    @classmethod
    def of(
        cls, X: Any, label: Any, propensity: Any, reward: Any = None, *,
        n_classes: int | None = None, schema: Schema | None = None,
        rewards: tuple[float, float] = (0.0, 1.0), feedback: str = "reward", name: str = "log",
        **known: Any,
    ) -> "Log":  # fmt: skip
        """Return a log of arrays, one entry for each event.

        Parameters
        ----------
        X
            Rows of numbers, or what `schema` encodes; None where there are no contexts.
        label
            The chosen labels, by number, or by name where the schema has names.
        propensity
            The probability with which each label was chosen.
        reward
            Rewards within `rewards`; None or NaN where there is none yet.
        known
            Where known: `greedy`, `allowed` (a mask of events × labels), `chances` (events ×
            labels, dicts by label, or "uniform": evenly among the allowed ones), `outcome`,
            `policy`, `version`, `event_id`, `time`.
        """
        require_schema(schema)
        low, high = as_range(rewards)
        known["chances"] = chance_rows(known.get("chances"), schema.labels if schema else ())
        label = label_codes(label, schema)
        width, named = n_labels(known), len(schema.labels) if schema else 0
        k = as_n_classes(n_classes or named or width or int(max(label, default=0)) + 1)
        X = encoded_rows(X, len(label), schema)
        given = None if reward is None else [np.nan if r is None else r for r in reward]
        if "greedy" in known and known["greedy"] is not None:
            known["greedy"] = [HIDDEN if g is None else g for g in known["greedy"]]
        span = RewardRange(low, high, feedback == "one_right")
        events = as_events(X, label, propensity, given, k, span, **known)
        size = (k, X.shape[1], schema, (low, high))
        return cls(lambda: pieces(events, k), *size, feedback, name)

    @classmethod
    def from_trace(cls, X: Any, trace: Trace, **about: Any) -> "Log":
        """Return the log of a learner that played along the rows X.

        >>> import onearm
        >>> stream = onearm.SynNonSep(100)
        >>> trace = stream.learner(onearm.SOBA).play(stream)
        >>> Log.from_trace(stream.arrays()[0], trace, n_classes=stream.n_classes)
        <Log: 100 events: 100 reported; 9 labels; rewards in [0, 1]; exactly one label is right>
        """
        label, greedy, propensity, correct = trace
        kind = "one_right" if np.asarray(correct).dtype == bool else "reward"
        about = {"feedback": kind} | about
        return cls.of(X, label, propensity, correct, greedy=greedy, **about)

    @classmethod
    def from_decisions(
        cls, contexts: Any, decisions: Iterable[Any], reward: Any, agent: Any, **known: Any
    ) -> "Log":
        """Return the log of an agent: contexts, what it chose for them, and their rewards.

        Decisions are as `choose` returned them, or as JSON; a reward is None where none came yet.
        `chances` may be what `agent.chances` returned; `rewards` is the range, as of `of`.
        """
        known = decision_fields(decisions, agent.schema) | known
        about = {"schema": agent.schema, "feedback": agent.feedback}
        return cls.of(contexts, reward=reward, **about | known)

    @classmethod
    def from_table(
        cls, frame: Any, schema: Schema | None = None, *, label: str | None = None,
        propensity: str = "propensity", reward: str = "reward", **options: Any,
    ) -> "Log":  # fmt: skip
        """Return the log in a frame of pandas, polars or pyarrow, or in a list of dicts.

        Parameters
        ----------
        schema
            How the columns of the context become numbers, and the labels; inferred if not given.
        label, propensity, reward
            Names of columns.
        options
            Names of further columns: `greedy`, `outcome`, `policy`, `version`, `event_id`, `time`,
            `allowed` (lists of labels), `chances` (a dict: the column of each label; or "uniform").
            `columns`: those of the context, by default all others. `rewards`, `feedback`,
            `name`: as of `of`.

        >>> table = {"age": [31, 44], "ad": ["a", "b"], "p": [0.5, 0.1], "click": [1, 0]}
        >>> Log.from_table(table, label="ad", propensity="p", reward="click").labels
        ('a', 'b')
        """
        from onearm.log.tables import from_table

        named = {"label": label, "propensity": propensity, "reward": reward}
        return from_table(frame, schema=schema, **named, **options)

    @classmethod
    def read(cls, path: str | Path, **options: Any) -> "Log":
        """Return the log in a file: Parquet, JSON lines, or Vowpal Wabbit's text or dsjson.

        The file is read in chunks each time. The guide on logs has the columns and options.
        """
        from onearm.log.files import read

        return read(Path(path), **options)

    def write(self, path: str | Path) -> None:
        """Write the log to a file, as its suffix says: .parquet, .jsonl, .vw or .dsjson."""
        from onearm.log.files import write

        write(self, Path(path))

    def chunks(self) -> Iterator[Events]:
        """Return the events from the start, some at a time; the first pass counts them."""
        scan = Scan()
        yield from scan.along(self.source())
        vars(self).setdefault("scan", scan)

    def judged(self) -> Iterator[Events]:
        """Return the events that have a reward that counts, some at a time."""
        for events in self.chunks():
            yield events if events.is_judged.all() else events.part(events.is_judged)

    def events(self) -> Events:
        """Return all events at once."""
        return Events.joined(list(self.chunks()))

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many events have each outcome."""
        return self.scan.counts

    @cached_property
    def oddities(self) -> list[str]:
        """Sentences about ids that occur again, times out of order and columns left out."""
        return [*self.scan.oddities, *map(unnamed_column, self.left_out)]

    @cached_property
    def scan(self) -> Scan:
        """What one pass over the events counts."""
        sum(1 for _ in self.chunks())  # which is the pass
        return vars(self)["scan"]

    def __len__(self) -> int:
        return sum(self.counts.values())

    def first(self, n: int) -> "Log":
        """Return the first n events."""
        _require_count(n)
        return replace(self, source=lambda: first_events(self.source(), n))

    def after(self, n: int) -> "Log":
        """Return the events after the first n."""
        _require_count(n)
        source, whole = self.source, self.whole or self.source
        start = self.start + n
        return replace(self, source=lambda: events_after(source(), n), start=start, whole=whole)

    @property
    def labels(self) -> tuple[Any, ...]:
        """The names of the labels, or their numbers."""
        names = self.schema.labels if self.schema else ()
        return (*names, *range(len(names), self.n_classes))

    @cached_property
    def identity(self) -> str:
        """Digests of its events, by which learners know those that they learnt from."""
        return identity_of((self.whole or self.source)())

    def n_learnt(self, trained_on: dict[str, int] | None) -> int:
        """Return up to which event of this log a learner may have learnt, by what it remembers."""
        return n_learnt(trained_on, self.identity) if trained_on else 0

    def learnt(self, trained_on: dict[str, int] | None) -> dict[str, int]:
        """Return what a learner remembers once it has learnt from this log, too."""
        return with_log(trained_on, self.identity, self.start + len(self))

    def examples(self, learner: Any) -> Iterator[tuple[Any, Trace]]:
        """Return rows and choices of another policy for a learner, rewards scaled to [0, 1]."""
        self.check_schema(learner)
        right = self.feedback == "one_right"
        if not right and not learner.real_rewards:
            raise ValueError(
                f"{class_name(learner)} learns from right or wrong only: the feedback of the "
                "log must be 'one_right', got 'reward'"
            )
        low, high = self.rewards
        for events in self.judged():
            if len(events):
                reward = (events.reward - low) / (high - low)
                correct = reward == 1.0 if right else reward
                unknown = np.full(len(events), HIDDEN)
                yield events.X, Trace(events.label, unknown, events.propensity, correct)

    def learner(self, cls: Any, *, raw: bool = False, **params: Any) -> Any:
        """Return a new learner, by its class or name, for these contexts; as `Stream.learner`."""
        sizes: dict[str, Any] = {"n_classes": self.n_classes, "n_features": self.n_features}
        if self.schema is not None and self.schema.columns:
            sizes |= {"nominal": self.schema.nominal, "n_words": self.schema.n_words}
        elif hasattr(next(self.chunks()).X, "tocsr"):
            sizes["n_words"] = self.n_features
        learner = learner_for(cls, **sizes, raw=raw, **params)
        learner.schema = self.schema
        return learner

    def check_schema(self, learner: Any) -> None:
        """Refuse a learner of other sizes, or that was made for other columns or labels."""
        sizes, expected = (learner.n_classes, learner.n_features), getattr(learner, "schema", None)
        way_out = "; read the log with the schema of the learner: schema=" if expected else ""
        if sizes != (self.n_classes, self.n_features):
            mine = f"{self.n_classes} labels and {self.n_features} features"
            its = f"{class_name(learner)} has {sizes[0]} and {sizes[1]}"
            raise ValueError(f"the {self.name} has {mine}, {its}{way_out}")
        wrong = expected and self.schema and difference(expected, self.schema)
        if wrong:
            its = f"{class_name(learner)} was made for other contexts"
            raise ValueError(f"{its}: {wrong}{way_out}")

    def __repr__(self) -> str:
        parts = [f"{n:,} {word}" for word, n in self.counts.items() if n]
        low, high = self.rewards
        bad = f"; {counted(self.n_bad_lines, 'bad line')} left out" if self.n_bad_lines else ""
        right = "; exactly one label is right" if self.feedback == "one_right" else ""
        about = f"{counted(self.n_classes, 'label')}; rewards in [{low:g}, {high:g}]{right}{bad}"
        return f"<Log: {counted(len(self), 'event')}: {', '.join(parts) or 'none'}; {about}>"


def _require_count(n: int) -> None:
    if not n >= 0:
        raise ValueError(f"n must be at least 0, got {n}")
