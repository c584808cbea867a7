"""Table 2 of BH20 from runs."""

import json
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from papers.bh20.data import NAMES
from papers.bh20.runs import (
    LEAVES,
    LOSSES_ALONE,
    LR,
    METHODS,
    MOST,
    ORDERS,
    POWER,
    N,
    R,
    Record,
)
from papers.markdown import table
from papers.records import half_width
from papers.verdicts import BETTER, WORSE, verdict

PRINTED = ("ogd", "full", "nfkm", "bandit")  # what the paper has
PAPER = {  # their losses, each with its standard deviation
    "abalone": ((3.708, 0.027), (3.71, 0.006), (12.21, 0.210), (11.68, 0.154)),
    "adult": ((0.154, 0.003), (0.151, 0.002), (0.161, 0.003), (0.150, 0.001)),
    "census": ((0.160, 0.002), (0.032, 0.001), (0.163, 0.001), (0.105, 0.020)),
    "letter": ((0.507, 0.008), (0.498, 0.002), (0.522, 0.006), (0.517, 0.003)),
}
RUNS = 20
PAIRS = {"full": "ogd", "bandit": "nfkm"}  # what is compared with what
Cells = dict[tuple[str, str, str], Record]


def write(records: list[Record], of: int, folder: Path) -> None:
    """Write table2.md."""
    cells = {(run["data"], run["order"], run["method"]): run for run in records}
    (folder / "table2.md").write_text(_text(cells, of))


def _text(cells: Cells, of: int) -> str:
    versions = {json.dumps(run["versions"]) for run in cells.values()}
    shown = "; ".join(", ".join(f"{k} {v}" for k, v in json.loads(one).items()) for one in versions)
    runs = {run["data"]: run["runs"] for run in cells.values()}
    few = ", ".join(f"{n} of {RUNS} runs of {data}" for data, n in runs.items() if n < RUNS)
    less = ", ".join([f"{len(cells)} of {of} cells"] * (len(cells) < of) + [few] * bool(few))
    parts = [
        f"""# Table 2 of BH20{f" ({less})" if less else ""}

Written by `onearm papers bh20.table2` on {datetime.now(UTC).date().isoformat()} from {len(cells)}
of {of} cells, {RUNS} runs each{" but for those" if few else ""}; {shown}.

Mean squared loss of predictions on the second half of each data set, each made before its answer is
heard; ± half the width of a 95 % interval over runs. Every method is tuned on the first half (at
most {MOST:,} rows of it) and begins anew on the second. Searched are lr of {_list(LR)};
c of {_list(POWER)}; R of {_list(R)};
N of {_list(N)}. δ = 1/2, and the noise of losses is uniform in ±0.1, as in the paper. "Mean" says
the mean of the answers before, "zero" says 0. Told gradients in the order of the file nothing is
drawn: there it is one run. In brackets beside the paper's numbers: within, if they lie in our
interval or no farther from our mean than the standard deviation that the paper prints; better or
worse, if we lose less or more than that. The last columns are by how many percent boosting loses
less, by pairs of runs: better or worse, or open where 0 lies in the interval. Trees, not in the
paper, have {LEAVES} leaves at most. Centred are answers less the mean of those in the first half.
The paper's fifth data set, slice, is not here: of its 53,500 rows only 682 were to be had."""
    ]
    parts += [_table(order, cells) for order in ORDERS]
    parts.append(_settings(cells))
    return "\n\n".join(parts) + "\n"


def _list(values: tuple[float, ...]) -> str:
    return ", ".join(f"{value:g}" for value in values)


def _table(order: str, cells: Cells) -> str:
    rows = []
    for data in NAMES:
        runs = {m: cells[data, order, m] for m in METHODS if (data, order, m) in cells}
        if not runs:
            continue
        one = next(iter(runs.values()))
        row = [data, _number(one["zero"]), _number(one["mean"])]
        row += [_mean(runs[m]["losses"]) if m in runs else "–" for m in METHODS]
        row += [_less(runs, better) for better in PAIRS]
        rows += [row, _paper(data, runs)] if data in PAPER else [row]
    head = ["data", "zero", "mean", "OGD", "boosting", "N-FKM", "boosting from losses"]
    head += ["trees", "trees from losses", "less than OGD, %", "less than N-FKM, %"]
    title = "In the order of the file" if order == "file" else "Shuffled"
    return f"## {title}\n\n{table(head, rows)}"


def _paper(data: str, runs: dict[str, Record]) -> list[str]:
    """What the paper prints, and how our cell above stands to it."""
    cells, (ogd, full, nfkm, bandit) = [], (loss for loss, _ in PAPER[data])
    for method, (loss, deviation) in zip(PRINTED, PAPER[data], strict=True):
        ours = f" ({verdict(runs[method]['losses'], loss, deviation)})" if method in runs else ""
        cells.append(f"{loss:g}{ours}")
    less = [f"{100 * (1 - full / ogd):.1f}", f"{100 * (1 - bandit / nfkm):.1f}"]
    return ["the paper's", "", "", *cells, "", "", *less]


def _number(value: float, like: float | None = None) -> str:
    """With as many digits as a number like another has."""
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
    off = (a - share * b) / b.mean()  # a ratio of means moves by the mean of this
    half = half_width(off.tolist()) if len(off) > 1 else 0.0
    found = "open" if abs(1 - share) <= half else BETTER if share < 1 else WORSE
    width = f" ± {100 * half:.1f}" if len(off) > 1 else ""
    return f"{100 * (1 - share):.1f}{width} ({found})"


def _settings(cells: Cells) -> str:
    rows = []
    for (data, order, method), run in cells.items():
        own = run["settings"]
        count = f"{own['N']}" if method != "ogd" else "–"
        told = "losses" if method in LOSSES_ALONE else "gradients"
        name = METHODS[method] + (" over trees" if "trees" in method else "")
        rows.append(
            [data, order, name, told, f"{own['lr']:g}", f"{own['power']:g}",
             f"{own['R']:g}", count, f"{run['cpu_seconds']:,.0f}"]
        )  # fmt: skip
    head = ["data", "order", "method", "told", "lr", "c", "R", "N", "CPU s in all"]
    return f"## Settings that were found\n\n{table(head, rows)}"
