"""The command `onearm bakeoff`: every learner and Vowpal Wabbit on sixty data sets."""

import sys
from pathlib import Path
from typing import Annotated

import typer
from typer import Option

from onearm.cli import papers
from onearm.cli.arguments import Place, names
from onearm.cli.errors import errors_in_words


def bakeoff(
    only: Annotated[str, Option(help="Data sets, comma-separated.")] = "",
    learners: Annotated[str, Option(help="Algorithms, comma-separated.")] = "",
    half: Annotated[str, Option(help="development or reported; both by default.")] = "",
    repeats: Annotated[
        int, Option(min=0, help="Shuffles of each set; 0: 10, of large sets 3.")
    ] = 0,
    rounds: Annotated[int, Option(min=0, help="Leave out longer sets; 0: none.")] = 0,
    stages: Annotated[
        int, Option(min=1, max=3, help="1: defaults, 2: tuning as well, 3: chosen settings too.")
    ] = 3,
    on: Place = "all-cores",
    dry_run: Annotated[
        bool, Option("--dry-run", help="Play nothing; print how many runs and CPU hours it takes.")
    ] = False,
    render: Annotated[bool, Option("--render", help="Only write the report again.")] = False,
    out: Annotated[Path | None, Option(help="Folder of the results.")] = None,
) -> None:
    """Play the bake-off: errors of all learners and of Vowpal Wabbit on sixty data sets.

    Finished runs are not played again: re-running resumes an unfinished bake-off.

    onearm bakeoff --dry-run
    """
    if not (papers.CLONE / "bench" / "bakeoff" / "command.py").is_file():
        raise typer.BadParameter(
            "the bake-off is not installed: clone the repository, pip install -e '.[bench]', and "
            "run this there"
        )
    sys.path.insert(0, str(papers.CLONE))
    from bench.bakeoff import command

    words = ["--half", half, "--on", on, "--stages", str(stages), "--repeats", str(repeats)]
    words += ["--rounds", str(rounds), *["--dry-run"] * dry_run, *["--render"] * render]
    words += ["--out", str(out)] if out else []
    for name, given in (("--only", names(only)), ("--learners", names(learners))):
        words += [name, *given] if given else []
    with errors_in_words():
        status = command.main(words)
    raise typer.Exit(status)
