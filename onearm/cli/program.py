"""The program: race learners, list data sets, run papers, check a learner, warm kernels up."""

import shlex
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

import onearm
from onearm.cli.errors import ending_with_sigterm, errors_in_words

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"onearm {onearm.__version__}")
        raise typer.Exit


@app.callback()
def onearm_(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Learning when you only hear whether your own choice was right."""


Names = Annotated[str, typer.Option(help="Learners by class name, in any case, with commas.")]
CLONE = Path(onearm.__file__).parents[1]
LOG_WIDTH = 110  # columns of a table in a log file
RACERS = (
    "chorus,perceptron,banditron,soba,newtron,conservativeova,offsettree,inversegap,bag,"
    "hoeffdingtree,adabandit,banditbbm"
)


def _find(name: str, known: dict[str, str], what: str) -> str:
    for candidate in known:
        if candidate.lower() == name.strip().lower():
            return candidate
    raise typer.BadParameter(f"no {what} is called {name!r}; there are {', '.join(known)}")


def _learners(names: str, known: dict[str, str] = onearm.LEARNERS) -> list[str]:
    if names == "all":
        return list(known)
    return [_find(name, known, "learner") for name in names.split(",")]


def _numbers(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")] if text else []
    except ValueError:
        raise typer.BadParameter(f"must be numbers with commas, got {text!r}") from None


PLANNED = ("learners", "repeats", "rounds", "seed", "tune", "exploration", "in_order", "raw")


def _alone(told: typer.Context, streams: list[str]) -> None:
    """Refuse what stands beside a plan, which says it all."""
    sources = {name: told.get_parameter_source(name) for name in PLANNED}
    given = [name for name, one in sources.items() if one is not None and one.name != "DEFAULT"]
    if given or len(streams) > 1:
        more = ", ".join([*streams[1:], *(f"--{name.replace('_', '-')}" for name in given)])
        raise typer.BadParameter(f"{streams[0]} is a plan, which says all of it: leave out {more}")


@app.command()
def race(
    told: typer.Context,
    streams: Annotated[
        list[str],
        typer.Argument(help="Streams (SynNonSep), data sets (letter), files, or a plan (.toml)."),
    ],
    learners: Names = RACERS,
    repeats: Annotated[int, typer.Option(min=1, help="How often each plays.")] = 3,
    rounds: Annotated[
        int | None, typer.Option(min=10, help="Rounds to play; all rows if not given.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=2**62 - 1, help="Of rows and learners.")] = 0,
    tune: Annotated[
        bool, typer.Option("--tune", help="Choose exploration rates on the first tenth.")
    ] = False,
    exploration: Annotated[
        str, typer.Option(help="Values of the exploration parameter, with commas.")
    ] = "",
    in_order: Annotated[bool, typer.Option("--in-order", help="Do not shuffle rows.")] = False,
    raw: Annotated[bool, typer.Option("--raw", help="Do not scale rows.")] = False,
    on: Annotated[
        str, typer.Option(help="all-cores, a number of cores, ray, or a Ray cluster's address.")
    ] = "all-cores",
    out: Annotated[Path, typer.Option(help="Folder of the results.")] = Path("race"),
    figures: Annotated[bool, typer.Option("--figures", help="SVG and PNG too.")] = False,
    show: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
) -> None:
    """Race learners on streams: a live table, then a page with curves. The same race goes on.

    onearm race letter SynNonSep --learners banditron,soba,adabandit --rounds 20000
    """
    from rich.console import Console

    console = Console()
    if not sys.stdout.isatty():
        console = Console(width=LOG_WIDTH, force_terminal=False)
    if out.exists() and not out.is_dir():
        raise typer.BadParameter(f"{out} is a file: --out must be a folder")
    from onearm.racing import figures as drawing
    from onearm.racing import report
    from onearm.racing.plan import Plan
    from onearm.racing.race import race as run_race

    with errors_in_words():
        if figures:
            drawing.needed()
        if streams[0].endswith(".toml"):
            _alone(told, streams)
            plan = Plan.read(streams[0])
        else:
            plan = Plan(
                streams, _learners(learners), repeats, rounds, seed, 0.1 if tune else 0.0,
                _numbers(exploration), in_order, raw,
            )  # fmt: skip
        try:
            with ending_with_sigterm():
                where = int(on) if on.isdigit() else on
                results = run_race(plan, on=where, out=out, console=console)
        except KeyboardInterrupt:
            console.print(f"stopped; runs that had ended are in {out}: the same command goes on")
            raise typer.Exit(130) from None
    if results.failures:
        console.print(f"failed: {len(results.failures)}")
    for failure in results.failures:
        console.print(failure, highlight=False, soft_wrap=True, markup=False)
    if not results.runs:
        raise typer.Exit(1)
    found = results.scores()
    for stream in dict.fromkeys(score.stream for score in found):
        console.print(report.table([score for score in found if score.stream == stream], stream))
    with errors_in_words():
        written = results.write(out, f"onearm {shlex.join(sys.argv[1:])}", figures)
    for path in written[1:]:
        console.print(f"{path}", highlight=False, soft_wrap=True, markup=False)
    page = written[0].resolve().as_uri()
    console.print(f"page: {page}", highlight=False, soft_wrap=True, markup=False)
    if show:
        typer.launch(page)
    if results.failures:
        raise typer.Exit(1)


@app.command()
def datasets(
    name: Annotated[str | None, typer.Argument(help="One of them, to be told all of it.")] = None,
) -> None:
    """List the data sets that are known by name, and where they are.

    onearm datasets letter
    """
    from rich.console import Console
    from rich.table import Table

    from onearm.streams import datasets as known

    console = Console()
    if name is not None:
        try:
            data = known.about(name)
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None
        for key in ("rows", "features", "classes", "about", "licence", "citation"):
            console.print(f"{key}: {getattr(data, key)}", highlight=False, soft_wrap=True)
        for file in data.files:
            console.print(f"file: {file['name']}  SHA-256 {file['sha256']}", soft_wrap=True)
        console.print(f"found in: {data.found() or 'no folder'}", highlight=False, soft_wrap=True)
        return
    lines = Table(title="Data sets", title_justify="left")
    for column in ("name", "rows", "features", "classes", "on disk", "licence"):
        right = column in ("rows", "features", "classes")
        justify = "right" if right else "left"
        lines.add_column(column, justify=justify, no_wrap=column != "licence")  # type: ignore[arg-type]
    for each in known.names():
        data, place = known.about(each), known.about(each).found()
        where = "shipped" if place == known.SHIPPED else "found" if place else "no"
        where = "can be fetched" if place is None and data.fetch else where
        sizes = (f"{data.rows:,}", f"{data.features:,}", str(data.classes or "a number"))
        lines.add_row(each, *sizes, where, data.licence)
    console.print(lines)
    places = ", ".join(str(place) for place in known.folders()[1:])
    console.print(f"looked for in {places}", highlight=False, soft_wrap=True)


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def papers(
    told: typer.Context,
    name: Annotated[str | None, typer.Argument(help="Which, as z19.table1.")] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="A small part of it, in a folder of its own.")
    ] = False,
) -> None:
    """List the papers' tables and figures, or run one, ours beside the paper's numbers.

    Further options are those of the table: onearm papers c09.table1 -- --help

    onearm papers boz17.figure2 --quick
    """
    if not (CLONE / "papers").is_dir():
        raise typer.BadParameter(
            "the papers' tables are not installed: run this in a clone of onearm"
        )
    sys.path.insert(0, str(CLONE))
    from papers import PUBLISHED, RESULTS, run

    if name is None:
        for each, one in PUBLISHED.items():
            typer.echo(f"{each:14} {one.title}")
        typer.echo(f"results: {RESULTS}")
        return
    chosen = _find(name, dict.fromkeys(PUBLISHED, ""), "table or figure")
    with errors_in_words():
        try:
            status = run(chosen, told.args, quick)
        except FileNotFoundError as error:
            need = "data sets are read from the folder that ONEARM_DATA names"
            raise FileNotFoundError(f"{error}: {need}") from error
    raise typer.Exit(status)


@app.command()
def check(
    learner: Annotated[str, typer.Argument(help="A learner or regressor by class name.")],
) -> None:
    """Check every contract of a learner or regressor.

    onearm check SOBA
    """
    name = _find(learner, {**onearm.LEARNERS, **onearm.REGRESSORS}, "learner")
    checked = onearm.check_regressor if name in onearm.REGRESSORS else onearm.check_learner
    checked(getattr(onearm, name), typer.echo)


@app.command()
def warm(
    learners: Names = "all",
    play: Annotated[bool, typer.Option("--play", help="Only what play needs.")] = False,
) -> None:
    """Compile learners on all cores and keep the result on disk.

    onearm warm --learners soba,banditron
    """
    from rich.progress import track

    from onearm.cli.warm import warm as warm_up

    batch = {} if find_spec("sklearn") is None else onearm.ESTIMATORS
    names = _learners(learners, {**batch, **onearm.LEARNERS, **onearm.REGRESSORS})
    for _ in track(warm_up(names, not play), "warming up", total=len(names)):
        pass


if __name__ == "__main__":
    app()
