"""An evaluation ends in time, and with the service: its process goes with it."""

import asyncio
import sys
import threading

import pytest

from onearm.service import evaluating
from tests.service.serving import serving


@pytest.fixture
def processes(monkeypatch):
    """Have evaluations take a minute; a list of their processes."""
    made, start = [], asyncio.create_subprocess_exec

    async def slow(*words, **options):
        made.append(await start(sys.executable, "-c", "import time; time.sleep(60)", **options))
        return made[-1]

    monkeypatch.setattr(asyncio, "create_subprocess_exec", slow)
    return made


def test_an_evaluation_ends_with_the_service(tmp_path, processes):
    (tmp_path / "news.db").touch()
    answers = []
    with serving(folder=tmp_path) as service:
        asking = threading.Thread(
            target=lambda: answers.append(service.get("/v1/news/evaluate?policy=uniform"))
        )
        asking.start()
        while not processes:
            asking.join(0.01)
        service.drain()
        asking.join(30)
    ((status, answer),) = answers
    assert (status, answer["status"]) == (503, "draining")
    assert processes[0].returncode < 0
    assert not [line for line in service.lines() if line["level"] == "error"]


def test_an_evaluation_that_takes_too_long_is_ended(tmp_path, processes, monkeypatch):
    (tmp_path / "news.db").touch()
    monkeypatch.setattr(evaluating, "LONGEST", 0.1)
    with serving(folder=tmp_path) as service:
        status, answer = service.get("/v1/news/evaluate")
    assert status == 422
    assert "took more than 0.1 seconds" in answer["reason"]
    assert processes[0].returncode < 0


def test_an_evaluation_that_the_system_kills_is_not_said_to_be_slow(monkeypatch):
    start, code = asyncio.create_subprocess_exec, "import os; os.kill(os.getpid(), 9)"

    async def killed(*words, **options):
        return await start(sys.executable, "-c", code, **options)

    monkeypatch.setattr(asyncio, "create_subprocess_exec", killed)

    async def ask():
        return await evaluating.evaluated("news.db", [], asyncio.Event())

    with pytest.raises(ValueError, match=r"^the evaluation failed$"):
        asyncio.run(ask())
