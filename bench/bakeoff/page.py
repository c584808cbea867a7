"""The page of the bake-off: one HTML file made of the parts that all pages share."""

import math
from pathlib import Path
from typing import Any

from bench.bakeoff.rivals import CHORUS, VOWPAL_WABBIT, algorithms
from bench.bakeoff.scores import TESTS, Contestant, Scores
from bench.bakeoff.sets import Set
from bench.bakeoff.standings import pairs, rows
from bench.bakeoff.verdicts import SELF, reported, verdicts
from onearm.experiments.job import Record
from onearm.page import html, plots
from onearm.page.dots import Axis
from onearm.page.text import number

MARKS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)  # ratios named along an axis
COMMAND = "onearm bakeoff"


def write(scores: Scores, groups: dict[str, list[Set]], path: Path) -> None:
    """Write the page."""
    shown = {
        "title": "The bake-off", "command": COMMAND, "notes": [], "machines": ["not recorded"],
        "verdicts": [v._asdict() | {"word": v.word} for v in verdicts(scores)],
        "n_reported": len(reported()), "tests": list(TESTS), **about(scores),
        "groups": [group(scores, name, data) for name, data in groups.items()],
    }  # fmt: skip
    text = html("page_of_bakeoff.html", shown, folder=Path(__file__).parent)
    path.write_text(text, encoding="utf-8", newline="\n")


def about(scores: Scores) -> dict[str, Any]:
    """Return the date and the versions of the last run, and how many runs there are."""
    records = [r for some in scores.records.values() for r in some]
    last: Record = max(records, key=lambda r: r["date"], default={})
    ours = [r["versions"] for r in records if "onearm" in r["versions"]]
    versions = {"onearm": "–"} | (ours[-1] if ours else {}) | last.get("versions", {})
    date = last.get("date", "1970-01-01T00:00:00+00:00")
    return {"date": date, "versions": versions, "n_runs": len(records)}


def group(scores: Scores, name: str, data: list[Set]) -> dict[str, Any]:
    """Return the table of some sets, and a lane of dots for each set."""
    table = [
        {"label": str(row.contestant), "sets": len(row.ratios), "mean": row.mean,
         "rate": row.rounds_per_second, "balances": row.balances,
         "informed": algorithms()[row.contestant.algorithm].informed}
        for row in rows(scores, data)
    ]  # fmt: skip
    tables = {test: pairs(scores, data, test) for test in TESTS}
    return {"name": name, "n": len(data), "rows": table, "pairs": tables, **lanes(scores, data)}


def lanes(scores: Scores, data: list[Set]) -> dict[str, Any]:
    """Return ratios to ExtraTrees set by set, as dots on a logarithmic axis."""
    fixed = scores.fixed_vowpal_wabbit()
    names = (CHORUS, f"{VOWPAL_WABBIT}, best in hindsight", f"{VOWPAL_WABBIT}, best fixed setting")
    styles = plots.line_styles([(name, False) for name in names])
    lines = [style | {"label": label} for (label, _), style in styles.items()]
    by_set = []
    for data_set in data:
        contestants: list[Contestant | None] = [SELF, scores.best_vowpal_wabbit(data_set), fixed]
        values = [scores.ratio(c, data_set) if c else None for c in contestants]
        by_set.append((data_set, values))
    logs = [math.log2(v) for _, values in by_set for v in values if v]
    axis = Axis([0.0, *logs])
    shown = [
        {"label": data_set.name, "text": number(values[0], 2), "dots": [
            axis.dot(line | {"value": math.log2(v) if v else None, "low": None, "high": None},
                     f"{line['label']}: {number(v, 3)}")
            for line, v in zip(lines, values, strict=True)
        ]}
        for data_set, values in by_set if any(values)
    ]  # fmt: skip
    marks = [
        {"text": f"{mark:g}", "percent": axis.percent(math.log2(mark))}
        for mark in MARKS if axis.low <= math.log2(mark) <= axis.high
    ]  # fmt: skip
    return {"lines": lines, "lanes": shown, "marks": marks, "one": axis.percent(0.0) / 100}
