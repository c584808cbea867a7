"""The bake-off: every learner here, Vowpal Wabbit and references on sixty sets.

Each run is recorded in results/bakeoff; re-running plays what is missing, stage by stage: defaults,
tuning, and the settings that were chosen. The report is written from all that is recorded.
"""

import argparse
import math
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

from rich.console import Console

from bench.bakeoff import dry_run, report
from bench.bakeoff.plan import DEFAULT, FIXED, TUNED, Tuning, full_jobs, ledger, tuning_jobs
from bench.bakeoff.rivals import VW_OPTIONS, Algorithm, named
from bench.bakeoff.runs import Job
from bench.bakeoff.sets import HALVES, Set
from bench.bakeoff.sets import named as named_sets
from bench.benchmark import OUT, RENDER, Option, parse, show_failures
from onearm.experiments.ledger import Ledger
from onearm.experiments.pool import ALL_CORES
from onearm.experiments.run import play_missing, print_line

OPTIONS = (
    Option("only", (), "sets"),
    Option("learners", (), "algorithms"),
    Option("half", "", f"{HALVES[0]} or {HALVES[1]}; both by default"),
    Option("repeats", 0, "of each set; 0: 10, of large sets 3"),
    Option("rounds", 0, "leave out longer sets; 0: none"),
    Option("stages", 3, "how many stages: 1 plays defaults only, 2 tunes as well"),
    Option("on", ALL_CORES, "cores: a number, all-cores, ray or the address of a cluster"),
    Option("dry-run", False, "play nothing, tell how many runs and CPU hours there are"),
    RENDER,
    OUT,
)


def chosen_sets(options: argparse.Namespace) -> list[Set]:
    """Return the sets that the options select."""
    if options.stages not in (1, 2, 3):
        raise ValueError(f"stages must be in [1, 3], got {options.stages}")
    if options.half not in ("", *HALVES):
        raise ValueError(f"half must be {' or '.join(HALVES)}, got {options.half!r}")
    data = named_sets(list(options.only), options.half)
    most = options.rounds or math.inf
    return [data_set for data_set in data if data_set.rounds <= most]


def stages(
    algorithm: Algorithm, data: list[Set], options: argparse.Namespace
) -> Iterator[tuple[list[Job], Ledger]]:
    """Yield the jobs of each stage with their ledger; stage 3 is planned by what 2 recorded."""
    full = ledger(options.out, algorithm.name)
    tried = ledger(options.out, algorithm.name, tuning=True)

    def jobs(how: tuple[str, ...]) -> list[Job]:
        tuning = Tuning(algorithm, tried.records().values())
        every = [job for data_set in data for job in full_jobs(tuning, data_set, how)]
        every = [job for job in every if not options.repeats or job.repeat < options.repeats]
        return sorted(every, key=lambda job: job.repeat)

    yield jobs((DEFAULT,)), full
    if options.stages > 1:
        yield [job for data_set in data for job in tuning_jobs(algorithm, data_set)], tried
    if options.stages > 2:
        yield jobs((FIXED, TUNED)), full


def needs(algorithms: list[Algorithm], data: list[Set], folder: Path) -> list[dry_run.Need]:
    """Return what each algorithm needs, by the runs in a folder."""
    return [
        dry_run.need(a, data, *(
            list(ledger(folder, a.name, tuning).records().values()) for tuning in (False, True)
        ))
        for a in algorithms
    ]  # fmt: skip


def main(arguments: Sequence[str]) -> int:
    options, console = parse("bakeoff", __doc__, OPTIONS, arguments), Console(stderr=True)
    algorithms, data = named(list(options.learners)), chosen_sets(options)
    if options.dry_run:
        print_line(dry_run.report(needs(algorithms, data, options.out)), Console())
        return 0
    failures: list[str] = []
    for algorithm in algorithms if not options.render else ():
        if algorithm.name in VW_OPTIONS and find_spec("vowpalwabbit") is None:
            failures.append(f"{algorithm.name} needs vowpalwabbit: pip install 'onearm[bench]'")
            continue
        on = int(options.on) if options.on.isdigit() else options.on
        try:
            for jobs, runs in stages(algorithm, data, options):
                failures += play_missing(jobs, runs, console, on).failures
        except FileNotFoundError as error:  # the other sets were played
            failures.append(str(error))
    for path in report.write(options.out):
        print_line(str(path), console)
    return show_failures(list(dict.fromkeys(failures)), console)
