"""Snapshots: models as bytes, in parts that ordinary commits can carry.

The last part has the SHA-256 of all of them: without it a snapshot is not there.
"""

import hashlib

from onearm.service.models import Models
from onearm.service.records import Piece
from onearm.service.store import Store

PIECE = 2**20  # bytes of a part
KEPT = 3  # snapshots, besides those that a replay must begin at


def pieces(data: bytes, seq: int) -> list[Piece]:
    """Return a snapshot in parts; the last has the SHA-256 of all."""
    parts = [data[i : i + PIECE] for i in range(0, len(data), PIECE)]
    made = [Piece(seq, i, part) for i, part in enumerate(parts)]
    made[-1] = made[-1]._replace(sha256=hashlib.sha256(data).hexdigest())
    return made


def load_snapshot(store: Store, seq: int) -> Models:
    """Return the models of a snapshot; ValueError if it is damaged."""
    data, sha256 = store.snapshot(seq)
    if hashlib.sha256(data).hexdigest() != sha256:
        raise ValueError(f"the snapshot at {seq} is damaged")
    models = Models.loads(data)
    models.loaded_from = seq
    return models


def remove_old(store: Store) -> None:
    """Remove snapshots, except the newest ones and those that a replay begins at."""
    bases = [control.body.get("base", 0) for control in store.controls(0, store.last_seq())]
    starts = [c.seq for c in store.controls(0, store.last_seq()) if c.what == "environment"]
    kept = {max(bases, default=0)}
    if starts:  # the first one of this environment
        kept.add(min((seq for seq in store.snapshots() if seq >= starts[-1]), default=0))
    store.keep_snapshots(KEPT, kept)
