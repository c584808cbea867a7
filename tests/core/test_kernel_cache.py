"""Compiled kernels on disk: found again exactly when they would be compiled to the same."""

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from onearm.core import kernel_cache
from onearm.core.kernel_cache import mark_used, prune

FILES = {
    "__init__.py": "",
    "far.py": """
from onearm.core.kernels import separate_kernel
FACTOR = 2.0

@separate_kernel
def scaled(x):
    return x * FACTOR
""",
    "near.py": """
from onearm.core.kernels import kernel
from package.far import scaled

@kernel
def shifted(x, by=1.0):
    return scaled(x) + by
""",
    "main.py": """
import numpy as np
from onearm.core.kernels import bind, kernel
import package.near as near
TABLE = np.array([10.0, 20.0])

def closed(n):
    @kernel
    def added(x):
        return x + n
    return added

def template(x):
    return near.shifted(x) + TABLE[1] + add(x)

top = bind(template, "package.top", add=closed(100.0))
""",
}
CODE = """
import sys
from package.main import top
print(top({argument}), *(sum(c.values()) for c in (top.stats.cache_hits, top.stats.cache_misses)))
"""
VALUE = 124.0  # 1 * 2 + 1 + 20 + 1 + 100


def written(folder):
    """Write the package and return the folder that it lies in."""
    (folder / "package").mkdir(parents=True)
    for name, text in FILES.items():
        (folder / "package" / name).write_text(text)
    return folder


def started(folder, cache, argument="1.0", code=CODE):
    paths = os.pathsep.join([str(folder), str(Path(__file__).parents[2])])
    return subprocess.Popen(
        [sys.executable, "-c", code.format(argument=argument)],
        env=os.environ | {"NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": paths},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def printed(process):
    """What it prints: the value, and how often it was found and compiled."""
    out, errors = process.communicate()
    value, hits, misses = [float(word) for word in out.split()] if out else (errors, 0, 0)
    assert errors == "" or (misses and errors.startswith("compiling package.top (once"))
    return [value, hits, misses]


def edited(folder, name, old, new):
    file = folder / "package" / name
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new))


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """A cache into which the package was compiled."""
    folder = tmp_path_factory.mktemp("compiled")
    assert printed(started(written(folder), folder / "cache")) == [VALUE, 0, 1]
    return folder / "cache"


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("name", "old", "new", "value"),
    [
        ("far.py", "FACTOR = 2.0", "FACTOR = 3.0", VALUE + 1),
        ("far.py", "x * FACTOR", "x + FACTOR", VALUE + 1),
        ("near.py", "by=1.0", "by=2.0", VALUE + 1),
        ("main.py", "20.0", "21.0", VALUE + 1),
        ("main.py", "closed(100.0)", "closed(101.0)", VALUE + 1),
        ("main.py", "TABLE[1]", "TABLE[0]", VALUE - 10),
    ],
    ids=["constant two files away", "helper two files away", "default", "array", "closure", "code"],
)
def test_changed_code_is_compiled_again(compiled, tmp_path, name, old, new, value):
    edited(written(tmp_path), name, old, new)
    assert printed(started(tmp_path, compiled)) == [value, 0, 1]


@pytest.mark.compiled
@pytest.mark.parametrize("name", [name for name in FILES if FILES[name]])
def test_comments_and_moved_files_are_not_compiled_again(compiled, tmp_path, name):
    """The package lies in another folder, its files are new, and one has a comment more."""
    file = written(tmp_path) / "package" / name
    file.write_text(re.sub("(?m)^(    return .*)$", r"    # why\n\1  # this", file.read_text()))
    file.write_text(f'"""What it is."""\n{file.read_text()}')
    os.utime(file, (0, 0))
    assert printed(started(tmp_path, compiled)) == [VALUE, 1, 0]


@pytest.mark.compiled
def test_a_missing_separate_kernel_is_compiled_again(compiled, tmp_path):
    cache = shutil.copytree(compiled, tmp_path / "cache")
    for file in cache.glob("kernels/scaled-*.nbc"):
        file.unlink()
    assert printed(started(written(tmp_path), cache)) == [VALUE, 1, 0]
    assert len(list(cache.glob("kernels/scaled-*.nbc"))) == 1


@pytest.mark.compiled
def test_a_broken_file_is_compiled_again(compiled, tmp_path):
    cache = shutil.copytree(compiled, tmp_path / "cache")
    for file in cache.glob("kernels/*.nbc"):
        file.write_bytes(file.read_bytes()[:-100])
    assert printed(started(written(tmp_path), cache)) == [VALUE, 0, 1]
    assert printed(started(tmp_path, cache)) == [VALUE, 1, 0]


@pytest.mark.compiled
def test_processes_may_compile_at_once(tmp_path):
    """Numba's own index would lead one type to the machine code of another."""
    written(tmp_path)
    arguments = ["1.0", "1", "np.float32(1)", "True"] * 2
    code = CODE.replace("import sys", "import numpy as np")
    for is_stored in (False, True):
        processes = [started(tmp_path, tmp_path / "cache", a, code) for a in arguments]
        for value, hits, _ in map(printed, processes):
            assert value == VALUE
            assert hits == 1 or not is_stored
    assert not list(tmp_path.rglob("*.tmp"))


@pytest.mark.compiled
def test_kernels_are_compiled_where_nothing_can_be_written(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    process = started(written(tmp_path), tmp_path / "file")
    assert printed(process) == [VALUE, 0, 1]


DAYS = 86400


@pytest.fixture
def old(tmp_path):
    """Files and a folder of which one each was not used for 31 days."""
    (tmp_path / "kernels").mkdir()
    for days in (29, 31):
        folder = tmp_path / f"kernels-{days}"
        folder.mkdir()
        paths = [tmp_path / "kernels" / f"f-{days}.nbc", folder / "g.nbc"]
        for path in paths:
            path.write_bytes(b"")
        for path in [*paths, folder]:
            os.utime(path, times=(time.time() - days * DAYS,) * 2)
    (tmp_path / "other-31").write_bytes(b"")
    os.utime(tmp_path / "other-31", (0, 0))
    return tmp_path


def names(folder):
    return sorted(path.name for path in folder.rglob("*"))


REMAINING = ["f-29.nbc", "g.nbc", "kernels", "kernels-29", "other-31", "pruned"]


def test_files_unused_for_30_days_are_removed(old):
    prune(old)
    assert names(old) == REMAINING


def test_files_are_removed_once_a_day(old):
    prune(old)
    os.utime(old / "kernels" / "f-29.nbc", (0, 0))
    prune(old)
    assert names(old) == REMAINING
    os.utime(old / "kernels" / "pruned", (0, 0))
    prune(old)
    assert names(old) == REMAINING[1:]


def test_one_process_at_a_time_removes(old):
    before = names(old)
    with kernel_cache._alone(old / "kernels" / "pruned") as is_due:
        assert is_due
        os.utime(old / "kernels" / "pruned", (0, 0))
        prune(old)
    assert names(old) == sorted([*before, "pruned"])


def test_a_failure_to_remove_is_no_error(old, monkeypatch):
    def fail(path):
        raise PermissionError(path)

    monkeypatch.setattr(kernel_cache, "_remove_unused", fail)
    prune(old)
    prune(old / "nowhere")


def test_a_file_in_use_is_marked(tmp_path):
    file = tmp_path / "f-1.nbc"
    file.write_bytes(b"")
    os.utime(file, (0, 0))
    mark_used(file)
    assert time.time() - file.stat().st_mtime < DAYS
    mark_used(tmp_path / "gone")
