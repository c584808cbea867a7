"""An agent by encoded rows and ids of labels: for the service, which logs and replays these."""

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from onearm.agent.agent import Agent
from onearm.core import saving
from onearm.core.choice import Choice
from onearm.core.learner import Learner


class RowChoice(NamedTuple):
    """A choice by ids, with the probabilities of all labels."""

    choice: Choice
    chances: np.ndarray
    allowed: np.ndarray | None  # ids; None: all labels that there ever were


def choose_row(agent: Agent, x: Any, among: Iterable[Any] | None, key: Any) -> RowChoice:
    """Return the agent's choice for an encoded row; the same key gives the same choice."""

    def choose() -> RowChoice:
        ids, names = agent._labels.allowed(among)
        learner = agent._among(names)
        if type(learner).choose is Learner.choose and type(learner).chances is Learner.chances:
            chosen, chances = learner.choose_with_chances(x, ids, key)
            return RowChoice(chosen, chances, ids)
        return RowChoice(learner.choose(x, ids, key=key), learner.chances(x, ids), ids)

    return agent._lock.run(choose)


def chances_row(agent: Agent, x: Any, among: Iterable[Any] | None) -> np.ndarray:
    """Return the probabilities of all labels for an encoded row."""

    def chances() -> np.ndarray:
        ids, names = agent._labels.allowed(among)
        return agent._among(names).chances(x, ids)

    return agent._lock.run(chances)


def chances_rows(agent: Agent, X: Any, ids: np.ndarray) -> np.ndarray:
    """Return the probabilities of all labels for encoded rows among the labels with these ids."""
    names = tuple(agent.schema.labels[number] for number in ids)
    return agent._lock.run(lambda: agent._among(names).chances(X, ids))


Moment = tuple[dict[str, Any], dict[str, np.ndarray]]  # what an agent is, copied


def moment(agent: Agent) -> Moment:
    """Return a copy of the agent's state."""
    return agent._lock.run(agent._content)


def digest(state: Moment) -> str:
    """Return the SHA-256 of a state: equal states have equal ones."""
    given, content = state
    return saving.digest(json.dumps(given), content)


def dumps(state: Moment) -> bytes:
    """Return a state as bytes for `saving.loads`."""
    return saving.dumps(Agent, *state)
