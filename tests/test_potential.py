"""Potentials: the table, the closed form, a plain recursion and all possible votes agree."""

import math

import numpy as np
import pytest

from onearm.boosting.potential import (
    LARGEST,
    closed_form,
    expected_costs,
    fill,
    partitions,
    potential,
    quadrature,
    size,
    vote,
)
from onearm.kernels import interpreted
from tests.reference.potential import Potential, enumerated

TIES = ["strict", "random", "lenient"]


def without_table(k, gamma, ties):
    """What the kernels take where a table would be too large."""
    return np.empty((0, 0), np.int32), np.empty((0, 0)), *quadrature(k, ties), gamma


def walk(votes, table):
    """The partition of these votes."""
    p, walked = 0, np.zeros_like(votes)
    for label in np.repeat(np.arange(len(votes)), votes):
        p = vote(label, walked, p, table)
    assert (walked == votes).all()
    return p


def by_table(n, s, gamma, ties):
    """φ of every label."""
    table = potential(len(s), n + int(s.sum()), gamma, ties)
    return table[1][walk(s, table)][s]


def by_closed_form(n, s, gamma, ties):
    return closed_form(n, np.bincount(s), *quadrature(len(s), ties), gamma)[s]


def some_votes(k, most, n_examples, seed):
    rng = np.random.default_rng(seed)
    tops = rng.integers(1, most + 2, n_examples)
    return [rng.integers(0, top, k) for top in tops]


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
                few = size(k, n + s.sum()) < 1000
                for form in (by_table, by_closed_form) if few else (by_closed_form,):
                    phi = form(n, s, gamma, ties)
                    np.testing.assert_allclose(phi, expected, rtol=0, atol=1e-12)
                    assert ((phi >= 0) & (phi <= 1)).all()


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
    by_lot = rng.random(T) * tied < 1  # 1 of `tied` labels wins
    ties_won = {"strict": False, "random": by_lot, "lenient": True}[ties]
    won = (final[:, 0] > others) | ((final[:, 0] == others) & ties_won)
    phi = by_closed_form(n, s, gamma, ties)[0]
    assert abs((1 - won.mean()) - phi) < 5 * math.sqrt(phi * (1 - phi) / T)


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize(("k", "N"), [(2, 7), (4, 9), (12, 6)])
def test_expected_costs_are_the_matrix_times_g(k, N, ties):
    rng = np.random.default_rng(k)
    plain = Potential(k, 0.3, ties)
    table, no_table = potential(k, N, 0.3, ties), without_table(k, 0.3, ties)
    p, votes = 0, np.zeros(k, int)
    for n in range(N - 1, -1, -1):
        C = plain.matrix(n, votes)
        for g in (
            np.eye(k)[rng.integers(k)],
            rng.normal(size=k),
            1 - 1000.0 * rng.integers(0, 2, k),
        ):
            size_of_g = abs(g).sum()
            for form, at in ((table, p), (no_table, 0)):
                chat = expected_costs(votes, g, n, at, form)
                np.testing.assert_allclose(chat, C @ g, rtol=0, atol=1e-13 * size_of_g)
        label = int(rng.integers(min(k, 3)))
        assert vote(label, votes.copy(), 0, no_table) == 0
        p = vote(label, votes, p, table)
    assert votes.sum() == N


@pytest.mark.compiled
def test_a_large_table():
    """φ is a chance; it is least where r itself gets the next vote, and it keeps the bound."""
    k, N, gamma = 100, 30, 0.1
    step, phi, *_ = potential(k, N, gamma, "random")
    assert len(step) == 28_629
    assert np.isfinite(phi).all()
    assert ((phi >= 0) & (phi <= 1)).all()
    assert phi[0, 0] <= (k - 1) * math.exp(-(gamma**2) * N / 2)
    for p, v in np.argwhere(step >= 0)[::7]:
        for u in np.flatnonzero(step[p] >= 0):
            if u != v:
                assert phi[step[p, u], u + 1] <= phi[step[p, v], u] + 1e-12


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
        assert np.isfinite(phi).all()
        assert ((phi >= 0) & (phi <= 1)).all()
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
        table, no_table = potential(k, N, gamma, ties), without_table(k, gamma, ties)
        p, votes, chances = 0, np.zeros(k, int), rng.dirichlet(np.full(k, 0.5))
        for n in range(N - 1, -1, -1):
            g = rng.normal(size=k)
            if n % 7 == 0:
                expected = expected_costs(votes, g, n, p, table)
                chat = expected_costs(votes, g, n, 0, no_table)
                np.testing.assert_allclose(chat, expected, rtol=0, atol=1e-12 * max(k, 10))
            p = vote(rng.choice(k, p=chances), votes, p, table)


def test_partitions():
    """Every partition is reached, and by as many votes as its size; sizes are as counted."""
    assert [size(100, N) for N in range(7)] == [1, 2, 4, 7, 12, 19, 30]
    assert (size(2, 4), size(3, 100), size(100, 30)) == (9, 30_787, 28_629)
    for k, N in ((1, 3), (2, 6), (3, 8), (9, 9)):
        step = partitions(k, N)
        assert step.dtype == np.int32
        assert step.shape == (size(k, N), N + 1)
        assert set(step[step >= 0]) == set(range(1, len(step)))
        sums = np.zeros(len(step), int)
        for p, v in np.argwhere(step >= 0):
            assert sums[step[p, v]] in (0, sums[p] + 1)
            sums[step[p, v]] = sums[p] + 1
        assert sums.max() == N


def test_tables_are_kept_and_large_ones_not_made():
    assert potential(4, 6, 0.1, "random") is potential(4, 6, 0.1, "random")
    assert size(100, 40) * 41 > LARGEST
    small, large = potential(4, 6, 0.1, "random"), potential(100, 40, 0.1, "strict")
    assert len(large[0]) == len(large[1]) == 0
    for one, other in zip(small[:4], large[:4], strict=True):  # one type, so compiled once
        assert (one.dtype, one.ndim) == (other.dtype, other.ndim)


@pytest.mark.compiled
@pytest.mark.parametrize("ties", TIES)
def test_compiled_equals_plain(ties):
    """To the bit, all of it."""
    k, N, gamma = 7, 11, 0.1
    rng = np.random.default_rng(5)
    table, no_table = potential(k, N, gamma, ties), without_table(k, gamma, ties)
    phi = np.zeros_like(table[1])
    t = np.arange(1, k + 1)
    won = {"strict": 1.0 * (t == 1), "random": 1 / t, "lenient": np.ones(k)}[ties]
    interpreted(fill)(phi, table[0], k, won, gamma)
    assert np.array_equal(phi, table[1])
    p, votes = 0, np.zeros(k, int)
    for n in range(N - 1, -1, -1):
        g = rng.normal(size=k)
        for form, at in ((table, p), (no_table, 0)):
            chat = expected_costs(votes, g, n, at, form)
            assert np.array_equal(chat, interpreted(expected_costs)(votes, g, n, at, form))
        label = int(rng.integers(k))
        assert interpreted(vote)(label, votes.copy(), p, table) == table[0][p, votes[label]]
        p = vote(label, votes, p, table)
