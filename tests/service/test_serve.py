"""`onearm serve` and `onearm token` as programs: start, signals, restarts, failures, the demo."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest
from typer.testing import CliRunner

import onearm
from onearm.cli.program import app
from onearm.service.exchange import ServiceError
from onearm.service.sqlite import SqliteStore

pytestmark = pytest.mark.compiled  # programs of their own
TOML = """
name = "news"
labels = ["a", "b", "c"]

[schema]
age = "number"

[learner]
name = "InverseGap"

[server]
port = 0
"""
PROGRAM = [sys.executable, "-m", "onearm.cli.program"]


class Program:
    """A program, with what it has printed."""

    def __init__(self, *words, command=PROGRAM):
        self.process = subprocess.Popen(
            [*command, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.url = self.process.stdout.readline().strip().removeprefix("listening: ")

    def end(self, sig=signal.SIGTERM):
        """Return exit code and log lines after a signal, except what was compiled for a while."""
        self.process.send_signal(sig)
        _, errors = self.process.communicate(timeout=60)
        lines = [json.loads(line) for line in errors.splitlines()]
        return self.process.returncode, [line for line in lines if line["what"] != "compiling"]


@contextmanager
def program(*words, command=PROGRAM):
    started = Program(*words, command=command)
    try:
        yield started
    finally:
        if started.process.poll() is None:
            started.process.kill()
        started.process.communicate()


@pytest.fixture
def toml(tmp_path):
    path = tmp_path / "app.toml"
    path.write_text(TOML)
    return path


def test_sigterm_drains_and_a_restart_goes_on_where_it_ended(toml):
    with program("serve", str(toml)) as server, onearm.Client(server.url, "news") as client:
        decisions = [client.decide({"age": i}, event_id=f"e{i}") for i in range(20)]
        client.feedback_many({f"e{i}": i % 2 for i in range(10)})
        before = client.state()
        code, lines = server.end()
    assert code == 0
    assert [line["what"] for line in lines] == ["start", "draining", "stop"]
    assert lines[-1]["snapshot_seq"] == lines[-1]["seq"] == before.seq
    with program("serve", str(toml)) as server, onearm.Client(server.url, "news") as client:
        after = client.state()
        assert (after.sha256, after.seq) == (before.sha256, before.seq)
        assert after.pending == 10
        assert client.decide({"age": 3}, event_id="e3") == decisions[3]
        assert client.feedback("e3", 1.0).status == "duplicate"
        assert server.end(signal.SIGINT)[0] == 0


def test_backup_and_evaluate(toml):
    with program("serve", str(toml)) as server, onearm.Client(server.url, "news") as client:
        decisions = client.decide_many([{"age": i} for i in range(400)])
        client.feedback_many({d.event_id: float(d.label == "a") for d in decisions})
        status, answer = post(server.url, "backup", {"file": "copy.db"})
        assert (status, answer) == (200, {"status": "done", "file": "copy.db"})
        assert post(server.url, "backup", {"file": "copy.db"})[0] == 409
        for wrong in ("../copy.db", "/copy.db", "news.db-journal", "copy"):
            assert post(server.url, "backup", {"file": wrong})[0] == 422
        url = f"{server.url}/v1/news/evaluate"
        status, report = fetch(f"{url}?policy=always%20a&policy=uniform")
        assert status == 200
        values = {e["policy"]: e["value"] for e in report["estimates"]}
        assert values["always a"] > 0.9 > values["uniform"]
        model = toml.with_name("model.safetensors")  # which could be read, and must not be
        onearm.Agent(["a", "b", "c"], {"age": "number"}, "InverseGap").save(model)
        for wrong in (f"policy={model}", "policy=/etc/passwd", "polcy=uniform"):
            assert fetch(f"{url}?{wrong}")[0] == 422
        assert server.end()[0] == 0
    store = SqliteStore(toml.with_name("copy.db"), read_only=True)
    assert store.last_seq() == 801
    store.close()


def post(url, name, body):
    data, headers = json.dumps(body).encode(), {"content-type": "application/json"}
    return fetch(f"{url}/v1/news/{name}", data, headers)


def fetch(url, data=None, headers=None):
    from urllib.error import HTTPError
    from urllib.request import Request, urlopen

    try:
        with urlopen(Request(url, data, headers or {}), timeout=300) as response:
            return response.status, json.load(response)
    except HTTPError as error:
        with error:
            return error.code, json.load(error)


def test_a_commit_that_fails_ends_the_program(tmp_path, toml):
    code = (
        "import apsw, sys\n"
        "from onearm.service import sqlite\n"
        "commit = sqlite.SqliteStore.commit\n"
        "def failing(self, batch):\n"
        "    if any(getattr(r, 'event_id', '') == 'fails' for r in batch.records):\n"
        "        raise apsw.IOError('disk I/O error')\n"
        "    commit(self, batch)\n"
        "sqlite.SqliteStore.commit = failing\n"
        "from onearm.cli.program import app\n"
        "app()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, "serve", str(toml)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    url = process.stdout.readline().strip().removeprefix("listening: ")
    with onearm.Client(url, "news", retries=0) as client:
        client.decide({"age": 1}, event_id="kept")
        with pytest.raises(ServiceError) as raised:
            client.decide({"age": 1}, event_id="fails")
        assert (raised.value.code, raised.value.status) == (503, "commit_failed")
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 74
    assert json.loads(errors.splitlines()[-1])["what"] == "commit_failed"
    store = SqliteStore(tmp_path / "news.db", read_only=True)
    assert store.decision("kept") is not None
    assert store.decision("fails") is None
    store.close()


def test_the_demo_learns_from_late_feedback():
    with program("serve", "--demo") as server, onearm.Client(server.url, "demo") as client:
        deadline = time.monotonic() + 60
        state = client.state()
        while state.model_seq < 40 and time.monotonic() < deadline:
            time.sleep(0.2)
            state = client.state()
        assert state.model_seq >= 40
        assert state.pending > 0
        lines = map(json.loads, server.process.stderr)
        folder = next(line["file"] for line in lines if line["what"] == "start")
        assert server.end(signal.SIGINT)[0] == 0
    assert not os.path.exists(os.path.dirname(folder))  # noqa: PTH110, PTH120 # a text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "give a file of settings, or --demo"),
        (["missing.toml"], "must be a file that exists"),
    ],
)
def test_wrong_arguments_are_named(words, message):
    done = CliRunner().invoke(app, ["serve", *words])
    assert done.exit_code == 2
    assert message in " ".join(done.output.replace("│", " ").split())


def test_wrong_settings_are_named(toml):
    toml.write_text(TOML.replace("age", "age'"))
    done = CliRunner().invoke(app, ["serve", str(toml)])
    assert done.exit_code == 2
    assert "app.toml: " in "".join(done.output.replace("│", "").split("\n"))


def test_a_token_is_printed_with_its_table():
    import hashlib
    import tomllib

    words = ["token", "shop", "--scope", "decide", "--scope", "feedback"]
    printed = CliRunner().invoke(app, words).stdout
    first, _, table = printed.partition("\n\n")
    token = first.rpartition(" ")[2]
    entry = tomllib.loads(table)["tokens"]["shop"]
    assert entry["sha256"] == hashlib.sha256(token.encode()).hexdigest()
    assert entry["scopes"] == ["decide", "feedback"]
    printed = CliRunner().invoke(app, ["token", "shop"]).stdout
    entry = tomllib.loads(printed.partition("\n\n")[2])["tokens"]["shop"]
    assert entry["scopes"] == ["decide", "feedback"]
    done = subprocess.run(
        [*PROGRAM, "token", "shop", "--scope", "decdie"], capture_output=True, text=True, timeout=60
    )
    assert "did you mean 'decide'" in " ".join(done.stderr.replace("│", " ").split())
