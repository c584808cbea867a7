"""After `warm`, nothing is left to compile."""

import os
import subprocess
import sys

import pytest

USE = """
import numpy as np, onearm
from scipy.sparse import csr_array
learner, X, y = onearm.Banditron(5, 7), np.arange(70.0).reshape(10, 7) % 3, np.arange(10) % 5
onearm.Stream.of(X, y).learner(onearm.Banditron).play(X, y)
for rows in (X, csr_array(X)):
    learner.learn(rows, learner.play(rows, y))
    learner.scores(rows), learner.chances(rows)
for x in (X[0], csr_array(X)[[0]]):
    learner.update(x, learner.choose(x), True)
    learner.choose(x, among=[1, 2])
"""


@pytest.mark.compiled
def test_warm_compiles_all_kernels(tmp_path):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    warm = ["-m", "onearm.cli.program", "warm", "--learners", "banditron"]
    files = []
    for command in (warm, ["-c", USE]):
        subprocess.run([sys.executable, *command], check=True, capture_output=True, env=environment)
        files.append({path.name for path in tmp_path.rglob("*.nbc")})
    assert files[0] == files[1] != set()
