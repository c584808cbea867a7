"""A compaction that is killed has removed nothing, and is done by the next one."""

from contextlib import closing
from unittest import mock

import pytest

import onearm
from onearm.service import upkeep
from onearm.service.sqlite import SqliteStore
from tests.service.test_upkeep import path, play, sound  # noqa: F401 # a fixture


@pytest.mark.parametrize("step", ["_add_base", "_remove"])
def test_a_compaction_that_was_killed_is_done_by_the_next_one(path, tmp_path, step):  # noqa: F811
    play(path)
    n = sound(path).counts["records"]
    killed = mock.patch.object(upkeep, step, side_effect=KeyboardInterrupt)
    with killed, pytest.raises(KeyboardInterrupt):
        upkeep.compact(path, 1080.0, tmp_path / "first.parquet")
    assert sound(path).counts["records"] >= n
    removed = upkeep.compact(path, 1080.0, tmp_path / "second.parquet")
    events = [len(onearm.Log.read(file)) for file in sorted(tmp_path.glob("*.parquet"))]
    assert removed >= events[0] == events[1] > 10
    with closing(SqliteStore(path, read_only=True)) as store:
        assert store.one("SELECT count(*) FROM removed")[0] == removed
    assert sound(path).counts["records"] < n
    with pytest.raises(ValueError, match="no events before that time"):
        upkeep.compact(path, 1080.0, tmp_path / "third.parquet")
