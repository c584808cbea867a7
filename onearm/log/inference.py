"""The schema of contexts that are read some at a time."""

import warnings
from collections.abc import Iterable
from typing import Any

from onearm.schema.column import CATEGORY, HASHED, TEXT, Column
from onearm.schema.inference import word_form
from onearm.schema.schema import Schema


def merged_schema(parts: Iterable[Any]) -> Schema | None:
    """Return the schema of all parts of a table, or None if there is none.

    Each part is a table. A column of words has the values of all parts, and is hashed where
    they are many; one that has numbers in some parts and words in others is hashed, too.
    """
    forms: dict[str, Column] = {}
    n_parts = 0
    for part in parts:
        n_parts += 1
        with warnings.catch_warnings(record=True) as notes:
            warnings.simplefilter("always")
            schema = Schema.infer(part)
        for column in schema.columns:
            known = forms.get(column.name)
            forms[column.name] = column if known is None else _merged(known, column)
    for note in notes if n_parts == 1 else ():  # of many parts each says little
        warnings.warn(str(note.message), stacklevel=4)
    return Schema({name: column.form for name, column in forms.items()}) if forms else None


def _merged(one: Column, other: Column) -> Column:
    if one.kind == other.kind != CATEGORY:
        return one
    if one.kind == other.kind:
        values = {*one.values, *other.values}
        return Column.of(one.name, word_form(values, len(values)))
    kind = TEXT if TEXT in (one.kind, other.kind) else HASHED
    return Column.of(one.name, kind)
