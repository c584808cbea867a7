"""Parts of a log that are judged apart: segments by the values of a column, windows of time."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from onearm.log.log import Log
from onearm.ope.evaluation import Part
from onearm.ope.policies import Policy
from onearm.ope.uncertainty import Bounded, sequence
from onearm.ope.weighing import Judged

MOST = 30  # segments; the rest of the values are one
QUARTERS = 4  # segments of a column of numbers

Terms = Callable[[Any, Judged], Bounded]


def segments(
    log: Log, judged: Judged, policies: Sequence[Policy], by: str, alpha: float, terms: Terms
) -> list[Part]:
    """Return the value of each policy for each value of a column; of numbers, for quarters."""
    names, codes = _named_segments(log, judged.column, by)
    return _parts(log, judged, policies, names, codes, alpha, terms)


def windows(
    log: Log, judged: Judged, policies: Sequence[Policy], n_windows: int, alpha: float, terms: Terms
) -> list[Part]:
    """Return the value of each policy in windows of equally many events."""
    n = len(judged.reward)
    codes = np.arange(n) * min(n_windows, n) // n
    names = [_window_name(judged, np.flatnonzero(codes == i)) for i in range(codes.max() + 1)]
    return _parts(log, judged, policies, names, codes, alpha, terms)


def _window_name(judged: Judged, which: np.ndarray) -> str:
    if judged.time is not None:
        times = judged.time[which]
        ends = np.datetime_as_string([times.min(), times.max()], unit="m")
        return f"{ends[0]} to {ends[1]}".replace("T", " ")
    first, last = judged.places[which[[0, -1]]]
    return f"events {first:,} to {last:,}"


def _parts(
    log: Log, judged: Judged, policies: Sequence[Policy], names: list[str], codes: np.ndarray,
    alpha: float, terms: Terms,
) -> list[Part]:  # fmt: skip
    found = []
    low_end, width = log.rewards[0], log.rewards[1] - log.rewards[0]
    for i, name in enumerate(names):
        which = np.flatnonzero(codes == i)
        if not len(which):
            continue
        for policy, x in zip(policies, judged.policies, strict=True):
            lower, upper, least = terms(x, judged)
            some = Bounded(lower[which], upper[which], least)
            low, high = sequence(some, alpha, np.array([len(which)]))
            r = judged.reward[which]
            value = np.clip(x.values(judged.reward)[which].mean(), low[0], high[0])
            numbers = (value, low[0], high[0], r.mean())
            in_units = (low_end + width * float(number) for number in numbers)
            found.append(Part(policy.name, name, len(which), *in_units))
    return found


def _named_segments(log: Log, values: np.ndarray, by: str) -> tuple[list[str], np.ndarray]:
    """Return the names of segments, and the segment of each event."""
    column = next(c for c in log.schema.columns if c.name == by) if log.schema else None
    if column is None or not column.n_codes:
        return _quarters(values)
    words = [str(value) for value in getattr(column, "values", ()) or ()]
    found, codes = np.unique(values, return_inverse=True)
    names = [_code_name(code, words, column.n_codes) for code in found]
    if len(names) > MOST:
        order = np.argsort(-np.bincount(codes.ravel()), kind="stable")
        place = np.full(len(names), MOST)
        place[order[:MOST]] = np.arange(MOST)
        return [*(names[i] for i in order[:MOST]), "other values"], place[codes.ravel()]
    return names, codes.ravel()


def _code_name(code: float, words: list[str], n_codes: int) -> str:
    if np.isnan(code):
        return "missing"
    if int(code) < len(words):
        return words[int(code)]
    return "never seen" if int(code) >= n_codes else f"bucket {int(code)}"


def _quarters(values: np.ndarray) -> tuple[list[str], np.ndarray]:
    """Return quarters of a column of numbers, and of missing ones."""
    known = values[~np.isnan(values)]
    if not len(known):
        return ["missing"], np.zeros(len(values), np.int64)
    edges = np.unique(np.quantile(known, np.linspace(0, 1, QUARTERS + 1)))
    if len(edges) < 2:
        return [f"{edges[0]:g}", "missing"], np.isnan(values).astype(np.int64)
    codes = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, len(edges) - 2)
    codes = np.where(np.isnan(values), len(edges) - 1, codes)
    return [*(f"{low:g} to {high:g}" for low, high in pairwise(edges)), "missing"], codes
