"""The examples of examples/service are what they say: their commands run, the unit is one.

No container engine is needed: the commands of the Containerfile are run as they stand, except those
that make its file system. `tests/project/dist.py` installs wheels into empty environments.
"""

import json
import re
import shlex
import shutil
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

import onearm
from onearm.service.app import read
from onearm.service.clock import Clock
from onearm.service.core import Core
from onearm.service.requests import Decide, Feedback
from onearm.service.sqlite import SqliteStore
from tests.service.test_serve import program

EXAMPLE = Path(__file__).parents[2] / "examples" / "service"
UNIT, CONTAINER = EXAMPLE / "onearm.service", EXAMPLE / "Containerfile"
CONTEXT = {"age": 31, "device": "phone", "topic": "football", "query": "who won"}

NOTING = """
import sys
from onearm.core.kernel_cache import KernelCache

load = KernelCache.load_overload
def noted(self, types, context):
    print("kernel", self.kernel.__qualname__, types, file=sys.stderr)
    return load(self, types, context)
KernelCache.load_overload = noted

from onearm.cli.program import app
app()
"""  # the program, which notes each kernel that it loads or compiles


def words(line, folder):
    """Return the words after the program's name, with the folder of its data in its place."""
    first, *rest = shlex.split(line)
    assert Path(first).name == "onearm"
    return [re.sub("^(/data|/var/lib/onearm|/home/onearm)", str(folder), word) for word in rest]


@pytest.mark.compiled
@pytest.mark.parametrize("path", [UNIT, CONTAINER], ids=lambda path: path.name)
def test_the_command_serves_the_example_until_it_is_ended(path, tmp_path):
    shutil.copy(EXAMPLE / "app.toml", tmp_path)
    text = path.read_text()
    start = re.search(r"^ExecStart=(.*)$", text, re.M)
    line = start[1] if start else shlex.join(json.loads(re.search(r"^CMD (.*)$", text, re.M)[1]))
    ending = re.search(r"^(?:KillSignal=|STOPSIGNAL )(\w+)$", text, re.M)[1]
    with program(*words(line, tmp_path), "--port", "0") as server:
        with onearm.Client(server.url, "news") as client:
            assert client.decide(CONTEXT).label in ("sports", "politics", "tech")
        code, lines = server.end(signal.Signals[ending])
    assert code == 0
    assert lines[-1]["what"] == "stop"


def kernels(errors):
    """Return the kernels that a program has loaded or compiled, each with its types."""
    return {line for line in errors.splitlines() if line.startswith("kernel ")}


@pytest.mark.compiled
def test_what_the_container_compiles_is_what_its_service_needs(tmp_path):
    (line,) = re.findall(r"^RUN (onearm .*)$", CONTAINER.read_text(), re.M)
    text = re.sub("^query = .*$", "", (EXAMPLE / "app.toml").read_text(), flags=re.M)
    (tmp_path / "app.toml").write_text(text)  # without texts a replay has kernels of its own
    noting = [sys.executable, "-c", NOTING]
    done = subprocess.run([*noting, *words(line, tmp_path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    app = read(tmp_path / "app.toml")
    with closing(SqliteStore(app.server.file)) as store:  # which is replayed by the start
        context = json.dumps(CONTEXT).encode()
        Core(store, app.settings, Clock()).handle([Decide("first", context), Feedback("first", 1)])
    serve = ["serve", str(tmp_path / "app.toml"), "--port", "0"]
    with program(*serve, command=noting) as server:
        with onearm.Client(server.url, "news") as client:
            client.feedback(client.decide(CONTEXT).event_id, 1.0)
        server.process.kill()
        needed = kernels(server.process.stderr.read())
    assert len(needed) > 5
    assert needed <= kernels(done.stderr)


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd-analyze")
@pytest.mark.parametrize(("change", "is_right"), [("", True), ("NoSuchKey=yes", False)])
def test_the_unit_is_one_for_systemd(change, is_right, tmp_path):
    program = str(Path(sys.executable).with_name("onearm"))
    text = UNIT.read_text().replace("/opt/onearm/bin/onearm", program)
    (tmp_path / UNIT.name).write_text(text.replace("[Service]", f"[Service]\n{change}"))
    done = subprocess.run(
        ["systemd-analyze", "verify", str(tmp_path / UNIT.name)], capture_output=True, text=True
    )
    assert (done.returncode == 0 and "NoSuchKey" not in done.stderr) == is_right, done.stderr
