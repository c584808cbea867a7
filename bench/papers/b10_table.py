"""Table 1 and Figure 4 of B10 from runs."""

from pathlib import Path

from bench.papers.b10_run import Record


def write(records: list[Record], of: int, folder: Path) -> None:
    """Write table1.md and figure4.png."""
