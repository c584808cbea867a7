"""The command `onearm datasets`: the catalogue, or one entry of it."""

from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument

if TYPE_CHECKING:
    from rich.table import Table

FACTS = ("rows", "features", "classes", "about", "licence", "citation")


def datasets(
    name: Annotated[str | None, Argument(help="Name, e.g. letter: show all of it.")] = None,
) -> None:
    """List the data sets that are known by name, and where they are.

    onearm datasets letter
    """
    from rich.console import Console

    from onearm.experiments.run import print_line
    from onearm.streams import datasets as known

    console = Console()
    if name is None:
        console.print(_table())
        print_line(f"looked for in {', '.join(map(str, known.folders()[1:]))}", console)
        return
    try:
        data = known.about(name)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    lines = [f"{fact}: {getattr(data, fact)}" for fact in FACTS]
    lines += [f"file: {file['name']}  SHA-256 {file['sha256']}" for file in data.files]
    for line in [*lines, f"found in: {data.folder() or 'no folder'}"]:
        print_line(line, console)


def _table() -> "Table":
    from rich.table import Table

    from onearm.streams import datasets as known

    table = Table(title="Data sets", title_justify="left")
    for column in ("name", "rows", "features", "classes", "on disk", "licence"):
        justify: Any = "right" if column in ("rows", "features", "classes") else "left"
        table.add_column(column, justify=justify, no_wrap=column != "licence")
    for name in known.names():
        data, place = known.about(name), known.about(name).folder()
        where = "shipped" if place == known.SHIPPED else "found" if place else "no"
        where = "can be fetched" if place is None and data.fetch else where
        sizes = (f"{data.rows:,}", f"{data.features:,}", str(data.classes or "a number"))
        table.add_row(name, *sizes, where, data.licence)
    return table
