"""What is seen of a race while it runs: a line for each learner and stream."""

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
from onearm.experiments.progress import Listener
from onearm.racing.run import Job

LINES_EVERY = 30.0  # seconds between lines about runs under way, where there is no terminal


@dataclass
class Line:
    """What has come so far of a learner on a stream."""

    stream: str
    name: str
    runs: int = 0
    done: int = 0
    played: list[int] = field(default_factory=lambda: [0, 0])  # rounds of runs done, and right ones
    seconds: float = 0.0
    under_way: dict[str, list[float]] = field(default_factory=dict)  # rounds, right, seconds by key
    per_run: float = 0.0  # rounds of a run, once that is known

    def sums(self) -> tuple[float, float, float]:
        """Return rounds, right ones and seconds, with the runs under way."""
        now = list(self.under_way.values())
        rounds, right = (self.played[i] + sum(one[i] for one in now) for i in (0, 1))
        return rounds, right, self.seconds + sum(one[2] for one in now)

    def share(self) -> float:
        """Return how much of it is done, in [0, 1]."""
        under_way = sum(one[0] for one in self.under_way.values())
        part = under_way / self.per_run if self.per_run else 0.0
        return min(1.0, (self.done + part) / self.runs)

    def cells(self) -> tuple[str, str, str]:
        """Return speed, error and the processor time that is left, in words."""
        rounds, right, seconds = self.sums()
        if not rounds or not seconds:
            return "", "", ""
        share = self.share()
        left = "" if self.done == self.runs or not share else _clock(seconds * (1 - share) / share)
        return f"{rounds / seconds:,.0f}", f"{1 - right / rounds:.4f}", left


class Display:
    """Shows a race on a console: live on a terminal, else in lines as runs end.

    Use it in a `with`; runs under way tell it how far they are at `address`, `beyond` this machine
    too.
    """

    def __init__(
        self,
        jobs: Mapping[str, Job],
        finished: Iterable[Record],
        console: Console,
        beyond: bool = False,
    ) -> None:
        self.console = console
        self.moves = console.is_terminal and not console.is_dumb_terminal
        self.lines: dict[tuple[str, str], Line] = {}
        self.line_of: dict[str, Line] = {}
        for key, job in jobs.items():
            names = job.source.name, job.name
            line = self.lines.setdefault(names, Line(*names))
            line.runs += 1
            self.line_of[key] = line
        for record in finished:
            self.end(record["key"], record)
        self.listener = Listener(self._heard, beyond)
        self.address = self.listener.address
        self.live = Live(
            console=console, get_renderable=self.table, refresh_per_second=4, transient=True
        )

    def __enter__(self) -> "Display":
        self.printed = time.monotonic()
        self.listener.__enter__()
        if self.moves:
            self.live.start()
        return self

    def __exit__(self, *_: Any) -> None:
        if self.moves:
            self.live.stop()
        self.listener.__exit__()

    def _heard(self, key: str, rounds: float, correct: float, seconds: float, of: float) -> None:
        if key in self.line_of:
            self.line_of[key].under_way[key] = [rounds, correct, seconds]
            self.line_of[key].per_run = of
        if not self.moves and time.monotonic() - self.printed > LINES_EVERY:
            self.print_under_way()

    def end(self, key: str, record: Record) -> None:
        """Take note of a run that has ended."""
        line = self.line_of[key]
        line.done += 1
        line.under_way.pop(key, None)
        line.per_run = record["n_rounds"]
        line.played[0] += record["n_rounds"]
        line.played[1] += round((1 - record["error"]) * record["n_rounds"])
        line.seconds += record["seconds"]

    def failed(self, key: str, why: str) -> None:
        """Take note of a run that has no record, and say so."""
        self.line_of[key].under_way.pop(key, None)
        self._print(f"failed {why}")

    def print_under_way(self) -> None:
        """Print a line about each learner that is under way."""
        self.printed = time.monotonic()
        for line in list(self.lines.values()):
            if line.under_way:
                self._print(_sentence(line))

    def ended(self, key: str, record: Record) -> None:
        """Take note of a run that has ended, and without a terminal say so."""
        self.end(key, record)
        if not self.moves:
            self._print(_sentence(self.line_of[key]))

    def _print(self, text: str) -> None:
        self.console.print(text, highlight=False, soft_wrap=True, markup=False)

    def table(self) -> Table:
        """Return a line for each learner and stream."""
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


def _sentence(line: Line) -> str:
    rate, error, left = line.cells()
    more = f", {left} left" if left else ""
    runs = f"{line.done} of {line.runs} runs"
    return f"{line.stream}  {line.name}: {runs}, error {error}, {rate} rounds/s{more}"


def _clock(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
