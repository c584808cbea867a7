"""Agent: a learner that speaks in dicts and label names.

The context is encoded by a schema, the learner chooses an id among those that are allowed, and the
decision carries names. Nothing is remembered between calls: the reward may come late, as JSON, in
another process. Labels come and go: the learner is then copied into a larger one, or a label leaves
the allowed ones. Any thread may call anything: whatever uses the learner holds the agent's lock, so
that nothing is learnt by a learner that is just being replaced.
"""

import copy
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from onearm.agent.decision import Decision, Label, as_decision
from onearm.agent.explanation import Explanation, explain
from onearm.agent.feedback import as_outcome, require_feedback
from onearm.agent.floors import SHARE, Floors
from onearm.agent.labels import Labels, as_names
from onearm.agent.making import as_schema, load_learner, make_learner
from onearm.core import saving
from onearm.core.choice import Choice
from onearm.core.locking import Lock
from onearm.prepare.learners import learner_class
from onearm.schema.monitor import Monitor
from onearm.schema.names import listed
from onearm.schema.schema import Schema


class Agent(saving.Saveable):
    """A learner for dicts, label names and rewards, whose labels come and go.

    Parameters
    ----------
    labels
        Names of the labels, texts or integers; by default those of the schema.
    schema
        Columns of the contexts: a dict of their forms or an `onearm.Schema`.
    learner
        Name or class of the learner.
    feedback
        "reward": a number in [0, 1], which says nothing about other labels. "one_right": 1 or 0
        for right or wrong, where exactly one label is right.
    seed
        Random seed.
    params
        Parameters of the learner. Where it has `floor`, that is by default 0.02/m in a choice among
        m labels: every decision can then be evaluated.

    Examples
    --------
    >>> agent = Agent(["sports", "tech"], {"age": "number", "device": ["phone", "desktop"]})
    >>> context = {"age": 31, "device": "phone"}
    >>> for _ in range(100):
    ...     choice = agent.choose(context)
    ...     agent.update(context, choice, 1.0 if choice.label == "tech" else 0.0)
    >>> agent.predict(context)
    'tech'
    """

    def __init__(
        self, labels: Iterable[Label] | None = None, schema: Any = None, learner: Any = "Chorus", *,
        feedback: str = "reward", seed: int = 0, **params: Any,
    ) -> None:  # fmt: skip
        schema = as_schema(schema)
        if labels is None and not schema.labels:
            raise ValueError("labels must be given: the schema has none")
        names = as_names(schema.labels if labels is None else labels)
        cls = learner_class(learner)
        self._floors = "floor" in cls.__dataclass_fields__ and "floor" not in params
        schema = schema.with_labels(names)
        self._start(make_learner(cls, schema, {**params, "seed": seed}), schema, feedback)

    def _start(
        self, learner: Any, schema: Schema, feedback: Any, retired: Iterable[int] = (),
        version: int = 0,
    ) -> None:  # fmt: skip
        require_feedback(learner, feedback)
        self._feedback = feedback
        self._learner, self._schema = learner, schema
        learner.schema = schema
        self.monitor = Monitor()
        self._labels, self._version = Labels(schema.labels, frozenset(retired)), version
        self._lock, self._views = Lock(), Floors()
        self._set_floor()

    @property
    def feedback(self) -> str:
        """What a reward means: "reward" or "one_right"."""
        return self._feedback

    @property
    def schema(self) -> Schema:
        """The columns, and all labels that there ever were."""
        return self._schema

    @property
    def learner(self) -> Any:
        """The learner, whose labels are places in `schema.labels`; replaced as labels are added."""
        return self._learner

    @property
    def labels(self) -> tuple[Label, ...]:
        """The labels that may be chosen."""
        return self._labels.active

    @property
    def retired(self) -> tuple[Label, ...]:
        """The labels that are retired; they are not chosen, and take late answers."""
        return tuple(self._labels.names[number] for number in sorted(self._labels.retired))

    @property
    def version(self) -> int:
        """How many updates the model has had."""
        return self._version

    def choose(
        self, context: Any, among: Iterable[Label] | None = None, key: Any = None
    ) -> Decision:
        """Choose a label for a context, exploring.

        `among` are the labels allowed this time. With a `key`, as the id of an event, the choice is
        a function of model, context and key: the same key, the same choice.
        """
        x = self._schema.encode(context, self.monitor)
        return self._lock.run(self._choose, x, among, key)

    def _choose(self, x: Any, among: Any, key: Any) -> Decision:
        ids, names = self._labels.allowed(among)
        label, greedy, propensity = self._among(names).choose(x, ids, key=key)
        known = self._labels.names
        return Decision(known[label], known[greedy], propensity, names, self._version)

    def choose_many(
        self, data: Any, among: Iterable[Label] | None = None, keys: Iterable[Any] | None = None
    ) -> list[Decision]:
        """Choose a label for each row of a frame, or for each of many contexts."""
        rows = as_rows(self._encode_all(data))
        among = None if among is None else list(among)
        if keys is None:
            return [self._lock.run(self._choose, x, among, None) for x in rows]
        keys = list(keys)
        if len(keys) != len(rows):
            raise ValueError(f"keys must be {len(rows)}, one for each row, got {len(keys)}")
        return [
            self._lock.run(self._choose, x, among, key) for x, key in zip(rows, keys, strict=True)
        ]

    def update(self, context: Any, choice: Any, reward: Any) -> None:
        """Learn from the reward of a choice for a context, now or much later.

        `choice` is what `choose` returned, as it is, as a dict or as JSON; or that of another
        policy, which has no greedy label: (label, None, propensity).
        """
        x = self._schema.encode(context)
        self._lock.run(self._update, x, as_decision(choice), as_outcome(self._feedback, reward))

    def _update(self, x: Any, choice: Decision, outcome: float | bool) -> None:
        label: int = self._labels.id_of(choice.label, "the label of a choice")
        greedy: Any = None  # of another policy
        if choice.greedy is not None:
            greedy = self._labels.id_of(choice.greedy, "the greedy label of a choice")
        self._learner.update(x, Choice(label, greedy, choice.propensity), outcome)
        self._version += 1

    def learn(self, log: Any) -> None:
        """Learn from an `onearm.Log` of another policy, and remember up to which event."""
        if not hasattr(log, "feedback"):
            raise ValueError(f"log must be an onearm.Log, got a {type(log).__name__}")
        if self._feedback != log.feedback:
            kinds = f"{self._feedback!r}, as the agent's, got {log.feedback!r}"
            raise ValueError(f"feedback of the log must be {kinds}")
        self._lock.run(self._learn, log)

    def _learn(self, log: Any) -> None:
        self._learner.learn(log)
        self._version += sum(log.counts[outcome] for outcome in ("reported", "default"))

    def predict(self, data: Any) -> Any:
        """Return the greedy label of a context (a dict), or a list of those of a frame's rows."""
        is_named_tuple = hasattr(data, "_asdict")
        if isinstance(data, Mapping) or is_named_tuple or getattr(data, "ndim", 2) == 1:
            return self.predict([data])[0]
        return self.predict_rows(self._encode_all(data))

    def predict_rows(self, rows: Any) -> list[Label]:
        """Return the greedy labels of rows that the schema has encoded."""
        return self._lock.run(self._predict, rows)

    def _predict(self, rows: Any) -> list[Label]:
        ids = self._labels.active_ids
        best = self._learner.scores(rows)[:, ids].argmax(axis=1) if rows.shape[0] else []
        return [self._labels.names[ids[i]] for i in best]

    def chances(self, context: Any, among: Iterable[Label] | None = None) -> dict[Label, float]:
        """Return the probability with which `choose` takes each allowed label."""
        x = self._schema.encode(context)
        return self._lock.run(self._chances, x, among)

    def _chances(self, x: Any, among: Any) -> dict[Label, float]:
        ids, names = self._labels.allowed(among)
        p = self._among(names).chances(x, ids)
        return {name: float(p[self._labels.id_of(name)]) for name in names}

    def explain(self, context: Any) -> Explanation:
        """Return how much each column of a context speaks for each label.

        That is the change of the label's score when the column is there, not missing.
        """
        return self._lock.run(explain, self._learner, self._schema, self._labels, context)

    def add_label(self, name: Label) -> None:
        """Add a label, which starts as all labels do; one that was retired comes back as it was."""
        self._lock.run(self._add_label, name)

    def _add_label(self, name: Any) -> None:
        labels = self._labels.added(name)
        if len(labels.names) > len(self._labels.names):
            learner = self._learner.with_labels(len(labels.names))
            learner.trained_on = self._learner.trained_on
            learner.schema = schema = self._schema.with_labels(labels.names)
            self._learner, self._schema = learner, schema
        self._labels = labels
        self._set_floor()

    def retire_label(self, name: Label) -> None:
        """Stop choosing a label; answers to earlier choices of it are still learnt from."""
        self._lock.run(self._retire_label, name)

    def _retire_label(self, name: Any) -> None:
        self._labels = self._labels.without(name)
        self._set_floor()

    def _set_floor(self) -> None:
        if self._floors:
            self._learner.floor = SHARE / len(self._labels.active)

    def _among(self, names: tuple[Label, ...]) -> Any:
        """Return the learner, with the floor that suits the number of allowed labels."""
        if not self._floors or len(names) == len(self._labels.active):
            return self._learner
        return self._views.view(self._learner, len(names))

    def _encode_all(self, data: Any) -> Any:
        if isinstance(data, Mapping):
            raise ValueError("data must be a frame or a list of contexts, got a single dict")
        return self._schema.encode_all(data, self.monitor)

    def save(self, path: str | Path) -> None:
        """Write the agent, as it is at one moment, to a file for `onearm.load`."""
        saving.save(Agent, path, *self._lock.run(self._content), None, self._learner.trained_on)

    def _content(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        given = {
            "learner": saving.name(type(self._learner)), "settings": self._learner.params(),
            "schema": self._schema.to_json(), "feedback": self._feedback,
            "retired": sorted(self._labels.retired), "version": self._version,
            "floors": self._floors,
        }  # fmt: skip
        return given, copy.deepcopy(self._learner.content())

    @classmethod
    def loaded(cls, given: dict[str, Any], saved: dict[str, np.ndarray]) -> "Agent":
        """Return an agent from what was saved of it."""
        made = cls.__new__(cls)
        learner, schema, floors, rest = load_learner(given, saved)
        made._floors = floors
        made._start(learner, schema, **rest)
        return made

    @property
    def trained_on(self) -> dict[str, int] | None:
        """How many events of which logs it has learnt from, by the identity of the log."""
        return self._learner.trained_on

    @trained_on.setter
    def trained_on(self, logs: dict[str, int]) -> None:
        self._learner.trained_on = logs

    def __reduce__(self) -> tuple:
        return Agent.loaded, self._lock.run(self._content)

    def __repr__(self) -> str:
        retired = f" (retired: {listed(self.retired)})" if self.retired else ""
        parts = f"{listed(self.labels)}{retired}; feedback {self.feedback}; version {self._version}"
        return f"<Agent: {parts}; {self.learner}>"


def as_rows(X: Any) -> list[Any]:
    """Return the rows of a matrix as `choose` takes them."""
    return list(X) if isinstance(X, np.ndarray) else [X[[t]] for t in range(X.shape[0])]
