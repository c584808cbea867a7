"""Arguments of commands: names in any case and lists with commas."""

from collections.abc import Iterable
from typing import Annotated

import typer
from typer import Option

import onearm
from onearm.schema.names import did_you_mean

Learners = Annotated[
    str, Option(help="Class names of learners, case-insensitive, comma-separated.")
]
RACERS = (
    "chorus,perceptron,banditron,soba,newtron,conservativeova,offsettree,inversegap,bag,"
    "hoeffdingtree,adabandit,banditbbm"
)


def find_name(name: str, known: Iterable[str], what: str) -> str:
    """Return the name among the known ones, whatever its case."""
    for candidate in known:
        if candidate.lower() == name.strip().lower():
            return candidate
    likely = did_you_mean(name, known)
    raise typer.BadParameter(f"no {what} is called {name!r}; there are {', '.join(known)}{likely}")


def learner_names(names: str, known: Iterable[str] = onearm.LEARNERS) -> list[str]:
    """Return the names of a list with commas; "all" is every known one."""
    if names == "all":
        return list(known)
    return [find_name(name, known, "learner") for name in names.split(",")]


def racing_names(names: str) -> list[str]:
    """Return the names of a list with commas, of which some may be `file.py:Class`."""
    return [
        name
        for part in names.split(",")
        for name in ([part] if ":" in part else learner_names(part))
    ]


def numbers(text: str) -> list[float]:
    """Return the numbers of a list with commas."""
    try:
        return [float(part) for part in text.split(",")] if text else []
    except ValueError:
        raise typer.BadParameter(f"must be comma-separated numbers, got {text!r}") from None
