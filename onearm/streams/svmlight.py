"""svmlight, or libsvm: rows of `label index:value index:value … # comment`.

Indices count from 1, or from 0 if an index 0 occurs. What a row does not name is 0.
"""

import re
from pathlib import Path
from typing import Any

import numpy as np

from onearm.streams.sparse_lines import Row, Sparse
from onearm.streams.stream import Stream
from onearm.streams.text_lines import counted

ROW = re.compile(r"\s*([^\s:,]+)((?:\s+[0-9]{1,10}:[^\s:_]+)*)\s*")
PAIR = re.compile(r"[0-9]{1,10}:[^\s:_]+")


def parse(line: str) -> Row | None:
    """Return the label, the indices and the values of a line.

    >>> parse("2 1:0.5 7:1 # a comment")
    ('2', False, array([1, 7]), array([0.5, 1. ]))
    """
    line = line.partition("#")[0]
    if not line.strip():
        return None
    row = ROW.fullmatch(line)
    if row is None:
        raise ValueError(_complaint(line.split()))
    label, pairs = row.groups()
    try:
        numbers = np.array(pairs.replace(":", " ").split(), np.float64)
    except ValueError as error:
        raise ValueError(f"values must be numbers: {error}") from None
    return label, False, numbers[::2].astype(np.int64), numbers[1::2]


def _complaint(words: list[str]) -> str:
    if ":" in words[0]:
        return f"must begin with a label, got {words[0]!r}"
    if "," in words[0]:
        return f"must have one label, got {words[0]!r}"
    wrong = next(word for word in words[1:] if not PAIR.fullmatch(word))
    return f"features must be index:value with an index of at least 0, got {wrong!r}"


def svmlight_stream(path: Path, n_features: int | None, name: str, log: Any) -> Stream:
    """Return the rows of a file as a stream."""
    rows = Sparse(path, parse)
    rows.learn()
    first = 0 if rows.least == 0 else 1
    seen = max(rows.most - first + 1, 1)
    if n_features is not None and n_features < seen:
        allowed = f"at least {seen}, the largest index of {path.name}"
        raise ValueError(f"n_features must be {allowed}, got {n_features}")
    stream = rows.stream(name, n_features or seen, first)
    size = f"{counted(rows.n_rows, 'row')}, {counted(stream.n_features, 'feature')}"
    origin = "given" if n_features else "the largest index"
    log(f"{path.name}: {size} ({origin}), indices from {first}; {stream.n_classes:,} classes")
    return stream
