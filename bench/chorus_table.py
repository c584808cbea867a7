"""Chorus and its rivals as tables.

`python -m bench.chorus_table` reads the runs in bench/results/chorus and writes table.md there.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bench.chorus import FAR, FEW, PLAYING, RESULTS, TRIED, everyone
from bench.chorus_streams import COPIES, DEVELOPMENT, NAMES
from onearm import metrics

BEST = 3  # of ours that are shown with their settings
CHORUS = "Chorus"
FIRST = "Chorus, first try"  # its runs are in first.jsonl
Record = dict[str, Any]


class Entry(NamedTuple):
    """The runs of a learner on a stream at full length, all with the same setting."""

    learner: str
    runs: list[Record]

    @property
    def error(self) -> float:
        """The mean total error."""
        return float(np.mean([run["error"] for run in self.runs]))

    def mean(self, of: str) -> str:
        """A mean, with half the width of its 95 % interval where there are two runs."""
        values = np.array([run[of] for run in self.runs])
        if len(values) < 2:
            return f"{values.mean():.4f}"
        found = metrics.interval(values)
        return f"{found.mean:.4f} ± {found.high - found.mean:.4f}"

    def setting(self) -> str:
        """What it was played with."""
        given = self.runs[0]["parameters"]
        return ", ".join(f"{name}={_short(value)}" for name, value in given.items()) or "–"

    def row(self) -> str:
        """A line of a stream's table."""
        errors = [self.mean(of) for of in ("error", "last_tenth", "last_fifth")]
        rate = np.median([run["rounds_per_cpu_second"] for run in self.runs])
        cells = [self.learner, self.setting(), *errors, str(len(self.runs)), f"{rate:,.0f}"]
        return f"| {' | '.join(cells)} |"


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def read(folder: Path) -> list[Record]:
    """Return every run in the folder; a line that is still being written is left out."""
    records = []
    for name in ("chorus", "first", "rivals"):
        path = folder / f"{name}.jsonl"
        text = path.read_text() if path.exists() else ""
        runs = [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]
        records += [run | {"learner": FIRST} for run in runs] if name == "first" else runs
    return records


def entries(records: Sequence[Record]) -> dict[str, list[Entry]]:
    """Return what was played at full length on each stream, the least error first.

    Of several settings of a learner, as when more of them were tried later, the last one counts.
    """
    groups: dict[tuple[str, str], list[Record]] = defaultdict(list)
    for record in records:
        if record["phase"] == 2 and "skipped" not in record:
            runs = groups[record["stream"], record["learner"]]
            if runs and runs[0]["parameters"] != record["parameters"]:
                runs.clear()
            runs.append(record)
    found = {
        name: [Entry(learner, runs) for (on, learner), runs in groups.items() if on == name]
        for name in NAMES
    }
    return {name: sorted(some, key=lambda entry: entry.error) for name, some in found.items()}


def shown(some: list[Entry]) -> list[Entry]:
    """Return Chorus, the best of ours, and the best of Vowpal Wabbit."""
    theirs = [entry for entry in some if entry.learner.startswith("VW")]
    chorus = [entry for entry in some if entry.learner in (CHORUS, FIRST)]
    chorus.sort(key=lambda entry: entry.learner)
    ours = [entry for entry in some if entry not in [*theirs, *chorus]]
    return [*chorus, *ours[:BEST], *theirs[:1]]


def section(name: str, some: list[Entry]) -> list[str]:
    """Return the table of a stream."""
    copies = COPIES.get(name, 1)
    title = f"{name} × {copies}" if copies > 1 else name
    kind = "development" if name in DEVELOPMENT else "held out"
    return [
        f"## {title}",
        "",
        f"{some[0].runs[0]['rounds']:,} rounds, {kind}.",
        "",
        "| learner | setting | error | last tenth | last fifth | repeats | rounds per CPU s |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        *[entry.row() for entry in shown(some)],
        "",
    ]


def whole(found: dict[str, list[Entry]], records: Sequence[Record]) -> list[str]:
    """Return the table of every learner on every stream."""
    names = [name for name in NAMES if found[name]]
    errors = {(name, e.learner): (e.error, len(e.runs)) for name in names for e in found[name]}
    notes = {(r["stream"], r["learner"]) for r in records if r["phase"] == 2 and "note" in r}
    tried = {(r["stream"], r["learner"]) for r in records}

    def cell(name: str, learner: str) -> str:
        if (name, learner) not in errors:
            return "skipped" if (name, learner) in tried else ""
        error, n = errors[name, learner]
        others = [errors[on, it][0] for on, it in errors if on == name and it != FIRST]
        best = learner != FIRST and error == min(others)
        text = f"**{error:.4f}**" if best else f"{error:.4f}"
        return f"{text} ({n})" if (name, learner) in notes or n == 1 else text

    learners = [one for one in [*everyone(), FIRST] if any(one == it for _, it in errors)]
    rows = [[learner, *(cell(name, learner) for name in names)] for learner in learners]
    head = ["learner", *names]
    return [f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *rows]]


def text(records: Sequence[Record]) -> str:
    """Return all tables."""
    found = entries(records)
    lines = [
        "# Chorus and its rivals",
        "",
        f"Every rival plays at full length with the setting that had the least error over the "
        f"first {TRIED:,} rounds of a repeat of its own (phase 1). Error is the share of labels "
        f"said that were wrong; ± is half the width of Student's 95 % interval over the repeats. "
        f"A learner whose error in phase 1 was more than {FAR[0]} times the least of its team "
        f"(ours, or Vowpal Wabbit) plus {FAR[1]} got at most {FEW} repeats; one that would take "
        f"more than {PLAYING:.0f} CPU seconds was skipped.",
        "",
        "Chorus was played twice on the streams held out. After the first try it was given its "
        "memory, and explores less where it is nowhere sure; that was done with the development "
        "streams and streams drawn for the purpose, but knowing where the first try had lost.",
        "",
    ]
    for name in NAMES:
        lines += section(name, found[name]) if found[name] else []
    lines += ["## All learners, mean error", ""]
    lines += ["In brackets the number of repeats where they were few; the least error is bold.", ""]
    return "\n".join([*lines, *whole(found, records)]) + "\n"


def main() -> None:
    """Write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=RESULTS)
    folder = parser.parse_args().out
    (folder / "table.md").write_text(text(read(folder)))


if __name__ == "__main__":
    main()
