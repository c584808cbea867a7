"""The report of a race: a table, rows of numbers, and what its page shows."""

from collections.abc import Sequence
from io import StringIO
from math import isnan, nan
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from onearm.experiments.identity import machines
from onearm.metrics import Interval
from onearm.page.text import count, size
from onearm.racing.plan import Plan
from onearm.racing.rows import TRIALS, Source
from onearm.racing.summary import (
    METRICS,
    Failure,
    Score,
    baselines,
    by_stream,
    exploration,
    failed_on,
)

NOTES = (
    "All learners of a repeat see the same rows in the same order.",
    "An error is the fraction of rounds in which the chosen label was wrong, exploration included. "
    "Intervals are Student's, 95 %, over the repeats; differences are paired.",
)
PREPARED = (
    "Learners that know nominal columns see rows as they are, with 0 for a missing value they "
    "cannot take. The others see one column per nominal value, numbers standardised by the mean "
    "and deviation of their column so far, a constant, and rows of norm 1; missing values are 0."
)
TUNED = (
    "Exploration rates were chosen on the first {:.0%} of each repeat's rows, or {} rows per label "
    "if that is more, up to half of the rows: the lowest error among the default times 4^-3 … 4^2 "
    "(if the default is 0: among 0 and 4^-3 … 4^2). Those rows are not part of the race, for any "
    "learner."
)
IN_ORDER = (
    "The rows of {} come in the order of their source in every repeat: intervals there reflect the "
    "randomness of the learners, not of the rows."
)
WIDE = 160  # characters of a line of a table that is text


def table(scores: Sequence[Score], stream: str, failures: Sequence[Failure] = ()) -> Table:
    """Return a table of the learners on a stream; errors are fractions, as on the page."""
    failed = failed_on(failures, stream)
    n_rounds = scores[0].records[0]["n_rounds"]
    runs = max(len(score.records) for score in scores)
    title = f"{stream}: {n_rounds:,} rounds, {runs} repeat{'s' if runs > 1 else ''}"
    lines = Table(
        title=Text(title), title_justify="left", caption_justify="left", box=None, pad_edge=False
    )
    lines.add_column("learner", overflow="fold")  # where it is narrow: numbers stay whole
    for column in ("error", "last", "area", "vs. best", "rounds/s", "memory"):
        lines.add_column(column, justify="right", no_wrap=True)
    for score in scores:
        behind = "" if score.difference is None else format_interval(score.difference, "+")
        few = "" if len(score.records) == runs else f" ({len(score.records)} of {runs})"
        lines.add_row(
            Text(score.name + "*" * score.full_information + few), format_interval(score.error),
            f"{score.last_tenth.mean:.4f}", f"{score.area.mean:.4f}", behind,
            count(score.rate), size(score.bytes),
        )  # fmt: skip
    for name in failed:
        if all(name != score.name for score in scores):
            lines.add_row(Text(name), "failed")
    caption = "error ± half its 95 % interval; in the last tenth; area under the curve"
    caption += "; * full information" if any(s.full_information for s in scores) else ""
    played_on = machines(record for score in scores for record in score.records)
    if len(played_on) > 1:  # rounds/s are not of one
        caption += f"; played on {len(played_on)} machines: {'; '.join(played_on)}"
    caption += "".join(f"\nfailed: {_failed_text(some)}" for some in failed.values())
    lines.caption = Text(caption)
    return lines


def as_text(scores: Sequence[Score], failures: Sequence[Failure] = ()) -> str:
    """Return the tables of all streams as plain text, and what failed where no learner ended."""
    text = StringIO()
    console = Console(file=text, width=WIDE)
    played = by_stream(scores)
    for stream, some in played.items():
        console.print(table(some, stream, failures))
    for stream in dict.fromkeys(failure.stream for failure in failures):
        for failed in failed_on(failures, stream).values() if stream not in played else ():
            console.print(Text(f"failed: {_failed_text(failed)}"))
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines())


def _failed_text(failures: Sequence[Failure]) -> str:
    """Return which repeats of a learner failed, and why the first did."""
    stream, name, _, reason = failures[0]
    repeats = ", ".join(str(failure.repeat) for failure in failures)
    return f"{name} on {stream}, repeat {repeats}: {reason}"


def format_interval(value: Interval, sign: str = "") -> str:
    """Return a mean with half the width of its interval, if there is one.

    >>> format_interval(Interval(0.2, 0.15, 0.25), "+"), format_interval(Interval(0.2, *2 * [nan]))
    ('+0.2000 ±0.0500', '0.2000')
    """
    half = value.high - value.mean
    return f"{value.mean:{sign}.4f}" + ("" if isnan(half) else f" ±{half:.4f}")


def rows(scores: Sequence[Score], failures: Sequence[Failure] = ()) -> list[dict[str, Any]]:
    """Return a flat row of numbers for each learner and stream; NaN where every run failed."""
    flat = []
    for score in scores:
        first = score.records[0]
        line: dict[str, Any] = {
            "stream": score.stream, "learner": first["learner"], "name": score.name,
            "full_information": score.full_information, "runs": len(score.records),
            "rounds": first["n_rounds"],
        }  # fmt: skip
        for key in (*METRICS, "difference"):
            value = getattr(score, key) or Interval(nan, nan, nan)
            line |= {key: value.mean, f"{key}_low": value.low, f"{key}_high": value.high}
        flat.append(line | {"rounds_per_second": score.rate, "bytes": score.bytes, "failed": ""})
    for stream in dict.fromkeys(failure.stream for failure in failures):
        for name, some in failed_on(failures, stream).items():
            known = [line for line in flat if (line["stream"], line["name"]) == (stream, name)]
            if not known:
                empty = {key: nan if isinstance(v, float) else 0 for key, v in flat[0].items()}
                who = {"stream": stream, "name": name, "learner": name.split()[0]}
                known = [empty | who | {"full_information": False}]
                flat += known
            known[0]["failed"] = some[0].reason
    return flat


def page_data(
    plan: Plan, scores: Sequence[Score], failures: Sequence[Failure], command: str
) -> dict[str, Any]:
    """Return what the page of a race shows."""
    sources = {source.name: source for source in plan.sources}
    notes = [*NOTES, *([] if plan.raw else [PREPARED])]
    notes += [TUNED.format(plan.tune, TRIALS)] if plan.tune else []
    ordered = dict.fromkeys(s.stream for s in scores if not s.records[0]["shuffled"])
    notes += [IN_ORDER.format(", ".join(ordered))] if ordered else []
    notes += [
        f"Failed: {_failed_text(some)}"
        for stream in sources
        for some in failed_on(failures, stream).values()
    ]
    runs = [record for score in scores for record in score.records]
    latest = max(runs, key=lambda record: record["date"])
    return {
        "title": "Race: " + ", ".join(dict.fromkeys(score.stream for score in scores)),
        "date": latest["date"], "command": command, "toml": plan.toml(), "notes": notes,
        "versions": latest["versions"], "machines": machines(runs),
        "streams": [
            _stream_data(sources[name], some) | {"failed": _failed_data(some, failures)}
            for name, some in by_stream(scores).items()
        ],
    }  # fmt: skip


def _failed_data(scores: list[Score], failures: Sequence[Failure]) -> list[dict[str, str]]:
    """Return the learners of which every run on a stream failed."""
    failed = failed_on(failures, scores[0].stream)
    played = {score.name for score in scores}
    return [
        {"label": name, "reason": some[0].reason}
        for name, some in failed.items()
        if name not in played
    ]


def _stream_data(source: Source, scores: list[Score]) -> dict[str, Any]:
    first = scores[0].records[0]
    return {
        "name": scores[0].stream, "about": source.describe(), "rounds": first["n_rounds"],
        "n_classes": first["n_classes"],
        "n_features": source.n_features or min(score.records[0]["n_features"] for score in scores),
        "repeats": max(len(score.records) for score in scores),
        "learners": [_learner_data(score) for score in scores],
        "baselines": [{"label": k, "curve": c} for k, c in baselines(scores).items()],
        "exploration": [
            {"name": learner, "parameter": parameter,
             "points": [{"value": rate} | error._asdict() for rate, error in points]}
            for (learner, parameter), points in exploration(scores).items()
        ],
    }  # fmt: skip


def _learner_data(score: Score) -> dict[str, Any]:
    first = score.records[0]
    rates = ", ".join(f"{rate:g}" for r in score.records for rate in r["tuned"].values())
    tuned = f"{first['exploration']}, tuned in each run: {rates}" if rates else None
    hidden = ("n_classes", "n_features", "seed", "nominal", *first["tuned"])
    return {
        "label": score.name, "name": first["learner"], "full_information": score.full_information,
        "parameters": {k: v for k, v in first["played"].items() if k not in hidden},
        "tuned": tuned, "runs": len(score.records), "best": score.best,
        **{key: getattr(score, key)._asdict() for key in METRICS},
        "difference": score.difference._asdict() if score.difference else None,
        "rounds_per_second": score.rate,
        "seconds": sum(r["seconds"] for r in score.records) / len(score.records),
        "bytes": score.bytes, "curve": score.curve(),
    }  # fmt: skip
