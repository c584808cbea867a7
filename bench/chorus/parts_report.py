"""The runs of `bench.chorus_parts` as a page and a figure."""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench.chorus.streams import COPIES, DEVELOPMENT, DRAWN
from bench.chorus.variants import VARIANTS, WAVES
from onearm.chorus.chorus import Chorus
from onearm.chorus.waves import USUAL
from papers.markdown import table

CHANGING = {  # streams whose labels are exchanged half-way, and what they are made of
    "pendigits × 2, exchanged": "pendigits", "letter × 2, exchanged": "letter",
    "SynNonSep, 60,000 rounds, exchanged": "SynNonSep",
}  # fmt: skip
WIDE = "Separable, 64 numbers, 10 labels"
MADE_ON = (*DEVELOPMENT, *DRAWN)
SIZED = ("mice", "pendigits", "letter", WIDE)
WORSE, BETTER, SAME = "#D55E00", "#0072B2", "#666666"  # told apart by everyone
TICKS = {2.5: (0.8, 1, 1.2, 1.5, 2), 100: (0.7, 1, 2, 3, 5)}  # by how much a panel spans
Record = dict[str, Any]
Runs = dict[str, dict[str, list[Record]]]  # by stream and variant


def ratios(runs: dict[str, list[Record]], variant: str) -> np.ndarray:
    """The error of each repeat, as a multiple of what the whole has on the same rows."""
    errors = np.array([run["error"] for run in runs[variant]])
    return errors / [run["error"] for run in runs["whole"]]


def mean(some: list[Record], of: str) -> float:
    return float(np.mean([run[of] for run in some]))


def cell(runs: dict[str, list[Record]], variant: str) -> str:
    """Mean error in %, and its difference to the whole in points."""
    if variant not in runs:
        return "–"
    error, usual = (100 * mean(runs[one], "error") for one in (variant, "whole"))
    if variant == "whole":
        return f"{error:.2f}"
    signs = np.sign(ratios(runs, variant) - 1.0)
    unsure = "?" if len(signs) > 1 and abs(signs.sum()) < len(signs) else ""
    return f"{error:.2f} ({error - usual:+.2f}{unsure})"


def sizes(runs: Runs) -> str:
    """How often each stream was played, and for how long."""
    lines = []
    for name in MADE_ON:
        whole, copies = runs[name]["whole"], COPIES.get(name, 1)
        seeds = ", ".join(str(run["seed"]) for run in whole)
        title = f"{name} × {copies}" if copies > 1 else name
        lines.append([title, f"{whole[0]['rounds']:,}", seeds])
    return table(["stream", "rounds", "seeds"], lines)


def costs(runs: Runs) -> str:
    """Error and speed by the number of waves."""
    rows = []
    for variant, F in sorted({**WAVES, "whole": USUAL}.items(), key=lambda it: it[1]):
        row = [f"{F:,}"]
        for name in SIZED:
            some = runs[name][variant]
            rate = max(run["rounds"] / run["cpu_seconds"] for run in some)
            row += [f"{100 * mean(some, 'error'):.2f}", f"{rate:,.0f}"]
        rows.append(row)
    return table(["waves", *(f"{n} {w}" for n in SIZED for w in ("error, %", "rounds/s"))], rows)


def changes(runs: Runs) -> str:
    """How soon a change is made up for."""
    rows = [
        [name, variant, *(", ".join(f"{run[of]:,}" for run in some) for of in ("first", "again")),
         f"{100 * mean(some, 'error'):.2f}", f"{sum(run['alarmed'] for run in some)}"]
        for name in CHANGING for variant, some in runs[name].items()
    ]  # fmt: skip
    head = ["stream", "variant", "from the start", "after the change", "error, %", "alarms"]
    return table(head, rows)


def figure(runs: Runs, variants: Sequence[str], path: Path) -> None:
    """Draw the errors as multiples of the whole's."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    drawing, panels = plt.subplots(
        1, len(MADE_ON), sharey=True, figsize=(13, 4.4), layout="constrained"
    )
    for axes, name in zip(panels, MADE_ON, strict=True):
        axes.axvline(1.0, color="black", linewidth=0.8)
        for y, variant in enumerate(variants):
            if variant not in runs[name]:
                axes.text(1.05, y, "no such part", va="center", color=SAME, fontsize=7)
                continue
            each = ratios(runs[name], variant)
            x = mean(runs[name][variant], "error") / mean(runs[name]["whole"], "error")
            one_way = (each > 1.0).all() or (each < 1.0).all()
            colour = (WORSE if x > 1.0 else BETTER) if one_way else SAME
            axes.plot(each, [y] * len(each), "|", color=colour, markersize=9)
            inside = colour if len(each) > 1 else "white"
            axes.plot(x, y, "o" if x > 1.0 else "D", color=colour, mfc=inside, markersize=6)
        axes.set(xscale="log", title=name)
        low, high = axes.get_xlim()
        ticks = next(some for span, some in TICKS.items() if high / low < span)
        axes.set_xticks([t for t in ticks if low <= t <= high], minor=False)
        axes.set_xticks([], minor=True)
        axes.xaxis.set_major_formatter("{x:g}")
        axes.tick_params(axis="x", labelsize=7)
        axes.grid(axis="y", color="#dddddd")
        axes.set_axisbelow(True)
    panels[0].set_yticks(range(len(variants)), variants)
    panels[0].invert_yaxis()
    drawing.supxlabel(
        "error, as a multiple of the whole Chorus's; strokes are repeats.  "
        "Orange disc: worse without the part.  Blue diamond: better.  Grey: repeats disagree.  "
        "Hollow: one repeat.",
        fontsize=9,
    )
    drawing.savefig(path, dpi=120)
    plt.close(drawing)


def write(records: list[Record], folder: Path) -> None:
    """Write parts.md and parts.png."""
    runs: Runs = defaultdict(lambda: defaultdict(list))
    for record in records:
        runs[record["stream"]][record["variant"]].append(record)
    shown = [v for v in VARIANTS if v not in WAVES and v in runs[MADE_ON[0]]]
    rows = [[v, *(cell(runs[name], v) for name in MADE_ON)] for v in shown]
    alarms = sum(run["alarmed"] for name in MADE_ON for run in runs[name]["whole"])
    alarmed = [r for r in records if r["alarmed"] and r["variant"] != "whole"]
    other = ", ".join(f"{r['variant']} on {r['stream']}" for r in alarmed) or "none"
    with_what = ", ".join(f"{name} {v}" for name, v in records[-1]["versions"].items())
    (folder / "parts.md").write_text(f"""# What each part of Chorus is worth

Written by `python -m bench.chorus_parts` on {records[-1]["date"][:10]}, {with_what}.
The whole is Chorus with its defaults: {USUAL:,} waves, α = {Chorus(2, 1).alpha}.
Total error in %; in brackets the difference to the whole Chorus in points: + is what the part is
worth. A ? stands where repeats disagree about its sign; – where the stream has no such part.

{table(["variant", *MADE_ON], rows)}

![Errors as multiples of the whole's](parts.png)

- Every row is kept: not those alone that surprised. The oldest give way all the same.
- Widths everywhere: s + α·σ in place of s + α·(q-p)₊·σ; by 1 - p: s + α·(1-p)·σ.
- Wrong counts in full: as if labels could be known for certain, q = 1, in memories and bold.
- Far values: numbers up to 4 deviations from the mean, in place of 2.
- Bold is not bold: it learns 0 of a label that was wrong, and no more from that than from others.
- Without echo: the whole was alarmed in {alarms} of its runs on these streams; where it never is,
  the echo is silent and changes nothing. Other variants were alarmed: {other}.

{sizes(runs)}

Seed s is that of the order, or of the rows, and of the waves; elec2 has one order alone.

## Waves

Rounds per CPU second are those of the fastest repeat, on a core shared with others.

{costs(runs)}

## A change

Rounds until the error over the next 200 is within two points of the mean error over the last fifth
before the change; one number for each of the seeds 1, 2, 3.

{changes(runs)}
""")
    figure(runs, shown[1:], folder / "parts.png")
