"""Every benchmark imports without its peers and explains its options."""

import re
from importlib import import_module
from pathlib import Path

import pytest

import bench
from bench.__main__ import BENCHMARKS, main

ROOT = Path(bench.__file__).parents[1]
FILES = sorted((ROOT / "bench").rglob("*.py"))
MODULES = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in FILES]


@pytest.mark.parametrize("module", MODULES)
def test_module_imports_without_peers(module):
    import_module(module)


@pytest.mark.parametrize("name", BENCHMARKS)
def test_help(name, capsys):
    with pytest.raises(SystemExit) as ended:
        main([name, "--help"])
    assert ended.value.code == 0
    assert f"python -m bench {name}" in capsys.readouterr().out


def test_without_a_name_all_benchmarks_are_listed(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    printed = capsys.readouterr().out
    assert all(name in printed for name in BENCHMARKS)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(["speeed"], "invalid choice: 'speeed'"), (["race", "--rounds", "many"], "invalid int value")],
)
def test_wrong_arguments_are_refused(arguments, words, capsys):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert words in capsys.readouterr().err


def test_commands_in_documents_exist():
    paths = [ROOT / "README.md", ROOT / "Makefile", *(ROOT / "docs").rglob("*.md")]
    paths += (ROOT / "bench" / "results").rglob("*.md")
    texts = [path.read_text() for path in paths if "_build" not in path.parts]
    names = {name for text in texts for name in re.findall(r"-m bench (\w+(?:\.\w+)*)", text)}
    assert names
    assert names <= set(BENCHMARKS)
