"""A line on stderr while kernels are compiled, and none when they are found on disk."""

import os
import subprocess
import sys
from io import StringIO
from types import SimpleNamespace

import numpy as np
import pytest
from rich.console import Console

import onearm
from onearm.core import dispatcher
from onearm.core.kernels import COMPILED, is_compiled

CODE = """
import numpy as np
import onearm
from onearm.core import dispatcher
dispatcher.PATIENCE = 0.0
onearm.Perceptron(2, 3).scores(np.ones((1, 3)))
"""


@pytest.mark.compiled
def test_compiling_is_reported_and_a_warm_process_is_silent(tmp_path):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    printed = [
        subprocess.run(
            [sys.executable, "-c", CODE], capture_output=True, text=True, check=True,
            env=environment,
        ).stderr
        for _ in range(2)
    ]  # fmt: skip
    assert printed[0].endswith("compiling Perceptron.score (once, about 1 s)\n")
    assert printed[1] == ""


@pytest.fixture
def notices(monkeypatch):
    """The lines, without waiting."""
    lines = []

    class Timer:
        def __init__(self, seconds, function, arguments):
            self.start = lambda: lines.append(arguments[0].describe())
            self.cancel = lambda: lines.append("cancelled")

    monkeypatch.setattr(dispatcher, "Timer", Timer)
    return lines


def compiling(listener, *names):
    """Compile kernels, of which each calls the next."""
    kernels = [SimpleNamespace(describe=lambda name=name: name) for name in names]
    events = [SimpleNamespace(data={"dispatcher": kernel}) for kernel in kernels]
    for event in events:
        listener.on_start(event)
    for event in events:
        listener.on_end(event)


def test_one_line_for_a_kernel_and_those_that_it_calls(notices):
    listener = dispatcher.Notice()
    compiling(listener, "outer", "inner")
    compiling(listener, "other")
    assert notices == ["outer", "cancelled", "other", "cancelled"]


def test_workers_are_silent(notices, monkeypatch):
    process = SimpleNamespace(name="SpawnProcess-1")
    monkeypatch.setattr(dispatcher, "current_process", lambda: process)
    compiling(dispatcher.Notice(), "outer")
    assert notices == []


def test_foreign_kernels_are_not_reported(notices):
    listener, event = dispatcher.Notice(), SimpleNamespace(data={"dispatcher": object()})
    listener.on_start(event)
    listener.on_end(event)
    assert notices == []


def test_choose_does_not_compile_update(monkeypatch):
    compiled = []

    def spied(kernel, *arguments):
        compiled.append(kernel)
        return lambda *round: (1, 0, 0.5)

    monkeypatch.setattr("onearm.core.calls.compiled", spied)
    learner = onearm.Perceptron(2, 3)
    choice = learner.choose(np.ones(3))
    learner.choose(np.ones(3), among=[1])
    assert compiled == [learner.kernels.choose]
    learner.update(np.ones(3), choice, True, truth=1)
    assert compiled == [learner.kernels.choose, learner.kernels.update]


@pytest.mark.parametrize("is_compiled", [False, True])
def test_a_race_reports_what_it_compiles(monkeypatch, is_compiled):
    monkeypatch.setattr("onearm.racing.race.is_compiled", lambda kernel: is_compiled)
    console = Console(file=StringIO(), width=100)
    onearm.race("SynSep", ["SOBA", "Banditron"], rounds=10, on=1, console=console)
    announced = "compiling Banditron, SOBA (once)" in console.file.getvalue()
    assert announced is not is_compiled


@pytest.mark.compiled
def test_a_compiled_kernel_is_recognised_on_disk(tmp_path, monkeypatch):
    play = onearm.SOBA.kernels.play
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert not is_compiled(play)
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels" / f"{play.py_func.__qualname__[-60:]}-{'0' * 32}.nbc").write_bytes(b"")
    assert is_compiled(play)


@pytest.mark.compiled
def test_separate_kernels_are_compiled_once_for_all_loops():
    from onearm.chorus import chorus

    assert COMPILED
    X, y = np.eye(3), np.arange(3)
    learner = onearm.Chorus(3, 3)
    choice = learner.choose(X[0])
    learner.update(X[0], choice, True)
    before = set(chorus.look.overloads), set(chorus.update.overloads)
    learner.learn(X, learner.play(X, y))
    learner.scores(X), learner.chances(X)
    assert (set(chorus.look.overloads), set(chorus.update.overloads)) == before
