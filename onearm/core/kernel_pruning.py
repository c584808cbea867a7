"""Compiled kernels that were not used for 30 days are removed, once a day, by one process."""

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from onearm.core.locking import lock_file

DAY = 86400.0
UNUSED = 30 * DAY


def mark_used(file: Path) -> None:
    """Note in the file's time that it is in use; once a day is enough."""
    with suppress(OSError):
        if time.time() - file.stat().st_mtime > DAY:
            os.utime(file)


def prune(root: Path) -> None:
    """Remove what was not used for 30 days, unless it was done today or another is at it."""
    with suppress(OSError), _alone(root / "kernels" / "pruned") as is_due:
        if is_due:
            files = (root / "kernels").glob("*-*.nbc*")
            for path in [*files, *root.glob("kernels-*")]:  # folders: of onearm 0.1
                with suppress(OSError):
                    _remove_unused(path)


def _remove_unused(path: Path) -> None:
    times = [inner.stat().st_mtime for inner in (path, *path.rglob("*"))]
    if time.time() - max(times) > UNUSED:
        shutil.rmtree(path) if path.is_dir() else path.unlink()


@contextmanager
def _alone(stamp: Path) -> Iterator[bool]:
    """Yield whether pruning is due and nobody else is at it; the stamp's time is the last time."""
    with stamp.open("ab") as file:
        if not lock_file(file.fileno()):
            yield False
            return
        empty = file.tell() == 0
        is_due = empty or time.time() - os.fstat(file.fileno()).st_mtime > DAY
        if is_due:
            file.write(b".") if empty else None
            os.utime(stamp)
        yield is_due
