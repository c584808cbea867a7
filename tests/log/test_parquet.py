"""Logs in Parquet: our own columns hold every field, chunk by chunk."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onearm import Log, Schema
from tests.log.random_logs import OPTIONAL, random_log, require_equal

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("without", [(), OPTIONAL, *((name,) for name in OPTIONAL)])
def test_a_log_is_read_as_it_was_written(tmp_path, small_chunks, sparse, without):
    log = random_log(sparse=sparse, without=without, rewards=(-2.0, 3.0))
    log.write(tmp_path / "log.parquet")
    back = Log.read(tmp_path / "log.parquet")
    require_equal(log, back)
    assert (back.schema, back.labels, back.rewards) == (log.schema, log.labels, log.rewards)
    assert (back.counts, back.n_features, back.n_bad_lines) == (log.counts, 4, 0)
    assert hasattr(back.events().X, "tocsr") == sparse
    assert [len(events) for events in back.chunks()] == [3] * 6 + [2]


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_any_numbers_and_names_are_held(tmp_path_factory, data):
    n = data.draw(st.integers(1, 5))
    d = data.draw(st.integers(1, 3))
    value = st.floats(-1e100, 1e100)
    X = data.draw(st.lists(st.lists(value, min_size=d, max_size=d), min_size=n, max_size=n))
    p = data.draw(st.lists(st.floats(1e-12, 1), min_size=n, max_size=n))
    names = data.draw(
        st.lists(st.text(st.characters(codec="utf-8"), min_size=1), min_size=2, max_size=4,
                 unique_by=lambda text: text.strip())
    )  # fmt: skip
    reward = data.draw(st.lists(st.none() | st.floats(0, 1), min_size=n, max_size=n))
    log = Log.of(X, [i % len(names) for i in range(n)], p, reward, schema=Schema({}, names))
    folder = tmp_path_factory.mktemp("logs")
    for suffix in ("parquet", "jsonl", "jsonl.gz"):
        log.write(folder / f"log.{suffix}")
        back = Log.read(folder / f"log.{suffix}")
        require_equal(log, back)
        assert back.schema == log.schema


def test_the_columns_are_those_that_are_documented(tmp_path):
    random_log().write(tmp_path / "log.parquet")
    table = pq.read_table(tmp_path / "log.parquet")
    assert table.column_names == [
        "x", "label", "greedy", "propensity", "reward", "outcome", "allowed", "chances", "policy",
        "event_id", "version", "time",
    ]  # fmt: skip
    header = json.loads(table.schema.metadata[b"onearm_log"])
    assert (header["rewards"], header["feedback"]) == ([0.0, 1.0], "reward")
    assert table["reward"].null_count == 10
    assert {*table["label"].to_pylist()} == {"north", "süd ost", "3"}


def rewritten(path, **columns):
    """Replace columns of a file, and say where their values come from."""
    table = pq.read_table(path)
    for name, values in columns.items():
        table = table.set_column(table.column_names.index(name), name, values)
    pq.write_table(table, path)


def test_bad_rows_are_left_out_and_named(tmp_path, small_chunks):
    path = tmp_path / "log.parquet"
    log = random_log(without=("allowed", "chances"))
    log.write(path)
    table = pq.read_table(path)
    label, reward = table["label"].to_pylist(), table["reward"].to_pylist()
    outcome, greedy = table["outcome"].to_pylist(), table["greedy"].to_pylist()
    label[2], reward[4], outcome[7], greedy[11] = "south", None, "lost", "nowhere"
    rewritten(path, label=[label], reward=[reward], outcome=[outcome], greedy=[greedy])
    back = Log.read(path)
    assert back.n_bad_lines == 4
    assert [line.partition(", got")[0] for line in back.bad_lines] == [
        "log.parquet, row 3: the label must be one of 'north', 'süd ost', '3'",
        "log.parquet, row 5: the reward must be there, as the outcome says so",
        "log.parquet, row 8: the outcome must be one of reported, default, pending, not_activated",
        "log.parquet, row 12: the greedy label must be one of 'north', 'süd ost', '3'",
    ]
    good = np.delete(np.arange(20), [2, 4, 7, 11])
    require_equal(Log(lambda: iter([log.events().part(good)]), 3, 4), back)
    assert "4 bad lines left out" in repr(back)


def test_a_reward_outside_the_range_is_refused(tmp_path, small_chunks):
    path = tmp_path / "log.parquet"
    random_log().write(path)
    reward = pq.read_table(path)["reward"].to_pylist()
    reward[4] = 1.5
    rewritten(path, reward=[reward])
    with pytest.raises(ValueError, match=r"log.parquet, row 5: the reward must be .*, got 1\.5"):
        Log.read(path)


@pytest.mark.parametrize("value", [0.0, -0.5, 1.0001, float("nan"), None])
def test_a_wrong_propensity_is_refused(tmp_path, value):
    path = tmp_path / "log.parquet"
    random_log().write(path)
    propensity = pq.read_table(path)["propensity"].to_pylist()
    propensity[16] = value
    rewritten(path, propensity=[propensity])
    with pytest.raises(ValueError, match=f"log.parquet, row 17: propensity .* got {value or ''}"):
        Log.read(path)


def test_a_file_of_only_bad_rows_is_refused(tmp_path):
    path = tmp_path / "log.parquet"
    random_log().write(path)
    rewritten(path, label=[["south"] * 20])
    with pytest.raises(ValueError, match=r"log.parquet has no events: .* 20 bad .*, row 1: the"):
        Log.read(path)


@pytest.mark.parametrize(
    "change",
    [
        {"onearm_log": 2}, {"n_classes": 10**9}, {"n_classes": 2}, {"n_features": 5}, {"rows": "?"},
        {"rewards": [1]}, {"rewards": "ab"}, {"schema": {"columns": 3}}, {"feedback": "clicks"},
        {"rows": "sparse"}, {"rewards": [1e300, 2e300]}, {"feedback": []},
    ],
)  # fmt: skip
def test_a_damaged_header_is_refused(tmp_path, change):
    path = tmp_path / "log.parquet"
    random_log(without=("chances",)).write(path)
    table = pq.read_table(path)
    header = json.loads(table.schema.metadata[b"onearm_log"]) | change
    pq.write_table(table.replace_schema_metadata({"onearm_log": json.dumps(header)}), path)
    with pytest.raises(ValueError, match=r"log\.parquet"):
        Log.read(path).events()


def test_a_file_that_changes_between_passes_is_refused(tmp_path):
    path = tmp_path / "log.parquet"
    random_log(20).write(path)
    log = Log.read(path)
    random_log(19).write(path)
    with pytest.raises(ValueError, match=r"log\.parquet had 20 events, now 19: the file has"):
        log.events()


def test_a_log_may_be_written_over_the_file_that_it_reads(tmp_path):
    path = tmp_path / "log.parquet"
    random_log().write(path)
    Log.read(path).first(7).write(path)
    require_equal(random_log().first(7), Log.read(path))
    assert [file.name for file in tmp_path.iterdir()] == ["log.parquet"]


def test_a_failed_writing_leaves_the_file_as_it_was(tmp_path):
    path = tmp_path / "log.parquet"
    log = random_log()
    log.write(path)

    def failing():
        yield log.events()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Log(failing, 3, 4).write(path)
    require_equal(log, Log.read(path))
    assert [file.name for file in tmp_path.iterdir()] == ["log.parquet"]


def test_options_come_before_the_metadata(tmp_path):
    random_log().write(tmp_path / "log.parquet")
    log = Log.read(tmp_path / "log.parquet", rewards=(-1, 1), name="mine")
    assert (log.rewards, log.name, len(log)) == ((-1.0, 1.0), "mine", 20)


def test_options_of_tables_are_not_for_logs_that_we_wrote(tmp_path):
    path = tmp_path / "log.parquet"
    Log.of([[1.0]] * 4, [0, 1, 0, 1], [0.5] * 4, [0.0, 1.0, 0.5, 1.0]).write(path)
    assert Log.read(path, rewards=(0, 2)).rewards == (0, 2)
    with pytest.raises(TypeError, match=r"'propensity': that is for tables"):
        Log.read(path, propensity="p")


def test_a_flipped_bit_is_never_another_number(tmp_path):
    """Pages have checksums; the rest is checked where it is read."""
    log = random_log(60, rewards=(-2.0, 3.0))
    path = tmp_path / "log.parquet"
    log.write(path)
    data, refused = path.read_bytes(), 0
    for at in range(4, len(data) - 8, 41):
        path.write_bytes(data[:at] + bytes([data[at] ^ 0x10]) + data[at + 1 :])
        try:
            back = Log.read(path)
            events = back.events()
        except (ValueError, TypeError):  # the latter: it is a table without our metadata
            refused += 1
            continue
        if back.n_bad_lines:  # the name of a label: these are counted
            refused += 1
            continue
        assert back.rewards == log.rewards
        np.testing.assert_array_equal(events.X, log.events().X)
        np.testing.assert_array_equal(events.propensity, log.events().propensity)
        np.testing.assert_array_equal(events.reward, log.events().reward)
    assert refused > 50
