"""The program `onearm`: its commands, each in a file of its own."""

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

import onearm
from onearm.cli.arguments import Learners, find_name, learner_names
from onearm.cli.bakeoff import bakeoff
from onearm.cli.datasets import datasets
from onearm.cli.evaluate import evaluate
from onearm.cli.fit import fit
from onearm.cli.inspect import inspect
from onearm.cli.log import log
from onearm.cli.papers import papers
from onearm.cli.predict import predict
from onearm.cli.race import race
from onearm.cli.serve import serve, token, warm_service
from onearm.cli.upkeep import backup, compact, forget
from onearm.cli.verify import verify

HELP = {"help_option_names": ["-h", "--help"]}
app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False, context_settings=HELP)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"onearm {onearm.__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Learning with bandit feedback: you only learn whether your own choice was right."""


app.command()(race)
app.command()(fit)
app.command()(predict)
app.command()(evaluate)
app.command()(inspect)
app.command()(serve)
app.command()(token)
for command in (log, verify, backup, compact, forget):
    app.command()(command)
app.command()(datasets)
app.command()(papers)
app.command()(bakeoff)


@app.command()
def check(
    learner: Annotated[
        str, Argument(help="Class name of a learner or regressor, case-insensitive.")
    ],
) -> None:
    """Check every contract of a learner or regressor.

    onearm check SOBA
    """
    name = find_name(learner, [*onearm.LEARNERS, *onearm.REGRESSORS], "learner")
    run_checks = onearm.check_regressor if name in onearm.REGRESSORS else onearm.check_learner
    run_checks(getattr(onearm, name), typer.echo)


@app.command()
def warm(
    learners: Learners = "all",
    play: Annotated[bool, Option("--play", help="Compile only what play needs.")] = False,
    service: Annotated[
        Path | None, Option("--app", help="Compile what the service of this TOML file needs.")
    ] = None,
) -> None:
    """Compile learners on all cores and store the result on disk.

    onearm warm --learners soba,banditron

    onearm warm --app app.toml
    """
    from rich.progress import track

    from onearm.cli.warm import warm as warm_up

    if service is not None:
        warm_service(service)
        return
    batch = {} if find_spec("sklearn") is None else onearm.ESTIMATORS
    names = learner_names(learners, [*batch, *onearm.LEARNERS, *onearm.REGRESSORS])
    for _ in track(warm_up(names, not play), "warming up", total=len(names)):
        pass


if __name__ == "__main__":
    app()
