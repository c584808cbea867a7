"""Files of these tests lie in memory if there is room: they are synced thousands of times.

None of the tests needs a disk: those that fail, forget or are full are simulated. `make nightly`
runs the same on a real one.
"""

import shutil
import tempfile
from pathlib import Path

import pytest

MEMORY, ROOM = Path("/dev/shm"), 2**28  # bytes that must be free


@pytest.fixture(autouse=True)
def folder(monkeypatch):
    """Have temporary files of a test in a folder of its own, also those of its programs."""
    in_memory = MEMORY.is_dir() and shutil.disk_usage(MEMORY).free >= ROOM
    with tempfile.TemporaryDirectory(dir=MEMORY if in_memory else None) as folder:
        monkeypatch.setenv("TMPDIR", folder)
        monkeypatch.setattr(tempfile, "tempdir", folder)
        yield Path(folder)


@pytest.fixture
def tmp_path(folder):
    """Return an empty folder."""
    path = folder / "tmp_path"
    path.mkdir()
    return path
