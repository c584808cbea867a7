"""The command `onearm papers`: lists published tables and figures, or replicates one."""

import sys
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

import onearm
from onearm.cli.arguments import find_name, names
from onearm.cli.errors import errors_in_words

SUMMARY = "summary"
CLONE = Path(onearm.__file__).parents[1]


def papers(
    name: Annotated[str | None, Argument(help="Name, e.g. z19.table1.")] = None,
    quick: Annotated[
        bool, Option("--quick", help="Run a small part of it, in a separate folder.")
    ] = False,
    only: Annotated[
        str, Option(help="Data sets, learners, ... to play, case-insensitive, comma-separated.")
    ] = "",
    runs: Annotated[int | None, Option(min=1, help="Runs of each cell.")] = None,
    cap: Annotated[
        int | None,
        Option(min=1, help="Most steps of a round (bh20.table1), or rounds (b10.table1)."),
    ] = None,
    out: Annotated[Path | None, Option(help="Folder of the results.")] = None,
) -> None:
    """List the papers' tables and figures, or run one: our numbers beside the paper's.

    Finished runs are not played again: re-running resumes an unfinished table. The name summary
    counts which numbers of the papers came out the same, from the runs that are stored.

    onearm papers z19.table1 --quick --only balance
    """
    if not (CLONE / "papers" / "replication.py").is_file():
        raise typer.BadParameter(
            "papers are not installed: clone the repository, pip install -e it, and run this there"
        )
    sys.path.insert(0, str(CLONE))
    from papers import PUBLISHED, RESULTS, run
    from papers.replication import Options
    from papers.summary import write as write_summary

    if name is None:
        for known, published in PUBLISHED.items():
            typer.echo(f"{known:14} {published.title}")
        typer.echo(f"{SUMMARY:14} which numbers came out the same, of the stored runs")
        typer.echo(f"results: {RESULTS}")
        return
    chosen = find_name(name, (*PUBLISHED, SUMMARY), "table or figure")
    if chosen == SUMMARY:
        if quick or only or runs or cap or out:
            raise typer.BadParameter(f"{SUMMARY} has no options: it reads {RESULTS}")
        typer.echo(write_summary())
        return
    with errors_in_words():
        try:
            status = run(chosen, Options(tuple(names(only)), runs, cap, quick), out)
        except FileNotFoundError as error:
            need = "data sets are read from the folder that ONEARM_DATA names"
            raise FileNotFoundError(f"{error}: {need}") from error
    raise typer.Exit(status)
