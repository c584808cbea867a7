"""Table 1 of BH20, measured.

The table compares bounds of four projection-free methods; here are regrets and costs beside them.

    table1.md     regret and cost of a round
    regret.png    regret of Algorithm 1 against T, with gradients and with losses alone
"""

from pathlib import Path
from typing import Any

import numpy as np

from onearm.experiments.job import Record
from papers.bh20 import regret_runs as plan
from papers.bh20.paper import BOUNDS
from papers.bh20.problems import ABOUT, LOSS_NOISE
from papers.bh20.regret_runs import BANDIT, LONG, OURS, TABLE, jobs
from papers.claims import Claim, holds_if
from papers.figures import subplots
from papers.markdown import table
from papers.records import grouped, select
from papers.replication import Options, Replication
from papers.verdicts import WORSE, half_width, verdict


def of(runs: list[Record], problem: str, method: str) -> dict[int, list[Record]]:
    """Return the runs of a method on a problem, by the number of rounds."""
    by_rounds = grouped(select(runs, problem=problem, method=method), "T")
    return {T: by_rounds[T,] for (T,) in sorted(by_rounds)}


def mean(runs: list[Record], what: str) -> tuple[float, float]:
    """Return the mean over seeds, and half the width of its 95 % interval."""
    values = [run[what] for run in runs]
    return float(np.mean(values)), half_width(values)


def power(by_rounds: dict[int, list[Record]], what: str = "regret") -> float:
    """Return the p for which T^p fits the mean regrets best, in logarithms."""
    regrets = [mean(runs, what)[0] for runs in by_rounds.values()]
    return float(np.polyfit(np.log(list(by_rounds)), np.log(regrets), 1)[0])


def powers(by_rounds: dict[int, list[Record]]) -> list[float]:
    """Return the same for the regrets of each seed."""
    seeds = zip(*by_rounds.values(), strict=True)
    return [power({T: [run] for T, run in zip(by_rounds, runs, strict=True)}) for runs in seeds]


def text(runs: list[Record], _: Options) -> list[str]:
    """Return the results in Markdown."""
    cap = max((run["steps"] for run in runs if run["method"] in plan.CHAINS), default=plan.CAP)
    gap, least = max(run["gap"] for run in runs), min(run["regret"] for run in runs)
    noise = {run["problem"]: run["noise"] for run in runs}.items()
    seeds = ", ".join(map(str, _seeds(runs)))
    notes = f"""\
Seeds {seeds}; ± is half of a 95 % interval of the mean over them. CPU time is
that of one core, including the oracle's.

Losses are independent over rounds. The oracle adds uniform noise to each coordinate of a gradient.
All methods get it, also Online-FW, which in the paper gets exact gradients. Regret is against the
best point in hindsight, which accelerated projected gradients find up to a duality gap of at most
{gap:.0e}; the least regret of a run is {least:.2f}. Algorithm 1 has N = √T optimisers. Meta-FW and
MORGFW take at most {cap} steps a round; where their analysis needs more, the table says so, and the
power of T is not the one of their bound. Powers are fitted seed by seed: within, if that of the
bound lies in our 95 % interval; better or worse, if the whole interval is below or above."""
    problems = [f"- {name}: {ABOUT[name]}; noise of width {width}." for name, width in noise]
    head = "## The paper's bounds, and the power of T that fits our regrets"
    measured = [f"## {name.capitalize()}\n\n{_measured(runs, name)}" for name in TABLE]
    return [notes, "\n".join(problems), head, _bounds(runs), *measured, _against_rounds(runs)]


def _seeds(runs: list[Record]) -> list[int]:
    return sorted({run["seed"] for run in runs})


def _cut(runs: list[Record], _: Options) -> list[str]:
    n, longest = len(_seeds(runs)), max(run["T"] for run in runs)
    return [f"{n} of {plan.SEEDS} runs", f"T up to {longest}"] * (n != plan.SEEDS)


def _bounds(runs: list[Record]) -> str:
    rows = []
    for method, (regret, bound, cost, feedback, guarantee) in BOUNDS.items():
        problems = [of(runs, name, method) for name in TABLE]
        calls = ", ".join(f"{mean(some, 'calls')[0]:.0f}" for some in problems[0].values())
        ours = [_power(powers(by_rounds), bound) for by_rounds in problems]
        rows.append([method, feedback, guarantee, regret, *ours, cost, calls])
    rounds = ", ".join(map(str, of(runs, TABLE[0], OURS)))
    head = ["method", "feedback", "guarantee", "regret, paper", *(f"{n}, ours" for n in TABLE),
            "cost of a round, paper", f"gradients, ours, T = {rounds}"]  # fmt: skip
    return table(head, rows)


def _power(ours: list[float], bound: float) -> str:
    shown = f" ({verdict(ours, bound, 0.0)})" if len(ours) == plan.SEEDS else ""
    return f"{np.mean(ours):.2f} ± {half_width(ours):.2f}{shown}"


def _measured(runs: list[Record], problem: str) -> str:
    rows = []
    for method in BOUNDS:
        for T, some in of(runs, problem, method).items():
            calls, minimisations = (mean(some, what)[0] for what in ("calls", "minimisations"))
            row = [method, f"{T:,}", _steps(some[0]), _shown(some, "regret", 1)]
            rows.append([*row, f"{calls:.0f}", f"{minimisations:.0f}", _shown(some, "cpu_ms", 2)])
    head = ["method", "T", "steps", "regret", "gradients", "linear minimisations", "CPU ms"]
    return table(head, rows)


def _shown(runs: list[Record], what: str, digits: int) -> str:
    return " ± ".join(f"{value:.{digits}f}" for value in mean(runs, what))


def _steps(run: Record) -> str:
    taken, needed = run["steps"], plan.THEORY[run["method"]](run["T"])
    return f"{taken}" if taken == needed else f"{taken} of {needed:,}"


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
T^3/4 with losses alone. Losses have uniform noise of width {LOSS_NOISE}, and δ is half of the set's
inner radius at T = {plan.ROUNDS[0]} and falls as T^(-1/4). An estimate's noise grows with the
dimension over δ: where that is large, these T are too few to do much better than the centre of the
set, played in every round. With three assets the best point is a corner.

{table(head, rows)}"""


def draw(runs: list[Record], path: Path) -> None:
    """Draw regret against T, for gradients and for losses alone."""
    figure, panels = subplots(1, 2, (11, 6), sharey=True)
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


def _line(axes: Any, by_rounds: dict[int, list[Record]], problem: str, colour: str) -> None:
    regrets, widths = zip(*(mean(runs, "regret") for runs in by_rounds.values()), strict=True)
    label = f"{problem}: T^{power(by_rounds):.2f}"
    axes.errorbar(list(by_rounds), regrets, widths, fmt="o-", ms=4, capsize=3, color=colour,
                  label=label)  # fmt: skip


def claims(runs: list[Record]) -> list[Claim]:
    """Return for each method and problem whether our power of T is at most that of the bound."""
    tested = []
    for method, (regret, bound, *_) in BOUNDS.items():
        says = f"{method} has a regret of {regret}"
        for problem in TABLE:
            ours = powers(of(runs, problem, method))
            most = holds_if(verdict(ours, bound, 0.0) != WORSE)
            tested.append(Claim(says, problem, most, _power(ours, bound)))
    return tested


REPLICATION = Replication(
    stages=(jobs,), title="Table 1 of BH20: projection-free methods", report="table1.md",
    text=text, cut=_cut, figure="regret.png", draw=draw,
    defaults=Options(runs=plan.SEEDS, cap=plan.CAP), quick=Options(runs=2), ledger="regret.jsonl",
    needs_all=True, claims={"bh20.table1": claims},
)  # fmt: skip
