"""Write a log as Vowpal Wabbit's text; what that cannot store is listed in `vowpal`."""

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from onearm.log.contexts import contexts_of
from onearm.log.events import Events
from onearm.log.log import Log
from onearm.log.named_features import named
from onearm.schema.names import counted


def write_vowpal(log: Log, file: Any) -> None:
    """Write a log to an open text file."""
    n_left = 0
    for events in log.chunks():
        n_left += int((~events.is_judged).sum())
        judged = events.part(events.is_judged)
        for head, words in zip(_heads(judged, log), _features(judged.X, log), strict=True):
            file.write(f"{head}|{''.join(f' {word}' for word in words)}\n")
    if n_left:
        warnings.warn(f"{counted(n_left, 'event')} without a reward left out", stacklevel=4)


def _features(X: Any, log: Log) -> Iterator[list[str]]:
    """Yield the features of each row, by name where the log has names."""
    if log.schema is not None and log.schema.columns:
        kinds = {column.name: column.kind for column in log.schema.columns}
        for context in contexts_of(X, log.schema):
            yield [word for name, value in context.items() for word in named(name, kinds, value)]
        return
    for indices, values in sparse_rows(X):
        yield [f"f{j}:{value!r}" for j, value in zip(indices, values, strict=True)]


def cost(reward: float, log: Log) -> float:
    """Return the cost of a reward."""
    return (1.0 if log.feedback == "one_right" else 0.0) - reward


def _heads(events: Events, log: Log) -> Iterator[str]:
    """Yield what stands before the bar."""
    for i, label in enumerate(events.label.tolist()):
        p, c = float(events.propensity[i]), cost(float(events.reward[i]), log)
        words = [f"{label + 1}:{c!r}:{p!r}"]
        if events.allowed is not None and not events.allowed[i].all():
            words += [f"{j + 1}" for j in np.flatnonzero(events.allowed[i]) if j != label]
        tag = "" if events.event_id is None else events.event_id[i]
        if len(tag.split()) > 1 or "|" in tag or tag != tag.strip():
            raise ValueError(f"an event_id in .vw must have no blanks and bars, got {tag!r}")
        yield " ".join([*words, f"'{tag}"]) if tag else f"{' '.join(words)} "


def sparse_rows(X: Any) -> Iterator[tuple[list[int], list[float]]]:
    """Yield indices and values of the numbers of each row that are neither 0 nor missing."""
    sparse = hasattr(X, "tocsr")
    for i in range(X.shape[0]):
        part = slice(*X.indptr[i : i + 2]) if sparse else None
        values = X.data[part] if sparse else X[i]
        at = np.flatnonzero((values != 0) & ~np.isnan(values))
        indices = X.indices[part][at] if sparse else at
        yield indices.tolist(), values[at].tolist()
