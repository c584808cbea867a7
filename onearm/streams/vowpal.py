"""Vowpal Wabbit's text: rows of `label | feature:value … |namespace feature …`.

A feature without a value has 1; `|namespace:2` multiplies the values of its features by 2. Column
j of a feature is CRC-32 of `namespace^feature` in UTF-8, modulo the number of columns: the same on
every machine, though not that of Vowpal Wabbit. Features that meet in a column are added.

A logged choice, `action:cost:probability | …`, has the action for its label if the cost is 0;
else, if the file has two actions, the other one. Else its label is not known, and it is refused.
"""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zlib import crc32

from onearm.schema.names import counted
from onearm.streams.codes import number
from onearm.streams.sparse_lines import Row, Sparse
from onearm.streams.stream import Stream

COLUMNS = 2**18


def column(namespace: str, feature: str, n_features: int = COLUMNS) -> int:
    """Return the column of a feature.

    >>> column("title", "bandit"), column("", "bandit")
    (182677, 15167)
    """
    return crc32(f"{namespace}^{feature}".encode()) % n_features


def parse(line: str, n_features: int = COLUMNS) -> Row | None:
    """Return the label, whether it was wrong, the columns and the values of a line."""
    if not line.strip():
        return None
    head, rest = split_line(line)
    label, wrong = _label(head)
    total = features(rest, lambda namespace, feature: column(namespace, feature, n_features))
    return label, wrong, list(total), list(total.values())


def split_line(line: str) -> tuple[str, str]:
    """Return what stands before and after the first bar."""
    head, bar, rest = line.partition("|")
    if not bar:
        raise ValueError(f"must be label | features, got {line.strip()[:80]!r}")
    return head, rest


def features(text: str, column: Callable[[str, str], int]) -> dict[int, float]:
    """Return the values of features by column; `column(namespace, feature)` says which."""
    total: dict[int, float] = {}
    for part in text.split("|"):
        namespace, scale = "", 1.0
        words = part.split()
        if words and not part[0].isspace():
            namespace, scale = _valued(words.pop(0))
        for word in words:
            feature, value = _valued(word)
            j = column(namespace, feature)
            total[j] = total.get(j, 0.0) + scale * value
    return total


def _valued(word: str) -> tuple[str, float]:
    name, colon, text = word.rpartition(":")
    if not colon:
        return word, 1.0
    value = number(text)
    if math.isnan(value):
        raise ValueError(f"a value must be a number, got {word!r}")
    return name, value


def split_head(head: str) -> tuple[list[str], str | None]:
    """Return the words before the bar, and the tag if there is one."""
    words = head.split()
    if words and (words[-1].startswith("'") or (not head[-1].isspace() and len(words) > 1)):
        return words[:-1], words[-1].removeprefix("'")
    if words and not head[-1].isspace():
        raise ValueError(f"a blank must stand between the label and |, got {head.strip()!r}|")
    return words, None


def _label(head: str) -> tuple[str, bool]:
    """Return the label, and whether it is the action of a choice that cost something."""
    words, _ = split_head(head)
    if not words or words == ["shared"]:
        raise ValueError(f"must begin with a label, got {head.strip()!r}")
    label, *logged = words[0].split(":")
    if len(words) > 2 or (len(words) == 2 and (logged or number(words[1]) != 1)):
        allowed = "one label, and no importance but 1, must stand before |"
        raise ValueError(f"{allowed}, got {head.strip()!r}")
    if not logged:
        return label, False
    if len(logged) != 2:
        raise ValueError(f"must be a label or action:cost:probability, got {words[0]!r}")
    cost, probability = map(number, logged)
    if not cost >= 0:
        raise ValueError(f"a cost must be 0 if the action was right, else above 0, got {logged[0]}")
    if not 0 < probability <= 1:
        raise ValueError(f"a probability must be in (0, 1], got {logged[1]}")
    return label, cost > 0


def vowpal_stream(path: Path, n_features: int | None, name: str, log: Any) -> Stream:
    d = n_features or COLUMNS
    rows = Sparse(path, lambda line: parse(line, d))
    stream = rows.stream(name, d, 0)
    size = f"{counted(rows.n_rows, 'row')}, features hashed to {counted(d, 'column')}"
    logged = "" if rows.wrong is None else "; where an action had a cost, the other is the label"
    log(f"{path.name}: {size}; {stream.n_classes:,} classes{logged}")
    return stream
