"""Plots: the data of the page's curves, exploration sweeps and speeds, and how lines look."""

import json
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

STYLESHEET = (Path(__file__).parent / "page.css").read_text(encoding="utf-8")
COLOURS = re.findall(r"--c\d+: (#\w{6});", STYLESHEET.partition("@media")[0])  # on light paper
WIDTHS = (1.75, 3.5, 1.0, 5.0)  # pixels: another for each time round the colours
FULL_INFORMATION = "8 5"  # the only dash there is
BASELINES = tuple({"colour": colour, "dash": "", "width": 1.0} for colour in ("quiet", "ink"))

Row = dict[str, Any]


def finite(x: Any) -> Any:
    """Return the same with None for NaN and infinities, which JSON does not have.

    >>> finite({"a": [1.0, math.nan, -math.inf]})
    {'a': [1.0, None, None]}
    """
    if isinstance(x, dict):
        return {key: finite(value) for key, value in x.items()}
    if isinstance(x, list | tuple):
        return [finite(value) for value in x]
    return None if isinstance(x, float) and not math.isfinite(x) else x


def script_json(x: Any) -> str:
    """Return JSON for a script element: no character in it can end the element.

    >>> script_json("</script>&")
    '"\\\\u003c/script\\\\u003e\\\\u0026"'
    """
    text = json.dumps(x, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def line_styles(labels: Sequence[tuple[str, bool]]) -> dict[tuple[str, bool], Row]:
    """Return the style of each (label, full information): its own colour, dashed if informed.

    >>> line_styles([("SOBA", False), ("Perceptron", True)])["Perceptron", True]
    {'colour': 'c1', 'dash': '8 5', 'width': 1.75}
    """
    return {pair: _style(i, pair[1]) for i, pair in enumerate(dict.fromkeys(labels))}


def _style(i: int, full: bool) -> Row:
    around, nth = divmod(i, len(COLOURS))
    dash = FULL_INFORMATION if full else ""
    return {"colour": f"c{nth}", "dash": dash, "width": WIDTHS[around % len(WIDTHS)]}


def styled(streams: list[Row]) -> list[Row]:
    """Return the streams with learners by error, each in one style on all streams."""

    def rank(learner: Row) -> tuple:
        return learner["error"]["mean"] is None, learner["error"]["mean"]

    ranked = [s | {"learners": sorted(s["learners"], key=rank)} for s in streams]
    pairs = [(x["label"], x["full_information"]) for s in ranked for x in s["learners"]]
    styles = line_styles(pairs)
    for stream in ranked:
        learners = [x | styles[x["label"], x["full_information"]] for x in stream["learners"]]
        lines = zip(stream.get("baselines") or (), BASELINES, strict=False)
        stream |= {"learners": learners, "baselines": [line | style for line, style in lines]}
    return ranked


def curve_lines(lines: list[Row], digits: int = 4) -> list[Row]:
    """Return the curves, to so many digits; `x` is left out where it is that of the first curve."""
    first = lines[0]["curve"]["rounds"] if lines else []
    return [
        _line(line, line["label"], line["curve"], digits)
        | ({} if i and line["curve"]["rounds"] == first else {"x": line["curve"]["rounds"]})
        for i, line in enumerate(lines)
    ]


def sweep_lines(stream: Row) -> list[Row]:
    """Return the errors over exploration rates, in the learner's style if that is still free."""
    styles = {learner["name"]: learner for learner in reversed(stream["learners"])}
    free = [_style(i, False) for i in range(len(COLOURS) * len(WIDTHS))]
    lines = []
    for sweep in stream.get("exploration") or []:
        points = sorted(sweep["points"], key=lambda p: p["value"])
        curve = {key: [p[key] for p in points] for key in ("mean", "low", "high")}
        style = {key: styles.get(sweep["name"], free[0])[key] for key in free[0]}
        style = style if style in free else free[0]
        free = [other for other in free if other != style] or free
        line = _line(style, f"{sweep['name']} ({sweep['parameter']})", curve)
        lines.append(line | {"x": [p["value"] for p in points]})
    return [line for line in lines if line["x"]]


def _line(style: Row, label: str, curve: Row, digits: int = 4) -> Row:
    look = {key: style[key] for key in ("colour", "dash", "width")}
    numbers = {key: _brief(curve[key], digits) for key in ("mean", "low", "high")}
    return {"label": label} | look | numbers


def _brief(values: Sequence[float | None] | None, digits: int) -> list[float | None] | None:
    """Return some digits of each, four are finer than a pixel; None where nothing is known."""
    if values is None or all(v is None for v in values):
        return None
    return [None if v is None else float(f"{v:.{digits}g}") for v in values]


def speeds(learners: list[Row]) -> Row:
    """Return a dot per learner, the fastest first, on a logarithmic scale of whole decades.

    >>> fast, slow = {"rounds_per_second": 1e5}, {"rounds_per_second": 1e3}
    >>> made = speeds([slow, fast])
    >>> [dot["percent"] for dot in made["dots"]], [mark["value"] for mark in made["marks"]]
    ([100.0, 0.0], [1000, 10000, 100000])
    """
    timed = [x for x in learners if (x["rounds_per_second"] or 0) > 0]
    if not timed:
        return {"dots": [], "marks": []}
    timed.sort(key=lambda x: -x["rounds_per_second"])
    low = math.floor(math.log10(timed[-1]["rounds_per_second"]))
    high = max(low + 1, math.ceil(math.log10(timed[0]["rounds_per_second"])))

    def percent(x: float) -> float:
        return round(100 * (math.log10(x) - low) / (high - low), 2)

    decades = [10**e if e >= 0 else 10.0**e for e in range(low, high + 1)]
    return {
        "dots": [x | {"percent": percent(x["rounds_per_second"])} for x in timed],
        "marks": [{"value": d, "percent": percent(d)} for d in decades],
    }
