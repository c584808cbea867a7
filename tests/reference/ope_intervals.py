"""Intervals of per-event terms in plain Python: definitions, integrals and bisection."""

import math
from itertools import accumulate
from statistics import NormalDist, mean, stdev


def gaussian(x, alpha):
    half = NormalDist().inv_cdf(1 - alpha / 2) * stdev(x) / math.sqrt(len(x))
    return mean(x) - half, mean(x) + half


def snips(w, r, alpha):
    """Variance mean(w² (r - V)²)/(n mean(w)²)."""
    V = sum(a * b for a, b in zip(w, r, strict=True)) / sum(w)
    var = mean(a * a * (b - V) ** 2 for a, b in zip(w, r, strict=True)) / (len(w) * mean(w) ** 2)
    half = NormalDist().inv_cdf(1 - alpha / 2) * math.sqrt(var)
    return V - half, V + half


def ratio_plus_mean(num, den, added, alpha):
    """The delta method as it is taught: gradient and covariance matrix of three means."""
    columns, n = (num, den, added), len(num)
    a, b, c = map(mean, columns)
    gradient = 1 / b, -a / b**2, 1.0
    var = 0.0
    for g, x in zip(gradient, columns, strict=True):
        for h, y in zip(gradient, columns, strict=True):
            centred = ((u - mean(x)) * (v - mean(y)) for u, v in zip(x, y, strict=True))
            var += g * h * mean(centred) / n
    half = NormalDist().inv_cdf(1 - alpha / 2) * math.sqrt(var)
    return a / b + c - half, a / b + c + half


def empirical_bernstein(x, low, high, alpha):
    n, log = len(x), math.log(4 / alpha)
    half = math.sqrt(2 * stdev(x) ** 2 * log / n) + 7 * (high - low) * log / (3 * (n - 1))
    return max(low, mean(x) - half), min(high, mean(x) + half)


def clopper_pearson(successes, n, alpha):
    """The p at which so many successes, or more extreme numbers, have probability α/2."""

    def tail(p, numbers):
        return sum(math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in numbers)

    at_least, at_most = range(successes, n + 1), range(successes + 1)
    low = 0.0 if successes == 0 else bisect(lambda p: tail(p, at_least) < alpha / 2, 0, 1)
    high = 1.0 if successes == n else bisect(lambda p: tail(p, at_most) > alpha / 2, 0, 1)
    return low, high


def bisect(below, low, high):
    """The number up to which `below` is true."""
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) else (low, middle)
    return low


def poisson_counts(n, bits):
    """n numbers of Poisson(1), four from each 64 bits, the lowest 16 first."""
    counts = []
    while len(counts) < n:
        z = int(bits())
        for _ in range(4):
            u, z, k = (z % 2**16 + 0.5) / 2**16, z // 2**16, 0
            while u > sum(math.exp(-1) / math.factorial(j) for j in range(k + 1)):
                k += 1
            counts.append(k)
    return counts[:n]


def quantile(values, q):
    """Linear between the two nearest."""
    values, at = sorted(values), q * (len(values) - 1)
    i = min(int(at), len(values) - 2)
    return values[i] + (at - i) * (values[i + 1] - values[i])


def log_mixture(s, v, points=2000):
    """ln ∫ exp(λ s - ψ(λ) v) f(λ) dλ, f(λ) = e^{-(1-λ)}/(1 - 1/e) on [0, 1], by Simpson's rule.

    With λ = 1 - e^{-z}, ψ(λ) = z - λ, and the integrand is smooth: its peak is 1/√(v+1) wide.
    """
    peak, width = math.log1p(s / (v + 1)), 1 / math.sqrt(v + 1)
    low, high = max(0.0, peak - 12 * width), peak + 40 * width
    h, logs = (high - low) / points, []
    for z in (low + i * h for i in range(points + 1)):
        lam = -math.expm1(-z)
        logs.append(lam * s - (z - lam) * v - (1 - lam) - z)  # dλ = e^{-z} dz
    top = max(logs)
    weights = [1, *([4, 2] * points)[: points - 1], 1]
    total = sum(w * math.exp(y - top) for w, y in zip(weights, logs, strict=True))
    return top + math.log(total * h / 3) - math.log(1 - math.exp(-1))


def guesses(x, k):
    """ξ and ξ̂ of terms ≥ -k."""
    xi = [term / (k + 1) for term in x]
    before = [0.0, *accumulate(xi)]
    xihat = [min((0.5 / (k + 1) + before[t]) / (t + 1), 1 / (k + 1)) for t in range(len(x))]
    return xi, xihat


def lower_sequence(x, k, alpha, t):
    """The μ in [-k, 1] up to which the mixture of the first t terms is at least 1/α."""
    xi, xihat = guesses(x[:t], k)
    v = sum((a - b) ** 2 for a, b in zip(xi, xihat, strict=True))

    def refused(mu):
        s = sum(xi) - t * mu / (k + 1)
        return s > 0 and log_mixture(s, v) >= math.log(1 / alpha)

    return bisect(refused, -k, 1.0) if refused(-k) else -k


def bets(x, alpha):
    """λ_i, from the terms before i."""
    lam = []
    for i in range(1, len(x) + 1):
        m = [(0.5 + sum(x[: j + 1])) / (j + 2) for j in range(i - 1)]
        s2 = (0.25 + sum((a - b) ** 2 for a, b in zip(x[: i - 1], m, strict=True))) / i
        lam.append(min(0.5, math.sqrt(2 * math.log(2 / alpha) / (s2 * i * math.log(i + 1)))))
    return lam


def betting_lower(x, alpha, t):
    """The μ up to which the largest of the first t products is at least 2/α."""
    lam = bets(x[:t], alpha)

    def refused(mu):
        products = accumulate((1 + b * (a - mu) for a, b in zip(x[:t], lam, strict=True)), mul)
        return max(products) >= 2 / alpha

    return bisect(refused, 0.0, 1.0) if refused(0.0) else 0.0


def mul(a, b):
    return a * b
