"""How a file gets its name: whole, on the disk, and with nothing left behind."""

import errno
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import onearm
from onearm import Banditron
from onearm.checks.trial import bits

ROOT = Path(__file__).parents[2]


def test_modes_links_and_names(tmp_path):
    before = os.umask(0o027)
    try:
        (tmp_path / "real").mkdir()
        (tmp_path / "link").symlink_to(tmp_path / "real" / "learner")
        Banditron(3, 2).save(tmp_path / "link")
        Banditron(3, 2).save(tmp_path / ("x" * 240))
    finally:
        os.umask(before)
    assert (tmp_path / "link").is_symlink()
    assert stat.S_IMODE((tmp_path / "real" / "learner").stat().st_mode) == 0o640
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link", "real", "x" * 240]


def test_file_and_folder_are_on_the_disk_before_the_name_changes(tmp_path, monkeypatch):
    done, fsync, replace = [], os.fsync, Path.replace

    def synced(number):
        done.append("folder" if stat.S_ISDIR(os.fstat(number).st_mode) else "file")
        fsync(number)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(Path, "replace", lambda *paths: (done.append("rename"), replace(*paths)))
    Banditron(3, 2).save(tmp_path / "learner")
    assert done == ["file", "rename", "folder"]


def test_a_full_disk_is_an_oserror_and_the_old_file_stays():
    """/dev/full takes nothing: what cannot be written must not be hidden, nor half written."""
    code = """
import os, sys, resource
import onearm
from pathlib import Path
folder = Path(sys.argv[1])
onearm.Banditron(3, 2).save(folder / "learner")
old = (folder / "learner").read_bytes()
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
try:
    onearm.Banditron(3, 2000).save(folder / "learner")
except OSError as error:
    print(type(error).__name__, error.errno)
print((folder / "learner").read_bytes() == old, len(os.listdir(folder)))
"""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-c", code, folder], capture_output=True, text=True, cwd=ROOT
        )
    assert done.stdout == f"OSError {errno.EFBIG}\nTrue 1\n", done.stderr


def test_a_killed_process_leaves_at_most_one_hidden_file(tmp_path):
    """Killed again and again amid saving: the file is whole, and the next save clears the rest."""
    code = f"""
import onearm
learner = onearm.Banditron(50, 4000)
while True:
    learner.save({str(tmp_path / "learner")!r})
    print("saved", flush=True)
"""
    for wait in (0.0, 0.01, 0.02, 0.03):
        process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, cwd=ROOT)
        process.stdout.readline()
        time.sleep(wait)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        names = sorted(path.name for path in tmp_path.iterdir())
        assert names[-1] == "learner"
        assert [n.startswith(".learner.") and n.endswith(".part") for n in names[:-1]] in (
            [],
            [True],
        )
        onearm.load(tmp_path / "learner").save(tmp_path / "learner")
        assert [path.name for path in tmp_path.iterdir()] == ["learner"]
        assert onearm.load(tmp_path / "learner").n_features == 4000


@pytest.mark.parametrize("named", [False, True])
def test_only_leftovers_of_killed_processes_are_removed(tmp_path, monkeypatch, named):
    """A file that a living process is about to rename is locked, and stays."""
    if named:  # as where a file cannot be without a name
        monkeypatch.delattr(os, "O_TMPFILE")
    replace, learner = Path.replace, Banditron(3, 2)
    (tmp_path / ".learner.0123.part").write_bytes(b"left behind")
    for other in (".others.0123.part", ".learner.txt", "x.part"):
        (tmp_path / other).write_bytes(b"not ours")
    seen = []

    def amid(unfinished, path):
        if not seen:
            seen.append(unfinished)
            learner.save(tmp_path / "learner")  # another save, that comes between
        return replace(unfinished, path)

    monkeypatch.setattr(Path, "replace", amid)
    learner.save(tmp_path / "learner")
    names = [".learner.txt", ".others.0123.part", "learner", "x.part"]
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    assert bits(onearm.load(tmp_path / "learner")) == bits(learner)


def test_many_threads_save_to_one_path(tmp_path):
    learner = Banditron(3, 400)
    threads = [
        threading.Thread(target=learner.save, args=(tmp_path / "learner",)) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [path.name for path in tmp_path.iterdir()] == ["learner"]
    assert bits(onearm.load(tmp_path / "learner")) == bits(learner)
