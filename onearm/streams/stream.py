"""Stream: a named, sized sequence of examples that comes in chunks.

A stream can be read again from the start, any number of times, and gives the same rows.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from onearm.core.chunks import chunks
from onearm.core.inputs import as_array, as_labels, as_rewards, as_rows
from onearm.core.rng import pick, seeded
from onearm.schema.difference import difference
from onearm.schema.schema import Schema
from onearm.streams.chunks import REORDERED, Chunks, by_turns, cut
from onearm.streams.naming import encoded_frame, names_in, pairs_of_columns, schema_of

WIDE = 4096  # columns: if there are more, without names, they count words


@dataclass(frozen=True)
class Stream:
    """Examples with their true labels, chunk by chunk.

    Parameters
    ----------
    name
        Name of the stream in tables and plots.
    n_classes, n_features
        Sizes k and d; labels are the integers 0 to k-1, or numbers to regress where k = 0.
        In the place of labels there may be the rewards of all labels, k in [0, 1] for each row.
    source
        A callable without arguments that returns the chunks (X, y) from the start.
    n_rows
        How many rows there are; None where that is not known, or where they never end.
    in_memory
        Whether all rows are in memory, so that they can be checked before the first is used.
    nominal
        The number of values of each column, 0 for a numeric one; empty if all are numeric.
    feature_names, class_names
        Names for tables and errors; empty if there are none.
    about
        Where the rows come from, with licence and citation; empty if it is not known.
    values
        The values of each column in the order of their codes, none for a numeric one; empty if
        they are not known.
    encoded_by
        The schema that made the rows, where they are those of a table.
    has_words
        Whether the columns count words, as those of more than 4,096 without names are taken to.

    Examples
    --------
    >>> stream = Stream.of([[1.0, 0.0], [0.0, 1.0]], [0, 1], name="two rows").repeated(3)
    >>> stream.n_rows, stream.arrays()[1]
    (6, array([0, 1, 0, 1, 0, 1]))
    """

    name: str
    n_classes: int
    n_features: int
    source: Callable[[], Chunks]
    n_rows: int | None = None
    in_memory: bool = False
    nominal: tuple[int, ...] = ()
    feature_names: tuple[str, ...] = ()
    class_names: tuple[str, ...] = ()
    about: str = ""
    values: tuple[tuple[str, ...], ...] = field(default=(), repr=False)
    encoded_by: Schema | None = field(default=None, repr=False)
    has_words: bool = field(default=False, repr=False)

    @classmethod
    def of(
        cls, X: Any, y: Any, n_classes: int | None = None, name: str = "rows", **about: Any
    ) -> "Stream":
        """Return the rows of X with labels y as a stream; k is the largest label plus 1.

        Where y has two dimensions, it has the rewards of k labels for each row. With
        `n_classes=0` y are numbers, or rows of such, for regressors.
        X is an array, sparse, or a data frame of numbers, whose columns give the features' names.
        """
        if hasattr(X, "columns"):
            about = {"feature_names": tuple(map(str, X.columns))} | about
        X = X if hasattr(X, "dtype") else as_array(X, np.float64, "X")  # frames and lists have none
        for some, _ in chunks(X):  # which refuses other than two dimensions
            as_rows(some, X.shape[1], missing=True)
        if n_classes == 0:
            k, labels = 0, as_array(y, np.float64, "y")
            if len(labels) != X.shape[0]:
                raise ValueError(f"y must have one number for each of {X.shape[0]} rows")
        elif np.ndim(y) == 2:
            k = n_classes or np.shape(y)[1]
            labels = as_rewards(y, k, X.shape[0])
        else:
            y = as_array(y, np.int64, "y")
            k = n_classes or int(y.max(initial=1)) + 1
            labels = as_labels(y, k, X.shape[0])
        sizes = {"n_classes": k, "n_features": X.shape[1], "n_rows": X.shape[0]}
        about = {key: tuple(v) if isinstance(v, list) else v for key, v in about.items()}
        return cls(name, source=lambda: chunks(X, labels), in_memory=True, **sizes, **about)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        label: str | None = None,
        schema: Schema | Mapping[str, Any] | None = None,
        name: str = "frame",
        log: Callable[[str], Any] | None = None,
    ) -> "Stream":
        """Return the rows of a frame of pandas, polars or pyarrow, or many dicts, as a stream.

        `label` is the column of labels. Without `schema`, it is inferred: `log` is called with
        what was, such as `print`. Columns of a given one that the table has not are warned of.

        >>> rows = [{"age": 31, "device": "phone", "kind": "a"}, {"age": 44, "kind": "b"}]
        >>> Stream.from_frame(rows, label="kind").arrays()
        (array([[31.,  0.], [44.,  1.]]), array([0, 1]))
        """
        X, y, schema = encoded_frame(frame, label, schema, log)
        return cls.of(X, y, len(schema.labels), name, **names_in(schema))

    def chunks(self) -> Chunks:
        """Return the rows from the start as an iterator of chunks (X, y)."""
        return self.source()

    def count(self) -> int:
        """Return the number of rows, which are read if it is not known."""
        return self.n_rows or sum(len(y) for _, y in self.chunks())

    def in_memory_up_to(self, n_bytes: int) -> "Stream":
        """Return the stream with its rows in memory, or unchanged if they take more bytes."""
        rows, size = [], 0
        for X, y in self.chunks():
            size += X.nbytes if isinstance(X, np.ndarray) else X.data.nbytes + X.indices.nbytes
            if size > n_bytes:
                return self
            rows.append((X, y))
        return replace(self, source=lambda: iter(rows), in_memory=True)

    def arrays(self) -> tuple[Any, np.ndarray]:
        """Return all rows as (X, y); X is dense or CSR, as the chunks are."""
        parts, labels = zip(*self.chunks(), strict=True)
        if len(parts) == 1:
            return parts[0], labels[0]
        if hasattr(parts[0], "tocsr"):
            from scipy.sparse import vstack

            return vstack(parts, format="csr"), np.concatenate(labels)
        return np.concatenate(parts), np.concatenate(labels)

    def first(self, n_rows: int) -> "Stream":
        """Return the stream's first rows."""
        require(n_rows=(n_rows >= 1, "at least 1", n_rows))
        n = n_rows if self.n_rows is None else min(n_rows, self.n_rows)

        def source() -> Chunks:
            left = n
            for X, y in self.chunks():
                yield X[:left], y[:left]
                left -= len(y)
                if left <= 0:  # the next chunk is not asked for: it may be long in coming
                    return

        return replace(self, source=source, n_rows=n)

    def after(self, n_rows: int) -> "Stream":
        """Return the stream without its first rows."""
        require(n_rows=(n_rows >= 0, "at least 0", n_rows))
        n = None if self.n_rows is None else max(0, self.n_rows - n_rows)

        def source() -> Chunks:
            return ((X, y) for segment, X, y in cut(self.chunks(), [n_rows]) if segment > 0)

        return replace(self, source=source, n_rows=n) if n_rows else self

    def repeated(self, times: int) -> "Stream":
        """Return the stream `times` over."""
        require(times=(times >= 1, "at least 1", times))
        n = None if self.n_rows is None else times * self.n_rows
        source = lambda: (c for _ in range(times) for c in self.chunks())  # noqa: E731 as clear
        return replace(self, source=source, n_rows=n)

    def shuffled(self, seed: int = 0) -> "Stream":
        """Return the rows in a random order; takes them all into memory."""
        X, y = self.arrays()
        order = np.arange(len(y))
        pick(len(order), order, seeded(seed, REORDERED))
        return replace(self, source=lambda: chunks(X[order], y[order]), in_memory=True)

    def drifting(self, at: Sequence[int], to: "Stream | None" = None, seed: int = 0) -> "Stream":
        """Return the stream with a sudden change at each of the rounds `at`.

        Without `to` the meaning of the labels is permuted each time, never by the identity; with
        `to`, a stream of the same sizes, rows come from it and from this stream by turns.
        """
        at = list(at)
        if at != sorted(set(at)) or not at or at[0] < 0:
            raise ValueError(f"at must be ascending rounds, at least one, got {at}")
        if to is None and self.n_classes == 0:
            raise ValueError("to must be given for a stream of numbers: it has no labels")
        sizes = (self.n_classes, self.n_features)
        if to is not None and (to.n_classes, to.n_features) != sizes:
            raise ValueError(f"to must have the sizes of {self.name}, got those of {to.name}")

        def source() -> Chunks:
            return by_turns(self.chunks(), to.chunks(), at) if to else self._permuted(at, seed)

        n = min((s.n_rows for s in (self, to) if s and s.n_rows is not None), default=None)
        drifted = replace(self, source=source, name=f"{self.name} (drifting)")
        return drifted if n is None else drifted.first(n)

    def _permuted(self, at: list[int], seed: int) -> Chunks:
        rng, meanings = seeded(seed, REORDERED), [np.arange(self.n_classes)]
        for _ in at:
            meanings.append(meanings[-1].copy())
            while np.array_equal(meanings[-2], meanings[-1]):
                pick(self.n_classes, meanings[-1], rng)
        orders = list(map(np.argsort, meanings))  # of columns, where y are rewards
        return (
            (X, meanings[segment][y] if y.ndim == 1 else y[:, orders[segment]])
            for segment, X, y in cut(self.chunks(), at)
        )

    def rewarded(self, table: Any) -> "Stream":
        """Return the stream with the rewards of all labels in the place of the true label.

        `table` is (k, k): row r has the rewards, in [0, 1], of all labels where r is the true one.

        >>> Stream.of([[1.0], [2.0]], [1, 0]).rewarded([[1, 0.5], [0.2, 1]]).arrays()[1]
        array([[0.2, 1. ],
               [1. , 0.5]])
        """
        require(n_classes=(self.n_classes > 1, "at least 2", self.n_classes))
        rewards = as_rewards(table, self.n_classes, self.n_classes)
        source = lambda: ((X, rewards[y]) for X, y in self.chunks())  # noqa: E731 as clear
        return replace(self, source=source)

    def learner(self, cls: Any, *, raw: bool = False, **params: Any) -> Any:
        """Return a learner of class `cls`, or of this name, that fits this stream.

        A linear one gets prepared rows (`onearm.Prepared`), unless `raw`; `interactions` are then
        products of columns, such as "device*hour". It stores the names of columns, values and
        classes, and refuses a stream with others.
        """
        from onearm.prepare.prepared import learner_for

        if "interactions" in params:
            params["interactions"] = pairs_of_columns(params["interactions"], self)
        columns: Any = {"nominal": self.nominal, "n_words": self.n_words}
        learner = learner_for(cls, self.n_classes, self.n_features, **columns, raw=raw, **params)
        learner.schema = self.schema
        return learner

    @property
    def n_words(self) -> int:
        """How many columns, the last ones, count words; whether rows are sparse says nothing."""
        if self.encoded_by:
            return self.encoded_by.n_words
        is_wide = self.n_features > WIDE and not (self.feature_names or self.nominal)
        return self.n_features if self.has_words or is_wide else 0

    @property
    def schema(self) -> Schema | None:
        """The columns and labels by name, or None where nothing is known of them."""
        return self.encoded_by or schema_of(self)

    def check_schema(self, learner: Any) -> None:
        """Refuse a learner that was made for a stream of other columns, values or classes."""
        expected, given = getattr(learner, "schema", None), self.schema
        has_values = bool(self.encoded_by or self.values)
        wrong = expected and given and difference(expected, given, has_values)
        if wrong:
            expected = f"the columns and values that this {type(learner).__name__} was made for"
            raise ValueError(f"the stream {self.name} must have {expected}: {wrong}")


def require(**conditions: tuple[bool, str, Any]) -> None:
    """Raise a ValueError unless each condition holds: name=(holds, what is allowed, value)."""
    for name, (holds, allowed, value) in conditions.items():
        if not holds:
            raise ValueError(f"{name} must be {allowed}, got {value!r}")
