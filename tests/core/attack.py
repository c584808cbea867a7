"""Model files that were damaged, or crafted to do harm, loaded and used: no crash, no hang.

    python -m tests.core.attack --damaged 2000 --crafted 200 --out bench/results/attack.md

Every file is made in a child process from a valid one and a seed, given a valid SHA-256, loaded and
used. The result must be a ValueError or a model that works. The parent notices a child that dies or
prints nothing for a while, counts it, and continues with the next file.
"""

import argparse
import platform
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

HANG = 60.0  # seconds without output
KINDS = ("damaged", "crafted")
Counts = dict[str, Counter]  # verdicts of each kind of files


class Verdict:
    """What became of a file; all but the first two are failures."""

    REFUSED, WORKS, WRONG, CRASH, HANGS = "refused", "works", "wrong", "crash", "hang"


def use(model: Any) -> None:
    """Call all that users of a model call; check the types and ranges of what it returns."""
    from tests.core.attack_use import use_classifier, use_learner, use_regressor

    if hasattr(model, "decision_function"):
        use_classifier(model)
    elif hasattr(model, "n_classes"):
        use_learner(model)
    else:
        use_regressor(model)
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder) / "again")


def attempt(data: bytes) -> str:
    """Return the verdict on one file."""
    import onearm

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        path.write_bytes(data)
        try:
            model = onearm.load(path)
        except ValueError:
            return Verdict.REFUSED
        except Exception as error:
            return f"{Verdict.WRONG} load: {error!r}"
    try:
        with np.errstate(all="ignore"):
            use(model)
    except Exception as error:
        return f"{Verdict.WRONG} use: {error!r}"
    return Verdict.WORKS


def disable_checks() -> None:
    """Disable the checks of loaded numbers, to see that the attack finds what they prevent."""
    from onearm.boosting.trees.forest import Trees
    from onearm.core import state

    for owner, name in ((state, "require_ranges"), (Trees, "require_sound")):
        setattr(owner, name, lambda *arguments: None)


def files(n_damaged: int, n_crafted: int) -> list[tuple[str, int]]:
    """Return kind and seed of every file."""
    return [
        (kind, i) for kind, n in zip(KINDS, (n_damaged, n_crafted), strict=True) for i in range(n)
    ]


def child(case: str, n_damaged: int, n_crafted: int, first: int) -> None:
    """Attack with the files of a case from number `first` on, and print a line for each."""
    from tests.core.attack_files import craft, damage
    from tests.core.attack_use import valid_file

    data = valid_file(case)
    assert attempt(data) == Verdict.WORKS, attempt(data)
    for number, (kind, i) in enumerate(files(n_damaged, n_crafted)[first:], first):
        print(number, end=" ", flush=True)
        change = damage if kind == "damaged" else craft
        print(attempt(change(data, np.random.default_rng([i, len(kind)]))), flush=True)
    print("end", flush=True)


def attack(case: str, n_damaged: int, n_crafted: int) -> tuple[Counts, list[str]]:
    """Attack one case with files of both kinds; return the counted verdicts and the failures."""
    counts: Counts = {kind: Counter() for kind in KINDS}
    failures: list[str] = []
    all_files = files(n_damaged, n_crafted)
    first = 0
    while first < len(all_files):
        lines, hung = _run(case, str(n_damaged), str(n_crafted), str(first))
        for line in lines:
            number, _, verdict = line.partition(" ")
            if number == "end":
                return counts, failures
            verdict = verdict or (Verdict.HANGS if hung else Verdict.CRASH)
            kind, seed = all_files[int(number)]
            counts[kind][verdict.split()[0]] += 1
            first = int(number) + 1
            if verdict not in (Verdict.REFUSED, Verdict.WORKS):
                failures.append(f"{case} {kind} {seed}: {verdict}")
        if not lines:
            raise RuntimeError(f"{case}: the attack did not begin")
    return counts, failures


def _run(*arguments: str) -> tuple[list[str], bool]:
    """Run a child until it ends or hangs; return its lines and whether it hung."""
    command = [sys.executable, "-m", "tests.core.attack", "--child", *arguments]
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen(command, stdout=out, cwd=Path(__file__).parents[2])
        size, since = 0, time.monotonic()
        while process.poll() is None:
            time.sleep(0.02)
            now = out.seek(0, 2)
            if now != size:
                size, since = now, time.monotonic()
            elif time.monotonic() - since > HANG * (1 if size else 10):  # the first compiles
                process.kill()
                process.wait()
                return _lines(out), True
        return _lines(out), False


def _lines(out: Any) -> list[str]:
    out.seek(0)
    return out.read().splitlines()


def table(counts: dict[str, Counts], seconds: float) -> str:
    """Return the verdicts of all cases as a table."""
    import onearm

    columns = [Verdict.REFUSED, Verdict.WORKS, Verdict.WRONG, Verdict.CRASH, Verdict.HANGS]
    lines = [
        "# Model files, damaged and crafted",
        "",
        f"Written by `make attack` in {seconds / 60:.0f} minutes with onearm {onearm.__version__},",
        f"Python {platform.python_version()}. Every file has a valid SHA-256, is loaded and,",
        "unless that is refused by a ValueError, used and saved again. Its number is its seed.",
        "",
        "| class | files | n | " + " | ".join(columns) + " |",
        "|---|---|---|" + "---|" * len(columns),
    ]
    rows: dict[tuple[str, str], Counter] = {}
    for case, by_kind in counts.items():
        for kind, verdicts in by_kind.items():
            rows.setdefault((case.split("-")[0], kind), Counter()).update(verdicts)
    for (name, kind), verdicts in rows.items():
        numbers = " | ".join(str(verdicts[column]) for column in columns)
        lines.append(f"| {name} | {kind} | {sum(verdicts.values())} | {numbers} |")
    return "\n".join(lines) + "\n"


def share(case: str, n: int) -> int:
    """Return how many of the n files of a class go to one of its forms."""
    from tests.core.attack_use import CASES

    return -(-n // sum(other.split("-")[0] == case.split("-")[0] for other in CASES))


def main() -> None:
    from tests.core.attack_use import CASES

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--damaged", type=int, default=2000, help="files of each class")
    parser.add_argument("--crafted", type=int, default=200, help="files of each class")
    parser.add_argument("--only", default="", help="cases whose name has this prefix")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    start, counts, failures = time.monotonic(), {}, []
    for case in (case for case in CASES if case.startswith(options.only)):
        numbers = share(case, options.damaged), share(case, options.crafted)
        counts[case], new_failures = attack(case, *numbers)
        failures += new_failures
        for kind, verdicts in counts[case].items():
            print(f"{case:28s} {kind} {dict(verdicts)}", flush=True)
    if options.out:
        options.out.write_text(table(counts, time.monotonic() - start))
    print("\n".join(failures) or "no failures")
    sys.exit(bool(failures))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(sys.argv[2], *map(int, sys.argv[3:]))
    else:
        main()
