"""How long the disk takes to have 4 KiB for certain: what every durable answer waits for."""

import os
import time
from pathlib import Path

import numpy as np

BLOCK = bytes(4096)


def fdatasync(folder: Path, n: int = 200) -> float:
    """Return the median milliseconds of n writes at the end of a file, each with its sync."""
    path, seconds = folder / "fdatasync", []
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        for _ in range(n):
            os.write(file, BLOCK)
            begin = time.perf_counter()
            os.fdatasync(file)
            seconds.append(time.perf_counter() - begin)
    finally:
        os.close(file)
        path.unlink()
    return float(1000 * np.median(seconds))
