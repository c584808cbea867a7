"""The command `onearm log`: what is in a log, and its events in another format."""

from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

import onearm
from onearm.cli.arguments import require_file
from onearm.cli.errors import errors_in_words


def log(
    file: Annotated[Path, Argument(help="File of a service (.db), or any other log.")],
    out: Annotated[
        Path | None, Option(help="Write the events: .parquet, .jsonl, .dsjson or .vw.")
    ] = None,
) -> None:
    """Show what is in a log, or write its events to a file.

    onearm log news.db --out news.parquet
    """
    with errors_in_words():
        require_file(file, "file")
        read = onearm.Log.read(file)
        if out is not None:
            read.write(out)
            typer.echo(f"{len(read):,} events in {out}")
            return
        typer.echo(str(read))
        for line in read.bad_lines:
            typer.echo(f"left out: {line}")
        if file.suffix == ".db":
            _about_service(file)


def _about_service(file: Path) -> None:
    """Say what else is in the file of a service."""
    from collections import Counter
    from contextlib import closing

    from onearm.service.sqlite import SqliteStore

    with closing(SqliteStore(file, read_only=True)) as store:
        store.hold()
        why = Counter(rejected.why for rejected in store.rejections())
        last = store.last_seq()
        typer.echo(f"{last:,} records; {store.n_pending():,} decisions wait for feedback")
        typer.echo(f"not learnt from: {why['late']:,} late, {why['conflict']:,} conflicting")
        typer.echo(f"snapshots at {', '.join(map(str, store.snapshots())) or 'none'}")
        for control in store.controls(0, last):
            typer.echo(f"record {control.seq:,}: {control.what}")
