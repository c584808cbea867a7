"""The results of the speed benchmark as tables, and the requirements on them.

Ours is compared with peers, and peers with their known results.
"""

from collections.abc import Iterator

from bench.benchmark import Requirement, Results, verdict, written_by
from bench.speed.streams import ERROR_ROWS
from papers.markdown import table

PACKAGES = ("onearm", "numpy", "numba", "scipy", "vowpalwabbit", "river", "scikit-learn")
STREAMS = {"sparse": "SynSep, k = 9, d = 400", "dense": "Digits × 20, repeated, k = 10, d = 64"}

OVER_PEER = {"Banditron": 12, "ConservativeOVA": 8, "SOBA": 5, "InverseGap": 5}
OVER_C = 0.5
OVER_CALLS = {"VW API, lines from rows": 5, "River softmax": 30}
PEAK_RSS, FLATNESS = 2**30, 0.8
COLD = {"import": 0.3, "help": 0.5, "first play": 1.5}

# Peers as they were measured alone, on one core of an AMD EPYC. Below 0.7 of a rate or above 1.5 of
# an error (+ 0.01), this benchmark runs them wrongly.
RATES = {("sparse", "VW epsilon"): 124e3, ("sparse", "VW squarecb"): 86e3}
CALLS = {("sparse", "VW API, lines ready"): 34e3, ("sparse", "River ALMA"): 6e3}
ERRORS = {
    ("sparse", "VW epsilon"): 0.048,
    ("sparse", "VW squarecb"): 0.0074,
    ("dense", "VW epsilon"): 0.149,
    ("dense", "VW squarecb"): 0.068,
}
SLOWER, WORSE = 0.7, 1.5


def requirements(results: Results) -> list[Requirement]:
    """Return all requirements on the results; a part that failed has none."""
    return [*_bounds(results), *_peers(results)]


def _bounds(results: Results) -> Iterator[Requirement]:
    for stream, measured in results.get("rates", {}).items():
        for name, ours in measured["ours"].items():
            what, peer = f"{name}, play, {stream}", ours["peer"]
            yield Requirement(f"{what}: rate over {peer}", ours["over_peer"], "≥", OVER_PEER[name])
            yield Requirement(f"{what}: rate over the C loop", ours["over_c"], "≥", OVER_C)
            yield Requirement(f"{what}: labels as the C loop's", ours["same_labels_as_c"], "≥", 1)
    for stream, measured in results.get("calls", {}).items():
        for peer, bound in OVER_CALLS.items():
            for name, ratio in measured[peer]["ours_over_this"].items():
                what = f"{name}, by call, {stream}: rate over {peer}"
                yield Requirement(what, ratio, "≥", bound)
    if "rounds" in results:
        memory, flatness = results["rounds"]["peak_rss"], results["rounds"]["flatness"]
        yield Requirement("long streams: peak memory in bytes", memory, "<", PEAK_RSS)
        yield Requirement("long streams: slowest over fastest rate", flatness, "≥", FLATNESS)
    for name, start in results.get("cold", {}).items():
        if start["installed"]:
            yield Requirement(f"cold start, {name}: seconds", start["seconds"], "<", COLD[name])


def _peers(results: Results) -> Iterator[Requirement]:
    rates = {stream: measured["peers"] for stream, measured in results.get("rates", {}).items()}
    for known, measured in ((RATES, rates), (CALLS, results.get("calls", {}))):
        for (stream, peer), rate in known.items():
            if stream in measured:
                value = measured[stream][peer]["rows_per_cpu_second"]
                what = f"{_check(peer, stream)}: rows/CPU-s"
                yield Requirement(what, value, "≥", SLOWER * rate)
    for (stream, peer), error in ERRORS.items():
        if stream in rates:
            value = rates[stream][peer]["error"]
            yield Requirement(f"{_check(peer, stream)}: error", value, "<", WORSE * error + 0.01)


def _check(peer: str, stream: str) -> str:
    return f"check of the benchmark, {peer}, {stream}"


def report(results: Results) -> str:
    """Return all tables; a part that failed has none."""
    parts = [_head(results), verdict(requirements(results), results["errors"])]
    parts += [_rates(stream, measured) for stream, measured in results.get("rates", {}).items()]
    for name, section in (("calls", _calls), ("rounds", _rounds), ("cold", _cold)):
        parts += [section(results[name])] if name in results else []
    return "\n\n".join(parts) + "\n"


def _head(results: Results) -> str:
    return f"""\
# Speed

{written_by(results, PACKAGES)[:-1]}, {results["compiler"]}.
All are measured by turns in one run, and the best of {results["repeats"]} repeats counts. Rates are
per second of CPU time, all threads counted; ratios by wall clock are in brackets. Ours, the C loops
and River run on one core. Vowpal Wabbit may use both of its threads on two cores: on one core they
use more CPU time."""


def _rates(stream: str, measured: Results) -> str:
    head = ["learner", "rows/s (worst)", "error", "C loop rows/s", "ours / C", "peer",
            "ours / peer", "required"]  # fmt: skip
    rows = [
        [name, f"{_k(ours)} ({measured['rows'] / max(ours['cpu']) / 1000:,.0f}k)",
         f"{ours['error']:.4f}", _k(ours["c_loop"]), f"{ours['over_c']:.2f}",
         ours["peer"], f"{ours['over_peer']:.1f} ({ours['over_peer_wall']:.1f})",
         f"{OVER_PEER[name]}"]
        for name, ours in measured["ours"].items()
    ]  # fmt: skip
    peers = [
        [name, _k(peer), f"{peer['rows_per_second'] / 1000:,.0f}k", f"{peer['error']:.4f}",
         f"{min(peer['start']['cpu']):.2f}", f"`{peer['command']}`"]
        for name, peer in measured["peers"].items()
    ]  # fmt: skip
    head_peers = ["peer", "rows/s", "by wall clock", "error", "start, s, not counted", "command"]
    same = all(ours["same_labels_as_c"] for ours in measured["ours"].values())
    errors = min(measured["rows"], ERROR_ROWS[stream])
    return f"""\
## `play` on the {stream} stream

{STREAMS[stream]}, {measured["rows"]:,} rows in memory, default parameters; errors over the first
{errors:,}. The C loops {"choose" if same else "do NOT choose"} the same labels as ours in every
round; at least {OVER_C} of their rate is required. Vowpal Wabbit reads a binary cache that was
written before.

{table(head, rows)}

{table(head_peers, peers)}"""


def _calls(calls: Results) -> str:
    streams = list(calls)
    head = ["model", "feedback", *(f"{stream}, rounds/s" for stream in streams)]
    head += [f"Banditron, ConservativeOVA / this, {stream}" for stream in streams]
    rows = []
    for name, first in calls[streams[0]].items():
        measured = [calls[stream][name] for stream in streams]
        ratios = [", ".join(f"{r:.1f}" for r in m["ours_over_this"].values()) for m in measured]
        rows.append([name, first["feedback"], *map(_k, measured), *ratios])
    how = "\n".join(f"- {name}: {first['how']}" for name, first in calls[streams[0]].items())
    bounds = ", ".join(f"{bound} × {name}" for name, bound in OVER_CALLS.items())
    return f"""\
## One call at a time, from Python

`choice = learner.choose(x); learner.update(x, choice, choice.label == y)`, x a NumPy row or
(indices, values). Required on both streams: {bounds}. In "lines from rows" Vowpal Wabbit gets the
same NumPy rows as the others and its line is made of each; in "lines ready" the lines were made
before and are not counted.

{table(head, rows)}

{how}"""


def _rounds(rounds: Results) -> str:
    rates = rounds["rows_per_cpu_second"].items()
    rows = [[f"{int(n):,}", f"{rate / 1000:,.0f}k"] for n, rate in rates]
    return f"""\
## Long streams

Banditron on SynSep, generated chunk by chunk as it is played; generating is not counted, and every
length plays {rounds["rows_per_turn"]:,} rounds in all. Slowest over fastest rate:
{rounds["flatness"]:.2f}, required {FLATNESS}. Peak memory of the process:
{rounds["peak_rss"] / 2**20:.0f} MiB, required < 1 GiB.

{table(["rounds", "rounds/s"], rows)}"""


def _cold(cold: Results) -> str:
    rows = [
        [name, _seconds(start), f"{COLD[name]}", f"`{start['command']}`"]
        for name, start in cold.items()
    ]
    return f"""\
## Cold start

Whole processes, kernels cached on disk.

{table(["what", "seconds (of CPU)", "required <", "command"], rows)}"""


def _seconds(start: Results) -> str:
    if not start["installed"]:
        return "not installed"
    return f"{start['seconds']:.2f} ({start['cpu_seconds']:.2f})"


def _k(measured: Results) -> str:
    return f"{measured['rows_per_cpu_second'] / 1000:,.0f}k"
