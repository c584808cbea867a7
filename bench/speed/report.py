"""The results as a file for programs and as tables for people."""

import datetime
import json
import platform
import subprocess
from importlib.metadata import version
from pathlib import Path
from typing import Any

from bench.speed import requirements as demands
from bench.speed.c_loops import COMPILE
from bench.speed.streams import ERROR_ROWS
from papers.markdown import table

FOLDER = Path(__file__).parents[1] / "results"
PACKAGES = ("onearm", "numpy", "numba", "scipy", "vowpalwabbit", "river", "scikit-learn")


def about() -> dict[str, Any]:
    """Where and with what this runs."""
    cc = subprocess.run(["cc", "--version"], capture_output=True, text=True, check=True).stdout
    info = Path("/proc/cpuinfo").read_text()
    model = next(line.split(":")[1].strip() for line in info.splitlines() if "model name" in line)
    return {
        "date": datetime.date.today().isoformat(),
        "cpu": model,
        "python": platform.python_version(),
        **{name: version(name) for name in PACKAGES},
        "cc": f"{cc.splitlines()[0]}; {' '.join(COMPILE)}",
    }


def write(results: dict[str, Any], failures: list[str]) -> None:
    """Write speed.json and speed.md."""
    FOLDER.mkdir(exist_ok=True)
    text = json.dumps({**results, "failures": failures}, indent=1, ensure_ascii=False)
    (FOLDER / "speed.json").write_text(text + "\n")
    parts = [_head(results), _failures(failures)]
    parts += [_rates(stream, seen) for stream, seen in results.get("rates", {}).items()]
    parts += [_calls(results["calls"])] if "calls" in results else []
    parts += [_rounds(results["rounds"])] if "rounds" in results else []
    parts += [_cold(results["cold"])] if "cold" in results else []
    (FOLDER / "speed.md").write_text("\n\n".join(part for part in parts if part) + "\n")


def _head(results: dict[str, Any]) -> str:
    facts = results["about"]
    versions = ", ".join(f"{name} {facts[name]}" for name in ("python", *PACKAGES))
    return f"""\
# Speed

Written by `{results["command"]}` on {facts["date"]}, {facts["cpu"]}, {versions}, {facts["cc"]}.
One run measures all by turns, the best of {results["repeats"]} counts. Rates are per second
of CPU time, all threads counted; ratios by wall clock stand in brackets. Ours, the C loops and
River run on one core. Vowpal Wabbit may use both of its threads on two: sharing one core they
spend more CPU time."""


def _failures(failures: list[str]) -> str:
    if not failures:
        return "Every demand was met."
    return "**Not met in this run:**\n\n" + "\n".join(f"- {failure}" for failure in failures)


def _rates(stream: str, seen: dict[str, Any]) -> str:
    head = ["learner", "rows/s (worst)", "error", "C loop rows/s", "ours / C", "peer",
            "ours / peer", "demanded"]  # fmt: skip
    rows = [
        [name, f"{_k(one)} ({seen['rows'] / max(one['cpu']) / 1000:,.0f}k)",
         f"{one['error']:.4f}", _k(one["c_loop"]), f"{one['over_c']:.2f}",
         one["peer"], f"{one['over_peer']:.1f} ({one['over_peer_wall']:.1f})",
         f"{demands.OVER_PEER[name]}"]
        for name, one in seen["ours"].items()
    ]  # fmt: skip
    peers = [
        [name, _k(one), f"{one['rows_per_second'] / 1000:,.0f}k", f"{one['error']:.4f}",
         f"{min(one['start']['cpu']):.2f}", f"`{one['command']}`"]
        for name, one in seen["peers"].items()
    ]  # fmt: skip
    head_peers = ["peer", "rows/s", "by wall clock", "error", "start, s, not counted", "command"]
    what = {"sparse": "SynSep, k = 9, d = 400", "dense": "Digits × 20, repeated, k = 10, d = 64"}
    same = all(one["same_labels_as_c"] for one in seen["ours"].values())
    errors = min(seen["rows"], ERROR_ROWS[stream])
    return f"""\
## `play` on the {stream} stream

{what[stream]}, {seen["rows"]:,} rows in memory, default parameters; errors over the first
{errors:,}. The C loops {"say" if same else "do NOT say"} the same labels as ours, round by round;
at least {demands.OVER_C} of their rate is demanded. Vowpal Wabbit reads a binary cache made
beforehand.

{table(head, rows)}

{table(head_peers, peers)}"""


def _calls(calls: dict[str, Any]) -> str:
    streams = list(calls)
    head = ["who", "hears", *(f"{s}, rounds/s" for s in streams)]
    head += [f"Banditron, ConservativeOVA / this, {s}" for s in streams]
    rows = []
    for name, one in calls[streams[0]].items():
        ratios = [calls[s][name]["ours_over_this"].values() for s in streams]
        shown = [", ".join(f"{ratio:.1f}" for ratio in both) for both in ratios]
        rows.append([name, one["hears"], *(_k(calls[s][name]) for s in streams), *shown])
    how = "\n".join(f"- {name}: {one['how']}" for name, one in calls[streams[0]].items())
    asked = ", ".join(f"{bound} × {name}" for name, bound in demands.OVER_CALLS.items())
    return f"""\
## One call at a time, from Python

`choice = learner.choose(x); learner.update(x, choice, choice.label == y)`, x a NumPy row or
(indices, values). Demanded on both streams: {asked}. From rows, everyone is given the same NumPy
row, and Vowpal Wabbit's line is made of it; lines ready is what remains of its time where somebody
made the lines beforehand.

{table(head, rows)}

{how}"""


def _rounds(rounds: dict[str, Any]) -> str:
    rates = rounds["rows_per_cpu_second"].items()
    rows = [[f"{int(n):,}", f"{rate / 1000:,.0f}k"] for n, rate in rates]
    return f"""\
## Many rounds

Banditron on SynSep, made chunk by chunk as it is played; making the rows is not counted, and every
length plays {rounds["rows_per_turn"]:,} rounds in all. Slowest over fastest:
{rounds["flatness"]:.2f}, demanded {demands.FLATNESS}. Peak memory of the process:
{rounds["peak_rss"] / 2**20:.0f} MiB, demanded < 1 GiB.

{table(["rounds", "rounds/s"], rows)}"""


def _cold(cold: dict[str, Any]) -> str:
    rows = [
        [name, f"{one['seconds']:.2f} ({one['cpu_seconds']:.2f})" if one["there"] else "not there",
         f"{demands.COLD[name]}", f"`{one['command']}`"]
        for name, one in cold.items()
    ]  # fmt: skip
    return f"""\
## Cold start

Whole processes, kernels cached on disk.

{table(["what", "seconds (of CPU)", "demanded <", "command"], rows)}"""


def _k(one: dict[str, Any]) -> str:
    return f"{one['rows_per_cpu_second'] / 1000:,.0f}k"
