"""Chorus and its rivals: every learner of ours with its best setting, and Vowpal Wabbit.

`python -m bench.chorus` adds each run as a line to bench/results/chorus/rivals.jsonl, those of
Chorus, with its defaults, to chorus.jsonl; called again, it plays what is missing. Phase 1 tries
settings on the first rounds of repeat 0; phase 2 plays the best of each learner at full length on
repeats 1, 2, …
"""

import argparse
import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import onearm
from bench.chorus import learners as chorus_rivals
from bench.chorus import vowpal_wabbit as chorus_vw
from bench.chorus.learners import TooSlowError, amounts
from bench.chorus.streams import NAMES, repeats, stream
from bench.timing import one_core
from onearm.core.code_digest import digest
from onearm.experiments.identity import versions

RESULTS = Path(__file__).parents[1] / "results" / "chorus"
TRIED = 10_000  # rounds of phase 1
TRYING = 150.0  # CPU seconds that a run of phase 1 may take
PLAYING = 600.0  # those that one of phase 2 may be expected to take
FAR = 1.5, 0.02  # times the least error of phase 1, plus this: worse ones get few repeats
FEW = 2
BULKY = ("parts", "versions")  # of a record
Record = dict[str, Any]


class Job(NamedTuple):
    """A run that is to be played."""

    stream: str
    learner: str  # a class of ours, or an explorer of Vowpal Wabbit
    parameters: Record
    repeat: int
    phase: int

    @property
    def key(self) -> str:
        """What tells this run from others."""
        return json.dumps(self, sort_keys=True)

    def play(self, rounds: int, **more: Any) -> Record:
        """Play it, unless that takes too long or cannot be done, and return its record."""
        record: Record = {**self._asdict(), "seed": self.repeat, "rounds": rounds, **more}
        most = TRYING if self.phase == 1 else 2 * PLAYING
        try:
            if self.learner in chorus_vw.EXPLORERS:
                run = chorus_vw.play(self.stream, self.parameters, self.repeat, rounds)
                record["versions"] = chorus_vw.versions()
            else:
                cls = getattr(onearm, self.learner)
                asked = (self.parameters, self.repeat, rounds, most)
                run = chorus_rivals.play(self.stream, cls, *asked)
                record["versions"] = {**versions(), "code": digest(cls)}
            record |= {**run.told, **amounts(run.correct, run.seconds)}
        except TooSlowError as slow:
            record["skipped"] = str(slow)
        except (MemoryError, RuntimeError, ValueError) as error:
            record["skipped"] = f"{type(error).__name__}: {error}"
        if self.phase == 1:  # there are thousands
            record = {key: value for key, value in record.items() if key not in BULKY}
        return record | {"date": datetime.now(UTC).isoformat(timespec="seconds")}


class Ledger:
    """The runs so far, in a file that grows by a line with each."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        text = path.read_text() if path.exists() else ""
        whole = text[: text.rfind("\n") + 1]  # a line that was cut off is played again
        if whole != text:
            path.write_text(whole)
        self.path = path
        self.records = [json.loads(line) for line in whole.splitlines()]
        self.keys = {Job(*(r[name] for name in Job._fields)).key for r in self.records}

    def play(self, job: Job, rounds: int, **more: Any) -> None:
        """Play a run that is missing."""
        if job.key not in self.keys:
            self.add(job, job.play(rounds, **more))

    def add(self, job: Job, record: Record) -> None:
        """Keep a record."""
        with self.path.open("a") as file:
            file.write(json.dumps(record) + "\n")
        self.records.append(record)
        self.keys.add(job.key)
        told = record.get("skipped") or f"{record['error']:.4f} in {record['cpu_seconds']:.1f} s"
        print(record["date"], *job, told, flush=True)

    def best(self, name: str, team: Iterable[str]) -> dict[str, Record]:
        """Return each learner's run of least error in phase 1 on a stream."""
        best: dict[str, Record] = {}
        for r in self.records:
            if r["phase"] == 1 and r["stream"] == name and "skipped" not in r:
                least = best.get(r["learner"])
                if r["learner"] in team and (least is None or r["error"] < least["error"]):
                    best[r["learner"]] = r
        return best

    def skipped(self, name: str, learner: str) -> bool:
        """Whether a learner was given up in phase 2 on a stream."""
        given_up = ((r["phase"], r["stream"], r["learner"]) for r in self.records if "skipped" in r)
        return (2, name, learner) in given_up


def wanted(names: Sequence[str], only: Sequence[str], *kinds: Iterable[str]) -> bool:
    """Whether a job is asked for: where names of a kind are, its own is among them."""
    pairs = zip(kinds, names, strict=False)
    return all(not set(kind) & set(only) or name in only for kind, name in pairs)


def compare(ledger: Ledger, name: str, team: dict[str, Any], only: Sequence[str], n: int) -> None:
    """Play both phases of a team, which has for each learner what tells its settings."""
    length = stream(name, 0).n_rows or 0
    asked = [learner for learner in team if wanted((name, learner), only, NAMES, everyone())]
    for learner in asked:
        for parameters in team[learner](learner, name):
            ledger.play(Job(name, learner, parameters, 0, 1), min(length, TRIED))
    best = ledger.best(name, team)
    far = FAR[0] * min((r["error"] for r in best.values()), default=0.0) + FAR[1]
    for repeat in range(1, n + 1):
        for learner in (one for one in asked if one in best):
            found = best[learner]
            job = Job(name, learner, found["parameters"], repeat, 2)
            seconds = found["cpu_seconds"] * length / found["rounds"]
            few = found["error"] > far
            if ledger.skipped(name, learner) or (few and repeat > FEW):
                continue
            if seconds > PLAYING:
                why = f"{length:,} rounds would take {seconds:.0f} CPU seconds"
                ledger.add(job, {**job._asdict(), "skipped": why, "date": found["date"]})
                continue
            note = f"far from the best in phase 1: at most {FEW} repeats"
            ledger.play(job, length, **({"note": note} if few else {}))


def everyone() -> list[str]:
    """Return the names of all that play."""
    return ["Chorus", *chorus_rivals.learners(), *chorus_vw.EXPLORERS]


def main() -> None:
    """Play what is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", default=[], choices=[*NAMES, *everyone()])
    parser.add_argument("--repeats", type=int, help="of phase 2, in place of 10, of large ones 3")
    parser.add_argument("--out", type=Path, default=RESULTS)
    asked = parser.parse_args()
    one_core()
    ledger = Ledger(asked.out / "rivals.jsonl")
    ours = dict.fromkeys(chorus_rivals.learners(), chorus_rivals.settings)
    theirs = dict.fromkeys(chorus_vw.EXPLORERS, chorus_vw.settings)
    chorus = Ledger(asked.out / "chorus.jsonl")
    for name in NAMES:
        n = asked.repeats or repeats(name)
        for repeat in range(1, n + 1):
            if wanted((name, "Chorus"), asked.only, NAMES, everyone()):
                job = Job(name, "Chorus", {}, repeat, 2)
                chorus.play(job, stream(name, repeat).n_rows or 0)
        for team in (ours, theirs):
            if wanted((name,), asked.only, NAMES):
                compare(ledger, name, team, asked.only, n)


if __name__ == "__main__":
    main()
