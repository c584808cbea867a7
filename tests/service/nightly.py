"""The long runs of the promises' tests: `make nightly` writes their result.

python -m tests.service.nightly --out bench/results/service_nightly.md
"""

import argparse
import time
from pathlib import Path

from onearm.experiments.identity import about
from tests.service import crash, killed_server, machine, power, sync_points

CRASHES, SERVERS, IMAGES, EXAMPLES, SEEDS = 240, 40, 2000, 1500, 3


def crashes(rounds):
    """Return a row: how often a service was killed, and what was wrong."""
    result = crash.crash(rounds, seed=11)
    kills = ", ".join(f"{n} {point.replace('_', ' ')}" for point, n in result.kills.items())
    done = f"{result.rounds} kills ({kills}), {result.acknowledged:,} acknowledgements"
    return "crash loop", done, result.violations


def servers(rounds):
    """Return a row: how often a server was killed under clients that retry."""
    result = killed_server.killed(rounds, seed=5)
    done = f"{result.rounds} kills of `onearm serve`, {killed_server.CLIENTS} clients that retry"
    known = f"{result.decisions:,} decisions and {result.rewards:,} rewards acknowledged"
    return "crash loop through HTTP", f"{done}, {known}", result.violations


def losses(trials):
    """Return a row: states after a loss of power."""
    looked, wrong = power.lose_power(trials, seed=100, n=20)
    return "power loss", f"{looked:,} states of the disk", wrong


def faults(seeds):
    """Return rows: disks that fail at each of their calls."""
    for error in power.ERRORS:
        total, wrong = 0, []
        for seed in range(seeds):
            failed, found = power.fail(error, seed=seed, n=8, only="all")
            total, wrong = total + failed, wrong + found
        what = {"IOError": "I/O error", "FullError": "full disk"}[error.__name__]
        yield f"failing disk, {what}", f"{total:,} runs, one for each write and sync", wrong


def syncs(every):
    """Yield rows: syncs that fail, or are the last thing that a process does."""
    if not sync_points.has_strace():
        yield "sync points", f"left out: {sync_points.MISSING}", []
        return
    for what, n, ended, wrong in sync_points.rows(every):
        name = {"error": "EIO", "kill": "SIGKILL"}.get(what, f"EIO of `{what}`")
        yield f"sync points, {name}", f"{n} syncs by strace, which ended {ended} processes", wrong


def examples(n):
    """Return a row: examples of the state machine."""
    try:
        machine.run(n, steps=50)
    except Exception as error:
        return "state machine", f"{n:,} examples of 50 steps", [str(error)]
    return "state machine", f"{n:,} examples of 50 steps", []


def rows(share):
    yield crashes(max(1, int(CRASHES * share)))
    yield servers(max(1, int(SERVERS * share)))
    yield losses(int(IMAGES * share))
    yield from faults(max(1, int(SEEDS * share)))
    yield from syncs(max(1, round(1 / share)))
    yield examples(int(EXAMPLES * share))


def report(share):
    """Return the result as Markdown."""
    begin, lines, wrong = time.perf_counter(), [], []
    for name, done, found in rows(share):
        lines.append(f"| {name} | {done} | {len(found)} |")
        wrong += [f"* {name}: {text}" for text in found[:5]]
    seconds = time.perf_counter() - begin
    machine_line = ", ".join(f"{name} {value}" for name, value in about().items())
    head = "| test | runs | violations |\n|---|---|---|\n"
    command = f"*`make nightly`, {seconds:,.0f} s; {machine_line}.*"
    return "\n".join([head + "\n".join(lines), "", *wrong, command, ""]), bool(wrong)


def main():
    parser = argparse.ArgumentParser(description="Run the long tests of the promises.")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--share", type=float, default=1.0, help="of the full number of runs")
    given = parser.parse_args()
    crash.warm()
    text, is_wrong = report(given.share)
    given.out.write_text(text)
    print(text)
    raise SystemExit(is_wrong)


if __name__ == "__main__":
    main()
