"""Speed of learning one call at a time from Python: `choose`, then `update`."""

import gc
from collections.abc import Callable
from typing import Any

from bench.speed import vowpal_wabbit
from bench.speed.streams import Rows, features, lines, pairs, single_rows
from bench.timing import Timing
from onearm import Banditron, ConservativeOVA

BANDIT, FULL = "bandit feedback", "full information"
SLOW = 10  # River plays this many times fewer rows
FEEDBACK = {
    "Banditron": BANDIT,
    "ConservativeOVA": BANDIT,
    "VW API, lines ready": f"{BANDIT}, by --cbify from the label in the line",
    "VW API, lines from rows": f"{BANDIT}, by --cbify from the label in the line",
    "VW API, predict then learn": BANDIT,
    "River softmax": FULL,
    "River ALMA": FULL,
}
OURS = ("Banditron", "ConservativeOVA")
COMMANDS = {
    "VW API, lines ready": "--cbify K --epsilon 0.05: example, learn, get_multiclass_prediction",
    "VW API, lines from rows": "the same, each line made from the NumPy row",
    "VW API, predict then learn": "--cb_explore K --epsilon 0.05: predict, sample, learn a line",
    "River softmax": "linear_model.SoftmaxRegression(): predict_one, learn_one; dicts ready",
    "River ALMA": "OneVsRestClassifier(ALMAClassifier()), its fastest linear model; the same",
}


def choose_update(learner: Any, rows: list, y: list[int]) -> int:
    """Play by ours; return the number of errors."""
    wrong = 0
    for x, truth in zip(rows, y, strict=True):
        choice = learner.choose(x)
        learner.update(x, choice, choice.label == truth)
        wrong += choice.label != truth
    return wrong


def predict_learn(model: Any, rows: list, y: list[int]) -> int:
    """Play by a model of River; return the number of errors."""
    wrong = 0
    for x, truth in zip(rows, y, strict=True):
        wrong += model.predict_one(x) != truth
        model.learn_one(x, truth)
    return wrong


def contestants(rows: Rows, n: int) -> dict[str, tuple[Callable, Callable[[], Any], list]]:
    """Return for each its loop, a function that makes a learner, and rows in its fastest form."""
    from river.linear_model import ALMAClassifier, SoftmaxRegression
    from river.multiclass import OneVsRestClassifier

    single, ready = single_rows(rows, n), lines(rows, n)
    bare = [features(x) for x in single]
    dicts = [dict(pairs(x)) for x in single[: max(1, n // SLOW)]]
    k = str(rows.k)
    cbify = lambda: vowpal_wabbit.workspace("--cbify", k, "--epsilon", "0.05")  # noqa: E731 used twice below
    cb_explore = lambda: vowpal_wabbit.workspace("--cb_explore", k, "--epsilon", "0.05")  # noqa: E731 as above
    return {
        "Banditron": (choose_update, lambda: rows.learner(Banditron), single),
        "ConservativeOVA": (choose_update, lambda: rows.learner(ConservativeOVA), single),
        "VW API, lines ready": (vowpal_wabbit.cbify, cbify, ready),
        "VW API, lines from rows": (vowpal_wabbit.cbify_rows, cbify, single),
        "VW API, predict then learn": (vowpal_wabbit.cb_explore, cb_explore, bare),
        "River softmax": (predict_learn, SoftmaxRegression, dicts),
        "River ALMA": (predict_learn, lambda: OneVsRestClassifier(ALMAClassifier()), dicts),
    }


def measure(rows: Rows, n: int, repeats: int, done: Callable[[], Any]) -> dict[str, Any]:
    """Time all on the first rows of one stream, by turns."""
    y = rows.y[:n].tolist()
    entries = contestants(rows, n)
    timings = {name: Timing(len(examples)) for name, (_, _, examples) in entries.items()}
    for name in OURS:  # compile beforehand
        loop, fresh, examples = entries[name]
        loop(fresh(), examples[:10], y[:10])
    gc.collect()
    gc.freeze()  # or the garbage collector visits all rows again while the clock runs
    for _ in range(repeats):
        for name, (loop, fresh, examples) in entries.items():
            model = fresh()
            with timings[name].running():
                wrong = loop(model, examples, y[: len(examples)])
            timings[name].error = wrong / len(examples)
        done()
    gc.unfreeze()
    return {name: _compared(name, timings) for name in timings}


def _compared(name: str, timings: dict[str, Timing]) -> dict[str, Any]:
    ours = {learner: timings[learner].rate() / timings[name].rate() for learner in OURS}
    how = {"feedback": FEEDBACK[name], "how": COMMANDS.get(name, "choose, update")}
    return {**timings[name].record(), **how, "ours_over_this": ours}
