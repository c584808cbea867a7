"""The runs of Chorus and the other learners as tables.

Reads the runs in results/chorus and writes table.md there.
"""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bench.benchmark import OUT, parse
from bench.chorus.comparison import (
    FAR,
    FEW,
    MAX_SECONDS,
    TUNING_ROUNDS,
    everyone,
    ledger_path,
)  # fmt: skip
from bench.chorus.learners import MAX_CROSSED
from bench.chorus.streams import DEVELOPMENT, NAMES, title
from onearm import metrics
from onearm.experiments.job import Record
from onearm.experiments.ledger import Ledger
from papers.markdown import table

BEST = 3  # other learners of ours that are shown with their settings
CHORUS = "Chorus"
EARLIER = {  # by file; of the third only what the fourth has anew
    "first": "Chorus, first version", "second": "Chorus, second version",
    "third": "Chorus, third version", "fourth": "Chorus, fourth version",
}  # fmt: skip
HEAD = ["learner", "setting", "error", "last tenth", "last fifth", "repeats", "rounds per CPU s"]


class Entry(NamedTuple):
    """The runs of a learner on all rounds of a stream, with one setting."""

    learner: str
    runs: list[Record]

    @property
    def error(self) -> float:
        return float(np.mean([run["error"] for run in self.runs]))

    def mean(self, of: str) -> str:
        """Return a mean, with half the width of its 95 % interval if there are several runs."""
        values = np.array([run[of] for run in self.runs])
        if len(values) < 2:
            return f"{values.mean():.4f}"
        interval = metrics.interval(values)
        return f"{interval.mean:.4f} ± {interval.high - interval.mean:.4f}"

    def setting(self) -> str:
        """Return its parameters, as far as they are not the defaults."""
        given = self.runs[0]["parameters"]
        return ", ".join(f"{name}={_short(value)}" for name, value in given.items()) or "–"

    def row(self) -> list[str]:
        errors = [self.mean(of) for of in ("error", "last_tenth", "last_fifth")]
        rate = np.median([run["rounds_per_cpu_second"] for run in self.runs])
        return [self.learner, self.setting(), *errors, str(len(self.runs)), f"{rate:,.0f}"]


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def read(folder: Path) -> list[Record]:
    return [
        record | {"learner": EARLIER.get(name, record["learner"])}
        for name in ("chorus", *EARLIER, "rivals")
        for record in Ledger(ledger_path(folder, name)).records().values()
    ]


def entries(records: Sequence[Record]) -> dict[str, list[Entry]]:
    """Return the learners that played all rounds of each stream, the lowest error first.

    Of several settings of a learner, as when more of them were tried later, the last one counts.
    """
    groups: dict[tuple[str, str], list[Record]] = defaultdict(list)
    for record in records:
        if record["phase"] == 2 and "skipped" not in record:
            runs = groups[record["stream"], record["learner"]]
            if runs and runs[0]["parameters"] != record["parameters"]:
                runs.clear()
            runs.append(record)
    by_stream: dict[str, list[Entry]] = {name: [] for name in NAMES}
    for (name, learner), runs in groups.items():
        by_stream[name].append(Entry(learner, runs))
    return {name: sorted(played, key=lambda e: e.error) for name, played in by_stream.items()}


def teams(played: list[Entry]) -> tuple[list[Entry], list[Entry], list[Entry]]:
    """Return Chorus with its earlier versions, other learners of ours, and Vowpal Wabbit's."""
    theirs = [entry for entry in played if entry.learner.startswith("VW")]
    chorus = [entry for entry in played if entry.learner in (CHORUS, *EARLIER.values())]
    ours = [entry for entry in played if entry not in [*theirs, *chorus]]
    return sorted(chorus, key=lambda entry: entry.learner), ours, theirs


def outcome(by_stream: dict[str, list[Entry]]) -> str:
    """Return on how many streams Chorus has a lower error than the best of the others."""
    every = {name: teams(entries) for name, entries in by_stream.items() if entries}
    played = {n: every[n] for n in every if [e.learner for e in every[n][0]][:1] == [CHORUS]}
    missing = ", ".join(name for name in every if name not in played)
    lower = [
        sum(chorus[0].error < team[i][0].error for chorus, *team in played.values()) for i in (0, 1)
    ]
    return (
        f"Chorus has a lower error than the best other learner of ours on {lower[0]} of "
        f"{len(played)} streams, and than the best of Vowpal Wabbit on {lower[1]}."
    ) + (f" The present version has not played {missing}." if missing else "")


def preparations(records: Sequence[Record]) -> str:
    """Return which streams were played since linear learners may choose how rows are prepared."""
    chosen = {r["stream"] for r in records if r["parameters"].get("view") == "prepared"}
    streams = ", ".join(name for name in NAMES if name in chosen)
    rest = (
        "" if len(chosen) == len(NAMES) else " On the other streams they had the first view only."
    )
    return (
        "Linear learners choose, as one of their settings, how rows are prepared: with a look at "
        "all of them, or online by `Prepared`, there also with products of two columns if there "
        f"are at most {MAX_CROSSED}: on {streams or 'no stream'}.{rest}"
    )


def section(name: str, played: list[Entry]) -> str:
    """Return the table of a stream: Chorus, the best of ours, and the best of Vowpal Wabbit."""
    kind = "development" if name in DEVELOPMENT else "held out"
    chorus, ours, theirs = teams(played)
    rows = [entry.row() for entry in [*chorus, *ours[:BEST], *theirs[:1]]]
    size = f"{played[0].runs[0]['rounds']:,} rounds, {kind}."
    return f"## {title(name)}\n\n{size}\n\n{table(HEAD, rows)}"


def all_errors(by_stream: dict[str, list[Entry]], records: Sequence[Record]) -> str:
    names = [name for name in NAMES if by_stream[name]]
    errors = {(name, e.learner): (e.error, len(e.runs)) for name in names for e in by_stream[name]}
    few = {(name, e.learner) for name in names for e in by_stream[name] if "note" in e.runs[0]}
    tried = {(r["stream"], r["learner"]) for r in records}

    def cell(name: str, learner: str) -> str:
        if (name, learner) not in errors:
            return "skipped" if (name, learner) in tried else ""
        error, n = errors[name, learner]
        earlier = EARLIER.values()
        others = [errors[on, who][0] for on, who in errors if on == name and who not in earlier]
        best = learner not in earlier and error == min(others)
        text = f"**{error:.4f}**" if best else f"{error:.4f}"
        return f"{text} ({n})" if (name, learner) in few or n == 1 else text

    played = {learner for _, learner in errors}
    learners = [learner for learner in [*everyone(), *EARLIER.values()] if learner in played]
    rows = [[learner, *(cell(name, learner) for name in names)] for learner in learners]
    return table(["learner", *names], rows)


def report(records: Sequence[Record]) -> str:
    by_stream = entries(records)
    sections = "\n\n".join(section(name, played) for name, played in by_stream.items() if played)
    return f"""# Chorus and the other learners

Every other learner plays all rounds with the setting that had the lowest error over the first
{TUNING_ROUNDS:,} rounds of a separate repeat (phase 1). Error is the share of chosen labels that
were wrong; ± is half the width of Student's 95 % interval over the repeats. A learner whose error
in phase 1 was more than {FAR[0]} times the lowest of its team (ours, or Vowpal Wabbit) plus
{FAR[1]} has at most {FEW} repeats; one that would take more than {MAX_SECONDS:.0f} CPU seconds was
skipped.

{preparations(records)}

Three versions of Chorus were played on the held-out streams. After the first, it got its memory,
and explores less where it is sure of nothing; after the second, wrong labels count less where
labels are mostly noise, rare values count less, and wide rows get more random Fourier features.
This was developed on the development streams and synthetic streams, the last two changes also on
30,000 rounds of MNIST; always knowing on which streams it had lost. The third version lost Reuters
by more than a tenth. Some settings were then tried on Reuters itself; they did not help and were
not adopted. On newsgroups half the exploration turned out to be better for texts, and both were
played a fourth time; with these two the third version is the fourth. The present one, with a forest
and label rates, was developed on all of these streams: none of them is held out for it. What it
does on others is in the bake-off.

{outcome(by_stream)}

{sections}

## All learners, mean error

In brackets the number of repeats where they are few; the lowest error is bold.

{all_errors(by_stream, records)}
"""


def main(arguments: Sequence[str]) -> int:
    folder = parse("chorus.table", __doc__, (OUT,), arguments).out
    (folder / "chorus" / "table.md").write_text(report(read(folder)))
    return 0
