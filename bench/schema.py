"""How fast a schema encodes frames and dicts, beside scikit-learn and River on the same rows.

A frame of 20 mixed columns (numbers, integers, truth values, categories of 5 to 50 values, two of
5,000, some missing) is encoded at once, and as dicts one by one. CPU seconds on one core, the
contestants by turns, the best of several repeats. Writes results/schema.json and .md.
"""

import argparse
import numbers
from collections.abc import Callable
from typing import Any

import numpy as np

import onearm
from bench.benchmark import Option, Requirement, Results, TimedBenchmark, written_by
from bench.timing import Timing, one_core
from papers.markdown import table

FRAME, DICTS, MANY_DICTS = "a frame", "dicts, one by one", "a list of dicts"
REQUIRED = {FRAME: 200_000, DICTS: 50_000}  # rows a second
REPEATS = 5
SIZES = {5: 2, 20: 1, 50: 1, 5000: 2}  # values of categories: how many such columns
OURS = "onearm.Schema"
PACKAGES = ("onearm", "numpy", "pandas", "narwhals", "scikit-learn", "river")
OPTIONS = (Option("rows", 100_000, "of the frame"), Option("dicts", 10_000, "encoded one by one"))


def mixed_frame(n: int) -> Any:
    """Return a frame of 20 columns."""
    import pandas as pd

    rng = np.random.default_rng(0)
    columns: dict[str, Any] = {f"number{j}": rng.normal(size=n) for j in range(9)}
    columns["gaps"] = np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n))
    columns |= {f"integer{j}": rng.integers(0, 1000, n) for j in range(2)}
    columns |= {f"flag{j}": rng.random(n) < 0.3 for j in range(2)}
    for size, times in SIZES.items():
        words = np.array([f"value {code}" for code in range(size)], object)
        columns |= {f"{size} values {j}": words[rng.integers(0, size, n)] for j in range(times)}
    columns["5 values 1"] = np.where(rng.random(n) < 0.1, None, columns["5 values 1"])
    return pd.DataFrame(columns)


def contestants(frame: Any, dicts: list[dict]) -> dict[str, dict[str, Callable[[], Any]]]:
    """Return what is timed: of every form of input, a call for each contestant."""
    from sklearn.compose import ColumnTransformer
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.preprocessing import OrdinalEncoder

    schema = onearm.Schema.infer(frame)
    words = [column.name for column in schema.columns if column.kind != "number"]
    codes = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    transformer = ColumnTransformer([("codes", codes, words)], remainder="passthrough").fit(frame)
    vectorizer, pipeline = DictVectorizer().fit(dicts), river_pipeline(dicts)
    return {
        FRAME: {
            OURS: lambda: schema.encode_all(frame),
            "ColumnTransformer (OrdinalEncoder)": lambda: transformer.transform(frame),
        },
        DICTS: {
            OURS: lambda: [schema.encode(row) for row in dicts],
            "DictVectorizer": lambda: [vectorizer.transform([row]) for row in dicts],
            "River (OneHotEncoder)": lambda: [pipeline.transform_one(row) for row in dicts],
        },
        MANY_DICTS: {
            OURS: lambda: schema.encode_all(dicts),
            "DictVectorizer": lambda: vectorizer.transform(dicts),
        },
    }


def river_pipeline(dicts: list[dict]) -> Any:
    """Return River's one-hot codes of words beside numbers, which have seen the rows."""
    from river.compose import SelectType
    from river.preprocessing import OneHotEncoder

    pipeline = SelectType(numbers.Number) + (SelectType(str) | OneHotEncoder())
    for row in dicts:
        pipeline.learn_one(row)
    return pipeline


def measure(options: argparse.Namespace) -> Results:
    one_core()
    frame = mixed_frame(options.rows)
    dicts = frame.head(options.dicts).to_dict("records")
    timings: dict[str, dict[str, Timing]] = {}
    for what, calls in contestants(frame, dicts).items():
        n = len(frame) if what == FRAME else len(dicts)
        timings[what] = {name: Timing(n) for name in calls}
        for _ in range(REPEATS):
            for name, call in calls.items():
                with timings[what][name].running():
                    call()
    measured = {what: {n: t.record() for n, t in some.items()} for what, some in timings.items()}
    return {"sizes": {"rows": options.rows, "dicts": options.dicts}, "measured": measured}


def rates(results: Results, what: str) -> dict[str, float]:
    return {n: record["rows_per_cpu_second"] for n, record in results["measured"][what].items()}


def requirements(results: Results) -> list[Requirement]:
    return [
        Requirement(f"rows a second of {what}", rates(results, what)[OURS], "≥", bound)
        for what, bound in REQUIRED.items()
    ]


def report(results: Results) -> str:
    lines = []
    for what in results["measured"]:
        by_name = rates(results, what)
        for name, rate in by_name.items():
            bound = f"{REQUIRED[what]:,}" if name == OURS and what in REQUIRED else ""
            lines.append([what, name, f"{rate:,.0f}", bound, f"{by_name[OURS] / rate:.1f}"])
    sizes = results["sizes"]
    return f"""# How fast a schema encodes

{written_by(results, PACKAGES)}
{sizes["rows"]:,} rows of 20 mixed columns as a frame, the first {sizes["dicts"]:,} as dicts;
CPU seconds on one core, the best of {REPEATS}.

{table(["input", "by", "rows a second", "required", "ours is faster by"], lines)}
"""


main = TimedBenchmark(
    "schema", __doc__, "schema", measure, report, None, requirements, OPTIONS, PACKAGES
).main
