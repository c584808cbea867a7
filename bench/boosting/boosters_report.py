"""The results of the boosters as tables and a figure, and the requirements on them."""

from pathlib import Path

import numpy as np

from bench.benchmark import Requirement, Results, verdict, written_by
from papers.figures import subplots
from papers.markdown import table

LINEAR = 1.1  # a cost that grows with a higher power grows faster than in proportion
ISOLET = 300  # seconds
MIB = 2**20


def requirements(results: Results) -> list[Requirement]:
    memory = results["memory"]
    return [
        *(
            Requirement(f"{r['learner']} on {r['data']}: times", r["ratio"], "≥", r["required"])
            for r in results["rates"]
            if r["required"]
        ),
        Requirement("isolet: seconds", results["isolet"]["seconds"], "<", ISOLET),
        *(
            Requirement(f"cost of {name}: power of {by}", power, "≤", LINEAR)
            for by, powers in results["growth"]["exponents"].items()
            for name, power in powers.items()
        ),
        *(
            Requirement(f"long stream: {what}", memory[what], "≤", memory["max_bytes"])
            for what in ("array_bytes", "growth_bytes")
        ),
    ]


def report(results: Results) -> str:
    rows = [
        [r["learner"], r["data"], f"{r['N']}", f"{r['ours']:,.0f} ({r['worst']:,.0f})",
         f"{r['theirs']}", f"{r['ratio']:.0f}", f"{r['required'] or ''}"]
        for r in results["rates"]
    ]  # fmt: skip
    head = ["learner", "data", "N", "rounds/s (worst)", "authors' program", "ratio", "required"]
    memory, isolet, growth = results["memory"], results["isolet"], results["growth"]
    costs = [
        [name, by, *(f"{value:.1f}" for value in values), f"{growth['exponents'][by][name]:.2f}"]
        for by in ("N", "k")
        for name, values in growth[f"by_{by}"].items()
    ]
    return f"""# Boosters

{written_by(results)}
CPU seconds, one core, the best of {results["repeats"]} repeats (the worst in brackets). The
authors' program (Zhang, Jung, Tewari, AISTATS 2019) is not run here: its rates were measured with
the unmodified program under Python 2.7 on one core, the faster one of seeds 4 and 5.

{verdict(requirements(results))}

{table(head, rows)}

Isolet, 50 principal components, {isolet["rounds"]:,} rounds, AdaBandit with the published settings,
N = {isolet["N"]}: {isolet["seconds"]:.0f} s (required: under {ISOLET}).

A stream of {memory["rounds"]:,} rounds, AdaBandit with 5 trees and
max_bytes = {memory["max_bytes"]:,}: its arrays have {memory["array_bytes"]:,} bytes, the process
grew by {memory["growth_bytes"] / MIB:.0f} MiB after the first 10,000 rounds, and the trees have
{min(memory["nodes"])} to {max(memory["nodes"])} nodes.

CPU microseconds of a round, {growth["rounds"]:,} rounds of d = {growth["d"]} normal features whose
label is the largest of k random sums of them, default parameters, for
N = {growth["N"]} with k = 10, and k = {growth["k"]} with N = 20; the last
column is the power of N or k that fits best. A leaf has k·d statistics, so a power of 1 is expected
(required: ≤ {LINEAR}).

{table(["learner", "by", *[""] * len(growth["N"]), "power"], costs)}
"""


def draw(results: Results, path: Path) -> None:
    growth = results["growth"]
    figure, (left, right) = subplots(1, 2, (9, 3.6))
    for axes, by in ((left, "N"), (right, "k")):
        x = np.array(growth[by])
        for name, y in growth[f"by_{by}"].items():
            label = f"{name}, ∝ {by}^{growth['exponents'][by][name]:.2f}"
            (line,) = axes.plot(x, y, "o-", label=label)
            axes.plot(x, y[-1] * x / x[-1], ":", color=line.get_color())
        axes.set(xscale="log", yscale="log", ylabel="CPU µs per round")
        axes.legend(fontsize=8)
    left.set_xlabel(f"weak learners N (k = 10, d = {growth['d']}); dotted: in proportion")
    right.set_xlabel(f"classes k (N = 20, d = {growth['d']}); dotted: in proportion")
    figure.savefig(path, dpi=120)
