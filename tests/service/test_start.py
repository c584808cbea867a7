"""Starts that fail write nothing and say why; those that change something say what it means."""

import json
import resource
import signal
import socket
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from unittest import mock

import apsw
import pytest
from typer.testing import CliRunner

import onearm
from onearm.cli.program import app
from onearm.service.app import read
from onearm.service.core import Core
from onearm.service.exchange import ServiceError
from onearm.service.meanings import meanings, not_deciding
from onearm.service.requests import Decide
from onearm.service.sqlite import SqliteStore
from tests.service import making
from tests.service.making import Clock, settings
from tests.service.test_serve import PROGRAM, TOML, program


@pytest.fixture
def toml(tmp_path):
    path = tmp_path / "app.toml"
    path.write_text(TOML)
    return path


def no_file_grows():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


@pytest.mark.compiled
def test_a_disk_that_takes_nothing_is_named_in_one_line(toml):
    words, pipe = [*PROGRAM, "serve", str(toml)], subprocess.PIPE
    done = subprocess.run(words, stderr=pipe, text=True, timeout=60, preexec_fn=no_file_grows)
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert "news.db cannot be" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_folder_that_takes_nothing_is_named_in_one_line(toml):
    toml.write_text(TOML + "file = '/proc/news.db'\n")
    done = CliRunner().invoke(app, ["serve", str(toml)])
    assert done.exit_code == 1
    assert done.output.startswith("error: /proc/news.db")
    assert len(done.output.splitlines()) == 1


def test_a_file_in_use_is_no_wrong_setting(toml):
    """Whoever has it ends: systemd must try again, which it does not after exit code 2."""
    with closing(SqliteStore(toml.with_name("news.db"))):
        done = CliRunner().invoke(app, ["serve", str(toml)])
    assert done.exit_code == 1
    assert "news.db is used by another process" in done.output


@pytest.mark.parametrize(
    ("where", "error"),
    [
        ("commit", apsw.FullError("database or disk is full")),
        ("commit", apsw.ReadOnlyError("attempt to write a readonly database")),
        ("_prepare", apsw.IOError("disk I/O error")),
        ("_prepare", apsw.CantOpenError("unable to open database file")),
    ],
    ids=str,
)
def test_errors_of_the_disk_at_a_start_are_no_tracebacks(toml, where, error):
    with mock.patch.object(SqliteStore, where, side_effect=error):
        done = CliRunner().invoke(app, ["serve", str(toml)])
    assert done.exit_code == 1
    assert str(error) in done.output
    assert str(toml.with_name("news.db")) in done.output


def test_a_port_in_use_is_found_before_anything_is_written(toml):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        toml.write_text(TOML.replace("port = 0", f"port = {port}"))
        done = CliRunner().invoke(app, ["serve", str(toml)])
    assert done.exit_code == 1
    assert str(port) in done.output
    assert not toml.with_name("news.db").exists()


def test_a_damaged_file_is_named_with_what_to_do(toml):
    path = toml.with_name("news.db")
    with closing(SqliteStore(path)) as store:
        making.core(store).handle([Decide(f"e{i}", making.context(i)) for i in range(9)])
        store.connection.execute("UPDATE log SET label = 1 - label WHERE seq = 5")
    before = path.read_bytes()
    done = CliRunner().invoke(app, ["serve", str(toml)])
    assert path.read_bytes() == before
    words = "".join(done.output.replace("│", "").split())
    assert done.exit_code == 2
    for part in ("news.db", "record 5 is not what was written", "put a backup in its place"):
        assert part.replace(" ", "") in words


@pytest.mark.compiled
def test_what_a_start_has_changed_is_a_record_and_a_line_with_its_meaning(toml):
    with closing(SqliteStore(toml.with_name("news.db"))) as store:
        Core(store, read(toml).settings, Clock())
    new = TOML.replace('name = "InverseGap"', 'name = "EpsilonGreedy"')
    toml.write_text(new.replace('"c"]', '"c", "d"]'))
    with program("serve", str(toml)) as server, onearm.Client(server.url, "news") as client:
        assert client.decide({"age": 1}).policy == "inversegap"
        _, lines = server.end()
    assert [line["change"] for line in lines if line["what"] == "change"] == [
        "add_label", "add_policy",
    ]  # fmt: skip
    (note,) = [line["meaning"] for line in lines if line["what"] == "not_deciding"]
    assert "[learner] of the file is 'epsilongreedy', but 'inversegap' decides" in note
    with closing(SqliteStore(toml.with_name("news.db"), read_only=True)) as store:
        controls = store.controls(1, store.last_seq())
    assert [control.what for control in controls] == ["add_label", "add_policy", "given"]
    assert controls[-1].body["given"]["champion"] == "epsilongreedy"
    with program("serve", str(toml)) as server:
        lines = server.end()[1]
    assert [line["what"] for line in lines] == ["not_deciding", "start", "draining", "stop"]


@pytest.mark.compiled
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_log_lines_that_cannot_be_written_fail_nothing(toml):
    """As on the full disk that a commit fails on: the process must end all the same."""
    code = (
        "import apsw\n"
        "from onearm.service import sqlite\n"
        "commit = sqlite.SqliteStore.commit\n"
        "def failing(self, batch):\n"
        "    if any(getattr(r, 'event_id', '') == 'fails' for r in batch.records):\n"
        "        raise apsw.FullError('database or disk is full')\n"
        "    commit(self, batch)\n"
        "sqlite.SqliteStore.commit = failing\n"
        "from onearm.cli.program import app\n"
        "app()\n"
    )
    words = [sys.executable, "-c", code, "serve", str(toml), "--verbose"]
    with (
        open("/dev/full", "w") as full,  # noqa: PTH123 # a device
        subprocess.Popen(words, stdout=subprocess.PIPE, stderr=full, text=True) as process,
    ):
        url = process.stdout.readline().strip().removeprefix("listening: ")
        with onearm.Client(url, "news", retries=0) as client:
            assert client.decide({"age": 1}, event_id="kept").seq == 2
            with pytest.raises(ServiceError, match="commit_failed"):
                client.decide({"age": 1}, event_id="fails")
        assert process.wait(60) == 74


@pytest.mark.compiled
def test_what_is_said_while_the_settings_are_read_is_a_line_of_json(toml):
    code = (
        "import warnings\n"
        "from onearm.core.dispatcher import Notice\n"
        "from onearm.service import app\n"
        "read = app.read\n"
        "def noisy(path):\n"
        "    Notice.write('compiling begin')\n"
        "    warnings.warn('odd')\n"
        "    return read(path)\n"
        "app.read = noisy\n"
        "from onearm.cli.program import app\n"
        "app()\n"
    )
    with program("serve", str(toml), command=[sys.executable, "-c", code]) as server:
        server.process.send_signal(signal.SIGTERM)
        lines = [json.loads(line)["what"] for line in server.process.stderr]
    assert lines[:2] == ["compiling", "warning"]
    assert lines[-1] == "stop"


def test_changes_of_a_start_have_meanings():
    first = making.core()
    other = settings(
        labels=["a", "b", "d"], wait=20.0, champion="second",
        policies={"first": {"name": "InverseGap"}, "second": {"name": "LinUCB"}},
    )  # fmt: skip
    again = making.Core(first.store, other, Clock())
    changes = dict(meanings(again.changed, again.models.champion))
    assert [*changes] == ["add_label", "retire_label", "add_policy", "settings"]
    assert "'second' (LinUCB) is a challenger" in changes["add_policy"]
    assert "'first' decides" in changes["add_policy"]
    assert changes["settings"].startswith("wait = 20.0 from now on")
    assert "'first' decides" in (not_deciding("second", again.models.champion) or "")
    assert not_deciding("first", again.models.champion) is None
    assert making.Core(first.store, other, Clock()).changed == []
    third = other | {"policies": {"second": {"name": "LinUCB"}}, "champion": "second"}
    assert [c.what for c in making.Core(first.store, third, Clock()).changed] == ["given"]
