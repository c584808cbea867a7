"""Pieces of events: chunks of those in memory, and the first or later ones of chunks."""

from collections.abc import Iterator

from onearm.log.events import Events

ROWS = 2**16  # events of a chunk


def pieces(events: Events) -> Iterator[Events]:
    """Yield the events, a chunk at a time."""
    for begin in range(0, max(len(events), 1), ROWS):
        yield events.part(slice(begin, begin + ROWS))


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
