"""The command `onearm evaluate`: what other policies would have earned, from a log."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

import onearm
from onearm.cli.arguments import OpenPage, ResultsFolder, find_name, names, numbers, require_file
from onearm.cli.errors import errors_in_words
from onearm.cli.results import (
    command_line,
    progress_bar,
    require_results_folder,
    results_console,
    show_written,
)

if TYPE_CHECKING:
    from onearm.log.log import Log
    from onearm.ope.evaluation import Evaluation

READ = (  # options of Log.read that are passed on as they are
    "label", "propensity", "reward", "time", "feedback", "n_classes", "n_features", "hashed",
    "late",
)  # fmt: skip
SHOWN = 5  # bad lines
SAVED = ".safetensors"  # models

Policies = Annotated[
    list[str],
    Option(
        "--policy",
        help="uniform, 'always LABEL', a learner with parameters ('inversegap scale=40': it "
        "learns along the log; some, as soba, need --feedback one_right), or a saved model "
        "(.safetensors); may be given again.",
    ),
]
Against = Annotated[str, Option(help="The policy that all are compared with.")]
Estimators = Annotated[
    str,
    Option(
        help="Comma-separated: ips, clipped_ips, snips, dm, dr, sndr, switch_dr, dros, "
        "sub_gaussian, cressie_read, replay."
    ),
]
Interval = Annotated[
    str | None,
    Option(help="Kind of interval; default: the first that is valid for the estimator."),
]
Level = Annotated[float, Option(help="Coverage of the intervals.")]
RewardModel = Annotated[str, Option(help="Reward model: linear, none, or a learner by name.")]
Fitting = Annotated[
    str, Option(help="predictable, or cross_fitted for the log of a policy that never changed.")
]
MaxWeight = Annotated[
    float | None, Option(help="What no weight can exceed, or the limit of clipped_ips.")
]
By = Annotated[str | None, Option(help="Column whose values are judged apart.")]
Windows = Annotated[int, Option(min=1, max=1000, help="Windows of time that are judged apart.")]
Seed = Annotated[int, Option(min=0, max=2**62 - 1, help="Random seed of bootstrap and replay.")]
Unseen = Annotated[
    bool,
    Option("--unseen", help="The saved models have not learnt from events of this log."),
]
Late = Annotated[
    bool | None,
    Option("--late", help="Late rewards count in place of the default, in a service's log."),
]
SchemaFile = Annotated[Path | None, Option(help="What the columns are: JSON of a Schema.")]
Range = Annotated[str, Option(metavar="LOW,HIGH", help="The range of rewards; default: 0,1.")]
Costs = Annotated[
    str, Option(metavar="LOW,HIGH", help="The range of costs of Vowpal Wabbit's files.")
]
Feedback = Annotated[str | None, Option(help="reward, or one_right: exactly one label is right.")]
Label = Annotated[str | None, Option(help="Column of chosen labels of a table.")]
Propensity = Annotated[str | None, Option(help="Column of propensities of a table.")]
Reward = Annotated[str | None, Option(help="Column of rewards of a table.")]
Uniform = Annotated[
    bool, Option("--uniform", help="The logging policy chose evenly among the allowed labels.")
]
Time = Annotated[str | None, Option(help="Column of times of a table.")]
Columns = Annotated[
    str | None, Option(help="Comma-separated columns of a table that are the context.")
]
Labels = Annotated[
    int | None, Option("--n-classes", min=1, help="Number of actions of Vowpal Wabbit's files.")
]
Width = Annotated[
    int | None, Option("--n-features", min=1, help="Columns that their features are hashed to.")
]
Hashed = Annotated[
    bool | None,
    Option("--hashed/--not-hashed", help="Whether they are, or are called f0, f1, … instead."),
]


def evaluate(
    context: typer.Context,
    log: Annotated[Path, Argument(help="Log: .parquet, .csv, .jsonl, .vw or .dsjson.")],
    policy: Policies,
    against: Against = "logged",
    estimator: Estimators = "dr",
    interval: Interval = None,
    level: Level = 0.95,
    model: RewardModel = "linear",
    fitting: Fitting = "predictable",
    max_weight: MaxWeight = None,
    by: By = None,
    windows: Windows = 10,
    seed: Seed = 0,
    unseen: Unseen = False,
    late: Late = None,
    schema: SchemaFile = None,
    rewards: Range = "",
    costs: Costs = "",
    feedback: Feedback = None,
    label: Label = None,
    propensity: Propensity = None,
    reward: Reward = None,
    time: Time = None,
    columns: Columns = None,
    n_classes: Labels = None,
    n_features: Width = None,
    hashed: Hashed = None,
    uniform: Uniform = False,
    out: ResultsFolder = Path("evaluation"),
    show: OpenPage = False,
) -> None:
    """Judge policies from the log of another: a table, and a page with charts.

    The answer is the difference to --against on the same events, with an interval that is valid
    while the logging policy learns.

    onearm evaluate log.parquet --policy inversegap --policy "linucb alpha=0.3" --against logged

    onearm evaluate clicks.csv --label shown --propensity p --reward click --policy "always tech"

    onearm evaluate train.vw --costs 0,10 --policy model.safetensors --by device --out judged
    """
    asked = context.params
    with errors_in_words():
        _require_arguments(asked)
        result = _evaluated(asked)
        console = results_console()
        _print(result, console)
        written = result.write(out, command_line())
    show_written(written, console, show)


def _print(result: "Evaluation", console: Any) -> None:
    from onearm.ope.report import print_tables

    print_tables(result, console)
    for line in result.log.bad_lines[:SHOWN]:
        typer.echo(f"left out: {line}", err=True)


def _require_arguments(asked: dict[str, Any]) -> None:
    """Refuse files that are not there, before anything is read."""
    require_file(asked["log"], "the log")
    for name in [*asked["policy"], asked["against"]]:
        if name.endswith(SAVED):
            require_file(Path(name), "a policy")
    if asked["schema"] is not None:
        require_file(asked["schema"], "--schema")
    require_results_folder(asked["out"])


def _evaluated(asked: dict[str, Any]) -> "Evaluation":
    """Return the evaluation that was asked for."""
    model = asked["model"]
    if model not in ("linear", "none"):
        known = ("linear", "none", *onearm.LEARNERS)
        model = getattr(onearm, find_name(model, known, "reward model"))
    try:
        with progress_bar("reading") as update:
            log = _read(asked)
            estimators = names(asked["estimator"])
            return onearm.evaluate(
                log, asked["policy"], against=asked["against"], model=model,
                estimator=estimators, interval=asked["interval"], level=asked["level"],
                fitting=asked["fitting"], max_weight=asked["max_weight"], by=asked["by"],
                n_windows=asked["windows"], seed=asked["seed"], unseen=asked["unseen"],
                progress=lambda done: update(description=f"judging, {done:,} events"),
            )  # fmt: skip
    except KeyboardInterrupt:
        typer.echo("stopped: nothing was written", err=True)
        raise typer.Exit(130) from None


def _read(asked: dict[str, Any]) -> "Log":
    """Return the log of the file, read with the options that were given."""
    options = {name: asked[name] for name in READ if asked[name] is not None}
    options |= {name: _range(name, asked[name]) for name in ("rewards", "costs") if asked[name]}
    if asked["columns"] is not None:
        options["columns"] = names(asked["columns"])
    if asked["uniform"]:
        options["chances"] = "uniform"
    schema = _schema_of_model(asked) if asked["schema"] is None else _schema(asked["schema"])
    if schema is not None:
        options["schema"] = schema
    try:
        return onearm.Log.read(asked["log"], **options)
    except TypeError as error:  # an option that files of this kind do not have
        raise typer.BadParameter(str(error)) from error


def _schema_of_model(asked: dict[str, Any]) -> "onearm.Schema | None":
    """Return the columns and labels of the first saved model, if the log does not tell its own."""
    from onearm.log.files import has_schema

    models = [name for name in (*asked["policy"], asked["against"]) if name.endswith(SAVED)]
    if not models or has_schema(asked["log"]):
        return None
    schema = getattr(onearm.load(models[0]), "schema", None)
    if schema is None or not schema.columns:
        return None
    typer.echo(f"{asked['log'].name}: read with the columns and labels of {models[0]}", err=True)
    return onearm.Schema({column.name: column.form for column in schema.columns}, schema.labels)


def _schema(path: Path) -> "onearm.Schema":
    try:
        return onearm.Schema.from_json(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise typer.BadParameter(f"--schema {path}: {error}") from error


def _range(name: str, text: str) -> tuple[float, float]:
    ends = numbers(text)
    if len(ends) != 2 or not ends[0] < ends[1]:
        raise typer.BadParameter(f"--{name} must be LOW,HIGH with LOW < HIGH, got {text!r}")
    return ends[0], ends[1]
