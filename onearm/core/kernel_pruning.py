"""Compiled kernels that were not used for 30 days are removed, once a day, by one process."""

import os
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

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
    """Give whether pruning is due and nobody else is at it; the stamp's time says when it was."""
    with stamp.open("ab") as file:
        if not _is_locked(file):
            yield False
            return
        empty = file.tell() == 0
        is_due = empty or time.time() - os.fstat(file.fileno()).st_mtime > DAY
        if is_due:
            file.write(b".") if empty else None
            os.utime(stamp)
        yield is_due


def _is_locked(file: BinaryIO) -> bool:
    """Take the lock of an open file, which ends when it is closed; False if another has it."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
