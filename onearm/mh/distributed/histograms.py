"""The full search by messages: the sums of many columns at once, added up over blocks of rows."""

from itertools import pairwise

import numpy as np

from onearm.core.kernels import kernel_without_refcounts
from onearm.mh.full_search import collect_signed, search_signed

AT_ONCE = 2**23  # numbers in a message, about: 64 MB


def spans(searched: np.ndarray, places: np.ndarray, K: int) -> list[tuple[int, int]]:
    """Cut columns into spans, first and last + 1, whose sums by code go into one answer."""
    upto = np.cumsum(places[searched + 1] - places[searched]) * K
    ends = np.flatnonzero(np.diff(upto // AT_ONCE)) + 1
    cuts = [0, *ends.tolist(), len(searched)]
    return list(pairwise(cuts))


@kernel_without_refcounts
def gather(searched, at, node, columns, S, by_code, counts):
    """Collect columns, with the codes of one after those of the other."""
    places, begin = columns[5], 0
    for a in range(len(searched)):
        j = searched[a]
        end = begin + places[j + 1] - places[j]
        collect_signed(j, at, node, columns, S, by_code[begin:end], counts[begin:end])
        begin = end


@kernel_without_refcounts
def search_gathered(searched, node, columns, total, by_code, n, counts, gammas):
    """The largest γ of each of these columns."""
    places, begin = columns[5], 0
    for a in range(len(searched)):
        j = searched[a]
        end = begin + places[j + 1] - places[j]
        sums, rows = by_code[begin:end], counts[begin:end]
        gammas[a] = search_signed(j, node, columns, total, sums, n, rows)
        begin = end
