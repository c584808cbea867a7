"""The page of an evaluation: differences, values over time, weights, segments and windows."""

from pathlib import Path
from typing import Any

from onearm.page import plots, write_html
from onearm.page.bars import bars
from onearm.page.dots import Axis, ends, interval_text
from onearm.page.text import count

LOGGED = {"colour": "ink", "dash": "", "width": 1.75}  # the policy that wrote the log

Row = dict[str, Any]


def write(data: Row, path: str | Path) -> None:
    """Write the page. NaN and infinities count as not known."""
    shown = plots.finite(data)
    styles = _styles(shown)
    for key in ("estimates", "differences", "curves"):
        shown[key] = [line | styles[line["label"]] for line in shown[key]]
    shown["weights"] = [
        w | styles[w["policy"]] | {"histogram": bars(w["edges"], w["counts"])}
        for w in shown["weights"]
    ]
    places = {line["label"]: i for i, line in enumerate(shown["curves"])}
    for line in shown["estimates"]:
        line["place"] = places[line["label"]]
    shown["headline"] = _headline(shown)
    charts = (_parts(key, shown, styles) for key in ("segments", "windows"))
    shown["charts"] = [chart for chart in charts if chart]
    shown["points"] = plots.script_json({"curves": plots.curve_lines(shown["curves"], 7)})
    write_html("evaluation.html", shown, path)


def _styles(shown: Row) -> dict[str, Row]:
    """Return the style of each policy: a colour of its own, and ink for the logged one."""
    labels = [(w["policy"], False) for w in shown["weights"] if w["policy"] != "logged"]
    styles = {label: style for (label, _), style in plots.line_styles(labels).items()}
    return styles | {"logged": LOGGED}


def _headline(shown: Row) -> Row:
    """Return the differences as dots on an axis that has 0."""
    lines, decimals = shown["differences"], shown["decimals"]
    low, high = shown["rewards"]
    axis = Axis([0.0, *ends(lines)], low - high, high - low)
    texts = [interval_text(line, decimals, "+") for line in lines]
    rows = [
        line | {"text": text, "dots": [axis.dot(line, text)]}
        for line, text in zip(lines, texts, strict=True)
    ]
    return {"rows": rows, "marks": axis.marks, "zero": axis.percent(0.0)}


def _parts(key: str, shown: Row, styles: dict[str, Row]) -> Row | None:
    """Return the values of segments or windows as dots: a lane for each policy."""
    parts, decimals = shown[key], shown["decimals"]
    if not parts or (key == "windows" and len(parts) < 2):
        return None
    numbers = (x for part in parts for x in [*ends(part["policies"]), part["reward"]])
    axis = Axis(numbers, *shown["rewards"])
    rows = []
    for part in parts:
        logged = {"label": "logged", "value": part["reward"], "low": None, "high": None}
        lines = [line | styles[line["label"]] for line in [logged, *part["policies"]]]
        texts = [interval_text(line, decimals) for line in lines]
        dots = [
            axis.dot(line, f"{line['label']}: {text}")
            for line, text in zip(lines, texts, strict=True)
        ]
        n = part["n_events"]
        about = {"n": n, "label": part["part"], "about": f"{count(n)} event{'' if n == 1 else 's'}"}
        rows.append(about | {"lines": lines, "texts": texts, "dots": dots})
    return {"key": key, "rows": rows, "marks": axis.marks}
