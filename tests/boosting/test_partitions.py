"""Partitions are numbered in their order."""

import numpy as np

from onearm.boosting.partitions import different, find, n_entries, n_partitions, number_of, ways


def test_partitions():
    """Those of one sum are numbered in their order; entries are the different parts."""
    assert np.cumsum(n_partitions(100, 6)).tolist() == [1, 2, 4, 7, 12, 19, 30]
    assert (sum(n_partitions(3, 100)), sum(n_partitions(100, 30))) == (30_787, 28_629)
    for k, N in ((1, 3), (2, 6), (3, 8), (9, 9)):
        number, entries = ways(k, N), 0
        values, counts = np.empty(k + 1, int), np.empty(k + 1, int)
        for t in range(N + 1):
            listed = []
            for i in range(n_partitions(k, N)[t]):
                parts = np.empty(k, int)
                find(i, t, number, parts)
                assert number_of(parts, t, number) == i
                m = different(parts, k, values, counts)
                assert np.array_equal(
                    [values[:m], counts[:m]], np.unique(parts, return_counts=True)
                )
                entries += m
                listed.append(tuple(parts))
            assert listed == sorted(set(listed))
            assert all(sum(parts) == t and parts == tuple(sorted(parts)[::-1]) for parts in listed)
        assert entries == n_entries(k, N)
