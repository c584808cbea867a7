"""The guides of the service are run as they stand, and print what they say."""

import contextlib
import io
import re
import signal
import subprocess
from pathlib import Path

import pytest

from onearm.service.app import read
from onearm.service.operations import OPERATIONS
from tests.service.test_serve import program

pytestmark = pytest.mark.compiled
DOCS = Path(__file__).parents[2] / "docs" / "service"
EXAMPLE = Path(__file__).parents[2] / "examples" / "service"


def blocks(name):
    """Return the blocks of a guide with their languages, each with the text printed below it."""
    found = re.findall(r"```(\w+)\n(.*?)```", (DOCS / name).read_text(), re.S)
    pairs = zip(found, [*found[1:], ("", "")], strict=True)
    return [(kind, code, after if next_kind == "text" else None)
            for (kind, code), (next_kind, after) in pairs]  # fmt: skip


def printed(kind, code, url):
    """Return what a block prints; of commands, only those that ask the service."""
    code = code.replace("http://127.0.0.1:8080", url)
    if kind == "sh":
        done = subprocess.run(code, shell=True, capture_output=True, text=True, check=True)
        return done.stdout + "\n"
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(code, NAMES)
    return out.getvalue()


NAMES: dict = {}


@pytest.mark.parametrize(
    "name", ["ten_minutes.md", "delayed_feedback.md", "challengers.md", "apprentice.md"]
)
def test_a_guide(tmp_path, name):
    parts, NAMES["__name__"] = blocks(name), "guide"
    settings = next(code for kind, code, _ in parts if kind == "toml")
    (tmp_path / "app.toml").write_text(settings)
    with program("serve", str(tmp_path / "app.toml"), "--port", "0") as server:
        try:
            for kind, code, after in parts:
                if kind == "python" or (kind == "sh" and code.startswith("curl")):
                    text = printed(kind, code, server.url)
                    assert text == (after or text)
        finally:
            NAMES.pop("client").close()
        assert server.end(signal.SIGTERM)[0] == 0


def test_the_reference_has_every_route_and_metric():
    text = (DOCS / "reference.md").read_text()
    for op in OPERATIONS:
        assert op.path.rpartition("/")[2] in text, op.name
    from onearm.service import metrics

    names = re.findall(
        r'(?:_gauge|_counter|_histogram)\(\s*"(\w+)"', Path(metrics.__file__).read_text()
    )
    for name in names:
        assert f"onearm_{name}" in text, name


def test_the_example_is_an_app():
    app = read(EXAMPLE / "app.toml")
    assert (app.name, app.server.file) == ("news", str(EXAMPLE / "news.db"))


@pytest.mark.parametrize("name", ["onearm.service", "Containerfile"])
def test_examples_say_how_a_service_is_ended_and_that_tls_is_elsewhere(name):
    text = (EXAMPLE / name).read_text()
    assert "onearm" in text
    assert "SIGTERM" in text
    assert "TLS" in text
