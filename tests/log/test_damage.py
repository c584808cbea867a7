"""Damaged logs of every format give events or a ValueError: never another error or a crash."""

import subprocess
import sys
from pathlib import Path

import pytest

import onearm
from onearm import Log
from tests.log.damage import OPTIONS
from tests.log.random_logs import random_log

ROOT = Path(__file__).parents[2]
TIMES, SECONDS = 60, 120


@pytest.mark.parametrize("form", OPTIONS)
def test_damaged_files(form):
    if form == "parquet":
        pytest.importorskip("pyarrow")
    command = [sys.executable, "-m", "tests.log.damage", form, str(TIMES), "0"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=SECONDS)
    assert run.returncode == 0, run.stderr[-2000:]
    read, refused = map(int, run.stdout.split())
    assert read + refused == TIMES
    assert read >= 5 or form == "parquet"
    assert refused >= 5 or form != "parquet"


@pytest.mark.parametrize("suffix", ["jsonl", "vw", "dsjson", "csv"])
@pytest.mark.parametrize("content", [bytes(range(256)) * 4, b"\0" * 1000, b"\xff\xfe", b"PAR1" * 9])
def test_binary_files(write, suffix, content):
    with pytest.raises(ValueError, match=rf"log\.{suffix}"):
        Log.read(write(f"log.{suffix}", content))


@pytest.mark.parametrize("suffix", ["jsonl.gz", "jsonl.xz", "jsonl.bz2"])
def test_truncated_compressed_files(tmp_path, suffix):
    path = tmp_path / f"log.{suffix}"
    random_log(200).write(path)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(ValueError, match=rf"log\.{suffix} is damaged after line"):
        Log.read(path)


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("log.txt", {}, "the suffix of a log must be one of"),
        ("log.parquet.gz", {}, "the suffix of a log must be one of"),
        ("log.jsonl", {"format": "json"}, "format must be one of 'parquet'"),
    ],
)
def test_unknown_formats_are_refused(write, name, options, words):
    with pytest.raises(ValueError, match=words):
        Log.read(write(name, "{}"), **options)


def test_unknown_options_are_refused(write):
    path = write("log.vw", "1:0:0.5 | a\n")
    with pytest.raises(TypeError, match=r"log\.vw: .*, got 'cost' \(did you mean 'costs'\?\)"):
        Log.read(path, cost=(0, 1))
    with pytest.raises(TypeError, match=r"log\.csv: .* 'propensity'.*, got 'n_features'"):
        Log.read(write("log.csv", "a,b\n"), n_features=3)


@pytest.mark.parametrize("option", ["rewards", "costs"])
def test_a_range_that_is_none_is_refused(write, option):
    path = write("log.vw", "1:0:0.5 | a\n") if option == "costs" else write("log.jsonl", "{}")
    with pytest.raises(ValueError, match=rf"{option} must be a range of two numbers .* '0,1'"):
        Log.read(path, **{option: "0,1"})


def test_a_schema_that_is_none_is_refused(write):
    agent = onearm.Agent(["a", "b"], schema=onearm.Schema({"age": "number"}))
    with pytest.raises(ValueError, match=r"schema must be a Schema, got Agent: state its \.schema"):
        Log.read(write("log.jsonl", "{}"), schema=agent)


def test_files_that_are_none(tmp_path):
    with pytest.raises(FileNotFoundError, match="must be a file: there is none"):
        Log.read(tmp_path / "log.jsonl")
    with pytest.raises(FileNotFoundError, match="not a folder"):
        Log.read(tmp_path)
    with pytest.raises(ValueError, match="the suffix must be one of"):
        random_log().write(tmp_path / "log.csv")


def test_a_format_may_be_stated(write):
    path = write("events.log", "1:0:0.5 | a\n2:1:0.5 | b\n")
    assert len(Log.read(path, format="vowpal")) == 2
