"""A small log of three actions, what Vowpal Wabbit predicts on it, and the loss that it prints.

    python -m tests.log.vw_golden > tests/data/log.vw
    cd tests/data; python -m vowpalwabbit -d log.vw --cb 3 --cb_type ips -p log.vw.predictions

printed `average loss = 0.269347` with vowpalwabbit 9.11.9. Its predictions count from 0.
"""

from pathlib import Path

import numpy as np

DATA = Path(__file__).parents[1] / "data"
LOSS = "0.269347"  # as printed
N, K = 200, 3
P = np.array([0.5, 0.375, 0.125])


def lines(seed=0):
    """Yield events of a policy that prefers some action; cost is low for action 1 + x mod 3."""
    rng = np.random.default_rng(seed)
    for _ in range(N):
        x = int(rng.integers(6))
        p = np.roll(P, int(rng.integers(K)))
        a = int(rng.choice(K, p=p))
        cost = round(float(np.clip(rng.normal(0.2 if a == x % K else 0.7, 0.2), 0, 1)), 3)
        yield f"{a + 1}:{cost}:{p[a]} | x{x} u:{rng.random():.3f} |other y{rng.integers(4)}"


def predictions():
    """Return what Vowpal Wabbit predicted, with a blank line after each."""
    return np.array((DATA / "log.vw.predictions").read_text().split(), np.int64)


if __name__ == "__main__":
    print("\n".join(lines()))
