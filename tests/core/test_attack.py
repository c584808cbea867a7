"""Model files, damaged and crafted: a part of what `make attack` does."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.core.attack import attack, share
from tests.core.attack_files import model_file, parse
from tests.core.attack_use import CASES, valid_file

ROOT = Path(__file__).parents[2]

DAMAGED, CRAFTED = 300, 50  # files of each class


@pytest.mark.compiled
@pytest.mark.parametrize("case", CASES)
def test_files_are_refused_or_work(case):
    numbers = share(case, DAMAGED), share(case, CRAFTED)
    counts, failures = attack(case, *numbers)
    assert not failures
    assert tuple(sum(verdicts.values()) for verdicts in counts.values()) == numbers


@pytest.mark.compiled
@pytest.mark.parametrize("checked", [True, False])
def test_without_the_checks_the_attack_succeeds(checked, tmp_path):
    """The test above can fail: unless checked, invalid labels in a Chorus end in a crash."""
    header, arrays = parse(valid_file("Chorus-0"))
    arrays["memory_labels"][arrays["memory_labels"] != 0] = 2**40
    (tmp_path / "model").write_bytes(model_file(header, arrays))
    code = f"""
import numpy as np, onearm
from tests.core.attack import disable_checks
{"" if checked else "disable_checks()"}
try:
    onearm.load({str(tmp_path / "model")!r}).predict(np.ones((5, 6)))
except ValueError:
    print("refused")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert (done.stdout == "refused\n") == checked
    assert (done.returncode == 0) == checked
