"""Arguments of commands: names in any case and lists with commas."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Option

import onearm
from onearm.racing import texts
from onearm.schema.names import did_you_mean

Learners = Annotated[
    str, Option(help="Class names of learners, case-insensitive, comma-separated.")
]
Label = Annotated[
    str | None,
    Option(help="Column of labels of a file; default: label, class, target, y, or last."),
]
Nominal = Annotated[
    str,
    Option(help="Columns of a file that are nominal, comma-separated; default: those of words."),
]
SchemaFile = Annotated[
    Path | None,
    Option("--schema", help="What the columns of a file are: JSON of a Schema, or infer."),
]
Raw = Annotated[bool, Option("--raw", help=texts.RAW)]
Place = Annotated[
    str, Option(help="all-cores, a number of cores, ray, or the address of a Ray cluster.")
]
ResultsFolder = Annotated[Path, Option(help="Folder of the results.")]
OpenPage = Annotated[bool, Option("--open", help="Open the page in a browser.")]
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


def require_file(path: Path, what: str) -> None:
    """Refuse a file that is not there, with the one beside it that may be meant."""
    if path.is_dir():
        raise typer.BadParameter(f"{what} must be a file, not a folder, got {str(path)!r}")
    if not path.is_file():
        folder = path.parent
        beside = [str(file) for file in folder.iterdir()] if folder.is_dir() else []
        hint = did_you_mean(str(path), beside)
        raise typer.BadParameter(f"{what} must be a file that exists, got {str(path)!r}{hint}")


def require_folder(out: Path) -> None:
    """Refuse a place that no file can be written to, before anything is done."""
    if out.is_dir() or not out.resolve().parent.is_dir():
        raise FileNotFoundError(f"--out must be a file in a folder that exists, got {str(out)!r}")


def learner_names(text: str, known: Iterable[str] = onearm.LEARNERS) -> list[str]:
    """Return the names of a list with commas; "all" is every known one."""
    if text == "all":
        return list(known)
    return [find_name(name, known, "learner") for name in text.split(",")]


def racing_names(text: str) -> list[str]:
    """Return the names of a list with commas, of which some may be `file.py:Class`."""
    parts = [[name] if ":" in name else learner_names(name) for name in text.split(",")]
    return [name for part in parts for name in part]


def file_options(label: str | None, nominal: str, schema: Path | None) -> dict[str, Any]:
    """Return the options of `onearm.read` that were given, the schema as its path."""
    options: dict[str, Any] = {}
    if label is not None:
        options["label"] = label
    if nominal:
        options["nominal"] = names(nominal)
    if schema is not None:
        options["schema"] = str(schema)
    return options


def names(text: str) -> list[str]:
    """Return the names of a list with commas."""
    return [name.strip() for name in text.split(",") if name.strip()]


def numbers(text: str) -> list[float]:
    """Return the numbers of a list with commas."""
    try:
        return [float(part) for part in text.split(",")] if text else []
    except ValueError:
        raise typer.BadParameter(f"must be comma-separated numbers, got {text!r}") from None
