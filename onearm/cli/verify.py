"""The command `onearm verify`: replay the log of a service and compare all that follows from it."""

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from onearm.cli.arguments import require_file
from onearm.cli.errors import errors_in_words


def verify(
    file: Annotated[Path, Argument(help="File of a service; it may run meanwhile.")],
    quick: Annotated[
        bool, Option("--quick", help="Check order and snapshots only, not each decision.")
    ] = False,
) -> None:
    """Replay the log of a service: order, outcomes, snapshots, every logged probability.

    onearm verify news.db
    """
    with errors_in_words():
        require_file(file, "file")
        from onearm.service.sqlite import SqliteStore
        from onearm.service.verify import verify as verify_store

        with closing(SqliteStore(file, read_only=True)) as store:
            store.hold()
            report = verify_store(store, decisions=not quick)
        typer.echo(str(report))
        if not report.is_sound:
            raise typer.Exit(1)
