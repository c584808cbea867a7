"""The command `onearm inspect`: what is in the file of a model."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Argument

import onearm
from onearm.cli.arguments import require_file
from onearm.cli.errors import errors_in_words

ROUNDS = ("n_rounds", "rounds")  # arrays in which some learners count what they learnt from


def inspect(
    model: Annotated[Path, Argument(help="Model that `onearm fit` or `save` wrote.")],
) -> None:
    """Show class, parameters, columns, labels and sizes of a saved model.

    onearm inspect model.safetensors
    """
    from onearm.core.saving import read_header

    with errors_in_words():
        require_file(model, "model")
        lines = list(_lines(onearm.load(model), read_header(model)))
    for line in lines:
        typer.echo(line)


def _lines(model: Any, header: dict[str, str]) -> Iterator[str]:
    from onearm.schema.inference import describe
    from onearm.schema.names import listed

    schema = getattr(model, "schema", None)
    yield f"class: {header['class']}"
    if isinstance(model, onearm.Agent):
        yield f"feedback: {model.feedback}"
        yield f"updates: {model.version:,}"
        if model.retired:
            yield f"retired labels: {listed(model.retired, 20)}"
        yield f"learner: {type(model.learner).__name__}"
        model = model.learner
    parameters = model.params() if hasattr(model, "params") else model.get_params()
    yield from (f"  {name}: {value}" for name, value in parameters.items())
    yield f"columns: {describe(schema) if schema and schema.columns else 'no names'}"
    yield f"labels: {listed(schema.labels, 20) if schema and schema.labels else 'no names'}"
    arrays = model.content() if hasattr(model, "content") else {}
    for name in ROUNDS:
        if name in arrays and arrays[name].size == 1:
            yield f"rounds learnt: {int(arrays[name].flat[0]):,}"
    yield f"state: {len(arrays)} arrays, {sum(a.nbytes for a in arrays.values()):,} bytes"
    yield f"written by: onearm {header.get('version', 'unknown')}"
    yield f"SHA-256: {header['sha256']}"
