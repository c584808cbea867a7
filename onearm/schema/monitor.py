"""Monitor: counts of what was not as a schema expects. It belongs to no learner and no file."""

from collections import Counter
from collections.abc import Collection, Mapping
from threading import Lock

from onearm.schema.names import counted, did_you_mean, listed


class Monitor:
    """How often contexts were not as their schema expects: counts by column.

    Attributes
    ----------
    rows
        How many contexts were encoded.
    unseen
        Values that a category has not.
    absent
        Columns that a context has not.
    extra
        Columns that the schema has not.

    Examples
    --------
    >>> from onearm import Schema
    >>> monitor = Monitor()
    >>> _ = Schema({"device": ["phone", "desktop"]}).encode({"device": "watch", "hour": 9}, monitor)
    >>> monitor
    1 row; unseen values: 'device' (1); extra columns: 'hour' (1)
    """

    def __init__(self) -> None:
        self.rows = 0
        self.unseen: Counter[str] = Counter()
        self.absent: Counter[str] = Counter()
        self.extra: Counter[str] = Counter()
        self._lock = Lock()

    def add(
        self, n: int, unseen: Mapping[str, int], absent: Collection[str], extra: Collection[str]
    ) -> None:
        """Count n contexts without the columns `absent` and with those in `extra`."""
        with self._lock:
            self.rows += n
            if unseen or absent or extra:
                self.unseen.update(unseen)
                self.absent.update(dict.fromkeys(absent, n))
                self.extra.update(dict.fromkeys(extra, n))

    def notes(self) -> list[str]:
        """Return what is hardly meant where a whole table was encoded by a given schema.

        >>> from onearm import Schema
        >>> monitor = Monitor()
        >>> _ = Schema({"age": "number", "day": ["Mo"]}).encode({"day": "mo", "ago": 3}, monitor)
        >>> for note in monitor.notes():
        ...     print(note)
        column 'age' of the schema is not in the table (did you mean 'ago'?): it is always missing
        column 'day': 1 of 1 values are none that the schema has
        """
        notes = [
            f"column {name!r} of the schema is not in the table{did_you_mean(name, self.extra)}: "
            "it is always missing"
            for name, n in self.absent.items()
            if n == self.rows
        ]
        return notes + [
            f"column {name!r}: {n:,} of {self.rows:,} values are none that the schema has"
            for name, n in self.unseen.items()
            if n > self.rows / 2
        ]

    def __repr__(self) -> str:
        parts = [counted(self.rows, "row")]
        for what in ("unseen values", "absent columns", "extra columns"):
            counts = getattr(self, what.split()[0])
            if counts:
                shown = listed(counts.most_common(), show=lambda pair: f"{pair[0]!r} ({pair[1]:,})")
                parts.append(f"{what}: {shown}")
        return "; ".join(parts)
