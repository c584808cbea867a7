"""Tables with named columns as logs: frames in memory, Parquet files and CSV files.

Some columns are fields of the log: which ones is stated by name. All others, or those in
`columns`, are the context, which the schema encodes; it is inferred if it is not given. Rows with
an unknown label, a reward that is no number or a context that cannot be encoded are left out. So is
a column without a name, which is the index of a frame, unless `columns` or the schema has it.
"""

import csv
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from onearm.log import table_columns as convert
from onearm.log.arrays import require_schema
from onearm.log.distributions import is_uniform
from onearm.log.events import Events
from onearm.log.inference import merged_schema
from onearm.log.log import Log
from onearm.log.passes import Passes
from onearm.log.pieces import ROWS, pieces
from onearm.log.records import Labels, Records
from onearm.log.reward_range import RewardRange, as_range
from onearm.log.times import column_times
from onearm.schema.column import NUMBER
from onearm.schema.contexts import as_columns, table_columns
from onearm.schema.names import did_you_mean, listed
from onearm.schema.schema import Schema
from onearm.streams.delimited import Delimited
from onearm.streams.parquet import batches, opened, readable
from onearm.streams.text_lines import lines

Columns = Mapping[str, Any]  # by name
Frames = Iterator[tuple[Columns, Sequence[int]]]  # some rows at a time, and their places
INDEX = re.compile(r"\s*|Unnamed: [0-9]+|__index_level_[0-9]+__")  # as pandas calls it
HIDING = ("label", "propensity", "reward", "outcome")  # which the policy did not know
MANY = ("label", "propensity", "reward", "greedy", "outcome", "allowed", "policy", "version",
        "event_id", "time")  # fmt: skip


@dataclass
class Options:
    """What is stated about a table: the columns that are fields of the log, and the rest."""

    schema: Schema | None = None
    label: str | None = None  # by default that of the schema, or "label"
    propensity: str = "propensity"
    reward: str = "reward"
    greedy: str | None = None
    outcome: str | None = None
    allowed: str | None = None  # a column of lists of labels
    chances: Mapping[Any, str] | str | None = None  # the column of each label, or "uniform"
    policy: str | None = None
    version: str | None = None
    event_id: str | None = None
    time: str | None = None
    columns: Sequence[str] | None = None  # of the context, where it is inferred
    rewards: tuple[float, float] = (0.0, 1.0)
    feedback: str = "reward"
    name: str | None = None

    def __post_init__(self) -> None:
        self.label = self.label or (self.schema and self.schema.label) or "label"
        require_schema(self.schema)
        self.is_uniform = is_uniform(self.chances)
        self.unnamed: Collection[str] = ()  # columns that only we gave a name
        self.by_label: Mapping[Any, str] = {}
        if self.chances is not None and not isinstance(self.chances, str):
            self.by_label = self.chances

    def fields(self) -> dict[str, str]:
        """Return the columns of fields of the log, by field."""
        named = {field: getattr(self, field) for field in MANY}
        chances = {f"chances of {label}": name for label, name in self.by_label.items()}
        return {field: name for field, name in (named | chances).items() if name is not None}

    def context(self, known: Sequence[str], file: str) -> list[str]:
        """Return the columns of the context; refuse names that no column has."""
        own = self.fields()
        wanted = own | {f"column {name}": name for name in self.columns or ()}
        for field, name in wanted.items():
            if name not in known:
                wrong = f"{field} must be one of the columns {listed(known)}, got {name!r}"
                raise ValueError(f"{file}: {wrong}{did_you_mean(name, known)}")
        self._require_apart(own)
        if self.columns is not None:
            return list(dict.fromkeys(self.columns))
        return [n for n in known if n not in own.values() and not self.is_index(n)]

    def _require_apart(self, own: Mapping[str, str]) -> None:
        """Refuse a column that is two fields, and contexts that have what came of the choice."""
        hidden = {own[field]: field for field in HIDING if field in own}
        context = [*(self.columns or ()), *(self.schema.names if self.schema else ())]
        leaks = [name for name in context if name in hidden]
        if leaks:
            what = f"columns of the context must not have the {hidden[leaks[0]]}"
            raise ValueError(f"{what}, got {leaks[0]!r}")
        if len(hidden) < sum(field in own for field in HIDING):
            named = ", ".join(f"{field}={own[field]!r}" for field in HIDING if field in own)
            raise ValueError(f"{listed(HIDING, show=str)} must be different columns, got {named}")

    def is_index(self, name: str) -> bool:
        """Whether a column has no name of its own, as the index of a frame."""
        return name in self.unnamed or INDEX.fullmatch(name) is not None


def from_table(frame: Any, **options: Any) -> Log:
    """Return the log of a frame, or of many dicts, in memory."""
    known = [field.name for field in fields(Options)]
    for option in options.keys() - {*known}:
        allowed = f"the options of a table are {listed(known, most=99)}"
        raise TypeError(f"{allowed}, got {option!r}{did_you_mean(option, known)}")
    stated = Options(**options)
    columns = table_columns(frame)
    n = len(next(iter(columns.values())))

    def frames(schema: Schema | None, names: Sequence[str]) -> Frames:
        yield columns, range(n)

    log = _table_log("the table", list(columns), frames, stated, "row")
    events = Events.joined(list(log.chunks()))
    k = log.n_classes
    kept = Log(
        lambda: pieces(events, k), k, log.n_features, log.schema, log.rewards, log.feedback,
        stated.name or "log", bad_lines=log.bad_lines, n_bad_lines=log.n_bad_lines,
        left_out=log.left_out,
    )  # fmt: skip
    vars(kept)["scan"] = log.scan
    return kept


def read_csv(path: Path, **options: Any) -> Log:
    """Return the log in a table of delimited fields."""
    stated = Options(**options)
    known = [*stated.fields().values(), *(stated.schema.names if stated.schema else ())]
    first = Delimited(path, known)
    if first.named:
        stated.unnamed = {*first.names} - {*_header(path, first.delimiter)}

    def frames(schema: Schema | None, names: Sequence[str]) -> Frames:
        context = {} if schema is None else {column.name: column for column in schema.columns}
        for texts, at in Delimited(path, known).texts():
            columns: dict[str, Any] = {}
            for name, column in texts.items():
                form = context.get(name)
                if form is not None:
                    is_number = form.kind == NUMBER
                    columns[name] = (convert.as_numbers if is_number else convert.as_words)(column)
                else:
                    is_inferred = schema is None and name in names
                    columns[name] = (convert.typed if is_inferred else convert.as_words)(column)
            yield columns, at

    return _table_log(path.name, first.names, frames, stated, "line")


def _header(path: Path, delimiter: str) -> list[str]:
    """Return the names that stand in the first row."""
    first = next(line for line in lines(path) if line.strip())
    return [name.strip() for name in next(csv.reader([first], delimiter=delimiter))]


def read_parquet_table(path: Path, **options: Any) -> Log:
    """Return the log in a table of a Parquet file."""
    with opened(path) as file, readable(path.name):
        known = list(as_columns(file.schema_arrow.empty_table()) or {})

    def frames(schema: Schema | None, names: Sequence[str]) -> Frames:
        wanted = list(dict.fromkeys(name.partition(".")[0] for name in names))
        with opened(path, pre_buffer=False) as file:
            top = [name for name in file.schema_arrow.names if name in {*names, *wanted}]
            for done, batch in batches(file, path.name, ROWS, top):
                with readable(f"{path.name}, after row {done}"):
                    columns = _columns(batch)
                yield columns, range(done + 1, done + batch.num_rows + 1)

    return _table_log(path.name, known, frames, Options(**options), "row")


def _columns(batch: Any) -> Columns:
    from pyarrow import Table

    return as_columns(Table.from_batches([batch])) or {}


def _table_log(
    file: str, known: Sequence[str], frames: Callable[..., Frames], stated: Options, unit: str
) -> Log:
    """Return the log of a table that `frames` reads, of these columns, some rows at a time."""
    own, context = list(stated.fields().values()), stated.context(known, file)
    schema = stated.schema
    labels = schema.labels if schema else tuple(stated.by_label)
    if schema is None or not schema.columns:
        tables = ({n: columns[n] for n in context} for columns, _ in frames(None, context))
        schema = (merged_schema(tables) if context else None) or Schema({})
        schema = schema.with_labels(labels)
    names = [*own, *schema.names]

    def parts_of(schema: Schema) -> Iterator[Records]:
        for columns, at in frames(schema, names):
            yield _records(columns, at, stated, schema, passes.labels)

    parts = partial(parts_of, schema)
    span = RewardRange(*as_range(stated.rewards), stated.feedback == "one_right")
    passes = Passes(file, parts, span, Labels(labels), unit, is_uniform=stated.is_uniform)
    passes.first(parts)
    schema = schema.with_labels(passes.names) if passes.names else schema
    size = schema.n_features if schema.columns else 1
    used = {*own, *context, *schema.names}
    unused = tuple(name for name in known if name not in used and stated.is_index(name))
    return passes.log(size, schema, stated.feedback, stated.name or file, left_out=unused)


def _records(
    columns: Columns, at: Sequence[int], stated: Options, schema: Schema, labels: Labels
) -> Records:
    wrong: dict[int, str] = {}
    own = {field: columns[name] for field, name in stated.fields().items()}
    given: dict[str, Any] = {
        "X": convert.encoded(columns, schema, len(at), wrong),
        "label": convert.words(own["label"], "the label", wrong),
        "propensity": convert.floats(own["propensity"], "propensity", wrong, 1.0),
        "reward": convert.floats(own["reward"], "the reward", wrong),
    }
    for field in ("greedy", "outcome", "policy", "event_id"):
        if field in own:
            given[field] = convert.words(own[field], f"the {field}", wrong)
    if "allowed" in own:
        given["allowed"] = convert.lists(own["allowed"], "allowed", wrong)
    if "version" in own:
        given["version"] = convert.versions(own["version"], "the version", wrong)
    if "time" in own:
        given["time"], bad_times = column_times(own["time"])
        wrong |= {i: reason for i, reason in bad_times.items() if i not in wrong}
    if stated.by_label:
        given["chances"] = p = np.zeros((len(at), max(len(labels), 2)))
        for label, name in stated.by_label.items():
            code = labels.codes([f"{label}"])[0]
            p[:, code] = convert.floats(columns[name], f"the chance of {label}", wrong)
    return _without(Records(at=at, **given), wrong)


def _without(records: Records, wrong: dict[int, str]) -> Records:
    """Return the records of rows that nothing is wrong with."""
    if not wrong:
        return records
    good = [i for i in range(len(records.at)) if i not in wrong]
    bad = [(records.at[i], reason) for i, reason in wrong.items()]
    values = {field.name: getattr(records, field.name) for field in fields(records)}
    return Records(**{name: _part(value, good) for name, value in values.items()} | {"bad": bad})


def _part(values: Any, good: list[int]) -> Any:
    if values is None:
        return None
    if isinstance(values, np.ndarray) or hasattr(values, "tocsr"):
        return values[good]
    return [values[i] for i in good] if len(values) else values
