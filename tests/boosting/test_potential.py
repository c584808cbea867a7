"""Potentials: the table, the closed form, a plain recursion and all possible votes agree."""

import math

import numpy as np
import pytest

from onearm.boosting.circle import circle
from onearm.boosting.partitions import n_entries, n_partitions, ways
from onearm.boosting.potential import LARGEST, expected_costs, fill, potential, vote
from onearm.core.kernels import interpreted
from tests.reference.potential import Potential, convolved, enumerated

TIES = ["strict", "random", "lenient"]


def without_table(k, N, gamma, ties):
    """What the kernels take where a table would be too large."""
    return np.empty(0, np.int32), np.empty(0), circle(k, N, gamma, ties)


def histogram(votes, n):
    return np.bincount(votes, minlength=votes.sum() + n + 2)


def walk(votes, table, n=0):
    """The first entry of the partition of these votes."""
    p, walked = 0, np.zeros_like(votes)
    count = histogram(walked, votes.sum() + n)
    for label in np.repeat(np.arange(len(votes)), votes):
        p = vote(label, walked, count, p, table)
    assert (walked == votes).all()
    assert (count == histogram(votes, n)).all()
    return p


def by_table(n, s, gamma, ties):
    """φ of every label."""
    table = potential(len(s), n + int(s.sum()), gamma, ties)
    return table[1][walk(s, table) + np.unique(s, return_inverse=True)[1]]


def matrix(n, s, form, p=0):
    """C[l, r] = φʳ_n(s + e_l)."""
    units = np.eye(len(s))
    return np.column_stack([expected_costs(s, histogram(s, n), g, n, p, form) for g in units])


def by_closed_form(n, s, gamma, ties):
    """φ of every label: the mean over the next vote, or what the last one led to."""
    k = len(s)
    form = without_table(k, n + int(s.sum()), gamma, ties)
    if n == 0:
        last = np.eye(k, dtype=int)[s.argmax()]
        return matrix(0, s - last, form)[s.argmax()]
    after = matrix(n - 1, s, form)
    return (1 - gamma) / k * after.sum(axis=0) + gamma * np.diag(after)


def some_votes(k, most, n_examples, seed):
    rng = np.random.default_rng(seed)
    tops = rng.integers(1, most + 2, n_examples)
    votes = [rng.integers(0, top, k) for top in tops]
    return [s for s in votes if s.any()]


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize(("k", "n"), [(2, 0), (2, 1), (2, 6), (3, 0), (3, 2), (3, 5), (4, 4)])
def test_equals_the_sum_over_all_votes(k, n, ties):
    for gamma in (0.0, 0.1, 0.7):
        for s in some_votes(k, 3, 4, seed=n):
            exact = [enumerated(n, s, r, gamma, ties) for r in range(k)]
            for form in (by_table, by_closed_form):
                np.testing.assert_allclose(form(n, s, gamma, ties), exact, rtol=0, atol=1e-12)


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("k", [2, 3, 5, 10])
def test_equals_the_recursion(k, ties):
    for gamma in (0.0, 0.1, 1.0):
        plain = Potential(k, gamma, ties)
        for n in (0, 1, 4, 9):
            for s in some_votes(k, 2 if k > 5 else 4, 2, seed=n):
                expected = [plain(n, s, r) for r in range(k)]
                few = n_entries(k, n + s.sum()) < 5000
                for form in (by_table, by_closed_form) if few else (by_closed_form,):
                    phi = form(n, s, gamma, ties)
                    np.testing.assert_allclose(phi, expected, rtol=0, atol=1e-12)
                    assert ((phi > -1e-12) & (phi < 1 + 1e-12)).all()


@pytest.mark.parametrize("ties", TIES)
def test_closed_form_is_the_mean_over_the_next_vote(ties):
    k, n, gamma = 12, 35, 0.1
    s = np.array([2, 1, 1] + [0] * (k - 3))
    after = [by_closed_form(n, s + e, gamma, ties) for e in np.eye(k, dtype=int)]
    mean = (1 - gamma) / k * np.sum(after, axis=0) + gamma * np.diag(after)
    np.testing.assert_allclose(by_closed_form(n + 1, s, gamma, ties), mean, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("k", "n", "known"),
    [(26, 20, 0.55445), (26, 30, 0.42979), (26, 40, 0.32923), (26, 50, 0.25042), (10, 50, 0.32912)],
)
def test_known_values(k, n, known):
    """From a program that was written before and apart from this one; five digits of each."""
    s = np.zeros(k, int)
    assert by_closed_form(n, s, 0.1, "random")[0] == pytest.approx(known, abs=5e-6)
    if n == 20:
        assert by_table(n, s, 0.1, "random")[0] == pytest.approx(known, abs=5e-6)
        assert Potential(k, 0.1)(n, s, 0) == pytest.approx(known, abs=5e-6)


def test_known_value_amid_a_vote():
    s = np.array([2, 1, 0, 1, 0])
    for form in (by_table, by_closed_form):
        assert form(8, s, 0.1, "random")[0] == pytest.approx(0.342423, abs=5e-7)


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize(
    ("k", "n", "gamma"),
    [(5, 8, 0.1), (26, 50, 0.1), pytest.param(100, 120, 0.2, marks=pytest.mark.compiled)],
)
def test_equals_simulated_votes(k, n, gamma, ties):
    """40,000 votes; a mean is off by 5 standard errors with a chance of 6 in 10⁷."""
    rng, T = np.random.default_rng(7), 40_000
    s = np.zeros(k, int)
    s[:4] = [2, 1, 0, 3]
    u = np.full(k, (1 - gamma) / k)
    u[0] += gamma
    final = s + rng.multinomial(n, u, size=T)
    others = final[:, 1:].max(axis=1)
    tied = (final == final[:, :1]).sum(axis=1)
    at_random = rng.random(T) * tied < 1  # 1 of `tied` labels wins
    ties_won = {"strict": False, "random": at_random, "lenient": True}[ties]
    won = (final[:, 0] > others) | ((final[:, 0] == others) & ties_won)
    phi = by_closed_form(n, s, gamma, ties)[0]
    assert abs((1 - won.mean()) - phi) < 5 * math.sqrt(phi * (1 - phi) / T)


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize(("k", "N"), [(2, 7), (4, 9), (12, 6)])
def test_expected_costs_are_the_matrix_times_g(k, N, ties):
    rng = np.random.default_rng(k)
    plain = Potential(k, 0.3, ties)
    table, no_table = potential(k, N, 0.3, ties), without_table(k, N, 0.3, ties)
    p, votes, count = 0, np.zeros(k, int), histogram(np.zeros(k, int), N)
    for n in range(N - 1, -1, -1):
        C = plain.matrix(n, votes)
        for g in (
            np.eye(k)[rng.integers(k)],
            rng.normal(size=k),
            1 - 1000.0 * rng.integers(0, 2, k),
        ):
            size_of_g = abs(g).sum()
            for form, at in ((table, p), (no_table, 0)):
                chat = expected_costs(votes, count, g, n, at, form)
                np.testing.assert_allclose(chat, C @ g, rtol=0, atol=1e-13 * size_of_g)
        label = int(rng.integers(min(k, 3)))
        assert vote(label, votes.copy(), count.copy(), 0, no_table) == 0
        p = vote(label, votes, count, p, table)
    assert votes.sum() == N


@pytest.mark.compiled
def test_a_large_table():
    """φ is a chance; it is least where r itself gets the next vote, and it keeps the bound."""
    k, N, gamma = 100, 30, 0.1
    step, phi, _ = table = potential(k, N, gamma, "random")
    assert len(step) == n_entries(k, N) == 137_979
    assert ((phi >= 0) & (phi <= 1)).all()
    assert phi[0] <= (k - 1) * math.exp(-(gamma**2) * N / 2)
    rng = np.random.default_rng(2)
    for played in range(N):
        s = rng.multinomial(played, rng.dirichlet(np.full(k, 0.1)))
        C = matrix(N - 1 - played, s, table, walk(s, table, N - played))
        assert (np.diag(C) <= C.min(axis=0) + 1e-12).all()


@pytest.mark.compiled
@pytest.mark.parametrize("ties", TIES)
def test_a_long_vote(ties):
    k, N, gamma = 100, 200, 0.1
    rng = np.random.default_rng(3)
    assert len(potential(k, N, gamma, ties)[0]) == 0
    for played in (0, 1, 40, 120, 199):
        n = N - 1 - played
        s = np.bincount(rng.choice(k, played, p=rng.dirichlet(np.full(k, 0.3))), minlength=k)
        phi = by_closed_form(n, s, gamma, ties)
        assert ((phi > -1e-12) & (phi < 1 + 1e-12)).all()
        for label in (s.argmax(), s.argmin(), 5):
            after = by_closed_form(n, s + np.eye(k, dtype=int)[label], gamma, ties)
            rises = after - phi
            assert rises[label] <= 1e-12
            assert np.delete(rises, label).min() >= -1e-12


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("gamma", [0.2, 0.5, 0.9])
def test_bound(gamma, ties):
    """φ_N(0) ≤ (k-1)·exp(-γ²N/2), by Hoeffding's inequality for each rival."""
    for k, N in ((2, 30), (26, 60)):
        phi = by_closed_form(N, np.zeros(k, int), gamma, ties)[0]
        assert 0 <= phi <= (k - 1) * math.exp(-(gamma**2) * N / 2) + 1e-13


@pytest.mark.compiled
@pytest.mark.parametrize(("k", "N"), [(2, 300), (3, 100), (100, 30)])
def test_forms_agree_in_long_votes(k, N):
    rng = np.random.default_rng(N)
    for gamma, ties in ((0.05, "random"), (0.5, "strict"), (0.95, "lenient")):
        table, no_table = potential(k, N, gamma, ties), without_table(k, N, gamma, ties)
        p, votes, chances = 0, np.zeros(k, int), rng.dirichlet(np.full(k, 0.5))
        count = histogram(votes, N)
        for n in range(N - 1, -1, -1):
            g = rng.normal(size=k)
            if n % 7 == 0:
                expected = expected_costs(votes, count, g, n, p, table)
                chat = expected_costs(votes, count, g, n, 0, no_table)
                np.testing.assert_allclose(chat, expected, rtol=0, atol=1e-12 * abs(g).sum())
            p = vote(rng.choice(k, p=chances), votes, count, p, table)


@pytest.mark.compiled
@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize(("k", "N"), [(4, 80), (6, 100), (10, 60), (17, 100), (30, 100)])
def test_equals_sums_of_positive_terms(k, N, ties):
    """Votes of many labels: spread out, and gathered on a few."""
    rng = np.random.default_rng(k + N)
    form = potential(k, N, 0.1, ties)
    for played, evenness in ((0, 1.0), (N // 3, 0.2), (N // 2, 5.0), (N - 8, 0.3), (N - 1, 1.0)):
        s = rng.multinomial(played, rng.dirichlet(np.full(k, evenness)))
        p = walk(s, form, N - played)
        label, r = rng.integers(k), int(s.argmax() if played % 2 else rng.integers(k))
        n, after = N - 1 - played, s + np.eye(k, dtype=int)[label]
        costs = expected_costs(s, histogram(s, n), np.eye(k)[r], n, p, form)
        assert costs[label] == pytest.approx(convolved(n, after, r, 0.1, ties), abs=1e-12)


@pytest.mark.parametrize("ties", TIES)
def test_sums_of_positive_terms_equal_the_recursion(ties):
    for k, n in ((2, 7), (3, 0), (5, 6)):
        plain = Potential(k, 0.3, ties)
        for s in some_votes(k, 3, 4, seed=k):
            for r in range(k):
                assert convolved(n, s, r, 0.3, ties) == pytest.approx(plain(n, s, r), abs=1e-13)


def test_tables_are_cached_and_large_ones_not_made():
    assert potential(4, 6, 0.1, "random") is potential(4, 6, 0.1, "random")
    assert n_entries(100, 50) > LARGEST
    small, large = potential(4, 6, 0.1, "random"), potential(100, 50, 0.1, "strict")
    assert len(large[0]) == len(large[1]) == 0
    flat = [[*form[:2], *form[2]] for form in (small, large)]
    for first, second in zip(*flat, strict=True):  # one type, so compiled once
        assert (first.dtype, first.ndim) == (second.dtype, second.ndim)


@pytest.mark.compiled
@pytest.mark.parametrize("ties", TIES)
def test_compiled_equals_plain(ties):
    """To the bit, all of it."""
    k, N, gamma = 7, 11, 0.1
    rng = np.random.default_rng(5)
    table, no_table = potential(k, N, gamma, ties), without_table(k, N, gamma, ties)
    step, phi = np.full_like(table[0], -1), np.zeros_like(table[1])
    t = np.arange(1, k + 1)
    won = {"strict": 1.0 * (t == 1), "random": 1 / t, "lenient": np.ones(k)}[ties]
    first = np.concatenate([[0], np.cumsum(n_partitions(k, N))])
    interpreted(fill)(step, phi, first, ways(k, N), k, won, gamma)
    assert np.array_equal(step, table[0])
    assert np.array_equal(phi, table[1])
    p, votes, count = 0, np.zeros(k, int), histogram(np.zeros(k, int), N)
    for n in range(N - 1, -1, -1):
        g = rng.normal(size=k)
        for form, at in ((table, p), (no_table, 0)):
            chat = expected_costs(votes, count, g, n, at, form)
            assert np.array_equal(chat, interpreted(expected_costs)(votes, count, g, n, at, form))
        label = int(rng.integers(k))
        by_plain = interpreted(vote)(label, votes.copy(), count.copy(), p, table)
        p = vote(label, votes, count, p, table)
        assert by_plain == p
