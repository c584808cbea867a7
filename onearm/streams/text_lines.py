"""Lines of a text file, compressed or not; counts and lists in words."""

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


def counted(n: int, what: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "row"), counted(2000, "row")
    ('1 row', '2,000 rows')
    """
    return f"{n:,} {what}" if n == 1 else f"{n:,} {what}s"


def listed(words: Any, most: int = 8, show: Callable[[Any], str] = repr) -> str:
    """Return the first few words of many in quotes, or as `show` formats them."""
    words = list(words)
    rest = f", … ({len(words):,} in all)" if len(words) > most else ""
    return ", ".join(show(word) for word in words[:most]) + rest
