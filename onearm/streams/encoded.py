"""Tables read with a given schema, and encoded as frames are.

A table has `frames()`: its columns by name, some rows at a time, with a function that says where
row i of them is in the file. A first pass counts the rows, and learns the labels if the schema
has none; every reading is another pass.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from onearm.schema.contexts import as_columns, as_list
from onearm.schema.inference import describe, in_order, notes_on_labels
from onearm.schema.monitor import Monitor
from onearm.schema.names import counted, did_you_mean, listed
from onearm.schema.schema import Schema
from onearm.schema.values import as_word
from onearm.streams.chunks import Chunks
from onearm.streams.codes import CHANGED
from onearm.streams.columns import WARNING
from onearm.streams.naming import names_in
from onearm.streams.stream import Stream


class Frames(Protocol):
    """A file with named columns, read some rows at a time."""

    file: str  # its name, for messages
    names: tuple[str, ...]

    def frames(self, schema: Schema) -> Iterator[tuple[Any, Callable[[int], str]]]:
        """Yield a frame, or columns by name, and the place of its row i, for messages."""


def encoded_rows(table: Frames, schema: Schema, monitor: Monitor | None = None) -> Iterator[Any]:
    """Yield the rows of a table that need have no labels, some at a time."""
    for frame, where in table.frames(schema):
        yield schema.encode_all(frame, monitor, where)


def encoded_stream(
    table: Frames, schema: Schema, label: str | None, name: str, log: Callable[[str], Any]
) -> Stream:
    """Return a stream that reads and encodes the rows of a table each time."""
    label = schema.label if label is None else label
    if label not in table.names:
        hint = did_you_mean(label, table.names)
        wrong = f"label must be one of the columns {listed(table.names)}, got {label!r}{hint}"
        raise ValueError(f"{table.file}: {wrong}")
    columns = {c.name: c.form for c in schema.columns if c.name != label}
    schema = Schema(columns, schema.labels, label=label)  # the label is no column too many
    monitor, words, n_rows = Monitor(), dict[str, None](), 0
    for frame, where in table.frames(schema):
        schema.encode_all(frame, monitor, where)
        labels = _labels(frame, label, where)
        words |= dict.fromkeys(labels)
        if schema.labels:
            schema.encode_labels(labels, where)
        n_rows += len(labels)
    if not n_rows:
        raise ValueError(f"{table.file} is empty: it has no rows")
    labelled = schema.with_labels(schema.labels or in_order(words))
    log(f"{table.file}: {counted(n_rows, 'row')}; {describe(labelled)}; as encoded: {monitor}")
    notes = [] if schema.labels else notes_on_labels(label, labelled.labels, n_rows)
    for note in [*monitor.notes(), *notes]:
        log(f"{WARNING}{table.file}: {note}")

    def source() -> Chunks:
        n = 0
        for frame, where in table.frames(labelled):
            y = labelled.encode_labels(_labels(frame, label, where), where)
            n += len(y)
            yield labelled.encode_all(frame, where=where), y
        if n != n_rows:
            raise ValueError(f"{table.file} had {n_rows:,} rows, now {n:,}: {CHANGED}")

    sizes = (len(labelled.labels), labelled.n_features)
    return Stream(name, *sizes, source, n_rows, **names_in(labelled))


def _labels(frame: Any, label: str, where: Callable[[int], str]) -> list[str]:
    """Return the labels of some rows, none of which may be missing."""
    words: Sequence[Any] = [as_word(value) for value in as_list((as_columns(frame) or {})[label])]
    for i, word in enumerate(words):
        if word is None:
            raise ValueError(f"{where(i)}the label, column {label!r}, must not be missing")
    return list(words)
