"""Evaluation of a service's log in a process of its own, so that no decision waits for it.

python -m onearm.service.evaluating news.db uniform "always sports"
"""

import asyncio
import json
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import onearm
from onearm.schema.names import listed

MOST = 20  # policies of one evaluation
LONGEST = 600  # seconds


def report(path: str | Path, policies: list[str]) -> dict[str, Any]:
    """Return what policies would have earned on the events of a service's file."""
    from onearm.ope.evaluate import evaluate
    from onearm.page.plots import finite
    from onearm.service.logs import read_log

    result = evaluate(read_log(path), policies, n_windows=1)
    return {
        "estimates": [finite(asdict(estimate)) for estimate in result.estimates],
        "differences": [finite(asdict(difference)) for difference in result.differences],
        "notes": [*map(str, result.notes)],
    }


def require_policies(policies: list[str]) -> list[str]:
    """Return policies by name; one that would be read from a file is refused."""
    if len(policies) > MOST:
        raise ValueError(f"policy must be given at most {MOST} times, got {len(policies)}")
    known = {"uniform", "always", *(name.lower() for name in onearm.LEARNERS)}
    for policy in policies:
        if policy.split(" ")[0].lower() not in known:
            allowed = "uniform, always LABEL, or a learner by name"
            raise ValueError(f"policy must be {allowed}, got {listed([policy])}")
    return policies or ["uniform"]


async def evaluated(path: str, policies: list[str], ending: asyncio.Event) -> dict[str, Any] | None:
    """Return the report that another process makes; ValueError says why there is none.

    None if the service ends meanwhile: the process ends with it.
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "onearm.service.evaluating", path, *policies,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
    )  # fmt: skip
    work = asyncio.ensure_future(process.communicate())
    end = asyncio.ensure_future(ending.wait())
    try:
        await asyncio.wait({work, end}, timeout=LONGEST, return_when=asyncio.FIRST_COMPLETED)
    finally:
        end.cancel()
        too_long = not work.done()
        if too_long:
            process.kill()
    out, error = await work
    if ending.is_set() and process.returncode:
        return None
    if too_long and process.returncode:
        raise ValueError(f"the evaluation took more than {LONGEST} seconds")
    if process.returncode:
        last = error.decode(errors="replace").strip().splitlines()[-1:]
        raise ValueError("".join(last).partition(": ")[2] or "the evaluation failed")
    return json.loads(out)


if __name__ == "__main__":
    print(json.dumps(report(sys.argv[1], sys.argv[2:]), default=lambda number: number.item()))
