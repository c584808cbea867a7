"""What each part of Chorus is worth: `python -m bench.chorus_parts`.

Plays Chorus without one of its parts, on the streams it was made on alone, adds each run as a line
to results/chorus/parts.jsonl, and writes parts.md and parts.png there; called again, it plays what
is missing.
"""

import argparse
import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import onearm
from bench.chorus.parts_report import CHANGING, SIZED, WIDE, write
from bench.chorus.streams import stream
from bench.chorus.variants import VARIANTS, WAVES, made
from bench.timing import one_core
from onearm import datasets
from onearm.chorus.echo import HEARD
from onearm.experiments.identity import versions
from onearm.streams.stream import Stream

RESULTS = Path(__file__).parents[1] / "results" / "chorus"
REPEATS = {
    "balance": 3, "mice": 3, "pendigits": 3, "letter": 3, "newsgroups": 3, "SynNonSep": 3,
    "elec2": 1, "rings": 3, WIDE: 3,
} | dict.fromkeys(CHANGING, 3)  # fmt: skip
Record = dict[str, Any]


class Job(NamedTuple):
    """A run that is to be played."""

    variant: str
    stream: str
    seed: int

    def play(self) -> Record | None:
        """Play it, and return its record; nothing if there is no such part."""
        rows = played(self.stream, self.seed)
        learner = made(self.variant, rows, self.seed)
        if learner is None:
            return None
        made(self.variant, rows, self.seed).play(rows.first(1))  # compiles
        began = time.process_time()
        right = learner.play(rows).correct
        seconds = time.process_time() - began
        record = {
            **self._asdict(), "rounds": len(right), "error": float(1.0 - right.mean()),
            "cpu_seconds": round(seconds, 3), "alarmed": bool(learner.change[HEARD]),
            "versions": versions(), "date": datetime.now(UTC).isoformat(timespec="seconds"),
        }  # fmt: skip
        return record | (recovered(right) if self.stream in CHANGING else {})


@lru_cache(maxsize=1)
def played(name: str, seed: int) -> Stream:
    """Return the rows of a repeat."""
    if name == WIDE:
        return onearm.Separable(20_000, 10, 64, seed=seed)
    if name not in CHANGING:
        return stream(name, seed)
    if CHANGING[name] == "SynNonSep":
        return stream("drifting", seed)
    rows = datasets.load(CHANGING[name])
    return rows.repeated(2).shuffled(seed).drifting([rows.n_rows or 0], seed=seed)


def recovered(right: np.ndarray, window: int = 200, near: float = 0.02) -> Record:
    """Return the rounds until the next are as good as the last fifth before the change, about."""
    half = len(right) // 2
    good = 1.0 - right[half - half // 5 : half].mean() + near

    def rounds(part: np.ndarray) -> int:
        errors = np.convolve(~part, np.ones(window), "valid") / window
        return int(np.argmax(errors <= good)) if (errors <= good).any() else len(part)

    return {"first": rounds(right[:half]), "again": rounds(right[half:])}


def variants(name: str) -> list[str]:
    """Return what is played on a stream."""
    if name in CHANGING:
        return ["whole", "without echo"]
    if name == WIDE:
        return ["whole", *WAVES]
    return [v for v in VARIANTS if v != "without echo" and (v not in WAVES or name in SIZED)]


def jobs() -> Iterator[Job]:
    """Return all runs, those that take long last."""
    for name, repeats in REPEATS.items():
        for seed in range(1, repeats + 1):
            yield from (Job(variant, name, seed) for variant in variants(name))


def main() -> None:
    """Play what is missing, and write."""
    parser = argparse.ArgumentParser(prog="python -m bench.chorus_parts", description=__doc__)
    parser.add_argument("--out", type=Path, default=RESULTS)
    folder = parser.parse_args().out
    one_core()
    folder.mkdir(parents=True, exist_ok=True)
    ledger = folder / "parts.jsonl"
    records = (
        [json.loads(line) for line in ledger.read_text().splitlines()] if ledger.exists() else []
    )
    done = {Job(*(r[name] for name in Job._fields)) for r in records}
    for job in jobs():
        record = None if job in done else job.play()
        if record:
            records.append(record)
            with ledger.open("a") as file:
                file.write(json.dumps(record) + "\n")
            print(*job, f"{record['error']:.4f} in {record['cpu_seconds']:.1f} s", flush=True)
    write(records, folder)


if __name__ == "__main__":
    main()
