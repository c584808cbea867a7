"""The tables of `mh.bakeoff`, from recorded runs alone."""

from collections import defaultdict
from collections.abc import Iterable
from statistics import mean, median

from bench.bakeoff.sets import REPORTED, sets
from bench.mh.contenders import CONTENDERS, OURS
from onearm.experiments.job import Record
from papers.markdown import table

CLOSE = 1.02  # times the lowest error
LOSS = 1.05  # times the best log loss of the boosters
BOOSTERS = ("LightGBM", "XGBoost", "CatBoost", "HistGradientBoosting")
Cells = dict[str, dict[str, float]]  # by set and learner


def cells(records: Iterable[Record], value: str, budget: float) -> Cells:
    """Return the mean of a value over the splits that all learners played at their default."""
    runs: dict[str, dict[int, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    for r in records:
        if r["budget"] == budget and not r["tuned"]:
            runs[r["set"]][r["split"]][r["learner"]] = r[value]
    complete = {
        name: [split for split in splits.values() if len(split) == len(CONTENDERS)]
        for name, splits in runs.items()
    }
    return {
        name: {learner: mean(split[learner] for split in splits) for learner in CONTENDERS}
        for name, splits in complete.items() if splits
    }  # fmt: skip


def verdicts(errors: Cells, losses: Cells) -> list[str]:
    """Return what the reported half says of errors and log losses."""
    names = [name for name in errors if sets()[name].half == REPORTED]
    if not names:
        return ["No set of the reported half has been played by all learners."]
    lowest = sum(errors[n][OURS] <= min(errors[n].values()) for n in names)
    close = sum(errors[n][OURS] <= CLOSE * min(errors[n].values()) for n in names)
    ratios = [losses[n][OURS] / min(losses[n][peer] for peer in BOOSTERS) for n in names]
    near = sum(ratio <= LOSS for ratio in ratios)
    total = len(names)
    return [
        f"AdaBoostMH has the lowest error on {lowest} of {total} sets (wanted: half), and the "
        f"lowest or one within 2 % of it on {close} (wanted: three quarters).",
        f"Its log loss is at most {LOSS} × the best of the four boosters on {near} of {total} "
        f"(wanted: two thirds); the median ratio is {median(ratios):.3f} (wanted: below 1).",
    ]


def report(records: list[Record], planned: int) -> str:
    """Return the report in Markdown."""
    lines = ["# AdaBoostMH beside boosted trees and forests", ""]
    lines += [
        "Written by `python -m bench mh.bakeoff`. Splits of 70/30, at most 20,000 training rows, "
        "one thread. Every learner has the same CPU time, a multiple of that of ExtraTrees with "
        "100 trees, and chooses its rounds within; all with their defaults. The first step of a "
        "ladder may exceed a small budget: the last table has the time spent.",
        "",
        f"{len(records):,} of {planned:,} planned runs are recorded.",
    ]
    for budget in sorted({r["budget"] for r in records}):
        errors, losses, seconds, units = (
            cells(records, value, budget) for value in ("error", "log_loss", "cpu_seconds", "unit")
        )
        lines += ["", f"## Budget: {budget:g} × ExtraTrees", "", *verdicts(errors, losses)]
        for title, shown in (("Test error, %", errors), ("Log loss", losses)):
            lines += ["", f"### {title}", "", rows(shown, 100.0 if shown is errors else 1.0)]
        spent = {
            n: {k: seconds[n][k] / (budget * units[n][k]) for k in CONTENDERS} for n in seconds
        }
        lines += ["", "### CPU time spent, as a share of the budget", "", rows(spent, 1.0)]
    return "\n".join(lines) + "\n"


def rows(shown: Cells, factor: float) -> str:
    """Return a table, a set in each row."""
    body = [
        [name, sets()[name].half, *(f"{factor * values[k]:.3g}" for k in CONTENDERS)]
        for name, values in shown.items()
    ]
    return table(["set", "half", *CONTENDERS], body)
