"""The program given what it cannot use, or no room: words and an exit code, never a traceback."""

import csv
import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import onearm
from onearm.cli.program import app
from onearm.racing.race import RUNS, race

runner = CliRunner()
ROUNDS = ["--rounds", "20", "--learners", "soba", "--repeats", "1", "--on", "1"]
TABLE = "a,b,label\n1,2,x\n2,3,y\n1,1,x\n"


def test_version():
    result = runner.invoke(app, ["--version"])
    assert (result.exit_code, result.output) == (0, f"onearm {onearm.__version__}\n")


@pytest.mark.parametrize(
    "command",
    [
        ["race", "none.csv"],
        ["race", "folder.csv"],
        ["race", "empty.csv"],
        ["race", "binary.csv"],
        ["race", "binary.parquet"],
        ["race", "binary.npz"],
        ["race", "binary.toml"],
        ["race", "none.toml"],
        ["race", "odd.toml"],
        ["race", ""],
        ["race", "fine.csv", "--rounds", "-5"],
        ["race", "fine.csv", "--learners", "\U0001f4a5"],
        ["race", "fine.csv", "--learners", ""],
        ["race", "fine.csv", "--learners", "soba", "--on", "0"],
        ["race", "fine.csv", "--learners", "soba", "--on", "9" * 30],
        ["race", "fine.csv", "--learners", "soba", "--on", "\u00b2"],
        ["race", "fine.csv", "--learners", "soba", "--exploration", "nan"],
        ["race", "fine.csv", "--learners", "soba", "--out", "fine.csv"],
        ["race", "fine.csv", "--learners", "soba", "--on", "1", "--out", "fine.csv/more"],
        ["race", "SynSep", "--learners", "soba", "--repeats", "1000000000"],
        ["race", "SynSep", "--learners", "soba", "--rounds", "1" + "0" * 20],
        ["datasets", "none"],
        ["papers", "none"],
        ["check", "none"],
        ["warm", "--learners", "none"],
    ],
)
def test_wrong_arguments_are_usage_errors(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    Path("folder.csv").mkdir()
    Path("empty.csv").touch()
    Path("fine.csv").write_text(TABLE)
    Path("odd.toml").write_text('streams = ["SynSep"]\nlearners = ["soba"]\nraw = "yes"\n')
    for suffix in ("csv", "parquet", "npz", "toml"):
        Path(f"binary.{suffix}").write_bytes(bytes(range(256)))
    result = runner.invoke(app, command)
    assert result.exit_code == 2, result.output
    assert isinstance(result.exception, SystemExit)


def test_names_in_any_script(tmp_path):
    path = tmp_path / "\u00e9 \u00fcn\u00ef \u884c.csv"
    path.write_text(TABLE)
    result = runner.invoke(app, ["race", str(path), *ROUNDS, "--out", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output


def no_space(*_):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_is_reported(tmp_path, monkeypatch):
    command = ["race", "SynSep", *ROUNDS, "--out", str(tmp_path)]
    monkeypatch.setattr("onearm.experiments.ledger._append", no_space)
    result = runner.invoke(app, command)
    assert result.exit_code == 1
    assert f"error: {tmp_path / RUNS}: No space left on device" in result.output
    assert "Usage" not in result.output


def test_a_report_that_cannot_be_written_leaves_the_old_one(tmp_path, monkeypatch):
    command = ["race", "SynSep", *ROUNDS, "--out", str(tmp_path)]
    assert runner.invoke(app, command).exit_code == 0
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    monkeypatch.setattr(csv.DictWriter, "writerows", no_space)
    result = runner.invoke(app, command)
    assert result.exit_code == 1
    assert f"error: {tmp_path}: No space left on device" in result.output
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


SMALL_DISK = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a file that grows too large: an OSError
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
from onearm.cli.program import app
app(sys.argv[2:])
"""


def test_runs_before_the_disk_was_full_stay(tmp_path):
    """A run that is written in part does no harm to those before and after it."""
    race("SynSep", ["SOBA"], rounds=20, on=1, out=tmp_path)
    path = tmp_path / RUNS
    first = path.read_text()
    race_twice = ["race", "SynSep", *ROUNDS[:-4], "--repeats", "2", "--on", "1"]
    limited = [sys.executable, "-c", SMALL_DISK, str(len(first) + 100)]
    command = [*limited, *race_twice, "--out", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 1, done.stderr
    assert f"error: {path}: File too large" in done.stderr
    assert "Traceback" not in done.stderr
    assert path.read_text().startswith(first)
    assert len(path.read_text()) == len(first) + 100
    again = race("SynSep", ["SOBA"], rounds=20, repeats=2, on=1, out=tmp_path)
    assert len(again.runs) == 2
    assert [json.loads(line)["repeat"] for line in path.read_text().splitlines()[::2]] == [0, 1]


def test_texts_that_look_like_formulas_are_quoted(tmp_path):
    names = ("=cmd|' /C calc'!A0", "+1", "-1", "@SUM(1)", "\tx", "\rx", "fine=1")
    X, y = [[1.0, 0.0], [0.0, 1.0]] * 10, [0, 1] * 10
    streams = [onearm.Stream.of(X, y, name=name) for name in names]
    results = race(streams, ["SOBA"], on=1)
    results.write(tmp_path)
    with (tmp_path / "results.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["stream"] for row in rows] == [f"'{name}" for name in names[:-1]] + ["fine=1"]
    assert all(float(row["error"]) == score.error.mean for row, score in
               zip(rows, results.scores(), strict=True))  # fmt: skip
