"""The runs of Chorus without its parts as tables and a figure."""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench.benchmark import last_run
from bench.chorus.streams import DEVELOPMENT, SYNTHETIC_DEVELOPMENT, title
from bench.chorus.variants import VARIANTS, WAVES
from onearm.chorus.chorus import Chorus
from onearm.chorus.waves import USUAL
from onearm.experiments.job import Record
from papers.figures import subplots
from papers.markdown import table

CHANGING = {  # streams whose labels are permuted half-way, and their data
    "pendigits × 2, exchanged": "pendigits", "letter × 2, exchanged": "letter",
    "SynNonSep, 60,000 rounds, exchanged": "SynNonSep",
}  # fmt: skip
WIDE = "Separable, 64 numbers, 10 labels"
STREAMS = (*DEVELOPMENT, *SYNTHETIC_DEVELOPMENT)
SIZED = ("mice", "pendigits", "letter", WIDE)
WORSE, BETTER, SAME = "#D55E00", "#0072B2", "#666666"  # distinct for colour-blind readers
TICKS = {2.5: (0.8, 1, 1.2, 1.5, 2), 100: (0.7, 1, 2, 3, 5)}  # by the span of a panel
RECOVERY = "from_start", "after_change"
Runs = dict[str, dict[str, list[Record]]]  # by stream and variant


def ratios(runs: dict[str, list[Record]], variant: str) -> np.ndarray:
    """Return the error of each repeat, as a multiple of the whole's on the same rows."""
    errors = np.array([run["error"] for run in runs[variant]])
    return errors / [run["error"] for run in runs["whole"]]


def mean(runs: list[Record], of: str) -> float:
    return float(np.mean([run[of] for run in runs]))


def cell(runs: dict[str, list[Record]], variant: str) -> str:
    """Return the mean error in %, and its difference to the whole in points."""
    if variant not in runs:
        return "–"
    error, whole = (100 * mean(runs[name], "error") for name in (variant, "whole"))
    if variant == "whole":
        return f"{error:.2f}"
    signs = np.sign(ratios(runs, variant) - 1.0)
    unsure = "?" if len(signs) > 1 and abs(signs.sum()) < len(signs) else ""
    return f"{error:.2f} ({error - whole:+.2f}{unsure})"


def sizes(runs: Runs) -> str:
    lines = []
    for name in STREAMS:
        whole = runs[name]["whole"]
        seeds = ", ".join(str(run["seed"]) for run in whole)
        lines.append([title(name), f"{whole[0]['rounds']:,}", seeds])
    return table(["stream", "rounds", "seeds"], lines)


def costs(runs: Runs) -> str:
    """Return error and speed by the number of random Fourier features."""
    rows = []
    for variant, F in sorted({**WAVES, "whole": USUAL}.items(), key=lambda item: item[1]):
        row = [f"{F:,}"]
        for name in SIZED:
            played = runs[name][variant]
            rate = max(run["rounds"] / run["cpu_seconds"] for run in played)
            row += [f"{100 * mean(played, 'error'):.2f}", f"{rate:,.0f}"]
        rows.append(row)
    return table(["features", *(f"{n} {w}" for n in SIZED for w in ("error, %", "rounds/s"))], rows)


def changes(runs: Runs) -> str:
    rows = [
        [name, variant, *(", ".join(f"{run[of]:,}" for run in played) for of in RECOVERY),
         f"{100 * mean(played, 'error'):.2f}", f"{sum(run['alarmed'] for run in played)}"]
        for name in CHANGING for variant, played in runs[name].items()
    ]  # fmt: skip
    head = ["stream", "variant", "from the start", "after the change", "error, %", "alarms"]
    return table(head, rows)


def by_variant(records: list[Record]) -> tuple[Runs, list[str]]:
    """Return the runs by stream and variant, and the variants, the whole first."""
    runs: Runs = defaultdict(lambda: defaultdict(list))
    for record in records:
        runs[record["stream"]][record["variant"]].append(record)
    return runs, [v for v in VARIANTS if v not in WAVES and v in runs[STREAMS[0]]]


def draw(records: list[Record], path: Path) -> None:
    runs, (_, *variants) = by_variant(records)
    figure, panels = subplots(1, len(STREAMS), (13, 4.4), sharey=True)
    for axes, name in zip(panels, STREAMS, strict=True):
        _draw_stream(axes, runs[name], variants)
        axes.set_title(name)
    panels[0].set_yticks(range(len(variants)), variants)
    panels[0].invert_yaxis()
    figure.supxlabel(
        "error, as a multiple of the whole Chorus's; strokes are repeats.  "
        "Orange disc: worse without the part.  Blue diamond: better.  Grey: repeats disagree.  "
        "Hollow: one repeat.",
        fontsize=9,
    )
    figure.savefig(path, dpi=120)


def _draw_stream(axes: Any, runs: dict[str, list[Record]], variants: Sequence[str]) -> None:
    axes.axvline(1.0, color="black", linewidth=0.8)
    for y, variant in enumerate(variants):
        if variant not in runs:
            axes.text(1.05, y, "no such part", va="center", color=SAME, fontsize=7)
            continue
        repeats = ratios(runs, variant)
        x = mean(runs[variant], "error") / mean(runs["whole"], "error")
        agree = (repeats > 1.0).all() or (repeats < 1.0).all()
        colour = (WORSE if x > 1.0 else BETTER) if agree else SAME
        axes.plot(repeats, [y] * len(repeats), "|", color=colour, markersize=9)
        inside = colour if len(repeats) > 1 else "white"
        axes.plot(x, y, "o" if x > 1.0 else "D", color=colour, mfc=inside, markersize=6)
    axes.set_xscale("log")
    low, high = axes.get_xlim()
    ticks = next(ticks for span, ticks in TICKS.items() if high / low < span)
    axes.set_xticks([tick for tick in ticks if low <= tick <= high], minor=False)
    axes.set_xticks([], minor=True)
    axes.xaxis.set_major_formatter("{x:g}")
    axes.tick_params(axis="x", labelsize=7)
    axes.grid(axis="y", color="#dddddd")
    axes.set_axisbelow(True)


def report(records: list[Record]) -> str:
    runs, variants = by_variant(records)
    rows = [[v, *(cell(runs[name], v) for name in STREAMS)] for v in variants]
    alarms = sum(run["alarmed"] for name in STREAMS for run in runs[name]["whole"])
    alarmed = [r for r in records if r["alarmed"] and r["variant"] != "whole"]
    others = ", ".join(f"{r['variant']} on {r['stream']}" for r in alarmed) or "none"
    return f"""# What each part of Chorus is worth

{last_run("chorus.parts", records)}
The whole is Chorus with its defaults: {USUAL:,} random Fourier features ("waves"),
α = {Chorus(2, 1).alpha}. Total error in %; in brackets the difference to the whole Chorus in
points: + is what the part is worth. ? means that repeats disagree about the sign, – that the stream
has no such part.

{table(["variant", *STREAMS], rows)}

![Errors as multiples of the whole's](parts.png)

- Own and bold are the two kinds of base models, over random Fourier features (waves) or over the
  numbers themselves; the memory compares rows with earlier ones, directly or by a learned metric A.
- Equal weights: no stacking; every base model has the same weight.
- Every row is kept: not only those that surprised. The oldest are still replaced.
- Widths everywhere: s + α·σ in place of s + α·(q-p)₊·σ; by 1 - p: s + α·(1-p)·σ.
- Wrong counts in full: as if labels could be known for certain, q = 1, in memory and bold.
- Far values: numbers up to 4 deviations from the mean, in place of 2.
- Bold is not bold: it learns 0 for a label that was wrong, with the same step as for others.
- Without echo: without the frozen previous model. The whole detected a change in {alarms} of its
  runs on these streams; where it detects none, this model is silent. Other variants that did:
  {others}.

{sizes(runs)}

Seed s is that of the order, or of the rows, and of the features; elec2 has a single order.

## Random Fourier features

Rounds per CPU second are those of the fastest repeat, on a core shared with others.

{costs(runs)}

## A change of labels

Rounds until the error over the next 200 is within two points of the mean error over the last fifth
before the change; one number for each of the seeds 1, 2, 3.

{changes(runs)}
"""
