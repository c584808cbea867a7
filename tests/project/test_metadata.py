"""The files beside the package that other programs read: citation, workflow, hooks."""

from pathlib import Path

import yaml

import onearm

ROOT = Path(__file__).parents[2]


def read(name):
    return yaml.safe_load((ROOT / name).read_text())


def test_citation_has_the_version_and_the_papers():
    citation = read("CITATION.cff")
    assert citation["version"] == onearm.__version__
    reproduced = [folder for folder in (ROOT / "papers").iterdir() if (folder / "runs.py").exists()]
    assert len(citation["references"]) == len(reproduced)
    first_lines = {(folder / "__init__.py").read_text().splitlines()[0] for folder in reproduced}
    for paper in citation["references"]:
        title = paper["title"].split(" with Õ")[0].split(" for online")[0]
        assert any(title in line for line in first_lines), title


def test_hosted_workflow_runs_what_is_run_here():
    job = read(".github/workflows/ci.yml")["jobs"]["ci"]
    assert job["strategy"]["matrix"]["command"] == [".ci/run", "make quick"]
    runs = [step["run"] for step in job["steps"] if "run" in step]
    assert runs == ["${{ matrix.command }}"]


def test_hooks_are_the_programs_of_make_check():
    hooks = {
        hook["name"] for repo in read(".pre-commit-config.yaml")["repos"] for hook in repo["hooks"]
    }
    commands = (ROOT / "Makefile").read_text().partition("\ncheck:")[2].partition("\n\n")[0]
    assert hooks == {"ruff format", "ruff check", "mypy"}
    assert all(name in commands for name in hooks)
