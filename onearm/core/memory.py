"""How much memory an estimator may take: `onearm.max_bytes`, half of the machine's unless set."""

import math
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

import onearm

Shapes = dict[str, tuple[tuple[int, ...], Any]]  # of arrays by name: shape and dtype


def half_of_the_machine() -> int:
    """Return half of the memory of the machine, or of the container, in bytes."""
    if not hasattr(os, "sysconf"):  # Windows
        return 4 * 2**30
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with suppress(OSError, ValueError):  # where there is no limit
        memory = min(memory, int(Path("/sys/fs/cgroup/memory.max").read_text()))
    return memory // 2


def require_room(owner: str, shapes: Shapes, way_out: str) -> None:
    """Refuse arrays that take more than `onearm.max_bytes` together."""
    sizes = {
        name: math.prod(shape) * np.dtype(kind).itemsize for name, (shape, kind) in shapes.items()
    }
    total, most = sum(sizes.values()), onearm.max_bytes
    if total > most:
        largest = max(sizes, key=lambda name: sizes[name])
        raise ValueError(
            f"{owner} needs {gib(total)}, {gib(sizes[largest])} of it for {largest} of shape "
            f"{shapes[largest][0]}; onearm.max_bytes allows {gib(most)}: {way_out}"
        )


def gib(n_bytes: int) -> str:
    return f"{n_bytes / 2**30:.3g} GiB"
