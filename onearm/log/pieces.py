"""Pieces of events: chunks of those in memory, and the first or later ones of chunks."""

from collections.abc import Iterator

from onearm.log.events import Events

ROWS = 2**16  # events of a chunk
ENTRIES = 2**24  # of an array of events × labels: with many labels a chunk has fewer events


def pieces(events: Events, n_classes: int) -> Iterator[Events]:
    """Yield the events, a chunk at a time."""
    rows = max(1, min(ROWS, ENTRIES // n_classes))
    for begin in range(0, max(len(events), 1), rows):
        yield events.part(slice(begin, begin + rows))


def first_events(chunks: Iterator[Events], n: int) -> Iterator[Events]:
    """Yield the first n events."""
    for events in chunks:
        yield events.part(slice(0, n))
        n -= len(events)
        if n <= 0:
            return


def events_after(chunks: Iterator[Events], n: int) -> Iterator[Events]:
    """Yield the events after the first n; where there are none, a chunk without events."""
    is_empty, events = True, None
    for events in chunks:
        if n < len(events):
            is_empty = False
            yield events.part(slice(max(n, 0), None))
        n -= len(events)
    if is_empty and events is not None:
        yield events.part(slice(0, 0))
