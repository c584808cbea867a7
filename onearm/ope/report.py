"""The report of an evaluation: tables for the terminal, and a page."""

from typing import Any

from rich.console import Console
from rich.table import Table


def print_tables(result: Any, console: Console) -> None:
    table = Table()
    for name in ("policy", "estimator", "value", "low", "high", "interval", "valid"):
        table.add_column(name)
    for e in [*result.estimates, *result.differences]:
        table.add_row(
            e.policy,
            e.estimator,
            f"{e.value:.4f}",
            f"{e.low:.4f}",
            f"{e.high:.4f}",
            str(e.interval),
            f"{e.valid_while_learning} {e.n_more}",
        )
    console.print(table)


def write_page(result: Any, path: Any) -> None:
    raise NotImplementedError
