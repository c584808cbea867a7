"""The command `onearm papers`: lists published tables and figures, or replicates one."""

import sys
from pathlib import Path
from typing import Annotated

import typer

import onearm
from onearm.cli.arguments import find_name
from onearm.cli.errors import errors_in_words

CLONE = Path(onearm.__file__).parents[1]


def papers(
    context: typer.Context,
    name: Annotated[str | None, typer.Argument(help="Name, e.g. z19.table1.")] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Run a small part of it, in a separate folder.")
    ] = False,
) -> None:
    """List the papers' tables and figures, or run one, ours beside the paper's numbers.

    Further options are those of the table: onearm papers c09.table1 -- --help

    onearm papers boz17.figure2 --quick
    """
    if not (CLONE / "papers").is_dir():
        raise typer.BadParameter(
            "papers are not installed: clone the repository, pip install -e it, and run this there"
        )
    sys.path.insert(0, str(CLONE))
    from papers import PUBLISHED, RESULTS, run

    if name is None:
        for each, published in PUBLISHED.items():
            typer.echo(f"{each:14} {published.title}")
        typer.echo(f"results: {RESULTS}")
        return
    chosen = find_name(name, PUBLISHED, "table or figure")
    with errors_in_words():
        try:
            status = run(chosen, context.args, quick)
        except FileNotFoundError as error:
            need = "data sets are read from the folder that ONEARM_DATA names"
            raise FileNotFoundError(f"{error}: {need}") from error
    raise typer.Exit(status)
