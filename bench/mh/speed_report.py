"""What `python -m bench.mh_speed` measured, as tables and a picture."""

from pathlib import Path
from typing import Any

import numpy as np

from bench.speed.report import table

DEMANDS = {
    "full over AdaBoostClassifier": (15, "at least"),
    "EXP3.P over AdaBoostClassifier": (600, "at least"),
    "two threads over one, stump": (1.6, "at least"),
    "slowest policy, ns a column": (20, "less than"),
    "a million rows, s": (5, "less than"),
}


def write(results: dict[str, Any], folder: Path) -> None:
    """Write mh_speed.md and mh_speed.png."""
    (folder / "mh_speed.md").write_text(_text(results))
    _draw(results, folder / "mh_speed.png")


def met(what: str, value: float) -> bool:
    bound, how = DEMANDS[what]
    return value >= bound if how == "at least" else value < bound


def _text(results: dict[str, Any]) -> str:
    facts, seen = results["about"], results["searches"]
    shown = ", ".join(f"{k} {facts[k]}" for k in ("python", "onearm", "numba", "scikit-learn"))
    demands = [
        [what, f"{value:.3g}", f"{how} {bound}" + ("" if met(what, value) else " **not met**")]
        for what, value in results["verdicts"].items()
        for bound, how in [DEMANDS[what]]
    ]
    searches = [
        [base, _ms(min(one["one"])), _ms(min(one["two"])),
         f"{np.median(one['one']) / np.median(one['two']):.2f}",
         f"{min(one['one']) / min(one['two']):.2f}", _ms(seen["exp3p"][base])]
        for base, one in seen["full"].items()
    ]  # fmt: skip
    policies = [
        [policy, *(f"{1e6 * s:.1f} ({1e9 * s / int(d):.1f})" for d, s in by.items())]
        for policy, by in results["policies"].items()
    ]
    widths = [
        [f"{int(d):,}", *(f"{1e6 * s:.1f}" for s in by.values())]
        for d, by in results["widths"].items()
    ]
    some = next(iter(results["widths"].values()))
    predicted = results["prediction"]
    return f"""# Speed of AdaBoostMH

Written by `{results["command"]}` on {facts["date"]}, {facts["cpu"]}; {shown}. Wall-clock
seconds, the best of {results["repeats"]}, one thread unless said.

{table(["what", "measured", "demanded"], demands)}

## MNIST, milliseconds a round

A further stump of scikit-learn's `AdaBoostClassifier` takes {_ms(seen["AdaBoostClassifier"])} ms;
it has one vote, ours one for each of ten labels. Products have 3 terms, trees 8 leaves. Two threads
over one by medians of 20 searches each, by turns in 5 processes; the demand is on these.

{table(["base", "full", "full, two threads", "two over one", "by the best", "EXP3.P"], searches)}

## A pull and its reward, µs (ns a column)

{table(["policy", *(f"{int(d):,} columns" for d in results["policies"]["exp3p"])], policies)}

## A round of stumps, µs

300 rows, 10 labels. "uniform" has no policy to speak of: its round is search and reweighing.

{table(["columns", *some], widths)}

## Prediction

{predicted["rows"]:,} rows of 64 columns through {predicted["stumps"]:,} stumps, of 10 labels:
{predicted["seconds"]:.2f} s.
"""


def _ms(seconds: float) -> str:
    return f"{1e3 * seconds:,.2f}"


def _draw(results: dict[str, Any], path: Path) -> None:
    from matplotlib import pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
    for policy, by in results["policies"].items():
        d, seconds = np.array([[int(d), s] for d, s in by.items()]).T
        left.loglog(d, 1e9 * seconds / d, "o-", label=policy)
    left.axhline(20, color="grey", ls=":")
    left.set_ylabel("a policy's step, ns a column")
    for policy in next(iter(results["widths"].values())):
        d = [int(d) for d in results["widths"]]
        right.loglog(d, [1e6 * by[policy] for by in results["widths"].values()], "o-", label=policy)
    right.set_ylabel("a round of stumps, µs")
    for axes in (left, right):
        axes.set_xlabel("columns")
        axes.legend()
    figure.savefig(path, dpi=120)
