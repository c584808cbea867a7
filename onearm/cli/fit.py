"""The command `onearm fit`: a learner plays along a file, with bandit feedback, and is saved."""

from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Argument, Option

import onearm
from onearm.cli.arguments import (
    Label,
    Nominal,
    Raw,
    SchemaFile,
    file_options,
    find_name,
    require_folder,
)
from onearm.cli.errors import errors_in_words
from onearm.cli.results import progress_bar

MADE = ("n_classes", "n_features", "nominal", "seed")  # parameters that the command sets


def fit(
    data: Annotated[
        str, Argument(help="File of rows with labels, or a data set or stream (letter).")
    ],
    label: Label = None,
    nominal: Nominal = "",
    schema: SchemaFile = None,
    learner: Annotated[str, Option(help="Class name of the learner, case-insensitive.")] = "chorus",
    setting: Annotated[
        list[str] | None,
        Option("--set", help="A parameter of the learner, as gamma=0.1; may be given again."),
    ] = None,
    seed: Annotated[int, Option(min=0, max=2**62 - 1, help="Random seed.")] = 0,
    shuffle: Annotated[bool, Option("--shuffle", help="Play the rows in a random order.")] = False,
    raw: Raw = False,
    race: Annotated[
        Path | None,
        Option(help="Folder of a race: its winner on the data, with its run played again."),
    ] = None,
    new_order: Annotated[
        int | None, Option(min=0, help="With --race: all rows in an order of this random seed.")
    ] = None,
    out: Annotated[Path, Option(help="File of the model.")] = Path("model.safetensors"),
) -> None:
    """Learn along a file and save the model.

    The learner chooses a label for each row in turn and is shown only whether it was right.

    onearm fit data.csv --label kind --learner chorus --out model.safetensors

    onearm fit data.csv --label kind --race race --out winner.safetensors
    """
    if new_order is not None and race is None:
        raise typer.BadParameter("--new-order must come with --race")
    if race is not None:
        if learner != "chorus" or setting or seed or shuffle or raw:
            others = "--learner, --set, --seed, --shuffle and --raw"
            raise typer.BadParameter(f"--race has its winner's settings: leave out {others}")
        with errors_in_words():
            require_folder(out)
            _save(_winner(race, _entry(data, label, nominal, schema), new_order), out)
        typer.echo(f"saved: {out}")
        return
    from onearm.core.parameters import from_texts, parameters

    with errors_in_words():
        cls = getattr(onearm, find_name(learner, onearm.LEARNERS, "learner"))
        known = [p.name for p in parameters(cls) if p.name not in MADE] + ["interactions"]
        settings = from_texts(setting or [], known, "--set")
        stream = _stream(data, label, nominal, schema, seed)
        stream = stream.shuffled(seed) if shuffle else stream
        model = stream.learner(cls, raw=raw, seed=seed, **settings)
        require_folder(out)
        trace, stopped = _played(model, stream)
        model.save(out)
    if stopped:
        typer.echo(f"stopped after {len(trace.correct):,} of {stream.count():,} rounds")
    typer.echo(_report(stream, trace.correct))
    typer.echo(f"saved: {out}")
    raise typer.Exit(130 if stopped else 0)


def _save(winner: Any, out: Path) -> None:
    if not hasattr(winner, "save"):
        way_out = "in Python, results.best().fit() returns it"
        raise ValueError(f"the winner is no learner of onearm and has no file: {way_out}")
    winner.save(out)


def _winner(folder: Path, entry: Any, new_order: int | None) -> Any:
    """Return the winner of a race, trained again on this stream."""
    from onearm.racing.race import Results
    from onearm.racing.rows import resolve

    results, name = Results.read(folder), resolve(entry).name
    streams = [score.stream for score in results.scores()]
    winner = results.best(name if len(set(streams)) > 1 else None)
    typer.echo(f"{winner}")
    return winner.fit(entry, new_order=new_order)


def _stream(data: str, label: str | None, nominal: str, schema: Path | None, seed: int) -> Any:
    """Return a file, read with these options, or a stream by name; print what is inferred."""
    from onearm.racing.rows import resolve

    source = resolve(_entry(data, label, nominal, schema))
    return source.generate(None, seed) if source.generator else source.load(typer.echo)


def _entry(data: str, label: str | None, nominal: str, schema: Path | None) -> Any:
    """Return a stream as a plan has it: a name, or a file with how it is read."""
    options = file_options(label, nominal, schema)
    return {"file": data, **options} if options else data


def _played(model: Any, stream: Any) -> tuple[Any, bool]:
    """Return the trace of a play with a progress bar, and whether Ctrl-C ended it."""
    with progress_bar("learning", stream.count()) as update:

        def show(done: int, correct: int) -> None:
            error = f"learning, error {1 - correct / max(done, 1):.4f}"
            update(completed=done, description=error)

        try:
            return model.play(stream, progress=show), False
        except KeyboardInterrupt as interrupt:
            return interrupt.trace, True  # type: ignore[attr-defined] # what play adds


def _report(stream: Any, correct: Any) -> str:
    from onearm import metrics

    if not len(correct):
        return "no round was played"
    labels = stream.first(len(correct)).arrays()[1]
    majority = metrics.error(metrics.majority(labels))
    return (
        f"{stream.name}: {len(correct):,} rounds, error {metrics.error(correct):.4f} "
        f"(last tenth {metrics.last(correct):.4f}; always the most frequent label {majority:.4f})"
    )
