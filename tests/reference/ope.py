"""Off-policy evaluation, event by event, in plain loops.

w = π(a|x)/p(a|x) is the weight of an event, r its reward, q(x, a) a reward model that has not seen
the event, q(x, π) = Σ_a π(a|x) q(x, a). Papers: Dudík and others 2011 (DR), Swaminathan and
Joachims 2015 (SNIPS), Wang and others 2017 (SWITCH), Su and others 2020 (DRos, choice of λ and τ),
Metelli and others 2021 (sub-Gaussian), Karampatziakis and others 2020 (Cressie-Read),
Waudby-Smith and others 2022 (terms bounded below), Li and others 2011 (replay).
"""

import math

import numpy as np


def mean(values):
    return math.fsum(values) / len(values)


def ips(w, r, q, q_pi, limit=None):
    return mean([a * b for a, b in zip(w, r, strict=True)])


def clipped_ips(w, r, q, q_pi, limit):
    return mean([min(a, limit) * b for a, b in zip(w, r, strict=True)])


def snips(w, r, q, q_pi, limit=None):
    return math.fsum(a * b for a, b in zip(w, r, strict=True)) / math.fsum(w)


def dm(w, r, q, q_pi, limit=None):
    return mean(q_pi)


def dr(w, r, q, q_pi, limit=None):
    return mean([d + a * (b - c) for a, b, c, d in zip(w, r, q, q_pi, strict=True)])


def sndr(w, r, q, q_pi, limit=None):
    rest = math.fsum(a * (b - c) for a, b, c in zip(w, r, q, strict=True))
    return mean(q_pi) + rest / math.fsum(w)


def switch_dr(w, r, q, q_pi, limit):
    return dr([a if a <= limit else 0.0 for a in w], r, q, q_pi)


def dros(w, r, q, q_pi, limit):
    return dr([a if limit == math.inf else limit * a / (a**2 + limit) for a in w], r, q, q_pi)


def sub_gaussian(w, r, q, q_pi, limit):
    return mean([a / (1 - limit + limit * a) * b for a, b in zip(w, r, strict=True)])


def cressie_read(w, r, least=0.0, most=math.inf):
    """Weights P over n events and a further one, Σ P = 1 and Σ P w = 1, that minimise Σ ((n+1) P)².

    The minimiser is linear in w: two equations. The further event has no known reward: what it
    takes of Σ P w counts with the mean reward.
    """
    n = len(w)
    extra = max(most, *w) if math.fsum(w) < n else min(least, *w)
    if extra == math.inf:  # P of the events is even, and the further event has no share of Σ P
        P = [1 / n] * n
    else:
        points = np.array([*w, extra])
        equations = [[n + 1, points.sum()], [points.sum(), (points**2).sum()]]
        c, b = np.linalg.solve(equations, [1.0, 1.0])
        P = [c + b * a for a in w]
    covered = math.fsum(p * a for p, a in zip(P, w, strict=True))
    value = math.fsum(p * a * b for p, a, b in zip(P, w, r, strict=True))
    return value + max(0.0, 1 - covered) * mean(r)


def mse_bound(w, shrunk, rest, delta=0.05):
    """var/n + bias², the bias with what it may be by chance."""
    n, L = len(w), math.log(2 / delta)
    terms = [a * b for a, b in zip(shrunk, rest, strict=True)]
    variance = mean([(x - mean(terms)) ** 2 for x in terms])
    bias = abs(mean([(a - b) * c for a, b, c in zip(w, shrunk, rest, strict=True)]))
    bias += math.sqrt(2 * mean([a * a for a in w]) * L / n) + 2 * max(w) * L / (3 * n)
    return variance / n + bias**2


def phi(r, q, pi, p, a, kappa):
    """The DR term with q limited to κ/w: unbiased for every q, and at least -κ."""
    limited = [
        0.0 if p[b] == 0 < pi[b] else q[b] if pi[b] == 0 else min(q[b], kappa * p[b] / pi[b])
        for b in range(len(pi))
    ]
    return pi[a] / p[a] * (r - limited[a]) + sum(c * d for c, d in zip(pi, limited, strict=True))


def difference_term(r, q, pi, other, p, a, kappa):
    """The DR term of V(π) - V(other) with q limited: unbiased, and at least -κ - 1.

    With Δ = π - other: where Δ > 0, Δ/p (r - q) ≥ -Δ/p q, which q ≤ κp/Δ keeps at -κ; where Δ < 0,
    -|Δ|/p (r - q) ≥ -|Δ|/p (1 - q), which 1 - q ≤ κp/|Δ| keeps at -κ. Of Σ Δ q the negative part is
    at least -Σ |Δ| over Δ < 0, so at least -1.
    """
    total = 0.0
    for b in range(len(pi)):
        change = pi[b] - other[b]
        limited = q[b]
        if change > 0:
            limited = min(q[b], kappa * p[b] / change)
        elif change < 0:
            limited = max(q[b], 1 - kappa * p[b] / -change)
        total += change * limited
        if b == a:
            total += change / p[a] * (r - limited)
    return total


def fit_times(n, first=20, growth=1.5):
    """After how many events a predictable model is fitted."""
    times, t = [], first
    while t <= n:
        times.append(t)
        t = math.ceil(growth * t)
    return times


def predictable(events, fit, unfitted):
    """q of each event by a model of the events up to the last fit before it."""
    times, models = fit_times(len(events)), {0: unfitted}
    models |= {t: fit(events[:t]) for t in times}
    return [
        models[max((t for t in times if t <= i), default=0)](event)
        for i, event in enumerate(events)
    ]


def cross_fitted(events, places, fit):
    """q of each event by a model of those whose place is odd if its own is even, and so on."""
    by_half = {
        half: fit([event for event, place in zip(events, places, strict=True) if place % 2 != half])
        for half in (0, 1)
    }
    return [by_half[place % 2](event) for event, place in zip(events, places, strict=True)]


def design(x, nominal=()):
    """A constant, numbers with 0 for missing ones, one-hot codes with one for values never seen."""
    sizes = nominal if any(nominal) else (0,) * len(x)
    row = [1.0] + [
        0.0 if math.isnan(v) else float(v) for v, m in zip(x, sizes, strict=True) if not m
    ]
    for v, m in zip(x, sizes, strict=True):
        if m:
            row += [1.0 if v == code else 0.0 for code in range(m + 1)]
    return row


def ridge(k, nominal=()):
    """For each label least squares, a column's penalty being its mean square over all events.

    Around the mean reward of all events, which a label without events has. An event is (x, a, r).
    """

    def fit(events):
        if not events:
            return lambda event: [0.0] * k
        rows = np.array([design(x, nominal) for x, _, _ in events])
        label = np.array([a for _, a, _ in events])
        middle = mean([r for _, _, r in events])
        penalty = (rows**2).mean(axis=0)
        penalty[penalty == 0] = 1.0
        penalty[0] = 1e-9  # the constant has none, up to rounding
        weights = np.zeros((k, rows.shape[1]))
        for b in range(k):
            Z = rows[label == b]
            rest = np.array([r for _, a, r in events if a == b]) - middle
            if len(Z):  # least squares with further rows, one for each column
                Z, rest = np.vstack([Z, np.diag(np.sqrt(penalty))]), [*rest, *np.zeros(len(Z[0]))]
                weights[b] = np.linalg.lstsq(Z, rest, rcond=None)[0]

        def q(event):
            return [min(1.0, max(0.0, middle + w @ design(event[0], nominal))) for w in weights]

        return q

    return fit


def replay(events, draws, chances, most, learn=lambda event: None):
    """Rewards of events (x, a, p, r) that are kept with probability π(a|x)/(p M)."""
    rewards = []
    for (x, a, p, r), u in zip(events, draws, strict=True):
        if u < chances(x)[a] / (p * most):
            rewards.append(r)
            learn((x, a, p, r))
    return rewards
