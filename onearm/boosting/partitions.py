"""Partitions, numbered: what a vote can stand at, if labels of equally many votes are alike.

A partition has parts s₁ ≥ s₂ ≥ ... ≥ s_k ≥ 0, the votes of the labels. Partitions are numbered by
their sum, and those of one sum lexicographically, so the number of one is a sum of numbers of
smaller ones: where its i-th part is v, it comes after those that have less than v there and agree
before. An entry belongs to a partition and to one of its different parts, from the smallest up.
"""

import numpy as np

from onearm.core.kernels import kernel


def ways(k: int, N: int) -> np.ndarray:
    """ways[t, v, i]: the number of partitions of t into at most i parts, none larger than v."""
    number = np.zeros((N + 1, N + 1, k + 1), np.int64)
    number[0] = 1
    for t in range(1, N + 1):
        v = np.arange(1, t + 1)
        number[t, v, 1:] = np.cumsum(number[t - v, v, :-1], axis=0)  # by the largest part
        number[t, t + 1 :] = number[t, t]
    return number


def n_partitions(k: int, N: int) -> list[int]:
    """The number of partitions of 0, ..., N into at most k parts, or into parts up to k."""
    number = [1] + [0] * N
    for part in range(1, min(k, N) + 1):
        for t in range(part, N + 1):
            number[t] += number[t - part]
    return number


def n_entries(k: int, N: int) -> int:
    """The number of entries: k-1 parts of sum t-v are left when one is v."""
    left = n_partitions(k - 1, N)
    return sum((N + 1 - t) * left[t] for t in range(N + 1))


@kernel
def find(number, t, ways, parts):
    """Put into `parts` the partition of t with this number among those of t."""
    k, v = len(parts), t
    for i in range(k):
        while v > 0 and (v > t or ways[t, v - 1, k - i] > number):
            v -= 1
        parts[i] = v
        if v > 0:
            number -= ways[t, v - 1, k - i]
            t -= v


@kernel
def number_of(parts, t, ways):
    """The number of a partition of t among those of t."""
    k, number = len(parts), 0
    for i in range(k):
        if parts[i] == 0:
            break
        number += ways[t, parts[i] - 1, k - i]
        t -= parts[i]
    return number


@kernel
def different(parts, k, values, counts):
    """Put the different parts, from the smallest, into `values`; returns how many there are.

    counts[j] labels of k have values[j] votes; `parts` lacks zeros if k is larger than the sum.
    """
    m = 0
    if parts[-1] > 0 and k > len(parts):
        values[0], counts[0], m = 0, k - len(parts), 1
    for i in range(len(parts) - 1, -1, -1):
        if m > 0 and values[m - 1] == parts[i]:
            counts[m - 1] += 1
        else:
            values[m], counts[m] = parts[i], 1
            if parts[i] == 0:
                counts[m] += k - len(parts)
            m += 1
    return m
