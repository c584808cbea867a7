"""The stages of gradient boosting: from weak learners to a prediction, and back to their losses.

`model` is (scratch, settings, weak): arrays a and g (N·m,) of what learners predict and of their
gradients, points (N, m) that they are to improve, in the span also σ; then γ or B, the label set
and δ; then what the weak learners' kernels take. The templates call `weak_predict`, `weak_learn`.
"""

import math

from onearm.core.kernels import kernel_without_refcounts
from onearm.core.rng import normal, uniform
from onearm.regression.losses import SQUARED, slope_of


def weak_predict(x, a, weak) -> None:
    """Write what the weak learners predict for x into a."""


def weak_learn(x, t, g, a, weak) -> None:
    """Let them step against the gradients g."""


def predict(x, prediction, model):
    """The last of y^0 … y^N; the others are the points."""
    (a, _, points), (gamma, low, high, _), weak = model
    weak_predict(x, a, weak)
    combine(a, points, prediction, gamma, low, high)


@kernel_without_refcounts
def combine(a, points, prediction, gamma, low, high):
    """From the weak predictions to y^0 … y^{N-1}, which they are to improve, and the prediction."""
    N, m = points.shape
    for k in range(m):
        y = 0.0
        for i in range(N):
            points[i, k] = y
            eta = 2.0 / (i + 2)
            y = (1.0 - eta) * y + eta / gamma * a[i * m + k]
        prediction[k] = min(max(y, low), high)


def learn(x, y, kind, t, model):
    """Let each learner step against the gradient at its point."""
    (a, g, points), _, weak = model
    slopes(points, y, kind, g)
    weak_learn(x, t, g, a, weak)


@kernel_without_refcounts
def slopes(points, y, kind, g):
    """The gradients at the points."""
    N, m = points.shape
    for i in range(N):
        for k in range(m):
            g[i * m + k] = slope_of(points[i, k], y[k], kind)


def ask(x, prediction, points, directions, rng, model):
    """Ask for losses near the points that learners are to improve."""
    (_, _, stages), (_, _, _, delta), _ = model
    move(stages, points, directions, delta, rng)


@kernel_without_refcounts
def move(stages, points, directions, delta, rng):
    """Draw unit vectors and move the stages along them by δ."""
    N, m = points.shape
    for i in range(N):
        length = 0.0
        for k in range(m):
            directions[i, k] = normal(rng) if m > 1 else (1.0 if uniform(rng) < 0.5 else -1.0)
            length += directions[i, k] * directions[i, k]
        for k in range(m):
            directions[i, k] /= math.sqrt(length)
            points[i, k] = stages[i, k] + delta * directions[i, k]


def learn_losses(x, losses, directions, t, model):
    """Let each learner step against the estimate of its gradient."""
    (a, g, _), (_, _, _, delta), weak = model
    estimate(losses, directions, delta, g)
    weak_learn(x, t, g, a, weak)


@kernel_without_refcounts
def estimate(losses, directions, delta, g):
    N, m = directions.shape
    for i in range(N):
        for k in range(m):
            g[i * m + k] = m / delta * losses[i] * directions[i, k]


def predict_span(x, prediction, model):
    """The same in the span."""
    (a, _, points, sigma), (B, low, high, _), weak = model
    weak_predict(x, a, weak)
    combine_span(a, points, prediction, sigma, B, low, high)


@kernel_without_refcounts
def combine_span(a, points, prediction, sigma, B, low, high):
    """y^i = Π((1 - σ_i η) y^{i-1} + η a_i), Π into the ball of radius B."""
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
        if length > B * B:
            for k in range(m):
                prediction[k] *= B / math.sqrt(length)
    for k in range(m):
        prediction[k] = min(max(prediction[k], low), high)


def learn_span(x, y, kind, t, model):
    """Let σ and the learners step; L is the Lipschitz constant of the loss in the ball."""
    (a, g, points, sigma), (B, _, _, _), weak = model
    L = 4.0 * B if kind == SQUARED else math.sqrt(points.shape[1])
    slopes(points, y, kind, g)
    shrink_span(t, points, g, sigma, L, B)
    weak_learn(x, t, g, a, weak)


@kernel_without_refcounts
def shrink_span(t, points, g, sigma, L, B):
    """σ_i moves by ⟨g_i, y^{i-1}⟩/(L B √t), within 0 … 1; then g by 1/L."""
    N, m = points.shape
    for i in range(N):
        inner = 0.0
        for k in range(m):
            inner += g[i * m + k] * points[i, k]
            g[i * m + k] /= L
        sigma[i] = min(max(sigma[i] + inner / (L * B * math.sqrt(t)), 0.0), 1.0)
