"""The report of the bake-off: Markdown tables and a page, from the recorded runs alone."""

from collections.abc import Iterable
from pathlib import Path

from bench.bakeoff import extra_trees, page, rules
from bench.bakeoff.dry_run import seconds
from bench.bakeoff.plan import TUNING_ROUNDS, full_jobs, tuning_jobs
from bench.bakeoff.rivals import CHORUS, EXTRA_TREES, algorithms
from bench.bakeoff.runs import Job
from bench.bakeoff.scores import TESTS, Scores, read
from bench.bakeoff.sets import MAX_ROUNDS, Set, sets
from bench.bakeoff.standings import groups, pairs, rows
from bench.bakeoff.verdicts import reported, verdicts
from papers.markdown import table

HEAD = [
    "contestant", "sets", "mean ratio", "relative error: lowest", "quarter", "median",
    "three quarters", "highest", "rounds/s", *(f"Chorus by {test}" for test in TESTS),
]  # fmt: skip


def summary(scores: Scores, data: list[Set]) -> str:
    """Return the table of all contestants on some sets."""
    shown = rows(scores, data)
    if not shown:
        return "No runs beside those of ExtraTrees yet."
    same = all(row.ratios.keys() == shown[0].ratios.keys() for row in shown)
    note = "" if same else "Not all played the same sets: means are of those that each played.\n\n"
    return note + table(HEAD, [row.cells() for row in shown])


def all_pairs(scores: Scores, data: list[Set]) -> str:
    """Return the tables of `pairs` by both tests."""
    texts = []
    for test in TESTS:
        cells = pairs(scores, data, test)
        head = ["", *(str(i) for i in range(1, len(cells) + 1))]
        texts.append(f"### By {test}\n\n{table(head, cells) if cells else 'No runs.'}")
    return "\n\n".join(texts)


def missing(scores: Scores) -> list[str]:
    """Return which runs the plan has that are not recorded, algorithm by algorithm."""
    lines = []
    for name, algorithm in algorithms().items():
        tuning = scores.tunings[name]
        jobs = [job for data in sets().values() for job in full_jobs(tuning, data)]
        have = sum(_is_recorded(scores, job) for job in jobs)
        tried = sum(len(tuning_jobs(algorithm, data)) for data in sets().values())
        left = sum(tuning.missing(data) for data in sets().values())
        parts = [f"{have:,} of {len(jobs):,} runs"] if have < len(jobs) else []
        parts += [f"{tried - left:,} of {tried:,} runs of the tuning"] if left else []
        if parts:
            lines.append(f"{name}: {' and '.join(parts)} recorded")
    return lines


def _is_recorded(scores: Scores, job: Job) -> bool:
    return job.repeat in scores.of(job.algorithm, job.set, job.setting)


def choices(scores: Scores) -> str:
    """Return the fixed setting of each algorithm that has several."""
    lines = []
    for name, tuning in scores.tunings.items():
        if len(tuning.algorithm.settings) > 1 and tuning.fixed is not None:
            given = ", ".join(f"{k}={v}" for k, v in tuning.fixed.items()) or "the default"
            lines.append([name, str(len(tuning.algorithm.settings)), f"`{given}`"])
    if not lines:
        return "None is chosen yet: an algorithm's tuning on the development half must be complete."
    return table(["algorithm", "settings tried", "fixed setting"], lines)


def report(scores: Scores) -> str:
    """Return the report."""
    lines = [[v.claim, v.found, v.word] for v in verdicts(scores)]
    absent = missing(scores)
    status = "\n".join(f"- {line}." for line in absent) or "Nothing."
    sections = "\n\n".join(
        f"## {name}\n\n{n_sets(data)}.\n\n{summary(scores, data)}"
        for name, data in groups().items()
    )
    return f"""# The bake-off

Every algorithm plays shuffled rows once, {MAX_ROUNDS:,} rounds at most, and learns only whether the
label it chose was right. Error is the share of chosen labels that were wrong, its mean over the
shuffles. The ratio is that of this error to the one of {EXTRA_TREES}, which learns all labels, and
whose first {extra_trees.FIRST} rounds count as errors: on small sets others can be below it.
Mean is the geometric mean over the sets, and the relative error is the ratio minus 1. "Fixed
setting" is the one that was best over the development half, "best in hindsight" the best of all
settings on each set, both in a run of the first {TUNING_ROUNDS:,} rounds of one shuffle. The
columns at the right are wins minus losses of {CHORUS} against the contestant.

{hours(scores)}

## Verdict

On the {len(reported())} real sets of the reported half, except where a set is named.

{table(["claim", "found", "verdict"], lines)}

{sections}

## Fixed settings

{choices(scores)}

## Pairs of algorithms, reported half

Significant wins minus losses of the algorithm of a row against that of a column. The bake-off's
rule has a nominal level of {rules.LEVEL}; since it lacks a √2, its real level is
{rules.real_level():.3f}. McNemar's test is exact and paired, on the rounds of the first shuffles.

{all_pairs(scores, reported())}

## Missing

Of the plan as far as settings are chosen:

{status}
"""


def n_sets(data: list[Set]) -> str:
    return f"{len(data)} set{'' if len(data) == 1 else 's'}"


def hours(scores: Scores) -> str:
    """Return how many runs are recorded, and how many CPU hours they took."""
    records = [r for runs in (scores.records, scores.tried) for some in runs.values() for r in some]
    total = sum(map(seconds, records)) / 3600
    return f"{len(records):,} runs are recorded, of {total:.1f} CPU hours."


def write(folder: Path) -> Iterable[Path]:
    """Write report and page, and return their paths."""
    scores, here = read(folder), folder / "bakeoff"
    here.mkdir(parents=True, exist_ok=True)
    (here / "table.md").write_text(report(scores))
    page.write(scores, groups(), here / "page.html")
    return [here / "table.md", here / "page.html"]
