"""Policies: with what probability another policy would have chosen each label of an event.

    Frozen          a learner or an agent as it is: its `chances`, exploration included
    Greedy          the same without exploration: its best label
    Learning        a learner that learns along the log, event by event, from the logged choices
    Uniform         every allowed label alike
    Constant        one label, whatever the context
    Logged          the policy that wrote the log

`given` has those that a user states: a column of probabilities or labels, a Python function.

A policy that puts its mass on labels that were not allowed chooses evenly among those that were.
"""

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np

from onearm.agent.rows import chances_rows
from onearm.core.choice import class_name, require_off_policy
from onearm.core.inputs import as_rows, row_of
from onearm.log.events import Events
from onearm.log.log import Log
from onearm.ope.probabilities import allowed_only, certain

FROZEN = "the mean reward of this policy on the contexts of the log"
ALONG = (
    "the mean value of the learner's successive states as trained on this log, "
    "not what it would have earned choosing for itself"
)

UNTRACED = (
    "may have learnt from events of this log, which would make its value too high: what it learnt "
    "by update or play is not known. If it has not seen them, state it: unseen=True, or --unseen "
    "in a terminal. Otherwise let a new one learn by learn(log.first(n)), which it remembers"
)


class Policy:
    """What assigns probabilities to the labels of logged events."""

    name = ""
    estimates = FROZEN  # what its value is, in words
    unseen = False  # whether it is stated that no model learnt from the log by update or play

    def start(self, log: Log) -> None:
        """Prepare for a log; refuse one of other sizes."""

    def chances(self, events: Events, places: np.ndarray) -> np.ndarray:
        """Return the probabilities (n, k), or (n,) if only those of the logged labels are known.

        `places` are the numbers of the events in the whole log. Called once for each event, in
        the order of the log.
        """
        raise NotImplementedError

    def can_judge(self, events: Events, places: np.ndarray) -> np.ndarray:
        """Return which events the policy may be judged on: none that it was trained on."""
        return np.ones(len(events), bool)


class Logged(Policy):
    """The policy that wrote the log; its value is the mean reward."""

    name = "logged"
    estimates = "the mean reward of the logged choices"

    def start(self, log: Log) -> None:
        self.k = log.n_classes

    def chances(self, events: Events, places: np.ndarray) -> np.ndarray:
        """Return the logged distributions, NaN where they are not known."""
        unknown = np.full((len(events), self.k), np.nan)
        return unknown if events.chances is None else events.chances


class Uniform(Policy):
    """Every allowed label with the same probability."""

    name = "uniform"

    def start(self, log: Log) -> None:
        self.k = log.n_classes

    def chances(self, events: Events, places: np.ndarray) -> np.ndarray:
        return allowed_only(np.full((len(events), self.k), 1 / self.k), events.allowed)


class Constant(Policy):
    """One label for every context."""

    def __init__(self, label: Any) -> None:
        self.label, self.name = label, f"always {label}"

    def start(self, log: Log) -> None:
        names = [str(name) for name in log.labels]
        if str(self.label) not in names:
            raise ValueError(f"label must be one of {', '.join(names)}, got {self.label!r}")
        self.code, self.k = names.index(str(self.label)), log.n_classes

    def chances(self, events: Events, places: np.ndarray) -> np.ndarray:
        return certain(np.full(len(events), self.code), events, self.k)


class Frozen(Policy):
    """A learner or an agent as it is now, exploration included.

    It is judged only on events that it has not learnt from. Learners and agents know this of logs
    that `learn` was given; an agent that learnt by `update` is judged on events of versions from
    its own on. Where that is not known, it is refused, unless you state that it has not learnt from
    events of the log: `unseen=True`.
    """

    def __init__(self, model: Any, name: str = "", unseen: bool = False) -> None:
        self.agent: Any = model if hasattr(model, "retired") else None
        self.learner = model if self.agent is None else model.learner
        self.name, self.unseen = name or f"{class_name(self.learner)}, frozen", unseen

    def start(self, log: Log) -> None:
        log.check_schema(self.learner)
        self.first = log.n_learnt(self.learner.trained_on)
        if self.agent is None:
            require_traced(self.learner, self.name, self.unseen)

    def can_judge(self, events: Events, places: np.ndarray) -> np.ndarray:
        later = places >= self.first
        if self._has_updates and not self.unseen:
            if events.version is None:
                raise ValueError(f"{self.name} {UNTRACED}")
            # it may have learnt from earlier ones
            later &= events.version >= self.agent.version
        return later

    @property
    def _has_updates(self) -> bool:
        """Whether an agent has learnt by `update`, too: more than logs explain."""
        from_logs = sum((self.learner.trained_on or {}).values())
        return self.agent is not None and self.agent.version > from_logs

    def chances(self, events: Events, places: np.ndarray) -> np.ndarray:
        out = np.zeros((len(events), self.learner.n_classes))
        if not len(events):
            return out
        for among, which in _groups(events, self._active()):
            out[which] = self._of(events.X[which], among)
        return out

    def _active(self) -> np.ndarray:
        """Return a mask of the labels that are not retired."""
        if self.agent is None:
            return np.ones(self.learner.n_classes, bool)
        retired = {*self.agent.retired}
        return np.array([name not in retired for name in self.agent.schema.labels])

    def _of(self, X: Any, among: np.ndarray) -> np.ndarray:
        if self.agent is not None:
            return chances_rows(self.agent, X, among)
        return self.learner.chances(X, among)


class Greedy(Frozen):
    """A learner or an agent as it is now, without exploration."""

    def __init__(self, model: Any, name: str = "", unseen: bool = False) -> None:
        super().__init__(model, name, unseen)
        self.name = name or f"{class_name(self.learner)}, greedy"

    def _of(self, X: Any, among: np.ndarray) -> np.ndarray:
        scores = self.learner.scores(X)
        out = np.zeros(scores.shape)
        out[np.arange(len(out)), among[scores[:, among].argmax(axis=1)]] = 1.0
        return out


def require_traced(learner: Any, name: str, unseen: bool) -> None:
    """Refuse a learner that has learnt, unless it is known or stated that not from this log."""
    if not (unseen or learner.trained_on is not None or _is_new(learner)):
        raise ValueError(f"{name} {UNTRACED}")


def _is_new(learner: Any) -> bool:
    """Whether a learner is as it was made: it has learnt nothing."""
    new, content = type(learner)(**learner.params()).content(), learner.content()
    names = content.keys() - {"choosing", "updating"}  # generators
    return all(np.array_equal(new[name], content[name], equal_nan=True) for name in names)


def _groups(events: Events, active: np.ndarray) -> Iterator[tuple[np.ndarray, Any]]:
    """Yield sets of labels that may be chosen, and the places of the events that have them.

    Where all that was allowed is retired by now, it counts as active.
    """
    if events.allowed is None:
        yield np.flatnonzero(active), slice(None)
        return
    masks, of_event = np.unique(events.allowed, axis=0, return_inverse=True)
    for i, mask in enumerate(masks):
        both = mask & active
        yield np.flatnonzero(both if both.any() else mask), np.flatnonzero(of_event.ravel() == i)


class Learning(Policy):
    """A learner that learns along the log: each event is judged by its state before it."""

    estimates = ALONG

    def __init__(self, learner: Any, name: str = "", unseen: bool = False) -> None:
        require_off_policy(learner)
        if learner.full_information:
            raise ValueError(f"{class_name(learner)} needs full information, which no log has")
        self.new, self.name, self.unseen = learner, name or class_name(learner), unseen

    def start(self, log: Log) -> None:
        """Start with a copy of the learner: the given one stays as it is."""
        self.learner = copy.deepcopy(self.new)
        for _ in log.first(1).examples(self.learner):
            pass  # which refuses other sizes, and rewards that it cannot learn from
        first = log.n_learnt(self.learner.trained_on)
        if first > log.start:
            later = f"give a new learner, or later events: log.after({first - log.start})"
            raise ValueError(f"{self.name} was trained on events up to {first:,}: {later}")
        require_traced(self.new, self.name, self.unseen)
        self.right = log.feedback == "one_right"
        self.low, self.width = log.rewards[0], log.rewards[1] - log.rewards[0]

    def chances(self, events: Events, places: np.ndarray) -> np.ndarray:
        out = np.empty((len(events), self.learner.n_classes))
        rows = as_rows(events.X, self.learner.n_features, missing=True) if len(events) else ()
        reward = ((events.reward - self.low) / self.width).tolist()
        p, labels = events.propensity.tolist(), events.label.tolist()
        for t in range(len(events)):
            x, among = row_of(rows, t), None
            if events.allowed is not None:
                among = np.flatnonzero(events.allowed[t])
            out[t] = self.learner.chances(x, among)
            self._learn(x, labels[t], p[t], reward[t])
        return out

    def _learn(self, x: Any, label: int, p: float, reward: float) -> None:
        self.learner.update(x, (label, None, p), reward == 1.0 if self.right else reward)

    def of_event(self, event: Events) -> np.ndarray:
        """Return the probabilities of a single event, from which it does not learn yet."""
        among = None if event.allowed is None else np.flatnonzero(event.allowed[0])
        return self.learner.chances(event.X, among)[0]

    def learn(self, event: Events) -> None:
        """Learn from a single event."""
        x = row_of(as_rows(event.X, self.learner.n_features, missing=True), 0)
        reward = (float(event.reward[0]) - self.low) / self.width
        self._learn(x, int(event.label[0]), float(event.propensity[0]), reward)
