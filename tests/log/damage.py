"""Read damaged logs of one format: each must give events or a ValueError that names the file.

python -m tests.log.damage FORMAT TIMES SEED

It is run in a process of its own, since what is wrong may crash it.
"""

import random
import sys
import tempfile
import warnings
from pathlib import Path

from onearm import Log
from tests.log.random_logs import random_log
from tests.log.test_vowpal import SHARED
from tests.streams.damage import damaged

OPTIONS = {
    "parquet": {}, "jsonl": {}, "vw": {"hashed": False, "costs": (-1, 0)},
    "dsjson": {"hashed": False, "costs": (-1, 0)}, "shared.vw": {},
    "csv": {"label": "a", "propensity": "p", "reward": "r", "time": "t"},
}  # fmt: skip
TABLE = "a,p,r,t,age,city\n" + "".join(
    f"{'xyz'[i % 3]},0.{i + 1},{i % 2},2026-01-{i + 1:02},{i},{'pq'[i % 2]}\n" for i in range(9)
)
MARKS = (b"{", b"[" * 5000, b"NaN", b'"', b"null", b"1e999", b"\\ud800", b"\0", b"-1", b"9" * 400)


def written(form, folder):
    """Return the sound content of a file."""
    if form in ("csv", "shared.vw"):
        return (TABLE if form == "csv" else SHARED * 5).encode()
    path = Path(folder, f"sound.{form}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        random_log(labels=[1, 2, 3], sparse=form == "dsjson").write(path)
    return path.read_bytes()


def main(form, times, seed):
    """Read damaged files; return how many gave events, how many were refused."""
    rng, counts = random.Random(f"{form} {seed}"), [0, 0]
    with tempfile.TemporaryDirectory() as folder:
        sound, path = written(form, folder), Path(folder, f"damaged.{form}")
        for _ in range(times):
            content = bytearray(sound)
            if rng.random() < 0.3:
                at = rng.randrange(len(content))
                content[at : at + rng.randrange(3)] = rng.choice(MARKS)
            path.write_bytes(damaged(content, rng))
            try:
                Log.read(path, **OPTIONS[form]).events()
                counts[0] += 1
            except ValueError as error:
                if path.name not in str(error):
                    raise AssertionError("the file is not named") from error
                counts[1] += 1
    return counts


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(*main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
