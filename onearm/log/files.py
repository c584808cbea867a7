"""Logs in files: the suffix says the format.

    .parquet, .pq       our own columns, or a table with named ones    needs pyarrow
    .csv, .tsv          a table with named columns
    .jsonl, .ndjson     JSON lines
    .vw                 Vowpal Wabbit's text
    .dsjson             Vowpal Wabbit's JSON of a decision service
    .db                 the file of `onearm serve`, which may run meanwhile    only read

Files of text may be compressed: .gz, .bz2, .xz.
"""

import inspect
from collections.abc import Callable
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import Any

from onearm.log.arrays import require_schema
from onearm.log.log import Log
from onearm.log.reward_range import as_range
from onearm.log.tables import Options
from onearm.schema.names import did_you_mean, listed
from onearm.streams.text_lines import PACKED

FORMATS = {
    ".parquet": "parquet", ".pq": "parquet", ".csv": "csv", ".tsv": "csv", ".jsonl": "jsonl",
    ".ndjson": "jsonl", ".vw": "vowpal", ".dsjson": "dsjson", ".db": "service",
}  # fmt: skip
WRITTEN = ("parquet", "jsonl", "vowpal", "dsjson")


def read(path: Path, *, format: str | None = None, **options: Any) -> Log:
    """Return the log in a file; `format` is needed where the suffix does not say it."""
    if not path.is_file():
        what = "must be a file, not a folder" if path.is_dir() else "must be a file: there is none"
        raise FileNotFoundError(f"path {what}, got {str(path)!r}")
    name = _format(path, format)
    function = _function(f"read_{name}", "tables" if name == "csv" else name)
    known = [*inspect.signature(function).parameters][1:]
    if known == ["options"]:
        known = [field.name for field in fields(Options)]
    for option in options:
        if option not in known:
            hint = did_you_mean(option, known)
            allowed = f"the options of {name} are {listed(known, most=99)}"
            raise TypeError(f"{path.name}: {allowed}, got {option!r}{hint}")
    require_schema(options.get("schema"))
    for option in {"rewards", "costs"} & options.keys():
        if options[option] is not None:
            as_range(options[option], option)
    return function(path, **options)


def has_schema(path: Path) -> bool:
    """Whether a file tells the columns and labels of its log itself."""
    name = _format(path, None)
    return name == "service" or (
        name in ("parquet", "jsonl") and _function("has_schema", name)(path)
    )


def write(log: Log, path: Path) -> None:
    """Write a log; a file of that name stays as it is until all is written."""
    name = _format(path, None)
    if name not in WRITTEN:
        suffixes = [suffix for suffix, form in FORMATS.items() if form in WRITTEN]
        raise ValueError(f"the suffix must be one of {listed(suffixes)}, got {path.name!r}")
    function = _function(f"write_{name}", f"{name}_writer")
    unfinished = path.with_name(f".{path.name}.unfinished")
    try:
        if name == "parquet":
            function(log, unfinished)
        else:
            opened = PACKED.get(path.suffix.lower(), open)
            with opened(unfinished, "wt", encoding="utf-8", newline="\n") as file:
                function(log, file)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def _function(function: str, module: str) -> Callable[..., Any]:
    if module == "service":
        from onearm.service.logs import read_service

        return read_service
    return getattr(import_module(f"onearm.log.{module}"), function)


def _format(path: Path, given: str | None) -> str:
    if given is not None:
        if given not in FORMATS.values():
            known = listed(dict.fromkeys(FORMATS.values()))
            raise ValueError(f"format must be one of {known}, got {given!r}")
        return given
    packed = path.suffix.lower() in PACKED
    suffix = (Path(path.stem) if packed else path).suffix.lower()
    if suffix not in FORMATS or (packed and FORMATS[suffix] in ("parquet", "service")):
        allowed = f"{', '.join(FORMATS)}; texts also with {', '.join(PACKED)} after it"
        raise ValueError(f"the suffix of a log must be one of {allowed}, got {path.name!r}")
    return FORMATS[suffix]
