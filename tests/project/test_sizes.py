"""Files, functions and kernels stay small enough to be read at once."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("onearm", "papers", "bench", "tests", "docs", "examples")
FILE, FUNCTION, PARAMETERS = 300, 60, 12


def too_large(source: str) -> list[str]:
    """Return what in a module is larger than it may be."""
    lines = source.count("\n")
    large = [f"the file has {lines} lines"] if lines > FILE else []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = node.end_lineno - node.lineno + 1
            if lines > FUNCTION:
                large.append(f"{node.name} has {lines} lines")
            if is_kernel(node) and n_parameters(node) > PARAMETERS:
                large.append(f"{node.name} has {n_parameters(node)} parameters")
    return large


def is_kernel(node: ast.FunctionDef) -> bool:
    """Kernels, and functions that `bind` makes kernels of, are those without types."""
    every = node.args.posonlyargs + node.args.args + node.args.kwonlyargs
    return all(parameter.annotation is None for parameter in every)


def n_parameters(node: ast.FunctionDef) -> int:
    names = node.args.posonlyargs + node.args.args + node.args.kwonlyargs
    return len(names) + (node.args.vararg is not None)


PATHS = [path.relative_to(ROOT) for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]


@pytest.mark.parametrize("path", sorted(PATHS), ids=str)
def test_sizes(path):
    large = too_large((ROOT / path).read_text())
    if path.parts[:2] == ("tests", "reference"):  # plain twins are classes of plain parameters
        large = [line for line in large if not line.endswith("parameters")]
    assert large == []


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("\n" * 301, "301 lines"),
        ("def f():\n" + "    pass\n" * 60, "f has 61 lines"),
        (f"def f({', '.join(f'a{i}' for i in range(12))}, *model): pass", "f has 13 parameters"),
    ],
)
def test_what_is_too_large_is_found(source, words):
    assert words in too_large(source)[0]


def test_what_is_just_small_enough_passes():
    parameters = ", ".join(f"a{i}" for i in range(12))
    assert too_large(f"def f({parameters}):\n" + "    pass\n" * 59) == []
