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

from onearm.racing.run import Job, Record, play

EVERY = 0.2  # seconds between two words of a run that is under way
TRIES = 3  # of runs whose worker was lost
ALL_CORES = "all-cores"
Address = tuple[str, int]
Ended = tuple[Job, "Record | str"]  # a run with its record, or what went wrong


def play_all(jobs: Sequence[Job], on: str | int, heard: Address) -> Iterator[Ended]:
    """Give each run once it has ended; `heard` is told of those under way.

    `on` is a number of cores, "all-cores", "ray", or the address of a Ray cluster. The runs of a
    worker that was lost are played again.
    """
    if isinstance(on, str) and on != ALL_CORES:
        yield from _on_ray(jobs, on, heard)
        return
    n = cpu_count() if on == ALL_CORES else int(on)
    left = {job.key(): job for job in jobs}
    for attempt in range(1, TRIES + 1):
        workers = Parallel(n, return_as="generator_unordered", batch_size=1)
        asked = workers(delayed(_reporting)(job, heard) for job in list(left.values()))
        try:
            with closing(asked):
                for key, result in asked:
                    yield left.pop(key), result
            return
        except BrokenExecutor as error:
            if attempt == TRIES:
                raise RuntimeError(f"workers were lost {TRIES} times: {error}") from error


def _on_ray(jobs: Sequence[Job], on: str, heard: Address) -> Iterator[Ended]:
    try:
        import ray
    except ImportError:
        raise ImportError(f"on={on!r} needs Ray: pip install 'onearm[ray]'") from None
    if not ray.is_initialized():
        ray.init(address=None if on == "ray" else on, log_to_driver=False)
    task = ray.remote(num_cpus=1, max_retries=TRIES)(_reporting)
    host = ray.util.get_node_ip_address()
    asked = {task.remote(job, (host, heard[1])): job for job in jobs}
    try:
        while asked:
            (done,), _ = ray.wait(list(asked))
            yield asked.pop(done), ray.get(done)[1]
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
