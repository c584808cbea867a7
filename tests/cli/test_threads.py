"""The program has one thread of BLAS: more would spin while they wait for each other."""

import os
import subprocess
import sys

import pytest

CODE = """
import os, onearm.cli.program, numpy as np
np.ones((32768, 101)).T @ np.ones((32768, 101))
status = open("/proc/self/status").read()
print(status.split("Threads:")[1].split()[0], os.environ["OPENBLAS_NUM_THREADS"])
"""


@pytest.mark.parametrize("given", [None, "2"])
def test_the_program_has_one_thread_unless_the_environment_says_otherwise(given):
    plain = {k: v for k, v in os.environ.items() if k != "OPENBLAS_NUM_THREADS"}
    plain |= {} if given is None else {"OPENBLAS_NUM_THREADS": given}
    command = [sys.executable, "-c", CODE]
    done = subprocess.run(command, env=plain, capture_output=True, text=True, check=True)
    n_threads, limit = done.stdout.split()
    assert limit == (given or "1")
    if given is None:
        assert n_threads == "1"
