"""Warming up: compile what learners need, once, in parallel processes, and store it on disk."""

import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from multiprocessing import get_context
from typing import Any

import onearm


def forms(name: str) -> list[dict[str, Any]]:
    """Return the parameters for which a learner is compiled separately."""
    fields = getattr(onearm, name).__dataclass_fields__
    if "weak" in fields:
        return [{"weak": "tree"}, {"weak": "linear"}]
    return [{"diagonal": True}, {"diagonal": False}] if "diagonal" in fields else [{}]


def tour(name: str, everything: bool = True) -> str:
    """Use every kernel of a learner on dense and sparse rows; or play alone, as in races."""
    import numpy as np
    from scipy.sparse import csr_array

    from onearm.prepare.prepared import learner_for, wants_preparation

    cls, X, y = getattr(onearm, name), np.eye(3), np.arange(3)
    for params in forms(name):
        for rows, n_words in ((X, 0), (csr_array(X), 3)):
            if wants_preparation(cls):
                if not (everything and n_words):  # texts are rare, and take as long to compile
                    learner_for(cls, 3, 3, n_words=n_words, **params).play(rows, y)
                if not everything:
                    continue
            learner = cls(3, 3, **params)
            trace = learner.play(rows, y)
            if everything:
                learner.learn(rows, trace, y if learner.full_information else None)
                learner.scores(rows), learner.chances(rows)
                x = rows[[0]] if hasattr(rows, "tocsr") else rows[0]
                choice = learner.choose(x)
                learner.choose_with_chances(x, None, "")
                truth = choice.label if learner.full_information else None
                learner.update(x, choice, True, truth)
    return name


def batch_tour(name: str) -> str:
    """Fit a classifier in all its forms, which are compiled one by one."""
    import numpy as np

    X, y = np.arange(12.0).reshape(6, 2) % 5, np.arange(6) % 3
    getattr(onearm, name)(n_rounds=2).fit(X, y).predict(X)
    for base in ("stump", "tree"):
        for params in ({"exact": False}, {"exact": True}, {"arms": "full", "n_jobs": 2}):
            getattr(onearm, name)(base, n_rounds=2, **params).fit(X, y).predict(X)
    return name


def regressor_tour(name: str) -> str:
    """Use every kernel of a regressor."""
    import numpy as np

    X, y = np.eye(3), np.arange(3.0)
    for params in forms(name):
        regressor = getattr(onearm, name)(3, **params)
        regressor.play(X, y)
        regressor.predict(X)
        if not regressor.full_information:
            query = regressor.choose(X[0])
            regressor.update(X[0], query, query.points[:, 0])
    return name


def warm(names: list[str], everything: bool = True) -> Iterator[str]:
    """Compile the learners called `names` on all cores; gives each name when it is done."""
    tours: dict[str, Any] = dict.fromkeys(onearm.LEARNERS, partial(tour, everything=everything))
    tours |= dict.fromkeys(onearm.ESTIMATORS, batch_tour)
    tours |= dict.fromkeys(onearm.REGRESSORS, regressor_tour)
    workers = min(len(names), os.cpu_count() or 1)
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        done = as_completed(pool.submit(tours[name], name) for name in names)
        yield from (future.result() for future in done)
