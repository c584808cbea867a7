"""Where runs are played: on cores of this machine through joblib, or on a Ray cluster.

Ray has a backend for joblib too, but one that gives all results at the end and none if a worker is
lost. Its own tasks come back one by one, and Ray itself plays those of a lost worker again.
"""

import json
import socket
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import closing, suppress
from typing import Any

from joblib import Parallel, cpu_count, delayed

from onearm.core.cluster import connected
from onearm.racing.run import Job, Record, play

EVERY = 0.2  # seconds between two words of a run that is under way
TRIES = 2  # of all runs together, where workers are lost
ALL_CORES = "all-cores"
MOST_WORKERS = 1024
WHERE = (
    f"on must be all-cores, a number in [1, {MOST_WORKERS}], ray or the address of a Ray cluster"
)
Address = tuple[str, int]
Ended = tuple[Job, "Record | str"]  # a run with its record, or what went wrong


def play_all(jobs: Sequence[Job], on: str | int, heard: Address) -> Iterator[Ended]:
    """Give each run once it has ended; `heard` is told of those under way.

    `on` is a number of cores, "all-cores", "ray", or the address of a Ray cluster. The runs of a
    worker that was lost are played again; in the end one by one, so that one which kills whatever
    plays it is found and the others are played.
    """
    if isinstance(on, str) and on != ALL_CORES:
        yield from _on_ray(jobs, on, heard)
        return
    n = cpu_count() if on == ALL_CORES else int(on)
    left = {job.key(): job for job in jobs}
    for _ in range(TRIES):
        try:
            for key, result in _in_workers(list(left.values()), n, heard):
                yield left.pop(key), result
            return
        except BrokenExecutor:
            pass  # a worker was killed, or ran out of memory
    for job in left.values():  # one of them may kill its worker whenever it is played: which?
        try:
            ((_, result),) = _in_workers([job], max(n, 2), heard)
        except BrokenExecutor as error:
            result = lost(error)
        yield job, result


def _in_workers(jobs: Sequence[Job], n: int, heard: Address) -> Iterator[tuple[str, Record | str]]:
    workers = Parallel(n, return_as="generator_unordered", batch_size=1)
    with closing(workers(delayed(_reporting)(job, heard) for job in jobs)) as asked:
        yield from asked


def lost(error: Exception) -> str:
    """Say that a worker was lost, and the first of what is known about it.

    >>> lost(OSError("\\n\\nno memory\\nat all"))
    'its worker was lost: no memory'
    """
    said = str(error).strip().splitlines()
    return "its worker was lost" + (f": {said[0]}" if said else "")


def _on_ray(jobs: Sequence[Job], on: str, heard: Address) -> Iterator[Ended]:
    with connected(on) as ray:
        task = ray.remote(num_cpus=1, max_retries=TRIES)(_reporting)
        host = ray.util.get_node_ip_address()
        asked = {task.remote(job, (host, heard[1])): job for job in jobs}
        try:
            while asked:
                (done,), _ = ray.wait(list(asked))
                try:
                    result = ray.get(done)[1]
                except ray.exceptions.RayTaskError as error:
                    result = f"{type(error.cause).__name__}: {error.cause}"
                except ray.exceptions.RayError as error:
                    result = lost(error)
                yield asked.pop(done), result
        finally:
            for one in asked:
                ray.cancel(one, force=True)


def _reporting(job: Job, heard: Address) -> tuple[str, Record | str]:
    """Play a run and send word of it now and then; a word that is lost does no harm."""
    key, began, last = job.key(), 0.0, 0.0

    def send(rounds: int, right: int, of: int) -> None:
        nonlocal began, last
        began = began or time.process_time()  # kernels are compiled before the first round
        if time.monotonic() - last >= EVERY:
            last = time.monotonic()
            word: list[Any] = [key, rounds, right, time.process_time() - began, of]
            with suppress(OSError):
                voice.sendto(json.dumps(word).encode(), heard)

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as voice:
        try:
            return key, play(job, send)
        except Exception as error:  # whatever it is, the other runs go on
            return key, f"{type(error).__name__}: {error}"
