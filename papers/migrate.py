"""Give the runs of a table the keys of the present code: `python -m papers.migrate z19.table1`.

A key has a digest of the code that a learner runs, so it changes with any edit of a kernel, also
one that changes no result. Runs with earlier keys do not count and would be played again. Here only
the shortest runs of each code are. If they are what they were, to the last digit, all runs of that
code get new keys; if not, they stay as they are, and the table has to be played.
"""

import json
import sys
from pathlib import Path
from typing import Any

from onearm.experiments.job import Record, key
from papers import RESULTS, find_replication
from papers.stored import Stored, stored_runs

SAMPLE = 2  # runs of each code that are played again
Group = tuple[str, str]  # the code of before and of now


def migrate(path: Path, runs: list[Stored], sample: int = SAMPLE) -> dict[Group, bool]:
    """Return for each pair of codes whether its runs were confirmed; those get new keys."""
    groups: dict[Group, list[tuple[Stored, Record]]] = {}
    for pair in runs:
        configuration = pair.job.configuration()
        if key(configuration) != pair.run["key"]:
            codes = pair.run.get("code", ""), configuration.get("code", "")
            groups.setdefault(codes, []).append((pair, configuration))
    confirmed, new = dict[Group, bool](), dict[str, Record]()
    for codes, members in groups.items():
        pairs = sorted((pair for pair, _ in members), key=_seconds)
        confirmed[codes] = all(_same(*pair) for pair in pairs[:sample])
        if confirmed[codes]:
            for pair, configuration in members:
                new[pair.run["key"]] = {**pair.run, "key": key(configuration), **configuration}
    if new:
        _rewrite(path, new)
    return confirmed


def _seconds(pair: Stored) -> float:
    return pair.run.get("cpu_seconds", 0.0)


def _same(job: Any, run: Record) -> bool:
    """Whether a job still has the results of its run, apart from times and versions."""
    results = json.loads(json.dumps(job.play(lambda *_: None)))
    return bool(results) and all(
        _untimed(run.get(field)) == _untimed(value)
        for field, value in results.items()
        if field not in ("versions", "code") and not field.endswith("seconds")
    )


def _untimed(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: v for name, v in value.items() if not name.endswith("seconds")}
    return value


def _rewrite(path: Path, new: dict[str, Record]) -> None:
    lines = []
    for line in path.read_text().splitlines():
        run = json.loads(line)
        lines.append(json.dumps(new.get(run["key"], run)))
    part = path.with_suffix(".part")
    part.write_text("\n".join(lines) + "\n")
    part.replace(path)


def main(names: list[str]) -> None:
    """Migrate the tables of these names, and print what was confirmed."""
    for name in names:
        plan, folder = find_replication(name), RESULTS / name.split(".")[0]
        runs = stored_runs(plan, folder)
        for (before, now), same in migrate(folder / plan.ledger, runs).items():
            print(f"{name}: {before} -> {now}: {'same results' if same else 'other results'}")


if __name__ == "__main__":
    main(sys.argv[1:])
