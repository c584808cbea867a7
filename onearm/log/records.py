"""Records: events as a file has them, with names of labels, and the Events that they become."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from onearm.core.assembly import HIDDEN
from onearm.log.distributions import UNIFORM
from onearm.log.events import OUTCOMES, PENDING, REPORTED, Events, as_events
from onearm.log.faults import Faults
from onearm.log.reward_range import RewardRange
from onearm.schema.names import did_you_mean, listed
from onearm.schema.values import as_word, shown

MOST_LABELS = 2**16


class Coded(NamedTuple):
    """A column of few different words."""

    words: list[str | None]
    places: np.ndarray  # of each entry's word; -1 where it is missing


@dataclass
class Records:
    """Some events of a file: a list or array of n entries for each field that it has."""

    X: Any
    label: Sequence[str | None] | Coded
    propensity: Any
    reward: Any  # NaN where there is none
    at: Sequence[int]  # lines or rows of the file
    outcome: Sequence[str | None] | Coded | None = None
    greedy: Sequence[str | None] | Coded | None = None
    allowed: Sequence[Sequence[str] | None] | None = None  # None: all are
    chances: Sequence[dict[str, float] | None] | np.ndarray | None = None
    policy: Sequence[str | None] | Coded | None = None
    version: Any = None
    event_id: Sequence[str | None] | None = None
    time: Any = None
    bad: list[tuple[int, str]] = field(default_factory=list)  # other lines, and why they are


class Labels:
    """The codes of labels by name: of given ones, or in the order in which they appear."""

    def __init__(self, names: Iterable[Any] = ()) -> None:
        self.places: dict[str | None, int] = {as_word(name): i for i, name in enumerate(names)}
        self.is_open = not self.places

    def __len__(self) -> int:
        return len(self.places)

    def place(self, word: str | None) -> int:
        """Return the code of a label, -1 if it is not known."""
        if self.is_open and word is not None and word not in self.places:
            if len(self) == MOST_LABELS:
                raise ValueError(f"there must be at most {MOST_LABELS:,} labels, got {word!r} too")
            self.places[word] = len(self)
        return self.places.get(word, -1)

    def codes(self, words: Sequence[str | None] | Coded) -> np.ndarray:
        """Return the codes of many labels."""
        if not isinstance(words, Coded):
            return np.fromiter(map(self.place, words), np.int64, len(words))
        of_word = [self.place(word) for word in words.words]
        return np.array([*of_word, -1], np.int64)[words.places]

    def complaint(self, word: Any) -> str:
        """Return what is wrong with an unknown label."""
        known = list(map(str, self.places))
        return f"must be one of {listed(known)}, got {shown(word)}{did_you_mean(word, known)}"


def to_events(
    records: Records,
    labels: Labels,
    rewards: RewardRange,
    where: Callable[[int], str],
    is_uniform: bool = False,
) -> tuple[Events, Faults]:
    """Return the events that nothing is wrong with, and what is wrong with the others.

    Distributions are filled in once all labels are known.
    """
    faults = Faults(len(records.at), where)
    if labels.is_open:
        _learn(records, labels)
    label = _label_codes(records.label, labels, faults, "the label")
    greedy = None
    if records.greedy is not None:
        greedy = _label_codes(records.greedy, labels, faults, "the greedy label", HIDDEN)
    allowed = None if records.allowed is None else _mask(records.allowed, labels, faults)
    chances: Any = UNIFORM if is_uniform else _chances(records.chances, labels, faults)
    reward = np.asarray(records.reward, np.float64)
    k = max(len(labels), 2)
    events = as_events(
        records.X, label, records.propensity, reward, k, rewards, faults=faults, greedy=greedy,
        allowed=allowed, chances=chances, outcome=_outcomes(records.outcome, reward, faults),
        policy=_filled(records.policy), version=records.version,
        event_id=_filled(records.event_id), time=records.time, complete=not labels.is_open,
    )  # fmt: skip
    if allowed is not None and events.allowed is None:  # all chunks must have the same fields
        events = replace(events, allowed=np.ones((len(events), k), bool))
    if events.chances is None and not (chances is allowed is None):
        events = replace(events, chances=np.full((len(events), k), np.nan))
    return events, faults


def _learn(records: Records, labels: Labels) -> None:
    """Give a code to every label that is named."""
    for words in (records.label, records.greedy):
        for word in words.words if isinstance(words, Coded) else words or ():
            labels.place(word)
    for lists in (records.allowed, records.chances):
        for names in () if lists is None or isinstance(lists, np.ndarray) else lists:
            for name in names or ():
                labels.place(name)


def _word(words: Sequence[str | None] | Coded, i: int) -> str | None:
    if not isinstance(words, Coded):
        return words[i]
    return words.words[words.places[i]] if words.places[i] >= 0 else None


def _missing(words: Sequence[str | None] | Coded) -> np.ndarray:
    if isinstance(words, Coded):
        return words.places < 0
    return np.array([word is None for word in words], bool)


def _label_codes(
    words: Any, labels: Labels, faults: Faults, what: str, missing: int | None = None
) -> np.ndarray:
    """Return codes; events with an unknown label are left out, and have the code 0."""
    codes = labels.codes(words)
    wrong = codes < 0
    if missing is not None and wrong.any():
        is_missing = _missing(words)
        codes[is_missing] = missing
        wrong &= ~is_missing
    faults.add(wrong, lambda i: f"{what} {labels.complaint(_word(words, i))}")
    codes[wrong] = 0
    return codes


def _mask(given: Sequence[Any], labels: Labels, faults: Faults) -> np.ndarray:
    """Return which labels were allowed in each event."""
    mask = np.ones((len(given), max(len(labels), 2)), bool)
    wrong: dict[int, str] = {}
    for i, names in enumerate(given):
        if names is not None:
            codes = [*map(labels.place, names)]
            mask[i] = False
            mask[i, [code for code in codes if code >= 0]] = True
            if -1 in codes:
                wrong[i] = names[codes.index(-1)]
    _leave_out(wrong, "an allowed label", labels, faults)
    return mask


def _chances(given: Any, labels: Labels, faults: Faults) -> np.ndarray | None:
    """Return the chances of all labels in each event, NaN where they are not known."""
    if given is None or isinstance(given, np.ndarray):
        return given
    p = np.full((len(given), max(len(labels), 2)), np.nan)
    wrong: dict[int, str] = {}
    for i, chances in enumerate(given):
        if chances is not None:
            codes = [*map(labels.place, chances)]
            p[i] = 0.0
            if -1 in codes:
                wrong[i] = list(chances)[codes.index(-1)]
            else:
                p[i, codes] = list(chances.values())
    _leave_out(wrong, "a label with a chance", labels, faults)
    return p


def _leave_out(wrong: dict[int, str], what: str, labels: Labels, faults: Faults) -> None:
    mask = np.zeros(len(faults.bad), bool)
    mask[list(wrong)] = True
    faults.add(mask, lambda i: f"{what} {labels.complaint(wrong[i])}")


def _outcomes(given: Any, reward: np.ndarray, faults: Faults) -> np.ndarray:
    """Return outcomes; where none is given, an event without a reward is pending."""
    codes = np.where(np.isnan(reward), PENDING, REPORTED)
    if given is None:
        return codes
    known = Labels(OUTCOMES).codes(given)
    allowed = f"the outcome must be one of {', '.join(OUTCOMES)}"
    wrong = (known < 0) & ~_missing(given)
    faults.add(wrong, lambda i: f"{allowed}, got {shown(_word(given, i))}")
    return np.where(known >= 0, known, codes)


def _filled(texts: Any) -> Any:
    """Return texts, empty where they are missing."""
    if isinstance(texts, Coded):
        words = np.array(["" if word is None else word for word in (*texts.words, "")], object)
        return words[texts.places]
    return texts if texts is None else ["" if text is None else text for text in texts]
