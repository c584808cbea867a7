"""The speed of AdaBoostMH as tables and a figure, and the requirements on it."""

from pathlib import Path

import numpy as np

from bench.benchmark import Requirement, Results, written_by
from papers.figures import subplots
from papers.markdown import table

PACKAGES = ("onearm", "numba", "scikit-learn")
PER_COLUMN = 20  # ns
WORDS = {"≥": "at least", "<": "less than"}


def requirements(results: Results) -> list[Requirement]:
    seconds, stump = results["searches"], results["searches"]["full"]["stump"]
    peer = seconds["AdaBoostClassifier"]
    per_column = [
        1e9 * s / int(d)
        for by_width in results["policies"].values()
        for d, s in by_width.items()
        if int(d) > 100
    ]
    threads = float(np.median(stump["one"]) / np.median(stump["two"]))
    bandit = peer / seconds["exp3p"]["stump"]
    return [
        Requirement("full over AdaBoostClassifier", peer / min(stump["one"]), "≥", 15),
        Requirement("EXP3.P over AdaBoostClassifier", bandit, "≥", 600),
        Requirement("two threads over one, stump", threads, "≥", 1.6),
        Requirement("slowest policy, ns per column", max(per_column), "<", PER_COLUMN),
        Requirement("a million rows, s", results["prediction"]["seconds"], "<", 5),
    ]


def report(results: Results) -> str:
    seconds, predicted = results["searches"], results["prediction"]
    searches = [
        [base, _ms(min(full["one"])), _ms(min(full["two"])),
         f"{np.median(full['one']) / np.median(full['two']):.2f}",
         f"{min(full['one']) / min(full['two']):.2f}", _ms(seconds["exp3p"][base])]
        for base, full in seconds["full"].items()
    ]  # fmt: skip
    policies = [
        [policy, *(f"{1e6 * s:.1f} ({1e9 * s / int(d):.1f})" for d, s in by_width.items())]
        for policy, by_width in results["policies"].items()
    ]
    widths = [
        [f"{int(d):,}", *(f"{1e6 * s:.1f}" for s in by_policy.values())]
        for d, by_policy in results["widths"].items()
    ]
    names = next(iter(results["widths"].values()))
    return f"""# Speed of AdaBoostMH

{written_by(results, PACKAGES)}
Wall-clock seconds, the best of {results["repeats"]}, one thread unless stated otherwise.

{table(["what", "measured", "required"], [_row(r) for r in requirements(results)])}

## MNIST, milliseconds per round

A further stump of scikit-learn's `AdaBoostClassifier` takes
{_ms(seconds["AdaBoostClassifier"])} ms; it has one vote, ours one for each of ten labels. Products
have 3 terms, trees 8 leaves. "Two over one" is the ratio of the medians of 20 searches each, by
turns in 5 processes; the requirement is on these.

{table(["base", "full", "full, two threads", "two over one", "by the best", "EXP3.P"], searches)}

## A pull and its reward, µs (ns per column)

{table(["policy", *(f"{int(d):,} columns" for d in results["policies"]["exp3p"])], policies)}

## A round of stumps, µs

300 rows, 10 labels. The policy "uniform" costs almost nothing: its round is search and reweighting.

{table(["columns", *names], widths)}

## Prediction

{predicted["rows"]:,} rows of 64 columns through {predicted["stumps"]:,} stumps, of 10 labels:
{predicted["seconds"]:.2f} s.
"""


def _row(r: Requirement) -> list[str]:
    missed = "" if r.met else " **not met**"
    return [r.what, f"{r.value:.3g}", f"{WORDS[r.sign]} {r.bound:g}{missed}"]


def _ms(seconds: float) -> str:
    return f"{1e3 * seconds:,.2f}"


def draw(results: Results, path: Path) -> None:
    figure, (left, right) = subplots(1, 2, (11, 4))
    for policy, by_width in results["policies"].items():
        d, seconds = np.array([[int(d), s] for d, s in by_width.items()]).T
        left.loglog(d, 1e9 * seconds / d, "o-", label=policy)
    left.axhline(PER_COLUMN, color="grey", ls=":")
    left.set_ylabel("step of a policy, ns per column")
    widths = results["widths"]
    for policy in next(iter(widths.values())):
        d = [int(d) for d in widths]
        right.loglog(d, [1e6 * seconds[policy] for seconds in widths.values()], "o-", label=policy)
    right.set_ylabel("a round of stumps, µs")
    for axes in (left, right):
        axes.set_xlabel("columns")
        axes.legend()
    figure.savefig(path, dpi=120)
