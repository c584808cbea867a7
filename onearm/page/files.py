"""Files of a report: numbers as tables, written together with the page or not at all."""

import csv
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from onearm.experiments.ledger import name_in_errors

FORMULA = ("=", "+", "-", "@", "\t", "\r")  # how formulas begin in spreadsheets


@contextmanager
def replaced_together(folder: Path) -> Iterator[Path]:
    """Give a folder for new files, which replace those in `folder` when all are written."""
    folder.mkdir(parents=True, exist_ok=True)
    with (
        name_in_errors(folder),
        tempfile.TemporaryDirectory(prefix="writing-", dir=folder) as name,
    ):
        yield Path(name)
        for path in sorted(Path(name).iterdir()):
            path.replace(folder / path.name)


def write_numbers(lines: list[dict[str, Any]], folder: Path) -> list[Path]:
    """Write flat rows as results.csv, and results.parquet where pyarrow is installed."""
    path = folder / "results.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(lines[0]))
        writer.writeheader()
        writer.writerows({key: _safe(value) for key, value in line.items()} for line in lines)
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        return [path]
    parquet.write_table(pyarrow.Table.from_pylist(lines), folder / "results.parquet")
    return [path, folder / "results.parquet"]


def _safe(value: Any) -> Any:
    """Put a quote before a text that a spreadsheet would run as a formula.

    >>> _safe("=1+1"), _safe("-letter"), _safe("letter"), _safe(-0.5)
    ("'=1+1", "'-letter", 'letter', -0.5)
    """
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value
