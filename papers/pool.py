"""Jobs on all cores, each in a process that was started afresh."""

import os
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from onearm.experiments.ledger import Ledger

CORES = len(os.sched_getaffinity(0))


def wanted(job: Sequence[Any], only: Sequence[str], *kinds: Iterable[str]) -> bool:
    """Whether a job was asked for: where names of a kind are, its own is among them."""
    pairs = zip(kinds, job, strict=False)
    return all(not set(kind) & set(only) or name in only for kind, name in pairs)


def everywhere(function: Callable[[Any], Any], jobs: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    """Give each job with its result, or with the exception that ended it, once it has ended.

    Left early, as by Ctrl-C, those that have not begun are forgotten; Ctrl-C ends the others too.
    """
    end_at_once: Any = {"initializer": signal.signal, "initargs": (signal.SIGINT, signal.SIG_DFL)}
    with ProcessPoolExecutor(CORES, get_context("spawn"), **end_at_once) as pool:
        asked = {pool.submit(function, job): job for job in jobs}
        try:
            for done in as_completed(asked):
                yield asked[done], done.exception() or done.result()
        finally:
            pool.shutdown(cancel_futures=True)


def play_all(
    play: Callable[[Any], dict[str, Any]], todo: Sequence[Any], path: Path,
    said: Callable[[dict[str, Any]], str], console: Console,
) -> list[str]:  # fmt: skip
    """Add the runs to the file as they end; return what went wrong, but raise if data lack."""
    failures, lacking = [], []
    columns = [TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()]
    columns += [TimeElapsedColumn(), TimeRemainingColumn()]
    with Ledger(path).writer() as write, Progress(*columns, console=console) as progress:
        task = progress.add_task("playing", total=len(todo))
        try:
            for job, result in everywhere(play, todo):
                if isinstance(result, FileNotFoundError):
                    lacking.append(result)
                if isinstance(result, BaseException):
                    failures.append(f"{job}: {type(result).__name__}: {result}")
                else:
                    write(result)
                    console.print(said(result), highlight=False, soft_wrap=True)
                progress.advance(task)
        except KeyboardInterrupt:
            failures.append("stopped before the end; the same command goes on from here")
    if lacking:
        raise lacking[0]
    return failures
