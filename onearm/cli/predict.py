"""The command `onearm predict`: the labels of a file's rows, by name."""

import csv
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Argument, Option

import onearm
from onearm.cli.arguments import require_file, require_folder
from onearm.cli.errors import errors_in_words


def predict(
    model: Annotated[Path, Argument(help="Model that `onearm fit` or `save` wrote.")],
    data: Annotated[Path, Argument(help="File of rows; columns are found by their names.")],
    out: Annotated[
        Path | None, Option(help="File of the labels, .csv or .parquet; default: print them.")
    ] = None,
) -> None:
    """Predict the labels of the rows of a file, by a saved model.

    onearm predict model.safetensors new.parquet --out labels.csv
    """
    with errors_in_words():
        require_file(model, "model")
        require_file(data, "data")
        if out is not None:
            require_folder(out)
        loaded, monitor = onearm.load(model), onearm.Monitor()
        with _writer(out, _label_name(loaded)) as write:
            for rows in _rows(loaded, data, monitor):
                write(_labels(loaded, rows))
    if monitor.rows:
        typer.echo(f"{data.name}: {monitor}", err=True)


def _rows(model: Any, data: Path, monitor: Any) -> Iterator[Any]:
    """Return rows as the model takes them: encoded by its schema, or numbers as they are."""
    from onearm.streams.files import TABLES, read, read_rows

    schema = getattr(model, "schema", None)
    if schema is not None and schema.columns:
        return read_rows(data, schema, monitor)
    if data.suffix in TABLES:
        raise ValueError(f"{data.name} is a table, but the model has no names of columns")
    return (rows for rows, _ in read(data).chunks())


def _labels(model: Any, rows: Any) -> list[Any]:
    """Return the greedy labels by name; an agent does not choose retired ones."""
    if isinstance(model, onearm.Agent):
        return model.predict_rows(rows)
    schema = getattr(model, "schema", None)
    names = schema.labels if schema is not None and schema.labels else range(model.n_classes)
    return [names[code] for code in model.predict(rows)]


def _label_name(model: Any) -> str:
    return getattr(getattr(model, "schema", None), "label", None) or "label"


@contextmanager
def _writer(out: Path | None, name: str) -> Iterator[Any]:
    """Give a function that writes labels: to a table with one column, or a line each."""
    if out is None:
        yield lambda labels: sys.stdout.writelines(f"{label}\n" for label in labels)
    elif out.suffix == ".csv":
        with out.open("w", newline="", encoding="utf-8") as file:
            table = csv.writer(file)
            table.writerow([name])
            yield lambda labels: table.writerows([label] for label in labels)
    elif out.suffix in (".parquet", ".pq"):
        from pyarrow import table as as_table
        from pyarrow.parquet import write_table

        written: list[Any] = []
        yield written.extend
        write_table(as_table({name: list(map(str, written))}), out)
    else:
        raise ValueError(f"--out must end with .csv, .parquet or .pq, got {str(out)!r}")
