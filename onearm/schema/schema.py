"""Schema: the columns of a context and the names of labels."""

import json
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any, Self

import numpy as np

from onearm.schema.column import Column, require_unicode
from onearm.schema.encoder import Encoder, Where, row_place
from onearm.schema.monitor import Monitor
from onearm.schema.names import did_you_mean, listed
from onearm.schema.values import as_word, shown

KEYS = {"columns", "labels", "label"}  # of the JSON


class Schema:
    """Columns in their order, and the names of labels; equal to its JSON.

    Parameters
    ----------
    columns
        The form of each column by its name: "number"; a list of the values of a category;
        "category", whose values are many or unknown and are hashed; or "text", whose words are.
        `{"category": n}` and `{"text": n}` hash into n buckets instead of 2¹⁰ and 2¹⁴.
        Empty where rows are arrays of numbers without names, and only the labels have names.
    labels
        Names of the labels, texts or integers, in the order of their codes.
    label
        Name of the column of labels in a table, which is no column of a context.

    Examples
    --------
    >>> schema = Schema({"age": "number", "device": ["phone", "desktop"]}, ["sport", "news"])
    >>> schema.encode({"age": 31, "device": "desktop"})
    array([31.,  1.])
    >>> schema.encode_all([{"age": 31}, {"device": "watch"}])
    array([[31., nan],
           [nan,  2.]])
    """

    columns: tuple[Column, ...]
    labels: tuple[Any, ...]
    label: str | None

    def __init__(
        self, columns: Mapping[str, Any], labels: Iterable[Any] = (), *, label: str | None = None
    ) -> None:
        if not isinstance(columns, Mapping):
            raise ValueError(f"columns must be forms by name, got {shown(columns)}")
        if label is not None and (not isinstance(label, str) or label in columns):
            raise ValueError(f"label must be None or the name of another column, got {label!r}")
        self.columns = tuple(Column.of(name, form) for name, form in columns.items())
        self.labels, self.label = _labels(labels), label

    @classmethod
    def infer(
        cls, data: Any, label: str | None = None, log: Callable[[str], Any] | None = None
    ) -> "Schema":
        """Return the schema of a frame, of a file or of many dicts.

        `label` is the column of labels; a file may have a default one, as `onearm.read` tells.
        `log` is called with each sentence about what was inferred. What will hardly be meant is
        warned of: identifiers, constant columns, labels that are measurements.

        >>> rows = [{"age": 31, "device": "phone", "kind": "a"}, {"age": 44, "kind": "b"}]
        >>> Schema.infer(rows, label="kind", log=print)
        1 number: 'age'; 1 category: 'device' (1 value, may be missing); label 'kind': 2 labels
        Schema({'age': 'number', 'device': ['phone', None]}, ['a', 'b'], label='kind')
        """
        from onearm.schema.inference import infer

        return infer(data, label, log or (lambda sentence: None))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Schema) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash(self.to_json())

    def __repr__(self) -> str:
        label = f", label={self.label!r}" if self.label is not None else ""
        labels = f", {list(self.labels)!r}" if self.labels else ""
        return f"Schema({self._forms()!r}{labels}{label})"

    def __reduce__(self) -> tuple:
        return Schema.from_json, (self.to_json(),)

    def __deepcopy__(self, memo: Any) -> Self:
        return self  # which never changes

    def _forms(self) -> dict[str, Any]:
        return {column.name: column.form for column in self.columns}

    def to_json(self) -> str:
        """Return the schema as JSON."""
        content = {"columns": self._forms(), "labels": list(self.labels), "label": self.label}
        return json.dumps(content, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> "Schema":
        """Return the schema that `to_json` wrote; any other text gets a ValueError."""
        if not isinstance(text, str | bytes):
            raise ValueError(f"a schema must be a text, got {shown(text)}")
        try:
            content = json.loads(text)
        except RecursionError:
            raise ValueError("a schema must not be nested deeply") from None
        if not isinstance(content, dict) or "columns" not in content or content.keys() - KEYS:
            got = list(content) if isinstance(content, dict) else content
            allowed = "columns, and may have labels and label"
            raise ValueError(f"a schema must have {allowed}, got {shown(got)}")
        labels = content.get("labels", [])
        if not isinstance(labels, list):
            raise ValueError(f"labels must be a list, got {shown(labels)}")
        return cls(content["columns"], labels, label=content.get("label"))

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [column.name for column in self.columns]

    def with_labels(self, labels: Iterable[Any]) -> "Schema":
        """Return the same columns with these labels."""
        return Schema(self._forms(), labels, label=self.label)

    @property
    def n_features(self) -> int:
        """How many numbers a row has."""
        return self._encoder.n_features

    @cached_property
    def nominal(self) -> tuple[int, ...]:
        """How many codes a number may be, except for the spare one; 0 of one that is no code."""
        sizes = [column.n_codes for column in self._encoder.plain]
        return tuple(sizes) + (0,) * (self.n_features - len(sizes)) if any(sizes) else ()

    @property
    def n_words(self) -> int:
        """How many numbers of a row, the last ones, count words of texts."""
        return self.n_features - len(self._encoder.plain)

    def encode(self, context: Any, monitor: Monitor | None = None) -> Any:
        """Return the numbers of a context: an array, or sparse (indices, values).

        A context is a dict (nested ones have names with dots), a row of a frame, a NumPy record,
        or a tuple in the order of the columns. `monitor` counts unseen values and absent and
        extra columns.
        """
        return self._encoder.row(context, monitor)

    def encode_all(
        self, data: Any, monitor: Monitor | None = None, where: Where = row_place
    ) -> Any:
        """Return the rows of a frame, or of many contexts: an array, or a sparse one.

        `where(i)` begins the message of an error in row i: by default "row i: ".
        """
        return self._encoder.rows(data, monitor, where)

    def encode_labels(self, names: Iterable[Any], where: Where = row_place) -> np.ndarray:
        """Return the codes of labels."""
        codes: list[int] = []
        try:
            for name in names:
                codes.append(self._codes[as_word(name)])
        except (KeyError, ValueError):
            hint = did_you_mean(name, map(str, self.labels))
            wrong = f"the label must be one of {listed(self.labels)}, got {shown(name)}{hint}"
            raise ValueError(f"{where(len(codes))}{wrong}") from None
        return np.array(codes, np.int64)

    @cached_property
    def _codes(self) -> dict[str | None, int]:
        return {as_word(name): code for code, name in enumerate(self.labels)}

    @cached_property
    def _encoder(self) -> Encoder:
        return Encoder(self.columns, self.label)


def _labels(given: Iterable[Any]) -> tuple[Any, ...]:
    """Return names of labels, which are texts or integers that differ as texts."""
    labels = tuple(name.item() if isinstance(name, np.generic) else name for name in given)
    wrong = [name for name in labels if not isinstance(name, str | int) or isinstance(name, bool)]
    if wrong or len({as_word(name) for name in labels}) < len(labels):
        raise ValueError(f"labels must be different texts or integers, got {shown(list(labels))}")
    require_unicode("labels", *map(str, labels))
    return labels
