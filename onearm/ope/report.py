"""The report of an evaluation: tables for the terminal, files of numbers, and a page."""

from math import nan
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from onearm.ope.evaluation import Estimate, Evaluation, Part
from onearm.ope.words import (
    INTERVALS,
    YES_OR_NO,
    against,
    decimals_of,
    effective_of,
    kind_of,
    levels,
    meanings,
    outcome,
    verdict,
    what_would_decide,
)
from onearm.page.text import count, number, percent, weight
from onearm.schema.names import counted

ESTIMATED = ("value", "low", "high", "level", "interval", "valid_while_learning", "n_events")


def print_tables(evaluation: Evaluation, console: Console) -> None:
    """Print estimates, weights, differences, checks of the log, warnings and notes."""
    tables = (_estimates(evaluation), _weights(evaluation), _differences(evaluation))
    for table in tables:
        console.print(table)
        console.print()
    console.print(Text("Checks of the log"))
    for finding in evaluation.findings:
        console.print(Text(f"{outcome(finding)}: {finding.check}: {finding.text}"))
    for title, lines in (("Warnings", evaluation.warnings), ("Notes", evaluation.notes)):
        if lines:
            console.print()
            console.print(Text(title))
        for line in lines:
            console.print(Text(line))


def _table(title: str, caption: str) -> Table:
    return Table(
        title=Text(title), title_justify="left", caption=Text(caption), caption_justify="left",
        box=None, pad_edge=False,
    )  # fmt: skip


def _columns(table: Table, words: str, numbers: str) -> None:
    """Add columns of words, which break where it is narrow, and of numbers, which do not."""
    for name in words.split(", "):
        table.add_column(name, overflow="fold", min_width=5)
    for name in numbers.split(", "):
        table.add_column(name, justify="right", no_wrap=True)


def _estimates(evaluation: Evaluation) -> Table:
    decimals, level = decimals_of(evaluation), evaluation.settings["level"]
    words = "\n".join(f"{sentence}." for sentence in meanings(evaluation))
    n = evaluation.estimates[0].n_events
    table = _table(f"Estimated values, {counted(n, 'event')}", words)
    _columns(table, "policy, estimator", f"value, {percent(level)} interval")
    table.add_column("kind of interval", overflow="fold")
    table.add_column("valid while the logging policy learns", overflow="fold", max_width=19)
    for e in evaluation.estimates:
        table.add_row(
            Text(e.policy), e.estimator, number(e.value, decimals), _interval(e, decimals),
            kind_of(e), YES_OR_NO[e.valid_while_learning],
        )  # fmt: skip
    return table


def _interval(e: Estimate, decimals: int, sign: str = "-") -> str:
    if e.interval is None:
        return "none"
    return f"{number(e.low, decimals, sign)} to {number(e.high, decimals, sign)}"


def _weights(evaluation: Evaluation) -> Table:
    words = (
        "Weights are how much more often a policy chooses the logged label than the log did. "
        "Unsupported: share of its choices that the logging policy never made."
    )
    table = _table("What the estimates rest on", words)
    _columns(table, "policy", "effective\nevents, largest\nweight, mean\nweight, unsupported")
    for w in evaluation.weights:
        unsupported = "not known" if w.unsupported is None else percent(w.unsupported)
        table.add_row(
            Text(w.policy), count(w.effective), weight(w.largest), f"{w.mean:.3f}", unsupported
        )
    return table


def _differences(evaluation: Evaluation) -> Table:
    decimals = decimals_of(evaluation)
    kind = evaluation.differences[0]
    caption = (
        f"Intervals: {INTERVALS[str(kind.interval)]}, {levels(evaluation)}; "
        f"valid while the logging policy learns: {YES_OR_NO[kind.valid_while_learning]}."
    )
    table = _table(f"Compared with {against(evaluation)}, on the same events", caption)
    _columns(table, "policy", "difference, interval")
    table.add_column("verdict", overflow="fold", min_width=12)
    for e in evaluation.differences:
        more = what_would_decide(e, effective_of(evaluation, e.policy))
        words = f"{verdict(e)}: {more}" if more else verdict(e)
        value = number(e.value, decimals, "+")
        table.add_row(Text(e.policy), value, _interval(e, decimals, "+"), words)
    return table


def rows(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Return flat rows of numbers: values, differences, and values of segments and windows."""
    weights = {w.policy: w for w in evaluation.weights}
    lines = [_row("value", e) for e in evaluation.estimates]
    lines += [_row("difference", e) for e in evaluation.differences]
    for line in lines:
        w = weights.get(line["policy"])
        line["effective_events"] = w.effective if w else nan
        line["largest_weight"] = w.largest if w else nan
        line["unsupported"] = nan if w is None or w.unsupported is None else w.unsupported
    empty = dict.fromkeys(lines[0], None)
    for what, parts in (("segment", evaluation.segments), ("window", evaluation.windows)):
        lines += [empty | _part_row(what, part, evaluation) for part in parts]
    return lines


def _row(what: str, e: Estimate) -> dict[str, Any]:
    line = {"what": what, "policy": e.policy, "against": e.against, "part": None}
    line |= {"estimator": e.estimator} | {key: getattr(e, key) for key in ESTIMATED}
    more = nan if e.n_more is None else float(e.n_more)
    return line | {"logged_reward": None, "more_events": more}


def _part_row(what: str, part: Part, evaluation: Evaluation) -> dict[str, Any]:
    line = {"what": what, "policy": part.policy, "part": part.part, "n_events": part.n_events}
    line |= {"value": part.value, "low": part.low, "high": part.high, "logged_reward": part.reward}
    level = evaluation.settings["level"]
    kind = {"level": level, "interval": "confidence_sequence", "valid_while_learning": True}
    return line | kind


def write(evaluation: Evaluation, folder: str | Path, command: str = "") -> list[Path]:
    """Write evaluation.html, results.csv, and results.parquet where pyarrow is installed."""
    from onearm.page.files import replaced_together, write_numbers

    with replaced_together(Path(folder)) as new:
        write_page(evaluation, new / "evaluation.html", command)
        written = [new / "evaluation.html", *write_numbers(rows(evaluation), new)]
    return [Path(folder) / path.name for path in written]


def write_page(evaluation: Evaluation, path: str | Path, command: str = "") -> None:
    """Write the page: one HTML file that needs nothing else."""
    from onearm.ope.page_data import page_data
    from onearm.page.evaluation import write as write_html

    write_html(page_data(evaluation, command), path)
