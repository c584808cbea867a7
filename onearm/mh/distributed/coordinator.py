"""Rounds on rows in blocks on other machines.

The same rounds are played as on local rows; only the kernels that touch rows are replaced by
messages to the blocks. The bandit, the generator, the factors of the labels and the sums stay here.
After each stage A is fetched: with the changes sent since then a lost block can be made again.

The rounds are run by Python here, and the kernels that compute in them are compiled as always.
"""

from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from onearm.core.kernels import compose, kernel_without_refcounts
from onearm.mh.binning import complete
from onearm.mh.products import add_term, fit_terms, product
from onearm.mh.random_trees import random_cut_of_bins, small_step, weight_of
from onearm.mh.rounds import best_step, boost
from onearm.mh.search import best_of_all, best_of_bins, largest_edge, search
from onearm.mh.trees import fit_leaf, split, tree
from onearm.mh.weights import rescale

MESSAGE = 2**23  # numbers in a message, about: 64 MB


class Coordinator:
    """Plays the rounds of a training whose rows are in blocks, reached by a transport: `Actors`."""

    def __init__(self, training: Any, transport: Any) -> None:
        self.training, self.transport = training, transport
        offsets = training.columns.offsets
        self.spans = message_spans(training.bandit.columns, offsets, training.K)
        self._best_of_all = compose(best_of_all, best_cut=self._best_cut)
        self._rescale_local = compose(rescale, multiply_out=self._multiply_out)
        columns = compose(search, best_cut=self._best_cut, full_search=self._full_search)
        terms = compose(
            fit_terms, search=columns, flip=self._flip, remove_term=self._remove_term,
            add_term=compose(add_term, flip=self._flip),
        )  # fmt: skip
        leaf = compose(fit_leaf, search=columns)
        trees = compose(tree, fit_leaf=leaf, split=compose(split, move=self._move))
        at_random = compose(search, best_cut=self._random_cut, node_weight=weight_of)
        random_trees = compose(trees, fit_leaf=compose(fit_leaf, search=at_random))
        rounds = compose(boost, step=best_step, reset=self._reset, rescale=self._rescale)
        signed, leaves = (partial(self._reweigh, f"reweigh_{by}") for by in ("signed", "leaves"))
        self.boosters = {
            "products": compose(rounds, fit=compose(product, fit_terms=terms), reweigh=signed),
            "trees": compose(rounds, fit=trees, reweigh=leaves),
            "random_trees": compose(rounds, step=small_step, fit=random_trees, reweigh=leaves),
        }

    def boost(self, kind: str, output: tuple, work: tuple) -> int:
        """Play rounds and fetch A."""
        rounds = self.boosters[kind](output, work, *self.training.model())
        A = self.training.weights.A
        for (begin, end), part in zip(self.transport.bounds, self.transport.ask("A"), strict=True):
            A[begin:end] = part
        self.transport.clear()
        return rounds

    def _add_up(self, *query: Any) -> tuple:
        """Return the sums of the answers of all blocks, which are arrays."""
        first, *others = self.transport.ask(*query)
        sums = tuple(map(np.array, first))
        for answer in others:
            for total, part in zip(sums, answer, strict=True):
                total += part
        return sums

    # In place of kernels that touch rows, with their arguments.

    def _best_cut(self, j, psi, leaf_of, node, total, weights, columns, scratch, rng):
        A, factors, positive, sums, before = weights
        _, below, full, members = scratch
        (by_bin,) = self._add_up("histogram", j, node)
        complete(j, total, columns, by_bin)
        return best_of_bins(j, node, total, factors, columns, (by_bin, below, full, members))

    def _random_cut(self, j, psi, leaf_of, node, total, weights, columns, scratch, rng):
        A, factors, positive, sums, before = weights
        _, below, full, members = scratch
        (by_bin,) = self._add_up("histogram", j, node)
        complete(j, total, columns, by_bin)
        return random_cut_of_bins(j, total, factors, columns, (by_bin, below, full, members), rng)

    def _full_search(self, psi, leaf_of, node, total, weights, columns, scratch, bandit, rng):
        A, factors, positive, sums, before = weights
        _, _, (_, _, _, gammas, _, _, votes), _ = scratch
        for begin, end in self.spans:
            searched = self.training.bandit.columns[begin:end]
            S, by_bin, n, counts = self._add_up("signed_histograms", node, *factors, searched)
            sums = S, by_bin, n[0], counts
            largest_edges(searched, node, columns, sums, gammas[begin:end], votes[0])
        return self._best_of_all(psi, leaf_of, node, total, weights, columns, scratch, bandit, rng)

    def _flip(self, j, lo, hi, psi, columns):
        self.transport.change("flip", j, lo, hi)

    def _remove_term(self, j, lo, hi, psi, total, weights, columns):
        self.transport.change("flip", j, lo, hi)
        (total[:],) = self._add_up("totals")

    def _move(self, j, lo, hi, leaf, new, leaf_of, columns, scratch):
        self.transport.change("move", j, lo, hi, leaf, new)

    def _reset(self, psi, leaf_of):
        self.transport.change("reset")

    def _reweigh(self, change, psi, leaf_of, positive_factor, negative_factor, weights):
        self.transport.change(change, positive_factor.copy(), negative_factor.copy())

    def _multiply_out(self, plus, minus, weights):
        self.transport.change("multiply_out", plus.copy(), minus.copy())

    def _rescale(self, weights):
        self._rescale_local(weights)
        (self.training.weights.sums[:],) = self._add_up("sums")


def message_spans(searched: np.ndarray, offsets: np.ndarray, K: int) -> list[tuple[int, int]]:
    """Divide columns into spans, first and last + 1, whose sums by bin fit into one message."""
    upto = np.cumsum(offsets[searched + 1] - offsets[searched]) * K
    ends = np.flatnonzero(np.diff(upto // MESSAGE)) + 1
    return list(pairwise([0, *ends.tolist(), len(searched)]))


@kernel_without_refcounts
def largest_edges(searched, node, columns, sums, gammas, votes):
    """The largest γ of each of these columns, whose bins follow one another."""
    total, by_bin, n, counts = sums
    entries, (common, first, offsets), exact = columns
    begin = 0
    for a in range(len(searched)):
        j = searched[a]
        end = begin + offsets[j + 1] - offsets[j]
        part, rows = by_bin[begin:end], counts[begin:end]
        gammas[a] = largest_edge(j, node, columns, total, part, n, rows, votes)
        begin = end
