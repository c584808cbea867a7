"""Table 2 of BH20 with our numbers beside the paper's."""

import numpy as np

from onearm.experiments.job import Record
from papers.bh20 import runs as plan
from papers.bh20.paper import LOSSES, PRINTED
from papers.bh20.runs import METHODS, NAMES, ORDERS, RUNS, N, R, jobs
from papers.markdown import table
from papers.replication import Options, Replication
from papers.verdicts import BETTER, WORSE, Cell, half_width, verdict

N_CELLS = len(NAMES) * len(ORDERS) * len(METHODS)
PAIRS = {"full": "ogd", "bandit": "nfkm"}  # what is compared with what
Cells = dict[tuple[str, str, str], Record]


def text(records: list[Record], _: Options) -> list[str]:
    """Return the table in Markdown."""
    records = sorted(records, key=lambda run: NAMES.index(run["data"]))
    cells = {(run["data"], run["order"], run["method"]): run for run in records}
    other = " except those" if _fewer(records) else ""
    notes = f"""\
Mean squared loss of predictions on the second half of each data set, each made before its answer is
revealed, over {RUNS} runs{other}; ± half the width of a 95 % interval over
runs. Every method is tuned on the first half (at most {plan.MOST:,} rows of it) and starts anew on
the second. Searched are lr of {_list(plan.LR)};
c of {_list(plan.POWER)}; R of {_list(R)};
N of {_list(N)}; all of them for each N, except where "search" among the chosen settings says that
they were first compared with N = {plan.N_FIRST}, since all would take hours. δ = 1/2, and the noise
of losses is uniform in ±0.1, as in the paper. Π_Y is left out, since the paper does not say what Y
is in its runs (learners.md has both). "Mean" predicts the mean of the answers before, "zero" 0.
With gradients in the order of the file nothing is random: there it is one run. In brackets beside
the paper's numbers: within, if they lie in our interval or no farther from our mean than the
standard deviation that the paper prints; better or worse, if our loss is lower or higher than that.
The last columns are by how many percent the loss of boosting is lower, by pairs of runs: better or
worse, or open where 0 lies in the interval. N-FKM moves the weights of its linear model; "on
predictions" it moves its predictions, as boosting does. Trees, which are not in the paper, have at
most {plan.LEAVES} leaves. Centred are answers minus the mean of those in the first half. The
paper's fifth data set, slice, is not here: of its 53,500 rows only 682 were available."""
    return [notes, *(_table(order, cells) for order in ORDERS), _settings(cells)]


def _cut(records: list[Record], _: Options) -> list[str]:
    n = len(records)
    return [f"{n} of {N_CELLS} cells"] * (n < N_CELLS) + _fewer(records)


def _fewer(records: list[Record]) -> list[str]:
    """Return which data sets have fewer runs than the table is to have."""
    runs = {run["data"]: run["runs"] for run in records}
    order = sorted(runs, key=NAMES.index)
    return [f"{runs[data]} of {RUNS} runs of {data}" for data in order if runs[data] < RUNS]


def _name(method: str) -> str:
    """Return a class, and which form of it a method is."""
    form = " over trees" if "trees" in method else ""
    return METHODS[method] + form + (" on predictions" if "predictions" in method else "")


def _list(values: tuple[float, ...]) -> str:
    return ", ".join(f"{value:g}" for value in values)


def _table(order: str, cells: Cells) -> str:
    rows = []
    for data in NAMES:
        runs = {m: cells[data, order, m] for m in METHODS if (data, order, m) in cells}
        if not runs:
            continue
        first = next(iter(runs.values()))
        row = [data, _number(first["zero"]), _number(first["mean"])]
        row += [_mean(runs[m]["losses"]) if m in runs else "–" for m in METHODS]
        row += [_less(runs, better) for better in PAIRS]
        rows += [row, _paper(data, runs)] if data in LOSSES else [row]
    head = ["data", "zero", "mean", "OGD", "boosting", "N-FKM", "boosting from losses"]
    head += ["N-FKM on predictions", "trees", "trees from losses"]
    head += ["less than OGD, %", "less than N-FKM, %"]
    title = "In the order of the file" if order == "file" else "Shuffled"
    return f"## {title}\n\n{table(head, rows)}"


def _paper(data: str, runs: dict[str, Record]) -> list[str]:
    """Return what the paper prints, and how our cell above compares with it."""
    cells, (ogd, full, nfkm, bandit) = [], (loss for loss, _ in LOSSES[data])
    for method, (loss, deviation) in zip(PRINTED, LOSSES[data], strict=True):
        ours = f" ({verdict(runs[method]['losses'], loss, deviation)})" if method in runs else ""
        cells.append(f"{loss:g}{ours}")
    less = [f"{100 * (1 - full / ogd):.1f}", f"{100 * (1 - bandit / nfkm):.1f}"]
    return ["the paper's", "", "", *cells, "", "", "", *less]


def _number(value: float, like: float | None = None) -> str:
    """Return a number with as many digits as one of the size of another."""
    return f"{value:.4f}" if (like or value) < 1 else f"{value:.2f}"


def _mean(losses: list[float]) -> str:
    values = np.array(losses)
    width = f" ± {_number(half_width(losses), values.mean())}" if len(values) > 1 else ""
    return f"{_number(values.mean())}{width}"


def _less(runs: dict[str, Record], better: str) -> str:
    other = PAIRS[better]
    if better not in runs or other not in runs:
        return "–"
    a, b = np.array(runs[better]["losses"]), np.array(runs[other]["losses"])
    share = a.mean() / b.mean()
    terms = (a - share * b) / b.mean()  # a ratio of means moves by the mean of these
    half = half_width(terms.tolist()) if len(terms) > 1 else 0.0
    outcome = "open" if abs(1 - share) <= half else BETTER if share < 1 else WORSE
    width = f" ± {100 * half:.1f}" if len(terms) > 1 else ""
    return f"{100 * (1 - share):.1f}{width} ({outcome})"


def _settings(cells: Cells) -> str:
    rows = []
    for (data, order, method), run in cells.items():
        settings = run["settings"]
        count = f"{settings['N']}" if method != "ogd" else "–"
        feedback = "losses" if method in plan.LOSSES_ALONE else "gradients"
        numbers = [f"{settings[part]:g}" for part in ("lr", "power", "R")]
        seconds = f"{run['cpu_seconds']:,.0f}"
        search = "" if method == "ogd" else run.get("search", f"at N = {plan.N_FIRST}")
        rows.append([data, order, _name(method), feedback, *numbers, count, search, seconds])
    head = ["data", "order", "method", "feedback", "lr", "c", "R", "N", "search", "CPU s in all"]
    return f"## Chosen settings\n\n{table(head, rows)}"


def printed_cells(records: list[Record]) -> list[Cell]:
    """Return every loss of Table 2 beside ours, in the order of the file.

    Where OGD has a higher loss in the paper than predicting 0 has here, the answers are other ones.
    """
    cells = []
    for run in records:
        if run["data"] not in LOSSES or run["order"] != "file" or run["method"] not in PRINTED:
            continue
        losses = [loss for loss, _ in LOSSES[run["data"]]]
        theirs, same = losses[PRINTED.index(run["method"])], losses[0] <= run["zero"]
        name = f"{run['data']} {METHODS[run['method']]}"
        cells.append(Cell(name, float(np.mean(run["losses"])), theirs, same, points=0.0))
    return cells


REPLICATION = Replication(
    stages=(jobs,), title="Table 2 of BH20", report="table2.md", text=text, cut=_cut,
    names=(NAMES, ORDERS, tuple(METHODS)), defaults=Options(runs=RUNS),
    quick=Options(only=("abalone", "ogd", "full"), runs=2), cells={"bh20.table2": printed_cells},
)  # fmt: skip
