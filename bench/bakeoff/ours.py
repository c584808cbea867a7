"""The learners of this package in the bake-off, with their preparation of rows."""

import time
from typing import Any

import numpy as np

import onearm
from bench.chorus.learners import FULL_SIZE, Run
from onearm.streams.stream import Stream


def play(rows: Stream, name: str, parameters: dict[str, Any], seed: int) -> Run:
    """Play the rows of a repeat with a learner that `Stream.learner` makes of a class.

    The parameter "exploration" is a factor of the learner's default rate of exploration. Learners
    with a matrix for each class have diagonal ones where full ones are larger than FULL_SIZE.
    """
    cls = getattr(onearm, name)
    given = {key: value for key, value in parameters.items() if key != "exploration"}
    if "exploration" in parameters:
        default = getattr(cls(rows.n_classes, 1), cls.exploration)  # which may depend on k
        given[cls.exploration] = parameters["exploration"] * default
    if getattr(cls, "diagonal", True) is False:
        width = rows.learner(onearm.Perceptron).n_inputs
        given["diagonal"] = rows.n_classes * width**2 > FULL_SIZE
    learner = rows.learner(cls, seed=seed, **given)
    correct, seconds = [], 0.0
    for X, y in rows.chunks():
        if not correct:  # compile or load the kernels before the clock runs
            type(learner)(**learner.params()).play(X[:1], y[:1])
        began = time.process_time()
        correct.append(learner.play(X, y).correct)
        seconds += time.process_time() - began
    return Run(np.concatenate(correct), seconds, {})
