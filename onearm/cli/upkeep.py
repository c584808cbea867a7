"""The commands `onearm backup`, `compact` and `forget`: living with the file of a service."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from onearm.cli.arguments import require_file
from onearm.cli.errors import errors_in_words

File = Annotated[Path, Argument(help="File of a service.")]


def backup(
    file: File, out: Annotated[Path, Argument(help="The copy, a file that is not there yet.")]
) -> None:
    """Copy the file of a service as it is at one moment, while it runs.

    onearm backup news.db monday.db
    """
    with errors_in_words():
        require_file(file, "file")
        from onearm.service import upkeep

        upkeep.backup(file, out)
        typer.echo(f"{out}: {out.stat().st_size / 1e6:,.1f} MB")


def compact(
    file: File,
    before: Annotated[str, Option(help="Date: events before it are removed, e.g. 2026-01-31.")],
    export: Annotated[
        Path | None, Option(help="File for the removed events; default: FILE-before-DATE.parquet.")
    ] = None,
) -> None:
    """Move old events to an export, and keep a verified snapshot that a replay begins at.

    onearm compact news.db --before 2026-01-31
    """
    with errors_in_words():
        require_file(file, "file")
        from onearm.service import upkeep

        time = datetime.fromisoformat(before)
        time = time if time.tzinfo else time.replace(tzinfo=UTC)
        export = export or file.with_name(f"{file.stem}-before-{before}.parquet")
        n = upkeep.compact(file, time.timestamp(), export)
        typer.echo(f"{n:,} events moved to {export}")


def forget(
    file: File,
    event: Annotated[list[str] | None, Option(help="Id of an event; may be given again.")] = None,
    where: Annotated[
        list[str] | None,
        Option(metavar="COLUMN=VALUE", help="Contexts with this value; given again: and this."),
    ] = None,
) -> None:
    """Erase contexts from the log of a service; what was learnt from them stays.

    onearm forget news.db --where user=4711
    """
    with errors_in_words():
        require_file(file, "file")
        from onearm.service import upkeep

        if not event and not where:
            raise ValueError("give --event or --where")
        values = {}
        for text in where or []:
            name, equals, values[name] = text.partition("=")
            if not equals:
                raise ValueError(f"--where must be COLUMN=VALUE, got {text!r}")
        n = upkeep.forget(file, event or [], values)
        typer.echo(f"{n:,} contexts erased")
