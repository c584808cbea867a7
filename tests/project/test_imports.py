"""Imports go one way: a part of the package knows the parts before it in LAYERS, and no others."""

import ast
import re
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import onearm

ROOT = Path(__file__).parents[2]
LAYERS = (
    "schema", "core", "linear", "boosting", "chorus", "mh", "regression", "convex", "prepare",
    "streams", "metrics", "agent", "log", "adapters", "experiments", "page", "ope", "racing",
    "service", "checks",
    "cli",
)  # fmt: skip
OUTSIDE = ("papers", "bench", "tests", "docs", "examples")
PLATFORM = {"fcntl", "resource", "termios", "pwd", "grp", "pty", "msvcrt", "winreg"}
EXCEPTIONS = {
    ("onearm.schema.inference", "streams"): "Schema.infer reads files",
    ("onearm.log.files", "service"): "Log.read reads the files of `onearm serve`",
    ("onearm.cli", "papers"): "`onearm papers` runs the papers of a clone",
    ("onearm.cli", "bench"): "`onearm bakeoff` runs the bake-off of a clone",
}


def modules(folder: Path) -> dict[str, str]:
    """Return the source of every module below a folder, by its dotted name."""
    paths = sorted(folder.rglob("*.py"))
    names = (".".join(path.relative_to(folder.parent).with_suffix("").parts) for path in paths)
    return {
        name.removesuffix(".__init__"): path.read_text()
        for name, path in zip(names, paths, strict=True)
    }


PACKAGE = modules(ROOT / "onearm")


def imports(source: str, inside_functions: bool = True) -> Iterator[str]:
    """Yield the dotted names that a module imports; `onearm.SOBA` counts as its module."""
    tree = ast.parse(source)
    inside = {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
    }
    for node in ast.walk(tree):
        if id(node) in inside and not inside_functions:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.value.id == "onearm":
                yield {**onearm.PLACES, **onearm.MODULES}.get(node.attr, "onearm")
        elif isinstance(node, ast.Call) and ast.unparse(node).startswith("getattr(onearm,"):
            yield "onearm.regression"  # any learner by name: for layers after all of them


def violations(module: str, source: str) -> list[str]:
    """Return what a module of the package imports though it must not know it."""
    layer = module.split(".")[1] if "." in module else None
    wrong = []
    for name in imports(source):
        package, *rest = name.split(".")
        if package in OUTSIDE and not allowed(module, package):
            wrong.append(f"{module} imports {name}, which is not installed")
        if package == "onearm" and rest and layer and rest[0] in LAYERS:
            later = LAYERS.index(rest[0]) > LAYERS.index(layer)
            if later and not allowed(module, rest[0]):
                wrong.append(f"{module} imports {name}, which comes after {layer}")
    return wrong


def allowed(module: str, package: str) -> bool:
    return any(module.startswith(user) and package == used for user, used in EXCEPTIONS)


def module_of(name: str) -> str | None:
    """Return the module that a dotted name is, or is defined in."""
    known = (name, name.rpartition(".")[0])
    return next((candidate for candidate in known if candidate in PACKAGE), None)


def test_every_part_of_the_package_has_its_layer():
    assert {name.split(".")[1] for name in PACKAGE if "." in name} <= set(LAYERS)


def test_the_map_of_the_design_page_shows_the_layers():
    text = (ROOT / "docs" / "design.md").read_text().partition("## Four walks")[0]
    rows = re.findall(r"^\| `([a-z.]+)/?` \| (.*) \|$", text, re.M)
    assert tuple(folder.removesuffix(".py") for folder, _ in rows) == LAYERS
    for folder, about in rows:
        for name in re.findall(r"`(\w+(?:\.py|/))`", about):
            assert (ROOT / "onearm" / folder / name).exists(), (folder, name)


@pytest.mark.parametrize("module", PACKAGE)
def test_imports_go_one_way(module):
    assert violations(module, PACKAGE[module]) == []


def test_no_modules_import_each_other():
    graph = {
        name: {module_of(used) for used in imports(source, False)} - {None, name, "onearm"}
        for name, source in PACKAGE.items()
    }
    tuple(TopologicalSorter(graph).static_order())


def test_nothing_of_one_platform_is_imported_with_the_package():
    for module, source in PACKAGE.items():
        assert not PLATFORM & set(imports(source, False)), module


@pytest.mark.parametrize("folder", ["papers", "examples"])
def test_papers_and_examples_use_the_package_alone(folder):
    others = set(OUTSIDE) - {folder}
    for module, source in modules(ROOT / folder).items():
        assert not others & {name.split(".")[0] for name in imports(source)}, module


@pytest.mark.parametrize(
    "source",
    [
        "from onearm.racing.plan import Plan",
        "import onearm.streams.files",
        "def f():\n    from onearm.streams import files",
        "import onearm\nonearm.SOBA(2, 3)",
        "import onearm\ngetattr(onearm, name)",
        "from tests import cases",
        "def f():\n    import papers",
    ],
)
def test_a_wrong_import_is_found(source):
    assert violations("onearm.core.rng", source)


@pytest.mark.parametrize(
    "source", ["import onearm\nonearm.max_bytes", "from onearm.core import rng", "import numpy"]
)
def test_a_right_import_is_not(source):
    assert not violations("onearm.core.rng", source)


def test_the_exception_is_for_the_command_line_alone():
    assert not violations("onearm.cli.program", "from papers import run")
    assert violations("onearm.racing.race", "from papers import run")


def test_a_cycle_is_found():
    graph = {"a": {"b"}, "b": {"a"}}
    with pytest.raises(CycleError):
        tuple(TopologicalSorter(graph).static_order())
