"""Unit flows through a graph: mixtures of paths."""

from functools import cached_property
from math import frexp, ldexp
from typing import Any

import numpy as np
from scipy.linalg import null_space

from onearm.convex.arguments import MOST, integer, real_array
from onearm.convex.convex_set import Set

NODES = 10**6  # at most


class Flows(Set):
    """Unit flows from a source to a sink of an acyclic graph, given by its edges (from, to)."""

    def __init__(self, edges: Any, source: int, sink: int) -> None:
        self.edges = edges_of(edges)
        n = int(self.edges.max()) + 1
        self.source, self.sink = (
            integer(name, node, 0, n - 1) for name, node in (("source", source), ("sink", sink))
        )
        if self.source == self.sink:
            raise ValueError(f"source must not be the sink, got {source!r} for both")
        self.leaving = edges_at(self.edges[:, 0], n)
        self.order = topological(self.edges, self.leaving)
        into = self._paths(self.edges, self.leaving, self.source, self.order)
        back, arriving = self.edges[:, ::-1], edges_at(self.edges[:, 1], n)
        out = self._paths(back, arriving, self.sink, self.order[::-1])
        if into[0][self.sink] == 0:
            raise ValueError(f"there must be a path from source {source!r} to sink {sink!r}")
        centre, self.used = self._shares(into, out)
        dimension = int(self.used.sum()) - len(np.unique(self.edges[self.used])) + 1
        inner = float(centre[self.used].min())
        longest = -self._cheapest(-np.ones(len(self.edges)))[0][self.sink]
        super().__init__(centre, dimension, inner, (2 * longest) ** 0.5, 2.0 * longest)

    @staticmethod
    def _paths(
        edges: np.ndarray, leaving: list[np.ndarray], start: int, order: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """How many paths lead from start to each node: m·2ᵉ, as there may be more than 10³⁰⁸."""
        m, exponent = [0.0] * len(order), [0] * len(order)
        m[start] = 1.0
        for u in order.tolist():
            for v in edges[leaving[u], 1].tolist() if m[u] else ():
                top = max(exponent[u], exponent[v]) if m[v] else exponent[u]
                total = ldexp(m[u], exponent[u] - top) + ldexp(m[v], min(exponent[v] - top, 0))
                m[v], more = frexp(total)
                exponent[v] = top + more
        return np.array(m), np.array(exponent)

    def _shares(self, into: tuple, out: tuple) -> tuple[np.ndarray, np.ndarray]:
        """The share of all paths that lead over each edge, and whether there is any."""
        u, v = self.edges.T
        m = into[0][u] * out[0][v] / into[0][self.sink]
        return np.ldexp(m, into[1][u] + out[1][v] - into[1][self.sink]), m > 0

    @cached_property
    def basis(self) -> np.ndarray:
        """Orthonormal columns that span the differences of flows."""
        used = self.used
        nodes = np.unique(self.edges[used])
        integer("nodes times edges, for directions along flows,", len(nodes) * int(used.sum()), 1)
        constraints = np.array(
            [(self.edges[used, 0] == u) * 1.0 - (self.edges[used, 1] == u) for u in nodes]
        )
        free = null_space(constraints)
        basis = np.zeros((len(self.edges), free.shape[1]))
        basis[used] = free
        return basis

    def _cheapest(self, cost: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The least cost from the source to each node, and the last edge on the way there."""
        least, last = np.full(len(self.order), np.inf), np.full(len(self.order), -1)
        least[self.source] = 0.0
        for u in self.order.tolist():
            for e in self.leaving[u]:
                v = self.edges[e, 1]
                if least[u] + cost[e] < least[v]:
                    least[v], last[v] = least[u] + cost[e], e
        return least, last

    def _minimise(self, v: np.ndarray) -> np.ndarray:
        last, x, node = self._cheapest(v)[1], np.zeros(len(v)), self.sink
        while node != self.source:
            x[last[node]] = 1.0
            node = self.edges[last[node], 0]
        return x

    def _contains(self, x: np.ndarray, slack: float) -> bool:
        net = np.zeros(len(self.order))
        np.add.at(net, self.edges[:, 0], x)
        np.add.at(net, self.edges[:, 1], -x)
        net[[self.source, self.sink]] -= (1, -1)
        return bool((x >= -slack).all() and np.abs(net).max() <= slack)

    def _tangent(self, z: np.ndarray) -> np.ndarray:
        return self.basis @ (self.basis.T @ z)


def edges_at(ends: np.ndarray, n: int) -> list[np.ndarray]:
    """The edges at each of n nodes, by the node at one of their ends."""
    last = np.cumsum(np.bincount(ends, minlength=n))[:-1]
    return np.split(np.argsort(ends, kind="stable"), last)


def edges_of(edges: Any) -> np.ndarray:
    """Pairs of nodes, (n, 2)."""
    array = real_array("edges", edges)
    if array.ndim != 2 or array.shape[1] != 2 or not 1 <= len(array) <= MOST:
        raise ValueError(f"edges must be pairs (from, to), one at least, got shape {array.shape}")
    wrong = array[~((array >= 0) & (array < NODES) & (array == np.floor(array)))]
    if wrong.size:
        raise ValueError(f"edges must be pairs of integers in [0, {NODES - 1}], got {wrong[0]}")
    return array.astype(np.int64)


def topological(edges: np.ndarray, leaving: list[np.ndarray]) -> np.ndarray:
    """The nodes 0 … in an order in which every edge leads on."""
    n = len(leaving)
    waiting = np.bincount(edges[:, 1], minlength=n)
    order = np.flatnonzero(waiting == 0).tolist()
    for u in order:
        for v in edges[leaving[u], 1].tolist():
            waiting[v] -= 1
            if waiting[v] == 0:
                order.append(v)
    if len(order) < n:
        stuck = int(np.flatnonzero(waiting)[0])
        raise ValueError(f"edges must not lead round in a circle, got one to node {stuck}")
    return np.array(order)
