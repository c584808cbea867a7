"""A round of a regressor: predict, get losses at some points or the answer, learn.

The first part is the contract: the kernels that a regressor brings. `model` is what its method
`model()` returns. The second part are the templates into which `bind` puts them.
"""

from typing import Any, NamedTuple

from onearm.core.kernels import bind
from onearm.core.rng import uniform
from onearm.core.vectors import row
from onearm.regression.losses import loss_of


def predict(x, prediction, model) -> None:
    """Write the prediction for x, and into the model's scratch arrays what learning needs of x."""


def ask(x, prediction, points, directions, rng, model) -> None:
    """Draw unit vectors and write the points whose losses are asked for; after `predict`."""


def learn(x, y, kind, t, model) -> None:
    """Learn from the answer y in round t = 1, 2, …; after `predict`."""


def learn_losses(x, losses, directions, t, model) -> None:
    """Learn from the losses at the points of `ask`; after `predict`."""


def _predict(X, out, model):
    for n in range(len(out)):
        predict(row(X, n), out[n], model)


def _play(X, y, kind, log, t, model):
    predictions, losses, done = log
    for n in range(len(y)):
        x = row(X, n)
        predict(x, predictions[n], model)
        losses[n] = loss_of(predictions[n], y[n], kind)
        t[0] += 1
        learn(x, y[n], kind, t[0], model)
        done[0] += 1.0
        done[1] += losses[n]


def _play_losses(X, y, kind, log, t, noise, generators, query, model):
    predictions, losses, done = log
    rng, noise_rng = generators
    points, directions, at_points = query
    for n in range(len(y)):
        x = row(X, n)
        predict(x, predictions[n], model)
        ask(x, predictions[n], points, directions, rng, model)
        losses[n] = loss_of(predictions[n], y[n], kind)
        for i in range(len(points)):
            at_points[i] = loss_of(points[i], y[n], kind) + noise * (2.0 * uniform(noise_rng) - 1.0)
        t[0] += 1
        learn_losses(x, at_points, directions, t[0], model)
        done[0] += 1.0
        done[1] += losses[n]


def _choose(x, prediction, points, directions, rng, model):
    predict(x, prediction, model)
    ask(x, prediction, points, directions, rng, model)


def _update(x, prediction, losses, directions, t, model):
    predict(x, prediction, model)
    t[0] += 1
    learn_losses(x, losses, directions, t[0], model)


class Kernels(NamedTuple):
    """What a regressor runs; `choose` and `update` where it learns from losses."""

    predict: Any
    play: Any
    stages: tuple[Any, Any, Any]  # predict, learn and ask, for one row
    choose: Any = None
    update: Any = None


def assemble(name: str, predict: Any, learn: Any, ask: Any = None, bind: Any = bind) -> Kernels:
    """Bind what the regressor called `name` needs; with `ask`, `learn` takes losses."""
    rows = bind(_predict, f"{name}.predict", predict=predict)
    if ask is None:
        play = bind(_play, f"{name}.play", predict=predict, learn=learn)
        return Kernels(rows, play, (predict, learn, None))
    both = {"predict": predict, "ask": ask}
    return Kernels(
        rows,
        bind(_play_losses, f"{name}.play", learn_losses=learn, **both),
        (predict, learn, ask),
        bind(_choose, f"{name}.choose", **both),
        bind(_update, f"{name}.update", predict=predict, learn_losses=learn),
    )
