"""Synthetic texts: a class has its keywords, among common words. Sparse and binary.

All rows are sampled by one generator in their order, so a stream does not depend on the size of
its chunks, and SynNonSep has the examples of the SynSep with the same seed.

S. Kakade, S. Shalev-Shwartz, A. Tewari. Efficient bandit algorithms for online multiclass
prediction. ICML 2008, section 5.
"""

import math

import numpy as np

from onearm.core.kernels import kernel
from onearm.core.rng import below, pick, seeded, uniform
from onearm.streams.chunks import GENERATED, Chunks, chunk_sizes
from onearm.streams.stream import Stream, require

# classes, keywords, how many of them a class has at least and at most, how many of those a text
# lacks, common words, and how many of them a text has
KAKADE = (9, 120, 20, 40, 5, 280, 20)


@kernel
def _vocabulary(least, most, rng, words, n_of):
    """Sample the number of keywords of each class, and which."""
    for c in range(len(n_of)):
        n_of[c] = least + below(most - least + 1, rng)
        pick(n_of[c], words[c], rng)


@kernel
def _texts(words, n_of, off, common, on, noise, wrong, unit, rng, rows, y):
    """Rows of text: the keywords of a class but `off` of them, and `on` of the common words."""
    starts, indices, values = rows
    k, n_words = words.shape
    present = np.zeros(n_words + len(common), np.bool_)
    end = 0
    for t in range(len(y)):
        c = below(k, rng)
        pick(off, words[c, : n_of[c]], rng)
        for i in range(off, n_of[c]):
            present[words[c, i]] = True
        pick(on, common, rng)
        for i in range(on):
            present[n_words + common[i]] = True
        value = 1.0 / math.sqrt(n_of[c] - off + on) if unit else 1.0
        for j in range(len(present)):
            if present[j]:
                present[j] = False
                indices[end], values[end] = j, value
                end += 1
        starts[t + 1] = end
        noisy = uniform(rng) < noise
        other = (c + 1 + below(k - 1, rng)) % k if wrong else below(k, rng)
        y[t] = other if noisy else c
    return end


def _text_stream(
    name: str, n_rows: int, sizes: tuple[int, ...], noise: float, wrong: bool, unit: bool, seed: int
) -> Stream:
    k, n_words, least, most, off, n_common, on = sizes
    require(
        n_rows=(n_rows >= 1, "at least 1", n_rows),
        n_classes=(k >= 2, "at least 2", k),
        scale=(least >= 1, "at least 1", least),
        noise=(0 <= noise <= 1, "in [0, 1]", noise),
    )

    def source() -> Chunks:
        from scipy.sparse import csr_array

        rng = seeded(seed, GENERATED)
        words, n_of = np.tile(np.arange(n_words), (k, 1)), np.empty(k, np.int64)
        common = np.arange(n_common)
        _vocabulary(least, most, rng, words, n_of)
        for n in chunk_sizes(n_rows):
            room = n * (most + on)
            rows = np.zeros(n + 1, np.int32), np.empty(room, np.int32), np.empty(room)
            y = np.empty(n, np.int64)
            end = _texts(words, n_of, off, common, on, noise, wrong, unit, rng, rows, y)
            starts, indices, values = rows
            shape = (n, n_words + n_common)
            yield csr_array((values[:end], indices[:end], starts), shape=shape), y

    return Stream(name, k, n_words + n_common, source, n_rows, has_words=True)


def SynSep(n_rows: int = 1_000_000, *, unit: bool = False, seed: int = 0) -> Stream:
    """Return the linearly separable texts of Kakade et al. 2008: k = 9, d = 400, binary.

    Each class owns 20 to 40 of 120 keywords; a text has those of its class but 5, and 20 of 280
    common words. `unit` scales every row to norm 1.

    >>> SynSep(1000).arrays()[0].shape
    (1000, 400)
    """
    return _text_stream("SynSep", n_rows, KAKADE, 0.0, False, unit, seed)


def SynNonSep(
    n_rows: int = 1_000_000, *, noise: float = 0.05, wrong: bool = False, unit: bool = False,
    seed: int = 0,
) -> Stream:  # fmt: skip
    """Return the texts of `SynSep`, where a share `noise` of the labels is resampled.

    They are sampled from all nine labels, or with `wrong` from the eight wrong ones.
    """
    return _text_stream("SynNonSep", n_rows, KAKADE, noise, wrong, unit, seed)


def Concatenated(
    n_rows: int = 10_000, n_classes: int = 24, scale: int = 2, *, noise: float = 0.0,
    unit: bool = False, seed: int = 0,
) -> Stream:  # fmt: skip
    """Return the generator of the RDUE paper: n' = `scale`, up to 96 classes, 40·n' bits.

    Class vectors of 10n' bits with n' to 5n' ones, then 30n' bits of which 5n' are ones; a share
    `noise` of the labels is resampled from all.
    """
    sizes = (n_classes, 10 * scale, scale, 5 * scale, 0, 30 * scale, 5 * scale)
    return _text_stream("Concatenated", n_rows, sizes, noise, False, unit, seed)
