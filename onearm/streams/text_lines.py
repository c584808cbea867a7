"""Lines of a text file, compressed or not."""

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

PACKED: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
DAMAGED = (EOFError, OSError, lzma.LZMAError, zlib.error)  # what their readers raise


def lines(path: Path) -> Iterator[str]:
    """Yield the lines of a UTF-8 file with their ends."""
    packed = path.suffix.lower() in PACKED
    with PACKED.get(path.suffix.lower(), open)(path, "rt", encoding="utf-8-sig") as file:
        n = 0
        try:
            for line in file:
                n += 1
                yield line
        except UnicodeDecodeError as error:
            wrong = f"must be UTF-8 text, got byte {error.object[error.start]:#04x}"
            raise ValueError(f"{path.name}, after line {n}: {wrong}") from None
        except DAMAGED as error:
            if not packed:
                raise
            raise ValueError(f"{path.name} is damaged after line {n}: {error}") from None
