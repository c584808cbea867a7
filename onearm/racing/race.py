"""The race: play what is missing of a plan, and return the results."""

import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console

from onearm.core.kernels import is_compiled
from onearm.experiments.job import Record, key
from onearm.experiments.ledger import Ledger
from onearm.experiments.pool import ALL_CORES, is_cluster, require_place
from onearm.experiments.run import Experiment, print_line
from onearm.prepare.prepared import learner_for
from onearm.racing import report
from onearm.racing.foreign import ForeignClass
from onearm.racing.live import Display
from onearm.racing.plan import Plan
from onearm.racing.records import fault
from onearm.racing.run import Job
from onearm.racing.summary import Failure, Score, scores
from onearm.racing.winner import Winner
from onearm.streams.files import warn

RUNS = "runs.jsonl"


class Results:
    """The results of a race.

    Parameters
    ----------
    plan
        What was raced.
    runs
        The record of every finished run: its configuration, versions, errors and curve.
    failures
        A sentence about every run that failed.
    failed
        The same as stream, name, repeat and reason.
    """

    def __init__(
        self, plan: Plan, runs: list[Record], failures: list[str], failed: Sequence[Failure] = ()
    ) -> None:
        self.plan, self.runs, self.failures, self.failed = plan, runs, failures, failed

    def scores(self) -> list[Score]:
        """Return every learner on every stream over all repeats, the lowest error first."""
        return scores(self.runs)

    def __repr__(self) -> str:
        text = report.as_text(self.scores(), self.failed)
        return text or "a race of which no run has ended"

    def best(self, stream: str | None = None) -> Winner:
        """Return the learner with the lowest error on a stream, with its first repeat.

        `stream` is its name, where several were raced. The best is one with bandit feedback, if
        there is any.
        """
        names = list(dict.fromkeys(score.stream for score in self.scores()))
        if not names:
            why = (
                "; ".join(self.failures[:1]) or "none has, or all are of other code: play it again"
            )
            raise ValueError(f"a run of the race must have ended: {why}")
        stream = names[0] if stream is None and len(names) == 1 else stream
        if stream not in names:
            raise ValueError(f"stream must be one of {', '.join(names)}, got {stream!r}")
        scores = [score for score in self.scores() if score.stream == stream]
        record = next((s for s in scores if s.best), scores[0]).records[0]
        jobs = {key(job.configuration()): job for job in self.plan.jobs()}
        return Winner(jobs[record["key"]], record)

    def rows(self) -> list[dict[str, Any]]:
        """Return the same as flat rows of numbers, for a data frame."""
        return report.rows(self.scores(), self.failed)

    def write(self, folder: str | Path, command: str = "", figures: bool = False) -> list[Path]:
        """Write the page, numbers and the plan into a folder, with `figures` also SVG and PNG."""
        from onearm import page
        from onearm.page.files import replaced_together, write_numbers
        from onearm.racing.figures import is_figure, write_figures

        folder, scores = Path(folder), self.scores()
        if not scores:
            raise ValueError(f"no run has ended: {'; '.join(self.failures[:1])}")
        data = report.page_data(self.plan, scores, self.failed, command)
        with replaced_together(folder) as new:
            page.write(data, new / "race.html")
            (new / "race.toml").write_text(data["toml"], encoding="utf-8")
            written = [new / "race.html", new / "race.toml", *write_numbers(self.rows(), new)]
            written += write_figures(scores, new) if figures else []
            for path in filter(is_figure, list(folder.iterdir())):
                path.unlink()
        return [folder / path.name for path in written]

    @classmethod
    def read(cls, folder: str | Path) -> "Results":
        """Return the results that a race has written into a folder."""
        plan = Plan.read(Path(folder) / "race.toml")
        experiment = Experiment(plan.jobs(), Ledger(Path(folder) / RUNS, fault))
        return cls(plan, experiment.records(), [])


def race(
    streams: Any,
    learners: Any = None,
    *,
    on: str | int = ALL_CORES,
    out: str | Path | None = None,
    console: Console | None = None,
    **plan: Any,
) -> Results:
    """Let learners play streams, and return the results.

    `streams`, `learners` and `plan` are the parameters of a Plan, or `streams` is a Plan. Finished
    runs are stored in the folder `out`, if there is one: re-running resumes an unfinished race.
    `on` is where to play: a number of cores, "all-cores", "ray", or the address of a Ray cluster.

    >>> results = race("SynSep", ["Perceptron", "Banditron"], rounds=2000, on=1)
    >>> [(score.name, score.full_information) for score in results.scores()]
    [('Perceptron', True), ('Banditron', False)]
    """
    if isinstance(streams, Plan):
        planned = replace(streams)  # whose files may have changed since it was raced before
    else:
        planned = Plan(streams, learners or [], **plan)
    require_place(on)
    console = console or Console(quiet=True)
    jobs = planned.jobs()
    not_compiled = _require_learners(jobs)
    for source in planned.sources:
        if not source.generator:
            source.load(warn if console.quiet else lambda line: print_line(line, console))
    experiment = Experiment(jobs, Ledger(None if out is None else Path(out) / RUNS, fault))
    for text in experiment.damaged:
        if console.quiet:
            warnings.warn(text, stacklevel=2)
        else:
            print_line(text, console)
    to_compile = not_compiled & {job.cls.__name__ for job in experiment.missing().values()}
    if to_compile and not is_cluster(on):
        print_line(f"compiling {', '.join(sorted(to_compile))} (once)", console)
    failed = []
    with Display(experiment.jobs, experiment.records(), console, is_cluster(on)) as display:
        for key, result in experiment.play(on, display.address):
            if isinstance(result, Exception):
                job, sentence = experiment.jobs[key], experiment.failures[-1]
                reason = sentence.removeprefix(f"{job}: ")
                failed.append(Failure(job.source.name, job.name, job.repeat, reason))
                display.failed(key, sentence)
            else:
                display.ended(key, result)
    return Results(planned, experiment.records(), experiment.failures, failed)


def _require_learners(jobs: Sequence[Job]) -> set[str]:
    """Refuse parameters that learners cannot have; return the names of those not yet compiled."""
    not_compiled = set()
    for job in {job.name: job for job in jobs}.values():
        if isinstance(job.cls, ForeignClass):
            job.cls.require_parameters(job.parameters)
            continue
        try:
            given = {k: v for k, v in job.parameters.items() if k != "interactions"}  # of columns
            learner = learner_for(job.cls, 3, 4, raw=job.raw, **given)
        except (ValueError, TypeError) as error:
            raise ValueError(f"{job.cls.__name__}: {error}") from error
        if not is_compiled(learner.kernels.play):
            not_compiled.add(job.cls.__name__)
    return not_compiled
