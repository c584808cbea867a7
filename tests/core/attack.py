"""Model files that were damaged, or made to do harm, loaded and used: no crash, no hang.

    python -m tests.core.attack --damaged 2000 --crafted 200 --out bench/results/attack.md

Every file is made in a child process from a sound one and a seed, given a valid SHA-256, loaded and
used. What must come of it is a ValueError or a model that works. The parent sees a child that dies
or says nothing for a while, counts it, and goes on with the next file.
"""

import argparse
import json
import platform
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

HANG = 60.0  # seconds without a word


class Verdict:
    """What came of a file; all but the first two are failures."""

    REFUSED, WORKS, WRONG, CRASH, HANGS = "refused", "works", "wrong", "crash", "hang"


def parse(data: bytes) -> tuple[dict[str, str], dict[str, np.ndarray]]:
    """Return header and arrays of a model file."""
    from safetensors.numpy import load

    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])["__metadata__"]
    return header, {name: array.copy() for name, array in load(data).items()}


def sealed(header: dict[str, str], arrays: dict[str, np.ndarray]) -> bytes:
    """Return a model file whose digest is right."""
    from safetensors.numpy import save

    from onearm.core.saving import digest

    arrays = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    return save(arrays, header | {"sha256": digest(header["parameters"], arrays)})


def damaged(data: bytes, rng: np.random.Generator) -> bytes:
    """Change five random bytes of the arrays, or a character of the parameters."""
    header, arrays = parse(data)
    if rng.random() < 0.1:
        text = list(header["parameters"])
        text[rng.integers(len(text))] = chr(rng.integers(32, 127))
        return sealed(header | {"parameters": "".join(text)}, arrays)
    filled = [array for array in arrays.values() if array.size]
    weights = np.array([array.nbytes for array in filled], float)
    if rng.random() < 0.5:
        weights[:] = 1.0  # small arrays are hit as often as large ones
    for _ in range(5):
        array = filled[rng.choice(len(filled), p=weights / weights.sum())]
        raw = array.reshape(-1).view(np.uint8)
        raw[rng.integers(len(raw))] = rng.integers(256)
    return sealed(header, arrays)


NUMBERS = (-1, 0, 1, 2, 3, 7, 255, 2**31 - 1, 2**31, -(2**31), 2**63 - 1, -(2**63), 10**5, 10**9)
REALS = (np.nan, np.inf, -np.inf, 1e308, -1e308, 5e-324, -1.0, 0.0, 0.5, 1e99, -1e150, 2.0**53)
WORDS: tuple[Any, ...] = (
    0, -1, 1, 2, 5, 10**5, 10**9, 2**40, 1e300, 0.5, True, None, "3", [], {}, [[[]]], [0, 9],
)  # fmt: skip


def crafted(data: bytes, rng: np.random.Generator) -> bytes:
    """Make one array, or one parameter, what an attacker would make of it."""
    header, arrays = parse(data)
    way = rng.integers(10)
    if way == 0:
        parameters = json.loads(header["parameters"])
        inner = parameters.get("parameters", parameters)
        target = inner if rng.random() < 0.7 else parameters
        target[str(rng.choice(list(target)))] = WORDS[rng.integers(len(WORDS))]
        return sealed(header | {"parameters": json.dumps(parameters)}, arrays)
    name = str(rng.choice(list(arrays)))
    array = arrays[name]
    if way == 1:
        arrays[name] = reshaped(array, rng)
    elif way == 2:
        del arrays[name]
        arrays.update({"other": array} if rng.random() < 0.5 else {})
    elif array.size:
        values = REALS if array.dtype.kind == "f" else NUMBERS
        value = values[rng.integers(len(values))]
        if array.dtype.kind != "f":
            limits = np.iinfo(array.dtype)
            value = max(limits.min, min(limits.max, value))
        where = rng.random(array.shape) < rng.choice([1.0, 0.5, 1.5 / array.size])
        if way == 3:
            array[...] = rng.permutation(array.reshape(-1)).reshape(array.shape)
        else:
            array[where] = value
    return sealed(header, arrays)


def reshaped(array: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return an array of another shape or type."""
    ways = [
        lambda: array[:0] if array.ndim else array,
        lambda: array.T,
        lambda: np.concatenate([array, array]) if array.ndim else array,
        lambda: array[None],
        lambda: array.reshape(-1),
        lambda: array.astype(np.float32 if array.dtype != np.float32 else np.float64),
        lambda: array.astype(np.int32 if array.dtype != np.int32 else np.int64),
    ]
    with np.errstate(all="ignore"):
        return ways[rng.integers(len(ways))]()


def use(model: Any) -> None:
    """Do with a model all that its users do; what it returns must be of the right kind."""
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
    """Return what came of one file."""
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


def lay_open() -> None:
    """Take the checks of loaded numbers away, to see that the attack finds what they keep out."""
    from onearm.boosting.trees import forest
    from onearm.core import estimator

    for module, name in ((estimator, "require_ranges"), (forest, "require_sound")):
        setattr(module, name, lambda *given: None)


def child(case: str, kind: str, first: int, last: int) -> None:
    """Attack with the files `first` to `last`-1 of a case, a line for each."""
    from tests.core.attack_use import sound

    data = sound(case)
    make = damaged if kind == "damaged" else crafted
    assert attempt(data) == Verdict.WORKS, attempt(data)
    for i in range(first, last):
        print(i, end=" ", flush=True)
        print(attempt(make(data, np.random.default_rng([i, len(kind)]))), flush=True)
    print("end", flush=True)


def attack(case: str, kind: str, n: int) -> tuple[Counter, list[str]]:
    """Attack one case with n files; returns the verdicts counted, and the failures."""
    counts: Counter = Counter()
    failures: list[str] = []
    first = 0
    while first < n:
        lines, hung = _run(case, kind, first, n)
        for line in lines:
            number, _, verdict = line.partition(" ")
            if number == "end":
                return counts, failures
            verdict = verdict or (Verdict.HANGS if hung else Verdict.CRASH)
            counts[verdict.split()[0]] += 1
            first = int(number) + 1
            if verdict not in (Verdict.REFUSED, Verdict.WORKS):
                failures.append(f"{case} {kind} {number}: {verdict}")
        if not lines:
            raise RuntimeError(f"{case}: the attack did not begin")
    return counts, failures


def _run(case: str, kind: str, first: int, last: int) -> tuple[list[str], bool]:
    """Run a child until it ends or says nothing any more; returns its lines."""
    command = [
        sys.executable,
        "-m",
        "tests.core.attack",
        "--child",
        case,
        kind,
        str(first),
        str(last),
    ]
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


def table(counts: dict[tuple[str, str], Counter], seconds: float) -> str:
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
    for (case, kind), some in counts.items():
        rows.setdefault((case.split("-")[0], kind), Counter()).update(some)
    for (name, kind), some in rows.items():
        numbers = " | ".join(str(some[column]) for column in columns)
        lines.append(f"| {name} | {kind} | {sum(some.values())} | {numbers} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    from tests.core.attack_use import CASES

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--damaged", type=int, default=2000, help="files of each class")
    parser.add_argument("--crafted", type=int, default=200, help="files of each class")
    parser.add_argument("--only", default="", help="cases whose name begins so")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    began, counts, failures = time.monotonic(), {}, []
    for case in (case for case in CASES if case.startswith(given.only)):
        forms = sum(other.split("-")[0] == case.split("-")[0] for other in CASES)
        for kind in ("damaged", "crafted"):
            n = -(-getattr(given, kind) // forms)
            counts[case, kind], bad = attack(case, kind, n)
            failures += bad
            print(f"{case:28s} {kind} {dict(counts[case, kind])}", flush=True)
    if given.out:
        given.out.write_text(table(counts, time.monotonic() - began))
    print("\n".join(failures) or "no failures")
    sys.exit(bool(failures))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
    else:
        main()
