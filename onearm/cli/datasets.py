"""The command `onearm datasets`: the catalogue, or one entry of it."""

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.table import Table

FACTS = ("rows", "features", "classes", "about", "licence", "citation")


def datasets(
    name: Annotated[str | None, typer.Argument(help="Name, e.g. letter: show all of it.")] = None,
) -> None:
    """List the data sets that are known by name, and where they are.

    onearm datasets letter
    """
    from rich.console import Console

    from onearm.streams import datasets as known

    if name is None:
        console = Console()
        console.print(_table())
        places = ", ".join(str(place) for place in known.folders()[1:])
        console.print(f"looked for in {places}", highlight=False, soft_wrap=True)
        return
    try:
        data = known.about(name)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    lines = [f"{fact}: {getattr(data, fact)}" for fact in FACTS]
    lines += [f"file: {file['name']}  SHA-256 {file['sha256']}" for file in data.files]
    lines.append(f"found in: {data.folder() or 'no folder'}")
    for line in lines:
        Console().print(line, highlight=False, soft_wrap=True)


def _table() -> "Table":
    from rich.table import Table

    from onearm.streams import datasets as known

    table = Table(title="Data sets", title_justify="left")
    for column in ("name", "rows", "features", "classes", "on disk", "licence"):
        is_number = column in ("rows", "features", "classes")
        table.add_column(
            column, justify="right" if is_number else "left", no_wrap=column != "licence"
        )
    for name in known.names():
        data, place = known.about(name), known.about(name).folder()
        where = "shipped" if place == known.SHIPPED else "found" if place else "no"
        where = "can be fetched" if place is None and data.fetch else where
        sizes = (f"{data.rows:,}", f"{data.features:,}", str(data.classes or "a number"))
        table.add_row(name, *sizes, where, data.licence)
    return table
