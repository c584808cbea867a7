"""Files of any known format as streams.

A first pass, in chunks, learns the size, the classes and the values of nominal columns; every
reading of the stream is another pass, in chunks: a file may be larger than memory.
"""

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from onearm.schema.monitor import Monitor
from onearm.schema.schema import Schema
from onearm.streams.columns import WARNING, table_stream
from onearm.streams.delimited import Delimited
from onearm.streams.encoded import encoded_rows, encoded_stream
from onearm.streams.npz import npz_stream
from onearm.streams.parquet import Parquet
from onearm.streams.sparse_lines import svmlight_stream
from onearm.streams.stream import Stream, require
from onearm.streams.text_lines import PACKED
from onearm.streams.vowpal import vowpal_stream

TABLES = (".csv", ".tsv", ".data", ".parquet", ".pq")
SPARSE = {".svm": svmlight_stream, ".svmlight": svmlight_stream, ".libsvm": svmlight_stream,
          ".vw": vowpal_stream}  # fmt: skip
COMPRESSED = (".parquet", ".pq", ".npz")  # by themselves
KNOWN = (*TABLES, *SPARSE, ".npz")


def read(
    path: str | Path,
    *,
    label: str | int | None = None,
    nominal: Sequence[str | int] | None = None,
    schema: Schema | Mapping[str, Any] | None = None,
    name: str | None = None,
    n_features: int | None = None,
    log: Callable[[str], Any] | None = None,
) -> Stream:
    """Return the rows of a file as a stream.

    Parameters
    ----------
    path
        A table (.csv, .tsv, .data, .parquet, .pq), sparse rows (.svm, .svmlight, .libsvm, .vw), or
        arrays (.npz). Files of text may be compressed: .gz, .bz2, .xz.
    label
        The column of labels of a table, by name or index: by default one that is called label,
        class, target or y, else the last.
    nominal
        The columns of a table that hold codes or words, by names or indices: by default those
        with a value that is not a number.
    schema
        The columns of a table that are features, and how they become numbers, in place of
        `nominal`, as a Schema or a dict of columns: by default all columns except the label, as
        they were inferred.
    name
        Name of the stream: by default that of the file.
    n_features
        Columns of sparse rows: by default the largest index, or 2¹⁸ for features that are hashed.
    log
        Called with each sentence about what was inferred, such as `print`: by default only
        what will hardly be meant is warned of.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "fruit.csv")
    ...     _ = file.write_text("weight,colour,class\\n7,red,apple\\n?,blue,plum\\n5,red,plum\\n")
    ...     X, y = read(file, log=print).arrays()
    fruit.csv: commas between fields; the first row names the columns
    fruit.csv: 3 rows, 2 features; label: column 'class' (the last), 2 classes; nominal:
    'colour'; missing: 'weight'
    >>> X, y
    (array([[ 7.,  1.], [nan,  0.], [ 5.,  1.]]), array([0, 1, 1]))
    """
    path = Path(path)
    stem, suffix = _suffix(path)
    log = log or warn
    name = stem if name is None else name
    schema = Schema(schema) if isinstance(schema, Mapping) else schema
    _require_options(path, suffix, label, nominal, n_features)
    if suffix in TABLES:
        return _table_stream(path, suffix, label, nominal, schema, name, log)
    require(schema=(schema is None, f"None: {path.name} is not a table", schema))
    if suffix in SPARSE:
        return SPARSE[suffix](path, n_features, name, log)
    return npz_stream(path, name, log)


def warn(sentence: str) -> None:
    """Warn of what a sentence about a file warns of; other sentences are left out."""
    if sentence.startswith(WARNING):
        warnings.warn(sentence.removeprefix(WARNING), stacklevel=2)


def _table_stream(
    path: Path, suffix: str, label: Any, nominal: Any, schema: Schema | None, name: str, log: Any
) -> Stream:
    if schema is not None:
        require(
            nominal=(nominal is None, "None beside a schema", nominal),
            label=(label is None or isinstance(label, str), "a name beside a schema", label),
        )
        return encoded_stream(
            _table(path, suffix, [label, *schema.names]), schema, label, name, log
        )
    columns = None if nominal is None else list(nominal)
    table = _table(path, suffix, [label, *(columns or ())])
    if isinstance(table, Delimited):
        log(table.sentence())
    return table_stream(table, label, columns, name, log)


def read_rows(path: str | Path, schema: Schema, monitor: Monitor | None = None) -> Iterator[Any]:
    """Yield the rows of a table that need have no labels, encoded, some at a time."""
    path = Path(path)
    _, suffix = _suffix(path)
    require(path=(suffix in TABLES, f"a table ({', '.join(TABLES)})", path.name))
    return encoded_rows(_table(path, suffix, schema.names), schema, monitor)


def _table(path: Path, suffix: str, known: Sequence[Any]) -> Delimited | Parquet:
    return Parquet(path) if suffix in COMPRESSED else Delimited(path, known)


def _require_options(path: Path, suffix: str, label: Any, nominal: Any, n_features: Any) -> None:
    """Refuse options that a file of this format does not have."""
    no_table, no_size = f"None: {path.name} is not a table", f"None: {path.name} has its own"
    if suffix not in TABLES:
        require(
            label=(label is None, no_table, label), nominal=(nominal is None, no_table, nominal)
        )
    if suffix not in SPARSE:
        require(n_features=(n_features is None, no_size, n_features))
    is_list = isinstance(nominal, Iterable) and not isinstance(nominal, str | bytes)
    is_size = isinstance(n_features, int | np.integer) and bool(n_features >= 1)
    require(
        nominal=(nominal is None or is_list, "a list of columns", nominal),
        n_features=(n_features is None or is_size, "a whole number of at least 1", n_features),
    )


def _suffix(path: Path) -> tuple[str, str]:
    """Return the name of a file without its suffixes, and the suffix of its format."""
    if not path.is_file():
        what = "must be a file, not a folder" if path.is_dir() else "must be a file: there is none"
        raise FileNotFoundError(f"path {what}, got {str(path)!r}")
    packed = path.suffix.lower() in PACKED
    inner = Path(path.stem) if packed else path
    suffix = inner.suffix.lower()
    if suffix not in KNOWN:
        allowed = f"{', '.join(KNOWN)}; texts also with {', '.join(PACKED)} after it"
        raise ValueError(f"the suffix of a file must be one of {allowed}, got {path.name!r}")
    if packed and suffix in COMPRESSED:
        raise ValueError(f"{suffix} files must not be compressed again, got {path.name!r}")
    return inner.stem, suffix
