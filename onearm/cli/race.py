"""The command `onearm race`: what is asked for, running it, and showing the results."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

from onearm.cli.arguments import (
    RACERS,
    Label,
    Nominal,
    OpenPage,
    Place,
    Raw,
    ResultsFolder,
    SchemaFile,
    file_options,
    numbers,
    racing_names,
)
from onearm.cli.errors import ending_with_sigterm, errors_in_words
from onearm.cli.results import command_line, require_results_folder, results_console, show_written
from onearm.racing import texts

if TYPE_CHECKING:
    from rich.console import Console

    from onearm.racing.plan import Plan
    from onearm.racing.race import Results

PLANNED = ("learners", "repeats", "rounds", "seed", "tune", "exploration", "in_order", "raw")
FILES = ("label", "nominal", "schema")


def race(
    context: typer.Context,
    streams: Annotated[
        list[str],
        Argument(help="Streams (SynNonSep), data sets (letter), files, or a plan (.toml)."),
    ],
    learners: Annotated[
        str,
        Option(help="Learners, case-insensitive, comma-separated; your own as file.py:Class."),
    ] = RACERS,
    repeats: Annotated[int, Option(min=1, help=texts.REPEATS)] = 3,
    rounds: Annotated[int | None, Option(min=10, help=texts.ROUNDS)] = None,
    seed: Annotated[int, Option(min=0, max=2**62 - 1, help=texts.SEED)] = 0,
    tune: Annotated[
        bool, Option("--tune", help="Choose exploration rates on the first rows.")
    ] = False,
    exploration: Annotated[str, Option(help="Exploration rates to try, comma-separated.")] = "",
    in_order: Annotated[bool, Option("--in-order", help=texts.IN_ORDER)] = False,
    raw: Raw = False,
    label: Label = None,
    nominal: Nominal = "",
    schema: SchemaFile = None,
    on: Place = "all-cores",
    out: ResultsFolder = Path("race"),
    figures: Annotated[bool, Option("--figures", help="Write SVG and PNG, too.")] = False,
    show: OpenPage = False,
) -> None:
    """Race learners on streams: a live table, then a page with curves.

    Re-running resumes an unfinished race.

    onearm race letter SynNonSep --learners banditron,soba,adabandit --rounds 20000
    """
    console = results_console()
    with errors_in_words():
        results = _run(_plan(context), on, out, console)
    _show_table(results, console)
    with errors_in_words():
        written = results.write(out, command_line(), figures)
    show_written(written, console, show)
    if results.failures:
        raise typer.Exit(1)


def _plan(context: typer.Context) -> "Plan":
    """Return the plan that was asked for, of a file or in arguments."""
    from onearm.racing.figures import require_matplotlib
    from onearm.racing.plan import Plan

    asked = context.params
    require_results_folder(asked["out"])
    if asked["figures"]:
        require_matplotlib()
    if asked["streams"][0].endswith(".toml"):
        _require_plan_only(context)
        return Plan.read(asked["streams"][0])
    changes = {
        "learners": racing_names(asked["learners"]), "tune": 0.1 if asked["tune"] else 0.0,
        "exploration": numbers(asked["exploration"]), "streams": _streams(asked),
    }  # fmt: skip
    return Plan(**{name: asked[name] for name in PLANNED} | changes)


def _streams(asked: dict[str, Any]) -> list[Any]:
    """Return the streams, files with the options that say how they are read."""
    options = file_options(asked["label"], asked["nominal"], asked["schema"])
    if options and not any(Path(stream).is_file() for stream in asked["streams"]):
        given = ", ".join(f"--{name}" for name in options)
        raise typer.BadParameter(f"{given}: only files have columns, and no stream is a file")
    return [{"file": s} | options if options and Path(s).is_file() else s for s in asked["streams"]]


def _require_plan_only(context: typer.Context) -> None:
    """Refuse further streams and options beside the file of a plan."""
    plan, *others = context.params["streams"]
    for name in (*PLANNED, *FILES):
        origin = context.get_parameter_source(name)
        if origin is not None and origin.name != "DEFAULT":
            others.append(f"--{name.replace('_', '-')}")
    if others:
        more = ", ".join(others)
        raise typer.BadParameter(f"{plan} is a plan, which has all of it: leave out {more}")


def _run(plan: "Plan", on: str, out: Path, console: "Console") -> "Results":
    from onearm.racing.race import race

    try:
        with ending_with_sigterm():
            return race(plan, on=int(on) if on.isdigit() else on, out=out, console=console)
    except KeyboardInterrupt:
        console.print(f"stopped; finished runs are in {out}: the same command resumes the race")
        raise typer.Exit(130) from None


def _show_table(results: "Results", console: "Console") -> None:
    """Print failures and a table for each stream; end here if there is nothing to show."""
    from onearm.experiments.run import print_line
    from onearm.racing.report import table
    from onearm.racing.summary import by_stream

    if results.failures:
        console.print(f"failed: {len(results.failures)}")
    for failure in results.failures:
        print_line(failure, console)
    if not results.runs:
        raise typer.Exit(1)
    for stream, scores in by_stream(results.scores()).items():
        console.print(table(scores, stream, results.failed))
