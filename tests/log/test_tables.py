"""Tables with named columns as logs: frames, CSV and Parquet give the same events."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pandas as pd
import polars as pl
import pytest

import onearm
from onearm import HIDDEN, Log, Schema
from tests.log.random_logs import require_equal

pa = pytest.importorskip("pyarrow")

N = 12
START = datetime(2019, 11, 24, 0, 0, 34, 762830, tzinfo=UTC)
TABLE = {
    "item": [f"{i % 3 + 8}" for i in range(N)],
    "click": [i % 2 for i in range(N)],
    "p": [0.25, 0.5, 1.0] * 4,
    "age": [20.5 + i for i in range(N)],
    "city": ["Bonn", "Köln"] * 6,
    "greedy": ["8"] * N,
    "model": ["soba", "chorus"] * 6,
    "version": list(range(N)),
    "id": [f"e{i}" for i in range(N)],
    "when": [START + timedelta(seconds=i) for i in range(N)],
    "p8": [0.5] * N,
    "p9": [0.5, 0.0, 0.5, 0.5] * 3,
    "p10": [0.0, 0.5, 0.0, 0.0] * 3,
}
NAMED = {
    "label": "item", "propensity": "p", "reward": "click", "greedy": "greedy", "policy": "model",
    "version": "version", "event_id": "id", "time": "when",
}  # fmt: skip
CONTEXT = {"columns": ["age", "city"]}
SCHEMA = Schema({"age": "number", "city": ["Bonn", "Köln"]}, ["8", "9", "10"])


def expected():
    return Log.of(
        {"age": TABLE["age"], "city": TABLE["city"]}, TABLE["item"], TABLE["p"], TABLE["click"],
        schema=SCHEMA, greedy=[0] * N, policy=TABLE["model"], version=TABLE["version"],
        event_id=TABLE["id"], time=np.array([t.replace(tzinfo=None) for t in TABLE["when"]]),
    )  # fmt: skip


FRAMES = {
    "dict": lambda: TABLE, "pandas": lambda: pd.DataFrame(TABLE),
    "polars": lambda: pl.DataFrame(TABLE), "pyarrow": lambda: pa.table(TABLE),
    "dicts": lambda: pd.DataFrame(TABLE).to_dict("records"),
    "texts": lambda: pd.DataFrame(TABLE).astype({"when": str, "p": str, "click": str}),
}  # fmt: skip


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("schema", [None, SCHEMA, Schema({}, ["8", "9", "10"])])
def test_every_frame_gives_the_same_log(frame, schema):
    options = NAMED if schema and schema.columns else NAMED | CONTEXT
    log = Log.from_table(FRAMES[frame](), schema, **options)
    require_equal(expected(), log)
    assert (log.schema, log.n_bad_lines, log.n_features) == (SCHEMA, 0, 2)
    assert len(log) == N


@pytest.mark.parametrize("suffix", ["csv", "tsv", "csv.gz", "parquet"])
@pytest.mark.parametrize("schema", [None, SCHEMA])
def test_files_give_the_same_log(tmp_path, small_chunks, suffix, schema):
    path, frame = tmp_path / f"log.{suffix}", pd.DataFrame(TABLE)
    if suffix == "parquet":
        frame.to_parquet(path)
    else:
        frame.to_csv(path, index=False, sep="\t" if suffix == "tsv" else ",")
    log = Log.read(path, schema=schema, **NAMED, **({} if schema else CONTEXT))
    require_equal(expected(), log)
    assert log.schema == SCHEMA
    assert len([*log.chunks()]) == 4


def test_columns_of_chances_and_allowed_labels():
    frame = pd.DataFrame(TABLE).iloc[:1]
    frame["allowed"] = [["8", "9"]]
    chances = {"8": "p8", 9: "p9", "10": "p10"}
    log = Log.from_table(frame, label="item", propensity="p", reward="click", chances=chances,
                         allowed="allowed", columns=["age"])  # fmt: skip
    assert log.labels == ("8", 9, "10")
    assert log.events().chances.tolist() == [[0.5, 0.5, 0.0]]
    assert log.events().allowed.tolist() == [[True, True, False]]


def test_columns_that_are_no_fields_are_the_context():
    frame = {name: TABLE[name] for name in ("age", "item", "click", "p", "city")}
    log = Log.from_table(frame, label="item", propensity="p", reward="click")
    assert log.schema == SCHEMA
    assert (log.events().greedy == HIDDEN).all()
    none = Log.from_table(frame, label="item", propensity="p", reward="click", columns=[])
    assert none.events().X.tolist() == [[1.0]] * N


@pytest.mark.parametrize("form", ["frame", "csv", "parquet"])
def test_bad_rows_are_left_out_and_named(tmp_path, form):
    frame = pd.DataFrame({
        "label": ["8", "7", "9", "9", None, "10", "10"], "propensity": [0.5] * 7,
        "reward": ["1", "0", "0", "", "1", "much", "0"], "age": [1, 2, 3, 4, 5, 6, "old"],
    })  # fmt: skip
    path, is_text = tmp_path / f"log.{form}", form == "parquet"  # whose columns have one type
    schema = Schema({"age": list("123456") if is_text else "number"}, ["8", "9", "10"])
    if form == "csv":
        frame.to_csv(path, index=False)
    elif form == "parquet":
        frame.astype({"age": str}).to_parquet(path)
    log = Log.from_table(frame, schema) if form == "frame" else Log.read(path, schema=schema)
    place = {"frame": "the table, row", "csv": "log.csv, line", "parquet": "log.parquet, row"}[form]
    first = {"frame": 0, "csv": 2, "parquet": 1}[form]
    assert [line.split(":")[0] for line in log.bad_lines] == [
        f"{place} {first + i}" for i in ([1, 4, 5] if is_text else [1, 4, 5, 6])
    ]
    assert log.counts["pending"] == 1
    assert len(log) == log.counts["reported"] + 1 == 7 - log.n_bad_lines


def test_a_reward_outside_the_range_is_refused(tmp_path):
    frame = pd.DataFrame({"label": ["a", "b"], "propensity": 0.5, "reward": [1, 7], "x": [1, 2]})
    with pytest.raises(ValueError, match=r"the table, row 1: the reward must be in .*, got 7"):
        Log.from_table(frame)
    frame.to_csv(tmp_path / "log.csv", index=False)
    with pytest.raises(ValueError, match=r"log\.csv, line 3: the reward must be .* --rewards"):
        Log.read(tmp_path / "log.csv")
    assert len(Log.read(tmp_path / "log.csv", rewards=(0, 7))) == 2


@pytest.mark.parametrize("suffix", ["csv", "parquet", "jsonl", "vw", "dsjson"])
def test_files_of_a_uniform_policy(tmp_path, suffix):
    path, options = tmp_path / f"log.{suffix}", {}
    label, reward = [0, 1, 2, 0], [1, 0, 0, 1]
    if suffix == "csv":
        frame = {"label": label, "propensity": 0.333333, "reward": reward, "x": [1, 2, 3, 4]}
        pd.DataFrame(frame).to_csv(path, index=False)
    else:
        Log.of(np.eye(4), label, [0.333333] * 4, reward).write(path)
        options = {"costs": (-1, 0), "hashed": False} if suffix in ("vw", "dsjson") else {}
    assert Log.read(path, **options).events().chances is None or suffix == "dsjson"
    log = Log.read(path, chances="uniform", **options)
    assert log.events().chances.tolist() == [[1 / 3] * 3] * 4
    with pytest.raises(ValueError, match="chances must be 'uniform'"):
        Log.read(path, chances="even", **options)


@pytest.mark.parametrize("value", [0.0, 1.5, None, float("nan"), np.inf, "inf", "1e999"])
def test_a_wrong_propensity_is_refused(tmp_path, value):
    frame = pd.DataFrame({"label": ["a", "b"], "propensity": [0.5, value], "reward": [1, 0],
                          "x": [1, 2]})  # fmt: skip
    with pytest.raises(ValueError, match=r"the table, row 1: propensity must be in .*, got"):
        Log.from_table(frame)
    frame.to_csv(tmp_path / "log.csv", index=False)
    with pytest.raises(ValueError, match=r"log\.csv, line 3: propensity must be in .*, got"):
        Log.read(tmp_path / "log.csv")


@pytest.mark.parametrize("value", [np.inf, -np.inf, "inf", 1e200])
def test_an_infinite_reward_is_refused_not_left_out(tmp_path, value):
    """In columns of texts, too: the rest would be selected by their outcome."""
    frame = pd.DataFrame({"label": ["a", "b"], "propensity": [0.5, 0.5], "reward": ["1", value]})
    with pytest.raises(
        ValueError, match=r"the table, row 1: the reward must be in \[0, 1\], .*inf"
    ):
        Log.from_table(frame)
    frame.to_csv(tmp_path / "log.csv", index=False)
    with pytest.raises(ValueError, match=r"log\.csv, line 3: the reward must be in \[0, 1\]"):
        Log.read(tmp_path / "log.csv")


def test_an_option_that_tables_do_not_have_is_refused():
    with pytest.raises(TypeError, match=r"got 'propensty' \(did you mean 'propensity'\?\)"):
        Log.from_table(pd.DataFrame(TABLE), propensty="p")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            {"label": "itme"},
            r"label must be one of the columns .*, got 'itme' \(did you mean 'item'",
        ),
        ({"reward": "clicks"}, "reward must be one of the columns .* got 'clicks'"),
        ({"time": "day"}, "time must be one of the columns .* got 'day'"),
        ({"chances": {"8": "p7"}}, "chances of 8 must be one of the columns .* got 'p7'"),
        ({"columns": ["ages"]}, r"column ages must be one of the columns .* \(did you mean 'age'"),
    ],
)
def test_unknown_columns_are_refused(tmp_path, options, words):
    given = {"label": "item", "propensity": "p", "reward": "click"} | options
    with pytest.raises(ValueError, match=f"the table: {words}"):
        Log.from_table(pd.DataFrame(TABLE), **given)
    pd.DataFrame(TABLE).to_parquet(tmp_path / "log.parquet")
    with pytest.raises(ValueError, match=rf"log\.parquet: {words}"):
        Log.read(tmp_path / "log.parquet", **given)


def test_times_in_other_zones_are_utc():
    zone = pd.DataFrame(TABLE)["when"].dt.tz_convert("Asia/Tokyo")
    log = Log.from_table(pd.DataFrame(TABLE).assign(when=zone), **NAMED, **CONTEXT)
    require_equal(expected(), log)


def test_nested_columns_have_names_with_dots(tmp_path):
    rows = [{"user": {"age": i}, "label": "ab"[i % 2], "propensity": 0.5, "reward": 1,
             "raw": [1, 2]} for i in range(4)]  # fmt: skip
    pa_table = pa.Table.from_pylist(rows)
    from pyarrow.parquet import write_table

    write_table(pa_table, tmp_path / "log.parquet")
    log = Log.read(tmp_path / "log.parquet", schema=Schema({"user.age": "number"}))
    assert log.events().X.ravel().tolist() == [0, 1, 2, 3]


def test_the_index_of_a_frame_is_no_feature(tmp_path):
    """As in the files of Open Bandit Data, whose first column has no name."""
    frame = pd.DataFrame(
        {"label": list("abab"), "propensity": 0.5, "reward": [1, 0, 0, 1], "age": [31, 44, 2, 9]}
    )
    shuffled = frame.iloc[[3, 0, 2, 1]]
    frame.to_csv(tmp_path / "log.csv")
    shuffled.to_parquet(tmp_path / "log.parquet")
    named = pd.read_csv(tmp_path / "log.csv")
    logs = [Log.read(tmp_path / "log.csv"), Log.read(tmp_path / "log.parquet")]
    for log, index in zip(
        [*logs, Log.from_table(named)], ("c0", "__index_level_0__", "Unnamed: 0"), strict=True
    ):
        assert log.schema.names == ["age"]
        words = f"1 column without a name, '{index}', is no feature but an index"
        assert [line.startswith(words) for line in log.oddities] == [True]
        assert log.first(2).oddities == log.oddities
    kept = Log.read(tmp_path / "log.csv", columns=["c0", "age"])
    assert (kept.schema.names, kept.oddities) == (["c0", "age"], [])
    note = "1 column without a name, 'c0', is no feature but an index"
    assert any(text.startswith(note) for text in onearm.evaluate(logs[0], "uniform").notes)


def test_a_column_that_is_called_c0_is_a_feature(tmp_path):
    (tmp_path / "log.csv").write_text("c0,label,propensity,reward\n1,a,0.5,1\n2,b,0.5,0\n")
    log = Log.read(tmp_path / "log.csv")
    assert (log.schema.names, log.oddities) == (["c0"], [])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"columns": ["click", "age"]}, "columns of the context must not have the reward, got 'cl"),
        ({"columns": ["item"]}, "columns of the context must not have the label, got 'item'"),
        ({"outcome": "model", "columns": ["model"]}, "must not have the outcome, got 'model'"),
        ({"schema": Schema({"click": "number"}, ["8", "9", "10"])}, "not have the reward"),
        ({"label": "click"}, "must be different columns, got label='click', .*reward='click'"),
        ({"reward": "p"}, "label, propensity, reward, outcome must be different columns"),
    ],
)
def test_contexts_must_not_have_what_came_of_the_choice(tmp_path, options, words):
    """A reward model that has seen the reward would make every policy look certain."""
    pd.DataFrame(TABLE).to_csv(tmp_path / "log.csv", index=False)
    given = {"label": "item", "propensity": "p", "reward": "click"} | options
    with pytest.raises(ValueError, match=words):
        Log.read(tmp_path / "log.csv", **given)
    with pytest.raises(ValueError, match=words):
        Log.from_table(TABLE, **given)
