"""Rounds on rows that lie elsewhere, in blocks.

The same rounds are played as on rows of one's own; only what touches rows is bound to what blocks
are told and asked. Here are the bandit, the generator, the factors of the labels and the sums. Once
in a while A is fetched: what blocks are told until then is all it takes to make one of them again.

The text of the rounds is run by Python here, and what computes in it is compiled as it always is.
"""

from typing import Any, Protocol

import numpy as np

from onearm.core.kernels import compose
from onearm.mh.distributed.histograms import search_gathered, spans
from onearm.mh.full_search import best_of_all
from onearm.mh.products import product, put_in
from onearm.mh.rounds import boost_products, boost_trees
from onearm.mh.search import search
from onearm.mh.stump import complete, scan
from onearm.mh.trees import attach, fit_leaf, tree
from onearm.mh.weights import rescale


class Carrier(Protocol):
    """What brings messages to blocks."""

    bounds: list[tuple[int, int]]  # the rows of each block, first and last + 1

    def change(self, *change: Any) -> None:
        """Let all blocks know of a change, with the next question at the latest."""

    def ask(self, *question: Any) -> list[Any]:
        """Return what each block answers."""

    def rest(self) -> None:
        """Forget the changes: what they led to is known here."""


class Coordinator:
    """Plays the rounds of a training whose rows have been carried away."""

    def __init__(self, training: Any, carrier: Carrier) -> None:
        self.training, self.carrier = training, carrier
        self.spans = spans(training.arms.columns, training.columns.places, training.K)
        self._full = compose(best_of_all, best_cut=self._best_cut)
        self._rescale = compose(rescale, multiply_out=self._multiply_out)
        self._rounds_of_products = compose(
            boost_products, product=self._product(), reset=self._reset, rescale=self._end,
            reweigh_signed=self._reweigh_signed,
        )  # fmt: skip
        self._rounds_of_trees = compose(
            boost_trees, tree=self._tree(), reset=self._reset, rescale=self._end,
            reweigh_leaves=self._reweigh_leaves,
        )  # fmt: skip

    def boost_products(self, *given: Any) -> int:
        return self._fetched(self._rounds_of_products(*given))

    def boost_trees(self, *given: Any) -> int:
        return self._fetched(self._rounds_of_trees(*given))

    def _search(self) -> Any:
        return compose(search, best_cut=self._best_cut, full_search=self._full_search)

    def _product(self) -> Any:
        return compose(
            product, search=self._search(), flip=self._flip, take_out=self._take_out,
            put_in=compose(put_in, flip=self._flip),
        )  # fmt: skip

    def _tree(self) -> Any:
        fitted = compose(fit_leaf, search=self._search())
        return compose(tree, fit_leaf=fitted, attach=compose(attach, move=self._move))

    def _fetched(self, rounds: int) -> int:
        A = self.training.weights.A
        for (begin, end), part in zip(self.carrier.bounds, self.carrier.ask("A"), strict=True):
            A[begin:end] = part
        self.carrier.rest()
        return rounds

    def _added(self, *question: Any) -> tuple:
        """The answers of all blocks, arrays, added up."""
        first, *others = self.carrier.ask(*question)
        sums = tuple(np.array(part) for part in first)
        for one in others:
            for total, part in zip(sums, one, strict=True):
                total += part
        return sums

    # In place of kernels that touch rows; they take what those take.

    def _best_cut(self, j, psi, at, node, total, weights, columns, by_code, below):
        (collected,) = self._added("collected", j, node)
        complete(j, total, columns, collected)
        return scan(j, node, total, weights, columns, collected, below)

    def _full_search(self, psi, at, node, total, weights, columns, room, arms, rng):
        gammas = room[2][3]
        for begin, end in self.spans:
            searched = arms[0][begin:end]
            S, by_code, n, counts = self._added("gathered", node, weights[1], weights[2], searched)
            search_gathered(searched, node, columns, S, by_code, n[0], counts, gammas[begin:end])
        return self._full(psi, at, node, total, weights, columns, room, arms)

    def _flip(self, j, hi, psi, columns):
        self.carrier.change("flip", j, hi)

    def _take_out(self, j, hi, psi, total, weights, columns):
        self.carrier.change("flip", j, hi)
        (total[:],) = self._added("totals")

    def _move(self, j, hi, leaf, new, at, columns):
        self.carrier.change("move", j, hi, leaf, new)

    def _reset(self, of_rows, value):
        self.carrier.change("reset")

    def _reweigh_signed(self, psi, more, less, weights):
        self.carrier.change("reweigh_signed", more.copy(), less.copy())

    def _reweigh_leaves(self, at, more, less, weights):
        self.carrier.change("reweigh_leaves", more.copy(), less.copy())

    def _multiply_out(self, plus, minus, weights):
        self.carrier.change("multiply_out", plus.copy(), minus.copy())

    def _end(self, weights):
        self._rescale(weights)
        (weights[6][:],) = self._added("sums")
