"""The report of the service's benchmark, and what is required of it."""

from typing import Any

from bench.benchmark import Requirement, Results, verdict, written_by
from bench.serve.logs import POLICIES
from papers.markdown import table

PACKAGES = ("onearm", "numpy", "numba", "uvicorn", "uvloop", "apsw", "msgspec")
LOADED = {"inversegap": "InverseGap", "chorus": "Chorus"}
RATES = {"InverseGap": 100_000, "Chorus": 3_000}  # events per second of a replay, at least
RECOVERY = 60.0  # seconds
GROWTH = 200.0  # bytes of an evaluation for each event and policy
RATIO = 1.5  # of the memory with many decisions that wait to that with a hundredth of them


def requirements(results: Results) -> list[Requirement]:
    parts = {name: part["results"] for name, part in results["parts"].items()}
    bounds = []
    for name in LOADED.keys() & parts.keys():
        lost = sum(run["lost"] + run["refused_or_failed"] for run in parts[name]["runs"])
        bounds.append(Requirement(f"{LOADED[name]}, answers lost, 4xx or 5xx", lost, "≤", 0))
    if "inversegap" in parts:
        bounds += _of_load({run["connections"]: run for run in parts["inversegap"]["runs"]})
    if "chorus" in parts:
        (run,) = parts["chorus"]["runs"]
        pairs = run["outcomes"] / run["seconds"]
        bounds.append(Requirement("Chorus, pairs per second, 64 connections", pairs, "≥", 800))
    if "recovery" in parts:
        bounds += _of_recovery(parts["recovery"])
    if "memory" in parts:
        few, many = sorted(parts["memory"].values(), key=lambda run: run["pending"])
        what = f"memory with {many['pending']:,} decisions that wait, beside {few['pending']:,}"
        bounds.append(Requirement(what, many["rss_mib"] / few["rss_mib"], "≤", RATIO))
    if "evaluate" in parts:
        bounds += _of_evaluation(parts["evaluate"])
    return sorted(bounds, key=lambda bound: bound.what)


def _of_evaluation(parts: dict[str, Any]) -> list[Requirement]:
    few, many = sorted(parts.values(), key=lambda run: run["events"])
    more = (many["events"] - few["events"]) * len(POLICIES)
    growth = (many["rss_mib"] - few["rss_mib"]) * 2**20 / more
    what = f"onearm evaluate, {many['events']:,} events,"
    return [
        Requirement(f"{what} peak memory in MiB", many["rss_mib"], "≤", 1024),
        Requirement(f"{what} bytes for each event and policy", growth, "≤", GROWTH),
    ]


def _of_load(runs: dict[int, Any]) -> list[Requirement]:
    durable = runs[64]["decisions"] / runs[64]["seconds"]
    allowed = 2.5 * _sync(runs[16]) + 1.5
    return [
        Requirement("InverseGap, durable decisions per second, 64 connections", durable, "≥", 2000),
        Requirement("InverseGap, p50 in ms, 16 connections", runs[16]["p50_ms"], "≤", allowed),
        Requirement(
            "InverseGap, requests per second of server CPU, 64 connections",
            _per_cpu(runs[64]), "≥", 10_000,
        ),
    ]  # fmt: skip


def _of_recovery(parts: dict[str, Any]) -> list[Requirement]:
    bounds = []
    for learner, part in parts.items():
        events, again = part["replay"]["events"], part["replay"]
        rate = events / again["seconds"]
        bounds.append(
            Requirement(f"{learner}, replay, events per second", rate, "≥", RATES[learner])
        )
        if learner == "InverseGap":
            seconds = part["start_seconds"]
            what = f"{learner}, seconds of a start that replays {events:,} events"
            bounds.append(Requirement(what, seconds, "<", RECOVERY))
        wrong = 2 - part["same_models"] - part["same_models_from_snapshot"]
        bounds.append(Requirement(f"{learner}, starts with other models", wrong, "≤", 0))
    return bounds


def _sync(run: dict[str, Any]) -> float:
    return sum(run["fdatasync_ms"]) / 2


def _per_cpu(run: dict[str, Any]) -> float:
    return run["requests"] / run["cpu_seconds"]


def report(results: Results) -> str:
    bounds = [
        [bound.what, f"{bound.value:,.4g}", f"{bound.sign} {bound.bound:,.4g}", _word(bound)]
        for bound in requirements(results)
    ]
    sections = [
        SECTIONS[name](part["results"]) + f"\n*{_about(part)}*\n\n"
        for name, part in results["parts"].items()
    ]
    failed = verdict([], results["errors"]) + "\n\n" if results["errors"] else ""
    return f"""# The service under load

{written_by(results, PACKAGES)}

{failed}{table(["required", "measured", "bound", "met"], bounds)}

{"".join(sections).rstrip()}
"""


def _word(bound: Requirement) -> str:
    return "yes" if bound.met else "**no**"


def _about(part: dict[str, Any]) -> str:
    return f"{part['time']}; load of the machine at the start: {part['load_average']:.1f}."


def _load(part: dict[str, Any]) -> str:
    rows = [
        [
            str(run["connections"]), f"{run['decisions'] / run['seconds']:,.0f}",
            f"{run['outcomes'] / run['seconds']:,.0f}", f"{_per_cpu(run):,.0f}",
            f"{run['p50_ms']:.1f}", f"{run['p99_ms']:.1f}",
            f"{run['refused_or_failed']:,}", f"{run['lost']:,}",
            " and ".join(f"{ms:.2f}" for ms in run["fdatasync_ms"]),
        ]
        for run in part["runs"]
    ]  # fmt: skip
    head = [
        "connections", "decisions/s", "feedback/s", "requests per CPU s", "p50 ms", "p99 ms",
        "4xx, 5xx", "lost", "fdatasync before, after (ms)",
    ]  # fmt: skip
    return f"""## {part["learner"]}, 10 labels, 20 columns

By wrk, for each decision one feedback. Decisions and feedback are counted in the log; latencies are
those of requests of both kinds. Memory at the end: {part["rss_mib"]:,.0f} MiB.

{table(head, rows)}
"""


def _daemon(part: dict[str, Any]) -> str:
    rows = [
        [
            f"`{run['options']}`", run["what"], str(run["at_once"]),
            f"{run['n'] / run['seconds']:,.0f}", f"{run['n'] / run['cpu_seconds']:,.0f}",
            f"{run['p50_ms']:.2f}", f"{run['p99_ms']:.2f}",
        ]
        for run in part["runs"]
    ]  # fmt: skip
    head = ["options", "what", "sent at once", "per second", "per CPU s", "p50 ms", "p99 ms"]
    return f"""## Vowpal Wabbit {part["version"]}, a daemon

The same rows over one connection: it serves one at a time. It stores nothing: no log, no event ids,
no reward that comes later.

{table(head, rows)}
"""


def _recovery(parts: dict[str, Any]) -> str:
    rows = [
        [
            learner, f"{part['replay']['events']:,}", f"{part['log']['megabytes']:,.0f}",
            f"{part['replay']['events'] / part['replay']['seconds']:,.0f}",
            f"{part['replay']['events'] / part['replay']['cpu_seconds']:,.0f}",
            f"{part['start_seconds']:.1f}", f"{part['start_from_snapshot_seconds']:.1f}",
        ]
        for learner, part in parts.items()
    ]  # fmt: skip
    head = [
        "learner", "events", "MB", "replayed/s", "replayed per CPU s",
        "start without a snapshot (s)", "start from a snapshot (s)",
    ]  # fmt: skip
    return f"""## Recovery

An event is a decision with its reward. A start is that of a process, until it takes requests.

{table(head, rows)}
"""


def _memory(parts: dict[str, Any]) -> str:
    rows = [
        [f"{part['pending']:,}", f"{part['rss_mib']:,.0f}", f"{part['start_seconds']:.1f}"]
        for part in parts.values()
    ]
    growth = list(parts.values())[-1]["log"]["rss_mib"]
    sizes = ", ".join(f"{mib:,.0f} MiB at {int(n):,}" for n, mib in growth.items())
    return f"""## Memory

A service that starts with decisions that wait for feedback. While such a log is written: {sizes}.

{table(["decisions that wait", "resident MiB", "start (s)"], rows)}
"""


def _evaluations(parts: dict[str, Any]) -> str:
    rows = [
        [f"{n:,.0f}" for n in (run["events"], run["log"]["megabytes"])]
        + [f"{run['cpu_seconds']:.1f}", f"{run['seconds']:.1f}", f"{run['rss_mib']:,.0f}"]
        for run in parts.values()
    ]
    return f"""## Evaluation of the log

`onearm evaluate bench.db` with {len(POLICIES)} policies, as a process from its start to its page.

{table(["events", "MB", "CPU s", "s", "peak MiB"], rows)}
"""


SECTIONS = {
    "inversegap": _load, "chorus": _load, "vw": _daemon, "recovery": _recovery, "memory": _memory,
    "evaluate": _evaluations,
}  # fmt: skip
