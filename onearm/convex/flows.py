"""Unit flows through a graph: mixtures of paths."""

from typing import Any

import numpy as np
from scipy.linalg import null_space

from onearm.convex.sets import Set


class Flows(Set):
    """Unit flows from a source to a sink of an acyclic graph, given by its edges (from, to)."""

    def __init__(self, edges: Any, source: int, sink: int) -> None:
        self.edges = np.asarray(edges, np.int64).reshape(-1, 2)
        self.source, self.sink = source, sink
        self.order = topological(self.edges)
        into, out = self._paths(self.edges, source), self._paths(self.edges[:, ::-1], sink)
        if into[sink] == 0:
            raise ValueError(f"there must be a path from source {source!r} to sink {sink!r}")
        self.centre = into[self.edges[:, 0]] * out[self.edges[:, 1]] / into[sink]
        used = self.centre > 0
        nodes = np.unique(self.edges[used])
        constraints = np.array(
            [(self.edges[used, 0] == u) * 1.0 - (self.edges[used, 1] == u) for u in nodes]
        )
        free = null_space(constraints)
        self.basis = np.zeros((len(self.edges), free.shape[1]))
        self.basis[used] = free
        self.n, self.inner = free.shape[1], float(self.centre[used].min())
        longest = -self._cheapest(-np.ones(len(self.edges)))[0][sink]
        self.diameter, self.width = (2 * longest) ** 0.5, 2.0 * longest

    def _paths(self, edges: np.ndarray, start: int) -> np.ndarray:
        """How many paths lead from start to each node; edges as given, or all turned round."""
        turned = not np.array_equal(edges, self.edges)
        count = np.zeros(len(self.order))
        count[start] = 1
        for u in self.order[::-1] if turned else self.order:
            for v in edges[edges[:, 0] == u, 1]:
                count[v] += count[u]
        return count

    def _cheapest(self, cost: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The least cost from the source to each node, and the last edge on the way there."""
        least, last = np.full(len(self.order), np.inf), np.full(len(self.order), -1)
        least[self.source] = 0.0
        for u in self.order:
            for e in np.flatnonzero(self.edges[:, 0] == u):
                v = self.edges[e, 1]
                if least[u] + cost[e] < least[v]:
                    least[v], last[v] = least[u] + cost[e], e
        return least, last

    def minimise(self, v: np.ndarray) -> np.ndarray:
        last, x, node = self._cheapest(v)[1], np.zeros(len(v)), self.sink
        while node != self.source:
            x[last[node]] = 1.0
            node = self.edges[last[node], 0]
        return x

    def contains(self, x: np.ndarray, slack: float = 1e-9) -> bool:
        net = np.zeros(len(self.order))
        np.add.at(net, self.edges[:, 0], x)
        np.add.at(net, self.edges[:, 1], -x)
        net[[self.source, self.sink]] -= (1, -1)
        return bool((x >= -slack).all() and np.abs(net).max() <= slack)

    def tangent(self, z: np.ndarray) -> np.ndarray:
        return self.basis @ (self.basis.T @ z)


def topological(edges: np.ndarray) -> np.ndarray:
    """The nodes 0 … in an order in which every edge leads on."""
    n = int(edges.max()) + 1
    waiting = np.bincount(edges[:, 1], minlength=n)
    order = list(np.flatnonzero(waiting == 0))
    for u in order:
        for v in edges[edges[:, 0] == u, 1]:
            waiting[v] -= 1
            if waiting[v] == 0:
                order.append(v)
    if len(order) < n:
        raise ValueError("edges must not lead round in a circle")
    return np.array(order)
