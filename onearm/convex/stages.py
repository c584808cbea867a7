"""The rounds of gradient boosting: stages of a prediction, queries, gradients and estimates."""

import math

from onearm.convex.linear_weak import learn, say
from onearm.convex.losses import loss_of, slope_of
from onearm.kernels import kernel, lean_kernel
from onearm.rng import normal, uniform


@lean_kernel
def stages(x, prediction, model):
    """y^0 … y^{N-1}, the points that learners are to improve, and y^N within the label set."""
    W, squared, t, points, (a, g, scale), (gamma, lr, power, R, low, high) = model
    N, m = points.shape
    say(x, W, a)
    for k in range(m):
        y = 0.0
        for i in range(N):
            points[i, k] = y
            eta = 2.0 / (i + 2)
            y = (1.0 - eta) * y + eta / gamma * a[i * m + k]
        prediction[k] = min(max(y, low), high)


@lean_kernel
def step(x, model):
    """Let the learners hear the gradients g; they must have spoken of x last."""
    W, squared, t, points, (a, g, scale), (gamma, lr, power, R, low, high) = model
    t[0] += 1
    learn(x, t[0], g, scale, W, squared, a, lr, power, R)


@lean_kernel
def query(x, directions, prediction, rng, delta, model):
    """Fill in a query."""
    points = model[3]
    stages(x, prediction, model)
    N, m = points.shape
    for i in range(N):
        length = 0.0
        for k in range(m):
            directions[i, k] = normal(rng) if m > 1 else (1.0 if uniform(rng) < 0.5 else -1.0)
            length += directions[i, k] ** 2
        for k in range(m):
            directions[i, k] /= math.sqrt(length)
            points[i, k] += delta * directions[i, k]


@lean_kernel
def estimate(losses, directions, delta, g):
    """What each learner takes for its gradient."""
    N, m = directions.shape
    for i in range(N):
        for k in range(m):
            g[i * m + k] = m / delta * losses[i] * directions[i, k]


@kernel
def hear(x, losses, directions, delta, model):
    """Learn from the losses of a query."""
    say(x, model[0], model[4][0])
    estimate(losses, directions, delta, model[4][1])
    step(x, model)


@kernel
def play_bandit(X, y, kind, noise, said, lost, losses, directions, rng, noise_rng, delta, model):
    """Play the rows with losses."""
    points = model[3]
    for n in range(len(X)):
        query(X[n], directions, said[n], rng, delta, model)
        lost[n] = loss_of(said[n], y[n], kind)
        for i in range(len(losses)):
            losses[i] = loss_of(points[i], y[n], kind) + noise * (2.0 * uniform(noise_rng) - 1.0)
        estimate(losses, directions, delta, model[4][1])
        step(X[n], model)


@kernel
def play_gradients(X, y, kind, said, lost, model):
    """Play the rows with gradients."""
    points, g = model[3], model[4][1]
    N, m = points.shape
    for n in range(len(X)):
        stages(X[n], said[n], model)
        lost[n] = loss_of(said[n], y[n], kind)
        for i in range(N):
            for k in range(m):
                g[i * m + k] = slope_of(points[i, k], y[n, k], kind)
        step(X[n], model)


@kernel
def predict_all(X, out, model):
    """The predictions for many rows."""
    for n in range(len(X)):
        stages(X[n], out[n], model)
