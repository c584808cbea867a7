"""One pass over the events of a log: how many have each outcome, and what is odd about them."""

from collections.abc import Iterable, Iterator

import numpy as np

from onearm.log.events import OUTCOMES, Events
from onearm.schema.names import counted


class Scan:
    """Counts of outcomes, of event ids that occur again, and of times out of order."""

    def __init__(self) -> None:
        self.by_outcome = np.zeros(len(OUTCOMES), np.int64)
        self.ids: list[np.ndarray] = []  # hashes of the event ids: eight bytes an event
        self.latest = np.datetime64("NaT", "us")
        self.n_earlier = 0  # events with a time before that of an earlier event

    def along(self, chunks: Iterable[Events]) -> Iterator[Events]:
        """Yield events, some at a time, and take them."""
        for events in chunks:
            self.add(events)
            yield events

    def add(self, events: Events) -> None:
        """Take the next events."""
        self.by_outcome += np.bincount(events.outcome, minlength=len(OUTCOMES))
        if events.event_id is not None:
            hashes = [hash(text) for text in events.event_id if text]
            self.ids.append(np.array(hashes, np.int64))
        if events.time is not None:
            times = events.time[~np.isnat(events.time)]
            if len(times):
                latest = np.fmax.accumulate(np.append(self.latest, times))
                self.n_earlier += int((times < latest[:-1]).sum())  # nothing is before NaT
                self.latest = latest[-1]

    @property
    def counts(self) -> dict[str, int]:
        """How many events have each outcome."""
        return dict(zip(OUTCOMES, self.by_outcome.tolist(), strict=True))

    @property
    def oddities(self) -> list[str]:
        """Sentences about what is odd."""
        texts = []
        ids = np.concatenate(self.ids) if self.ids else np.empty(0, np.int64)
        n_again = len(ids) - len(np.unique(ids))
        if n_again:
            which = "has the id of an earlier one" if n_again == 1 else "have ids of earlier ones"
            texts.append(f"{counted(n_again, 'event')} {which}: each counts by itself.")
        if self.n_earlier:
            verb = "is" if self.n_earlier == 1 else "are"
            texts.append(
                f"{counted(self.n_earlier, 'event')} {verb} out of order: of a time before that of "
                "an earlier event."
            )
        return texts


def unnamed_column(name: str) -> str:
    """Return a sentence about a column without a name."""
    way_out = "name it in columns= or --columns to keep it"
    return f"1 column without a name, {name!r}, is no feature but an index: {way_out}."
