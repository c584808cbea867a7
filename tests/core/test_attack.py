"""Model files, damaged and crafted: a part of what `make attack` does."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.core.attack import attack, parse, sealed
from tests.core.attack_use import CASES, sound

ROOT = Path(__file__).parents[2]

DAMAGED, CRAFTED = 300, 50  # files of each class


def share(case, n):
    """How many files a form gets of those of its class."""
    name = case.split("-")[0]
    return -(-n // sum(other.split("-")[0] == name for other in CASES))


@pytest.mark.compiled
@pytest.mark.parametrize("case", CASES)
def test_files_are_refused_or_work(case):
    for kind, n in (("damaged", DAMAGED), ("crafted", CRAFTED)):
        counts, failures = attack(case, kind, share(case, n))
        assert not failures
        assert sum(counts.values()) == share(case, n)


@pytest.mark.compiled
@pytest.mark.parametrize("checked", [True, False])
def test_without_the_checks_the_attack_gets_through(checked, tmp_path):
    """The test above can fail: labels of a Chorus that are none end in a crash, unless checked."""
    header, arrays = parse(sound("Chorus-0"))
    arrays["Y"][arrays["Y"] != 0] = 2**40
    (tmp_path / "model").write_bytes(sealed(header, arrays))
    code = f"""
import numpy as np, onearm
from tests.core.attack import lay_open
{"" if checked else "lay_open()"}
try:
    onearm.load({str(tmp_path / "model")!r}).predict(np.ones((5, 6)))
except ValueError:
    print("refused")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert (done.stdout == "refused\n") == checked
    assert (done.returncode == 0) == checked
