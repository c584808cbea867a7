"""A disk that forgets: an APSW VFS that knows which writes were synced, and can be made to fail.

A loss of power leaves of each file what was synced, and any of the later writes: those that the
disk had taken, whole or torn at a sector. `image` returns one such state at random.
"""

import random
from pathlib import Path

import apsw

SECTOR = 512


class File(apsw.VFSFile):
    """A file whose writes since the last sync may be lost."""

    def __init__(self, disk, name, flags):
        self.disk = disk
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        self.path = None if path is None else Path(path)
        super().__init__("", name, flags)
        if self.path is not None and self.path not in disk.durable:
            disk.durable[self.path] = self.path.read_bytes() if self.path.exists() else b""
            disk.unsynced[self.path] = []

    def xWrite(self, data, offset):
        self.disk.call("write", self.path)
        super().xWrite(data, offset)
        self.disk.note(self.path, ("write", offset, bytes(data)))

    def xTruncate(self, size):
        self.disk.call("truncate", self.path)
        super().xTruncate(size)
        self.disk.note(self.path, ("truncate", size, b""))

    def xSync(self, flags):
        self.disk.call("sync", self.path)
        super().xSync(flags)
        self.disk.synced(self.path)


class Disk(apsw.VFS):
    """A VFS by the name `name`; `fail_at`: the number of the call that fails, and how."""

    def __init__(self, name="forgetful"):
        self.durable, self.unsynced = {}, {}
        self.calls, self.fail_at, self.error = [], None, apsw.IOError
        self.has_failed = False
        self.looked = lambda disk: None  # is called before each sync
        self.vfs_name = name
        super().__init__(name, "")

    def xOpen(self, name, flags):
        return File(self, name, flags)

    def xDelete(self, name, syncdir):
        super().xDelete(name, syncdir)
        self.durable.pop(Path(name), None)
        self.unsynced.pop(Path(name), None)

    def call(self, kind, path):
        """Count a call; fail if it is its turn, and go on failing: the disk is broken, or full."""
        if kind == "sync":
            self.looked(self)
        self.calls.append((kind, path.name if path else ""))
        if self.fail_at is not None and len(self.calls) > self.fail_at:
            self.has_failed = True
            raise self.error("the disk fails")

    def note(self, path, change):
        if path is not None:
            self.unsynced[path].append(change)

    def synced(self, path):
        if path is not None:
            self.durable[path] = _changed(self.durable[path], self.unsynced[path])
            self.unsynced[path] = []

    def image(self, seed, folder):
        """Write what a loss of power now would leave into a new folder."""
        rng = random.Random(seed)
        folder.mkdir()
        kept = rng.choice([0.0, 0.5, 1.0])  # of what was not synced
        for path, durable in self.durable.items():
            changes = []
            for kind, offset, data in self.unsynced[path]:
                if rng.random() < kept:
                    torn = rng.random() < 0.2
                    data = data[: SECTOR * rng.randrange(1 + len(data) // SECTOR)] if torn else data
                    changes.append((kind, offset, data))
            (folder / path.name).write_bytes(_changed(durable, changes))


def _changed(content, changes):
    content = bytearray(content)
    for kind, offset, data in changes:
        if kind == "truncate":
            del content[offset:]
        else:
            content.extend(bytes(max(0, offset - len(content))))
            content[offset : offset + len(data)] = data
    return bytes(content)
