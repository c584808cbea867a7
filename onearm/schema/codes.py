"""Codes of values and buckets of words: what categories and texts become."""

import math
import re
from collections import Counter
from collections.abc import Iterable
from itertools import chain
from typing import Any
from zlib import crc32

import numpy as np

from onearm.schema.column import CATEGORY, Column
from onearm.schema.values import as_text, as_word

WORD = re.compile(r"\w+")
STORED = 2**16  # texts of a column whose codes are stored; those of others are computed each time


class Codes(dict[Any, float]):
    """The code of a value: `codes[value]`; NaN if it is missing, and the spare code if unknown.

    Only texts are stored: 1, 1.0 and True are the same key of a dict, but not the same value.
    """

    def __init__(self, column: Column) -> None:
        super().__init__()
        self.is_hashed = column.kind != CATEGORY
        self.n_codes, self.salt = column.n_codes, crc32(column.name.encode())
        self.known = {word: float(code) for code, word in enumerate(column.values)}

    def code(self, value: Any) -> float:
        """Return the code of a value that is not stored, or cannot be."""
        word = as_word(value)
        if word in self.known:
            code = self.known[word]
        elif word is None:
            code = math.nan
        elif self.is_hashed:
            code = float(crc32(_bytes(word), self.salt) % self.n_codes)
        else:
            code = float(self.n_codes)
        if type(value) is str and len(self) < STORED:
            self[value] = code
        return code

    __missing__ = code


class Words(dict[str, int]):
    """The buckets of the words of a text, and how often each occurs."""

    def __init__(self, column: Column) -> None:
        super().__init__()
        self.n_buckets, self.salt = column.n_buckets, crc32(column.name.encode())

    def __missing__(self, word: str) -> int:
        bucket = crc32(_bytes(word), self.salt) % self.n_buckets
        if len(self) < STORED:
            self[word] = bucket
        return bucket

    def count(self, value: Any) -> list[tuple[int, int]]:
        """Return (bucket, number of words) of a text, buckets ascending."""
        words = WORD.findall(as_text(value).lower())
        return sorted(Counter(map(self.__getitem__, words)).items())

    def count_all(self, values: Iterable[Any]) -> Any:
        """Return the counts of many texts, a row of a sparse array for each."""
        from scipy.sparse import csr_array

        words = [WORD.findall(as_text(value).lower()) for value in values]
        ends = np.cumsum([0, *map(len, words)])
        at = np.fromiter(map(self.__getitem__, chain.from_iterable(words)), np.int64, ends[-1])
        counts = csr_array((np.ones(len(at)), at, ends), shape=(len(words), self.n_buckets))
        counts.sum_duplicates()
        return counts


def _bytes(word: str) -> bytes:
    return word.encode(errors="surrogatepass")
