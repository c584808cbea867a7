"""Write constraints.txt: the exact version of all that development needs, as installed here.

python -m tests.project.constraints
"""

import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
CONSTRAINTS = ROOT / "constraints.txt"
HEADER = """\
# Exact versions for development on CPython {}.{} and Linux x86-64, which `make setup` installs.
# Other Pythons get the ranges of pyproject.toml. Written by `make constraints`.
"""


def requirements() -> list[Requirement]:
    """Return what onearm and its extra `dev` require, as pyproject.toml says."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    development = [Requirement(line) for line in extras["dev"]]
    included = [extra for line in development if line.name == "onearm" for extra in line.extras]
    lines = project["dependencies"] + [line for extra in included for line in extras[extra]]
    others = [line for line in development if line.name != "onearm"]
    return [*map(Requirement, lines), *others]


def add_needed(requirement: Requirement, seen: set[tuple[str, str]]) -> None:
    """Add the names of a package and of all that it needs, with the extra that is asked for."""
    name = canonicalize_name(requirement.name)
    for extra in ("", *requirement.extras):
        if (name, extra) not in seen:
            seen.add((name, extra))
            for child in required_by(name, extra):
                add_needed(child, seen)


def required_by(name: str, extra: str) -> Iterator[Requirement]:
    for requirement in map(Requirement, distribution(name).requires or ()):
        if requirement.marker is None or requirement.marker.evaluate({"extra": extra}):
            yield requirement


def constraints() -> str:
    """Return the text of the file."""
    seen: set[tuple[str, str]] = set()
    for requirement in requirements():
        add_needed(requirement, seen)
    names = sorted({name for name, _ in seen})
    lines = [f"{name}=={distribution(name).version}" for name in names]
    return HEADER.format(*sys.version_info) + "\n".join([*lines, ""])


if __name__ == "__main__":
    CONSTRAINTS.write_text(constraints())
