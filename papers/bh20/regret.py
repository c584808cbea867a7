"""Table 1 of BH20, measured: `onearm papers bh20.table1`.

The table compares bounds of four projection-free methods; here are the regrets and costs of
bh20_regret_run beside them. Writes to results/bh20

    table1.md, table1.json    regret and cost of a round
    regret.png                regret of Algorithm 1 against T, with gradients and with losses alone

N. Brukhim, E. Hazan. Online boosting with bandit feedback. ALT 2021.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track

from papers import RESULTS, facts
from papers.bh20.problems import ABOUT, LOSS_NOISE
from papers.bh20.regret_runs import (
    BANDIT,
    LONG,
    LONGEST,
    OURS,
    ROUNDS,
    SEEDS,
    TABLE,
    THEORY,
    Job,
    Record,
    jobs,
    play,
)
from papers.markdown import table
from papers.records import half_width
from papers.verdicts import verdict

FOLDER = RESULTS / "bh20"
PAPER = {  # regret and its power of T, cost of a round, feedback, guarantee
    "Online-FW": ("O(T^3/4)", 0.75, "O(1)", "full", "deterministic"),
    "Meta-FW": ("O(√T)", 0.5, "O(T^3/2)", "stochastic", "in expectation"),
    "MORGFW": ("Õ(√T)", 0.5, "O(T)", "stochastic", "w.h.p."),
    OURS: ("Õ(√T)", 0.5, "O(√T)", "stochastic", "w.h.p."),
}


def of(runs: list[Record], problem: str, method: str) -> dict[int, list[Record]]:
    """The runs of a method on a problem, by the number of rounds."""
    some = [run for run in runs if (run["problem"], run["method"]) == (problem, method)]
    return {T: [r for r in some if r["T"] == T] for T in sorted({r["T"] for r in some})}


def mean(runs: list[Record], what: str) -> tuple[float, float]:
    """The mean over seeds, and half the width of its 95 % interval."""
    values = [run[what] for run in runs]
    return float(np.mean(values)), half_width(values)


def power(by_rounds: dict[int, list[Record]], what: str = "regret") -> float:
    """The p for which T^p fits the mean regrets best, in logarithms."""
    regrets = [mean(runs, what)[0] for runs in by_rounds.values()]
    return float(np.polyfit(np.log(list(by_rounds)), np.log(regrets), 1)[0])


def powers(by_rounds: dict[int, list[Record]]) -> list[float]:
    """The same for the regrets of each seed."""
    seeds = zip(*by_rounds.values(), strict=True)
    return [power({T: [run] for T, run in zip(by_rounds, one, strict=True)}) for one in seeds]


def text(results: Record) -> str:
    """The results as Markdown."""
    runs, about = results["runs"], results["about"]
    versions = ", ".join(f"{name} {about[name]}" for name in ("python", "onearm", "numpy", "scipy"))
    gap = max(run["gap"] for run in runs)
    least = min(run["regret"] for run in runs)
    noise = {run["problem"]: run["noise"] for run in runs}.items()
    parts = [
        f"""# Table 1 of BH20: projection-free methods{_less(results["seeds"], runs)}

Written by `{results["command"]}` on {about["date"]}, {about["cpu"]},
{versions}.
Seeds {", ".join(map(str, results["seeds"]))}; ± is half of a 95 % interval of the mean over them.
CPU time is that of one core, the oracle's included.

Losses are independent over rounds. The oracle adds uniform noise to each coordinate of a gradient.
All methods hear it, Online-FW too, which the paper gives exact gradients. Regret is against the
best point in hindsight, which accelerated projected gradients find up to a duality gap of at most
{gap:.0e}; the least regret of a run is {least:.2f}. Algorithm 1 has N = √T optimisers. Meta-FW and
MORGFW take at most {results["cap"]} steps a round; where their analysis asks for more, the table
says so, and the power of T is not what their bound speaks of. Powers are fitted seed by seed:
within, if that of the bound lies in our 95 % interval; better or worse, if all of that is below or
above.""",
        "\n".join(f"- {name}: {ABOUT[name]}; noise of width {width}." for name, width in noise),
        f"## The paper's bounds, and the power of T that fits our regrets\n\n{_bounds(runs)}",
    ]
    parts += [f"## {name.capitalize()}\n\n{_measured(runs, name)}" for name in TABLE]
    parts.append(_against_rounds(runs))
    return "\n\n".join(parts) + "\n"


def _less(seeds: list[int], runs: list[Record]) -> str:
    """How much less than all of it was played."""
    if len(seeds) == len(SEEDS):
        return ""
    return f" ({len(seeds)} of {len(SEEDS)} runs, T up to {max(run['T'] for run in runs)})"


def _bounds(runs: list[Record]) -> str:
    rows = []
    for method, (regret, bound, cost, feedback, guarantee) in PAPER.items():
        seen = [of(runs, name, method) for name in TABLE]
        calls = ", ".join(f"{mean(some, 'calls')[0]:.0f}" for some in seen[0].values())
        ours = [_power(powers(by_rounds), bound) for by_rounds in seen]
        rows.append([method, feedback, guarantee, regret, *ours, cost, calls])
    rounds = ", ".join(map(str, of(runs, TABLE[0], OURS)))
    head = ["method", "feedback", "guarantee", "regret, paper", *(f"{n}, ours" for n in TABLE),
            "cost of a round, paper", f"gradients, ours, T = {rounds}"]  # fmt: skip
    return table(head, rows)


def _power(ours: list[float], bound: float) -> str:
    found = f" ({verdict(ours, bound, 0.0)})" if len(ours) == len(SEEDS) else ""
    return f"{np.mean(ours):.2f} ± {half_width(ours):.2f}{found}"


def _measured(runs: list[Record], problem: str) -> str:
    rows = []
    for method in PAPER:
        for T, some in of(runs, problem, method).items():
            calls, minimisations = (mean(some, what)[0] for what in ("calls", "minimisations"))
            row = [method, f"{T:,}", _steps(some[0]), _shown(some, "regret", 1)]
            rows.append([*row, f"{calls:.0f}", f"{minimisations:.0f}", _shown(some, "cpu_ms", 2)])
    head = ["method", "T", "steps", "regret", "gradients", "linear minimisations", "CPU ms"]
    return table(head, rows)


def _shown(runs: list[Record], what: str, digits: int) -> str:
    return " ± ".join(f"{value:.{digits}f}" for value in mean(runs, what))


def _steps(run: Record) -> str:
    taken, wanted = run["steps"], THEORY[run["method"]](run["T"])
    return f"{taken}" if taken == wanted else f"{taken} of {wanted:,}"


def _against_rounds(runs: list[Record]) -> str:
    rounds, rows = sorted({run["T"] for run in runs}), []
    kinds = {OURS: (OURS, "regret"), BANDIT: (BANDIT, "regret"), "centre": (OURS, "centre")}
    for problem in (*TABLE, LONG):
        for name, (method, what) in kinds.items():
            by_rounds = of(runs, problem, method)
            shown = [_shown(by_rounds[T], what, 1) if T in by_rounds else "" for T in rounds]
            rows.append([problem, name, *shown, f"{power(by_rounds, what):.2f}"])
    head = ["problem", "method", *(f"T = {T:,}" for T in rounds), "power"]
    return f"""## Algorithm 1 against T

Regret, and the power of T that fits it; `regret.png` draws it. The bounds are √T with gradients and
T^3/4 with losses alone. Losses are told with uniform noise of width {LOSS_NOISE}, and δ is half of
the set's inner radius at T = {ROUNDS[0]} and falls as T^(-1/4). An estimate's noise grows with the
dimension over δ: where that is large, these T are too few to do much better than the centre of the
set, played in every round. With three assets the best point is a corner.

{table(head, rows)}"""


def draw(runs: list[Record], path: Path) -> None:
    """Draw regret against T, for gradients and for losses alone."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, panels = plt.subplots(1, 2, figsize=(11, 6), layout="constrained", sharey=True)
    kinds = ((OURS, "noisy gradients", 0.5, "√T"), (BANDIT, "losses alone", 0.75, "T^(3/4)"))
    for axes, (method, title, slope, name) in zip(panels, kinds, strict=True):
        for number, problem in enumerate((*TABLE, LONG)):
            _line(axes, of(runs, problem, method), problem, f"C{number}")
        T = np.array([min(run["T"] for run in runs), max(run["T"] for run in runs)])
        for start in (1.0, 5.0, 25.0):
            label = f"slope of {name}" if start == 1 else None
            axes.plot(T, start * (T / T[0]) ** slope, ":", color="grey", lw=1, label=label)
        axes.set(xscale="log", yscale="log", xlabel="rounds T")
        axes.set_title(f"Algorithm 1 with {title}", loc="left")
        ticks = sorted({run["T"] for run in runs})
        axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
        axes.minorticks_off()
        axes.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=2)
    panels[0].set_ylabel("regret (mean, 95 % interval)")
    figure.savefig(path, dpi=120)
    plt.close(figure)


def _line(axes: Any, by_rounds: dict[int, list[Record]], problem: str, colour: str) -> None:
    regrets, widths = zip(*(mean(runs, "regret") for runs in by_rounds.values()), strict=True)
    label = f"{problem}: T^{power(by_rounds):.2f}"
    axes.errorbar(list(by_rounds), regrets, widths, fmt="o-", ms=4, capsize=3, color=colour,
                  label=label)  # fmt: skip


def main() -> int:
    """Play everything, and write the table and the figure."""
    parser = argparse.ArgumentParser(prog="onearm papers bh20.table1")
    parser.add_argument("--quick", action="store_true", help="few short runs, to try it")
    parser.add_argument("--cap", type=int, default=32, help="steps of Meta-FW and MORGFW")
    parser.add_argument("--out", type=Path, help="folder of the results")
    asked, console = parser.parse_args(), Console(stderr=True)
    out = asked.out or (FOLDER / "quick" if asked.quick else FOLDER)
    out.mkdir(parents=True, exist_ok=True)
    rounds, seeds, longest = ((64, 128), range(2), 256) if asked.quick else (ROUNDS, SEEDS, LONGEST)
    play(Job(LONG, BANDIT, ROUNDS[0], 0, 1))  # compiles
    runs = []
    for job in track(jobs(rounds, seeds, longest, asked.cap), "playing", console=console):
        runs.append(play(job))
        if job.seed == seeds[-1]:
            came = mean(runs[-len(seeds) :], "regret")
            console.print(f"{job.problem}, {job.method}, T = {job.T}: "
                          f"{came[0]:.2f} ± {came[1]:.2f}", highlight=False)  # fmt: skip
    command = "onearm papers bh20.table1" + " --quick" * asked.quick
    command += f" --cap {asked.cap}"
    results = {"command": command, "about": facts.about(), "seeds": list(seeds),
               "cap": asked.cap, "runs": runs}  # fmt: skip
    (out / "table1.json").write_text(json.dumps(results, indent=1) + "\n")
    (out / "table1.md").write_text(text(results))
    draw(runs, out / "regret.png")
    console.print(f"{len(runs)} runs: {out / 'table1.md'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
