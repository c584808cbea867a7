"""Potentials of boost-by-majority: φʳ_n(s) is the chance that r is not the argmax of the votes s
after n more votes, each for r with chance (1-γ)/k + γ and for another label with (1-γ)/k.

Jung, Goetz, Tewari, Online multiclass boosting, NIPS 2017; Zhang, Jung, Tewari, Online multiclass
boosting with bandit feedback, AISTATS 2019. It depends only on the leads s_l - s_r of the others.
"""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import comb, exp, factorial, lgamma, log, prod

import numpy as np


class Potential:
    """The recursion over multisets of leads, memoised."""

    def __init__(self, k, gamma, ties="random"):
        self.b = (1 - gamma) / k
        self.a = self.b + gamma
        self.ties = ties
        self.memo = {}

    def __call__(self, n, s, r):
        return self.lost(n, Counter(int(v - s[r]) for label, v in enumerate(s) if label != r))

    def lost(self, n, leads):
        if max(leads) < -n:
            return 0.0
        if max(leads) > n:
            return 1.0
        if n == 0:
            return lost_tie(1 + leads[0], self.ties)
        clipped = Counter()  # who is further behind than n cannot catch up
        for lead, m in leads.items():
            clipped[max(lead, -(n + 1))] += m
        key = n, frozenset(clipped.items())
        if key not in self.memo:
            total = self.a * self.lost(n - 1, Counter({v - 1: m for v, m in clipped.items()}))
            for v, m in clipped.items():
                total += self.b * m * self.lost(n - 1, +(clipped + Counter([v + 1]) - Counter([v])))
            self.memo[key] = total
        return self.memo[key]

    def matrix(self, n, s):
        """C[l, r] = φʳ_n(s + e_l)."""
        unit = np.eye(len(s), dtype=int)
        return np.array([[self(n, s + e, r) for r in range(len(s))] for e in unit])


def lost_tie(j, ties):
    """The chance that a label loses when it is one of j labels with the most votes."""
    if ties == "strict":
        return float(j > 1)
    return 1 - 1 / j if ties == "random" else 0.0


def convolved(n, s, r, gamma, ties):
    """φ of long votes by adding up positive terms, so that nothing cancels.

    For each number of votes that r ends with, rivals get theirs one after the other:
    chance[v, t] is that of v votes for the rivals so far of whom t tie with r, none being ahead.
    Votes are Poisson with the means that they have; what n votes in all make of it is divided out.
    """
    b, won = (1 - gamma) / len(s), 0.0
    a, rest = b + gamma, b * (len(s) - 1)
    poisson = [exp(j * log(b * n) - b * n - lgamma(j + 1)) for j in range(n + 1)] if n else [1.0]
    for own_votes in range(n + 1):
        final, left = s[r] + own_votes, n - own_votes
        if max(s) > final:
            continue
        chance = np.zeros((left + 1, len(s)))
        chance[0, 0] = 1.0
        for rival in np.delete(s, r):
            after = np.zeros_like(chance)
            for j in range(min(final - rival - 1, left) + 1):
                after[j:] += poisson[j] * chance[: left + 1 - j]
            tie = final - rival
            if tie <= left:
                after[tie:, 1:] += poisson[tie] * chance[: left + 1 - tie, :-1]
            chance = after
        wins = [1 - lost_tie(1 + t, ties) for t in range(len(s))]
        whole = exp(left * log(rest * n) - rest * n - lgamma(left + 1)) if n else 1.0
        won += comb(n, own_votes) * a**own_votes * rest**left * float(chance[left] @ wins) / whole
    return 1 - won


def enumerated(n, s, r, gamma, ties):
    """φ in exact arithmetic, by running through all ways to give n votes to k labels."""
    k, lost = len(s), Fraction(0)
    gamma = Fraction(gamma)
    for draws in product(range(n + 1), repeat=k):
        if sum(draws) == n:
            ways = factorial(n) // prod(map(factorial, draws))
            chance = ((1 - gamma) / k + gamma) ** draws[r] * ((1 - gamma) / k) ** (n - draws[r])
            final = [int(v) + extra for v, extra in zip(s, draws, strict=True)]
            first = [label for label, v in enumerate(final) if v == max(final)]
            if r not in first:
                lost += ways * chance
            elif len(first) > 1 and ties != "lenient":
                lost += ways * chance * (1 if ties == "strict" else 1 - Fraction(1, len(first)))
    return float(lost)
