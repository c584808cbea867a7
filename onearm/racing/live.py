"""The live display of a race: a line for every learner and stream."""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from onearm.experiments.job import Record
from onearm.experiments.pool import Listener
from onearm.experiments.run import print_line
from onearm.racing.run import Job

LINES_EVERY = 30.0  # seconds between lines about unfinished runs, where there is no terminal
Totals = tuple[float, ...]  # rounds, correct ones, and seconds


@dataclass
class Line:
    """The progress of a learner on a stream."""

    stream: str
    name: str
    runs: int = 0
    done: int = 0
    finished: Totals = (0.0, 0.0, 0.0)  # of runs done
    under_way: dict[str, Totals] = field(default_factory=dict)  # by key
    per_run: float = 0.0  # rounds of a run, once that is known

    def share(self) -> float:
        """Return how much of it is done, in [0, 1]."""
        under_way = sum(rounds for rounds, _, _ in self.under_way.values())
        part = under_way / self.per_run if self.per_run else 0.0
        return min(1.0, (self.done + part) / self.runs)

    def cells(self) -> tuple[str, str, str]:
        """Return speed, error and the processor time that is left, formatted."""
        rounds, correct, seconds = _sum(self.finished, *self.under_way.values())
        if not rounds or not seconds:
            return "", "", ""
        share = self.share()
        left = "" if self.done == self.runs or not share else _clock(seconds * (1 - share) / share)
        return f"{rounds / seconds:,.0f}", f"{1 - correct / rounds:.4f}", left

    def __str__(self) -> str:
        rate, error, left = self.cells()
        numbers = f"error {error}, {rate} rounds/s" + (f", {left} left" if left else "")
        return f"{self.stream}  {self.name}: {self.done} of {self.runs} runs, {numbers}"


class Display:
    """Shows a race on a console: live on a terminal, else in lines as runs end.

    Use it in a `with`; unfinished runs send their progress to `address`, also from `beyond` this
    machine.
    """

    def __init__(
        self, jobs: Mapping[str, Job], finished: Iterable[Record], console: Console,
        beyond: bool = False,
    ) -> None:  # fmt: skip
        self.console = console
        self.is_live = console.is_terminal and not console.is_dumb_terminal
        self.lines: dict[tuple[str, str], Line] = {}
        self.line_of: dict[str, Line] = {}
        for key, job in jobs.items():
            names = job.source.name, job.name
            self.line_of[key] = self.lines.setdefault(names, Line(*names))
            self.line_of[key].runs += 1
        for record in finished:
            self.end(record["key"], record)
        self.listener = Listener(self._receive, beyond)
        self.address = self.listener.address
        self.live = Live(console=console, get_renderable=self.table, transient=True)

    def __enter__(self) -> "Display":
        self.printed = time.monotonic()
        self.listener.__enter__()
        if self.is_live:
            self.live.start()
        return self

    def __exit__(self, *_: Any) -> None:
        if self.is_live:
            self.live.stop()
        self.listener.__exit__()

    def _receive(self, key: str, rounds: float, correct: float, seconds: float, of: float) -> None:
        if key in self.line_of:
            self.line_of[key].under_way[key] = (rounds, correct, seconds)
            self.line_of[key].per_run = of
        if not self.is_live and time.monotonic() - self.printed > LINES_EVERY:
            self.printed = time.monotonic()
            for line in list(self.lines.values()):
                if line.under_way:
                    print_line(str(line), self.console)

    def end(self, key: str, record: Record) -> None:
        line, rounds = self.line_of[key], record["n_rounds"]
        line.done += 1
        line.under_way.pop(key, None)
        line.per_run = rounds
        correct = round((1 - record["error"]) * rounds)
        line.finished = _sum(line.finished, (rounds, correct, record["seconds"]))

    def ended(self, key: str, record: Record) -> None:
        """Count a run that has ended, and print it without a terminal."""
        self.end(key, record)
        if not self.is_live:
            print_line(str(self.line_of[key]), self.console)

    def failed(self, key: str, why: str) -> None:
        """Drop a run that has no record, and print why."""
        self.line_of[key].under_way.pop(key, None)
        print_line(f"failed {why}", self.console)

    def table(self) -> Table:
        """Return the table of all lines, or of those that fit."""
        shown = Table(box=None, pad_edge=False)
        for title in ("stream", "learner"):
            shown.add_column(title, overflow="fold")  # where it is narrow: numbers stay whole
        for title in ("runs", "", "rounds/s", "error", "left"):
            shown.add_column(title, justify="right", no_wrap=True)
        lines = list(self.lines.values())
        room = max(5, self.console.height - 4)
        unfinished = [line for line in lines if line.done < line.runs]
        for line in lines if len(lines) <= room else unfinished[:room]:
            bar = ProgressBar(total=1.0, completed=line.share(), width=10)
            runs = f"{line.done}/{line.runs}"
            shown.add_row(Text(line.stream), Text(line.name), runs, bar, *line.cells())
        if len(lines) > room:
            shown.add_row(f"… {len(lines)} lines, {len(lines) - len(unfinished)} done")
        return shown


def _sum(*totals: Totals) -> Totals:
    return tuple(map(sum, zip(*totals, strict=True)))


def _clock(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
