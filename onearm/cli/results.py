"""The results of a command: their folder, progress towards them, and where they were written."""

import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console

LOG_WIDTH = 110  # columns of a table in a log file


def require_results_folder(out: Path) -> None:
    """Refuse a folder of results that is a file, before anything is done."""
    if out.exists() and not out.is_dir():
        raise typer.BadParameter(f"{out} is a file: --out must be a folder")


def results_console() -> "Console":
    """Return a console for tables: as wide as the terminal, or as suits a log file."""
    from rich.console import Console

    in_log = not sys.stdout.isatty()
    return Console(width=LOG_WIDTH, force_terminal=False) if in_log else Console()


@contextmanager
def progress_bar(description: str, total: int | None = None) -> Iterator[Callable[..., Any]]:
    """Give a function that updates a progress bar, which is shown on a terminal only."""
    from rich import progress as bars
    from rich.console import Console

    columns = "{task.description}", bars.BarColumn(), bars.TaskProgressColumn()
    quiet, console = not sys.stderr.isatty(), Console(stderr=True)
    with bars.Progress(*columns, console=console, disable=quiet, transient=True) as progress:
        yield partial(progress.update, progress.add_task(description, total=total))


def command_line() -> str:
    """Return the command as it was typed."""
    return f"onearm {shlex.join(sys.argv[1:])}"


def show_written(written: Sequence[Path], console: "Console", open_page: bool) -> None:
    """Print which files were written, of which the first is the page; open it if that was asked."""
    from onearm.experiments.run import print_line

    page = written[0].resolve().as_uri()
    for text in [*written[1:], f"page: {page}"]:
        print_line(str(text), console)
    if open_page:
        typer.launch(page)
