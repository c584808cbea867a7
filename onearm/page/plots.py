"""Plots: what the curves, the sweeps and the bars of the page are made of."""

import json
import math
from collections.abc import Sequence
from typing import Any

COLOURS = 7  # --c0 to --c6 in page.css
BANDIT = (
    "",
    "2 3",
    "9 3 2 3",
    "9 3 2 3 2 3",
    "2 7",
    "14 3 2 3",
)  # solid first; a dash for each time round the colours
FULL = ("8 5", "16 5")

Row = dict[str, Any]


def finite(x: Any) -> Any:
    """Return the same with None for NaN and infinities, which JSON cannot say.

    >>> finite({"a": [1.0, math.nan, -math.inf]})
    {'a': [1.0, None, None]}
    """
    if isinstance(x, dict):
        return {key: finite(value) for key, value in x.items()}
    if isinstance(x, list | tuple):
        return [finite(value) for value in x]
    return None if isinstance(x, float) and not math.isfinite(x) else x


def inline(x: Any) -> str:
    """Return JSON that may stand in a script element: no character in it can end the element.

    >>> inline("</script>&")
    '"\\\\u003c/script\\\\u003e\\\\u0026"'
    """
    said = json.dumps(x, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        said = said.replace(sign, f"\\u{ord(sign):04x}")
    return said


def dressed(streams: list[Row]) -> list[Row]:
    """Return the streams, learners by error; each has a colour and a dash, in all streams the same.

    Learners are the same if they have a label in common. Dashes tell the fully informed from the
    others.
    """
    known: dict[tuple, Row] = {}
    ranked = []
    for stream in streams:
        learners = sorted(stream["learners"], key=lambda x: _last_if_none(x["error"]["mean"]))
        for i, learner in enumerate(learners):
            full = learner["full_information"]
            before = sum(key[0] == full for key in known)
            style = known.setdefault((full, learner["label"]), _style(before, full))
            learners[i] = learner | style
        ranked.append(stream | {"learners": learners})
    return ranked


def _style(i: int, full: bool) -> Row:
    around, nth = divmod(i, COLOURS)
    dashes = FULL if full else BANDIT
    # the fully informed take the colours from the other end: few share one with a good learner
    return {"colour": COLOURS - 1 - nth if full else nth, "dash": dashes[around % len(dashes)]}


def lines(learners: list[Row]) -> list[Row]:
    """Return the curves, to four digits; `x` is left out where it is that of the first curve."""
    first = learners[0]["curve"]["rounds"] if learners else []
    return [
        _line(learner, learner["label"], learner["curve"])
        | ({} if i and learner["curve"]["rounds"] == first else {"x": learner["curve"]["rounds"]})
        for i, learner in enumerate(learners)
    ]


def swept(stream: Row) -> list[Row]:
    """Return the errors over exploration rates, in the dress of the learner, if that is free."""
    dress = {learner["name"]: learner for learner in reversed(stream["learners"])}
    free = [_style(i, False) for i in range(COLOURS * len(BANDIT))]
    found = []
    for sweep in stream.get("exploration") or []:
        points = sorted(sweep["points"], key=lambda p: p["value"])
        curve = {key: [p[key] for p in points] for key in ("mean", "low", "high")}
        label = f"{sweep['name']} ({sweep['parameter']})"
        style = {key: dress.get(sweep["name"], free[0])[key] for key in ("colour", "dash")}
        style = style if style in free else free[0]
        free = [one for one in free if one != style] or free
        line = _line(style, label, curve)
        found.append(line | {"x": [p["value"] for p in points]})
    return [line for line in found if line["x"]]


def _line(style: Row, label: str, curve: Row) -> Row:
    return {
        "label": label,
        "colour": style["colour"],
        "dash": style["dash"],
        "mean": _brief(curve["mean"]),
        "low": _brief(curve["low"]),
        "high": _brief(curve["high"]),
    }


def _brief(values: Sequence[float | None] | None) -> list[float | None] | None:
    """Return four digits of each, which is finer than a pixel; None where nothing is known."""
    if values is None or all(v is None for v in values):
        return None
    return [None if v is None else float(f"{v:.4g}") for v in values]


def bars(learners: list[Row]) -> Row:
    """Return a bar per learner, the fastest first, on a logarithmic scale of whole decades.

    >>> fast, slow = {"rounds_per_second": 1e5}, {"rounds_per_second": 1e3}
    >>> made = bars([slow, fast])
    >>> [bar["percent"] for bar in made["bars"]], [mark["value"] for mark in made["marks"]]
    ([100.0, 33.33], [100, 1000, 10000, 100000])
    """
    timed = [x for x in learners if (x["rounds_per_second"] or 0) > 0]
    if not timed:
        return {"bars": [], "marks": []}
    timed.sort(key=lambda x: -x["rounds_per_second"])
    high = math.ceil(math.log10(timed[0]["rounds_per_second"]))
    low = math.ceil(math.log10(timed[-1]["rounds_per_second"])) - 1  # so that no bar has length 0

    def percent(x: float) -> float:
        return round(100 * (math.log10(x) - low) / (high - low), 2)

    decades = [10**e if e >= 0 else 10.0**e for e in range(low, high + 1)]
    return {
        "bars": [x | {"percent": percent(x["rounds_per_second"])} for x in timed],
        "marks": [{"value": d, "percent": percent(d)} for d in decades],
    }


def _last_if_none(x: float | None) -> float:
    return math.inf if x is None else x
