"""The program: race learners, check one, warm the kernels up."""

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

import onearm

app = typer.Typer(
    help="Learning when you only hear whether your own choice was right.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
Names = Annotated[str, typer.Option(help="Learners by class name, in any case, with commas.")]
RACERS = "perceptron,banditron,soba,newtron,conservativeova,offsettree,gaptron,inversegap,bag"


def _find(name: str, known: dict[str, str], what: str) -> str:
    for candidate in known:
        if candidate.lower() == name.strip().lower():
            return candidate
    raise typer.BadParameter(f"no {what} is called {name!r}; there are {', '.join(known)}")


def _learners(names: str, known: dict[str, str] = onearm.LEARNERS) -> list[str]:
    if names == "all":
        return list(known)
    return [_find(name, known, "learner") for name in names.split(",")]


@app.command()
def race(
    stream: Annotated[str, typer.Argument(help="SynSep, SynNonSep, Separable, ...")] = "SynNonSep",
    learners: Names = RACERS,
    rounds: Annotated[int, typer.Option(min=10, help="Rounds to play.")] = 100_000,
    seed: Annotated[
        int, typer.Option(min=0, max=2**63 - 1, help="Seed of stream and learners.")
    ] = 0,
    raw: Annotated[bool, typer.Option("--raw", help="Do not scale rows to norm 1.")] = False,
    out: Annotated[Path, typer.Option(help="Folder for plot and numbers.")] = Path("race"),
) -> None:
    """Race learners on a stream: a live table, then a plot of their errors.

    onearm race SynNonSep --learners banditron,soba,inversegap --rounds 20000
    """
    from rich.console import Console
    from rich.live import Live

    names = _learners(learners)
    make = getattr(onearm, _find(stream, MADE, "stream"))
    console = Console()
    if find_spec("matplotlib") is None:
        raise typer.BadParameter("the plot needs matplotlib: pip install 'onearm[plots]'")
    if out.exists() and not out.is_dir():
        raise typer.BadParameter(f"{out} is a file: --out must be a folder")
    out.mkdir(parents=True, exist_ok=True)
    console.print("loading the learners; the first time they are compiled, which takes a minute")
    from onearm import report
    from onearm.race import Run
    from onearm.race import race as run_race

    scaled = {"unit": not raw} if "unit" in (make.__kwdefaults__ or {}) else {}
    rows = make(rounds, seed=seed, **scaled)
    runs: list[Run] = []

    def show(run: Run) -> None:
        if run not in runs:
            runs.append(run)
        if console.is_terminal:
            live.update(report.table(runs, title))
        elif run.correct is not None:
            console.print(f"{run.name}: {run.rounds:,} rounds, error {run.error:.4f}")

    title = f"{rows.name}, {rounds:,} rounds, seed {seed}"
    with Live(console=console, refresh_per_second=8, transient=True) as live:
        players = [rows.learner(getattr(onearm, name), seed=seed) for name in names]
        run_race(players, rows, show)
    console.print(report.table(sorted(runs, key=lambda run: run.error), title))
    report.figure(runs, out / "error.png")
    report.record(runs, out / "race.json")
    console.print(f"plot: {out / 'error.png'}   numbers: {out / 'race.json'}")


MADE = {name: place for name, place in onearm.STREAMS.items() if name != "Stream"}


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

    from onearm.warm import warm as warm_up

    batch = {} if find_spec("sklearn") is None else onearm.ESTIMATORS
    names = _learners(learners, {**batch, **onearm.LEARNERS, **onearm.REGRESSORS})
    for _ in track(warm_up(names, not play), "compiling (once)", total=len(names)):
        pass


if __name__ == "__main__":
    app()
