"""The rounds of gradient boosting: stages of a prediction, queries, gradients and estimates.

The templates at the end call `say` and `learn` of a kind of weak learners.
"""

import math

from onearm.core.kernels import kernel_without_refcounts
from onearm.core.rng import normal, uniform
from onearm.regression.losses import loss_of, slope_of


@kernel_without_refcounts
def combine(a, points, prediction, settings):
    """From what learners say to y^0 … y^{N-1}, which they are to improve, and the prediction."""
    gamma, low, high = settings
    N, m = points.shape
    for k in range(m):
        y = 0.0
        for i in range(N):
            points[i, k] = y
            eta = 2.0 / (i + 2)
            y = (1.0 - eta) * y + eta / gamma * a[i * m + k]
        prediction[k] = min(max(y, low), high)


@kernel_without_refcounts
def combine_span(a, points, prediction, sigma, settings):
    """The same in the span: y^i = Π((1 - σ_i η) y^{i-1} + η a_i), Π into the ball of radius R."""
    R, low, high = settings
    N, m = points.shape
    eta = math.log(N) / N
    for k in range(m):
        prediction[k] = 0.0
    for i in range(N):
        length = 0.0
        for k in range(m):
            points[i, k] = prediction[k]
            prediction[k] = (1.0 - sigma[i] * eta) * prediction[k] + eta * a[i * m + k]
            length += prediction[k] * prediction[k]
        if length > R * R:
            for k in range(m):
                prediction[k] *= R / math.sqrt(length)
    for k in range(m):
        prediction[k] = min(max(prediction[k], low), high)


@kernel_without_refcounts
def shrink_span(t, points, g, sigma, L, R):
    """σ_i moves by ⟨g_i, y^{i-1}⟩/(L R √t), within 0 … 1; then g by 1/L."""
    N, m = points.shape
    for i in range(N):
        inner = 0.0
        for k in range(m):
            inner += g[i * m + k] * points[i, k]
            g[i * m + k] /= L
        sigma[i] = min(max(sigma[i] + inner / (L * R * math.sqrt(t)), 0.0), 1.0)


@kernel_without_refcounts
def move(points, directions, delta, rng):
    """Draw unit vectors and move the points along them by δ."""
    N, m = points.shape
    for i in range(N):
        length = 0.0
        for k in range(m):
            directions[i, k] = normal(rng) if m > 1 else (1.0 if uniform(rng) < 0.5 else -1.0)
            length += directions[i, k] * directions[i, k]
        for k in range(m):
            directions[i, k] /= math.sqrt(length)
            points[i, k] += delta * directions[i, k]


@kernel_without_refcounts
def estimate(losses, directions, delta, g):
    """What each learner takes for its gradient."""
    N, m = directions.shape
    for i in range(N):
        for k in range(m):
            g[i * m + k] = m / delta * losses[i] * directions[i, k]


@kernel_without_refcounts
def slopes(points, y, kind, g):
    """The gradients at the points."""
    N, m = points.shape
    for i in range(N):
        for k in range(m):
            g[i * m + k] = slope_of(points[i, k], y[k], kind)


@kernel_without_refcounts
def hear_losses(points, y, kind, noise, losses, rng):
    """The losses at the points, with noise uniform in ±noise."""
    for i in range(len(points)):
        losses[i] = loss_of(points[i], y, kind) + noise * (2.0 * uniform(rng) - 1.0)


def step(x, t, a, g, points, settings, weak):
    """Let the learners hear the gradients g at x."""
    say(x, a, weak)  # noqa: F821
    t[0] += 1
    learn(x, t[0], g, a, weak)  # noqa: F821


def play_bandit(
    X, y, kind, noise, said, lost, losses, directions, rng, noise_rng, delta, t, a, g, points,
    settings, weak,
):  # fmt: skip
    """Play the rows with losses."""
    for n in range(len(X)):
        say(X[n], a, weak)  # noqa: F821
        combine(a, points, said[n], settings)
        move(points, directions, delta, rng)
        lost[n] = loss_of(said[n], y[n], kind)
        hear_losses(points, y[n], kind, noise, losses, noise_rng)
        estimate(losses, directions, delta, g)
        t[0] += 1
        learn(X[n], t[0], g, a, weak)  # noqa: F821


def play_gradients(X, y, kind, said, lost, t, a, g, points, settings, weak):
    """Play the rows with gradients."""
    for n in range(len(X)):
        say(X[n], a, weak)  # noqa: F821
        combine(a, points, said[n], settings)
        lost[n] = loss_of(said[n], y[n], kind)
        slopes(points, y[n], kind, g)
        t[0] += 1
        learn(X[n], t[0], g, a, weak)  # noqa: F821


def predict(X, out, a, points, settings, weak):
    """The predictions for many rows."""
    for n in range(len(X)):
        say(X[n], a, weak)  # noqa: F821
        combine(a, points, out[n], settings)


def predict_span(X, out, sigma, a, points, settings, weak):
    """The same in the span."""
    for n in range(len(X)):
        say(X[n], a, weak)  # noqa: F821
        combine_span(a, points, out[n], sigma, settings)


def play_span(X, y, kind, said, lost, sigma, L, t, a, g, points, settings, weak):
    """Play the rows with gradients, boosting in the span."""
    for n in range(len(X)):
        say(X[n], a, weak)  # noqa: F821
        combine_span(a, points, said[n], sigma, settings)
        lost[n] = loss_of(said[n], y[n], kind)
        slopes(points, y[n], kind, g)
        t[0] += 1
        shrink_span(t[0], points, g, sigma, L, settings[0])
        learn(X[n], t[0], g, a, weak)  # noqa: F821
