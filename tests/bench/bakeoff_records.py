"""Made-up records of the bake-off."""

import numpy as np

from bench.bakeoff.plan import tuning_jobs
from bench.bakeoff.rivals import CHORUS, algorithms
from bench.bakeoff.runs import Job, pack, paired
from bench.bakeoff.sets import sets
from onearm.experiments.job import key


def full(name, setting, algorithm, error, repeats=3, rate=1000.0):
    """Return records of all rounds of a set, whose first rounds are wrong."""
    data, records = sets()[name], []
    for i in range(min(repeats, data.repeats)):
        wrong = round(error * data.rounds)
        record = record_of(Job(name, algorithm, setting, i), wrong, data.rounds, rate)
        record |= {"date": f"2026-01-0{i + 1}T00:00:00+00:00", "versions": {"onearm": "1"}}
        if algorithm == CHORUS:
            record["code"] = "new"
        if paired(data, i):
            record["rounds"] = pack(np.arange(data.rounds) >= wrong)
        records.append(record)
    return records


def tuning(algorithm, error, leave_out=()):
    """Return the records of the tuning of an algorithm: `error(setting, set)` on each set."""
    return [
        record_of(job, round(1e6 * error(job.setting, data)), 10**6, 1000.0)
        for data in sets().values()
        if data.name not in leave_out
        for job in tuning_jobs(algorithms()[algorithm], data)
    ]


def record_of(job, wrong, n, rate):
    given = {"set": job.set, "algorithm": job.algorithm, "setting": job.setting}
    given |= {"repeat": job.repeat}
    name = "" if job.algorithm == CHORUS else key(job.configuration())
    return given | {
        "key": name, "error": wrong / n, "n": n, "cpu_seconds": n / rate, "spent": n / rate,
    }  # fmt: skip
