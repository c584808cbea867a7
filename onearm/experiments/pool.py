"""Where jobs are played: on cores of this machine through joblib, or on a Ray cluster.

Ray has a backend for joblib too, but one that returns all results at the end and none if a worker
is lost. Tasks of Ray end one by one, and Ray itself repeats those of a lost worker. Workers report
progress by small datagrams, which may be lost.
"""

import json
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import BrokenExecutor
from contextlib import closing, contextmanager, suppress
from typing import Any

import cloudpickle
from joblib import Parallel, cpu_count, delayed

from onearm.core.cluster import connected
from onearm.experiments.job import Job, OnProgress, Record

TRIES = 2  # of all jobs together, where workers are lost
ALL_CORES = "all-cores"
MAX_WORKERS = 1024
SEND_EVERY = 0.2  # seconds between two datagrams of a run
TIMEOUT = 0.5  # seconds after which the listener looks whether it was closed
Address = tuple[str, int]
Jobs = Mapping[str, Job]  # by key
Result = Record | Exception  # what a job returned or raised


class RunError(Exception):
    """A run that failed, in words; the exception itself may not pass between processes."""


def require_place(on: str | int) -> None:
    """Refuse what is no place to play on."""
    if not (isinstance(on, str) and on) and not (type(on) is int and 1 <= on <= MAX_WORKERS):
        places = f"a number in [1, {MAX_WORKERS}], ray or the address of a Ray cluster"
        raise ValueError(f"on must be {ALL_CORES}, {places}, got {on!r}")


def is_cluster(on: str | int) -> bool:
    """Whether jobs may be played on other machines than this one."""
    return isinstance(on, str) and on != ALL_CORES


def play_all(
    jobs: Jobs, on: str | int, address: Address | None = None
) -> Iterator[tuple[str, Result]]:
    """Give the key of each job with its result once it has ended; progress goes to `address`.

    `on` is a number of cores, "all-cores", "ray", or the address of a Ray cluster. The jobs of a
    worker that was lost are played again; in the end one by one, so that a job that kills its
    worker is identified and the others are played.
    """
    if is_cluster(on):
        yield from _on_ray(jobs, str(on), address)
        return
    n = cpu_count() if on == ALL_CORES else int(on)
    missing = dict(jobs)
    for _ in range(TRIES):
        try:
            for key, result in _in_workers(missing, n, address):
                del missing[key]
                yield key, result
            return
        except BrokenExecutor:
            pass  # a worker was killed, or ran out of memory
    for key, job in missing.items():  # one of them may kill its worker whenever it is played
        try:
            ((_, result),) = _in_workers({key: job}, max(n, 2), address)
        except BrokenExecutor as error:
            result = lost(error)
        yield key, result


def _in_workers(jobs: Jobs, n: int, address: Address | None) -> Iterator[tuple[str, Result]]:
    workers = Parallel(n, return_as="generator_unordered", batch_size=1)
    calls = [delayed(play_job)(key, job, address) for key, job in jobs.items()]
    with closing(workers(calls)) as results:
        yield from results


def lost(error: Exception) -> RunError:
    """Return that a worker was lost, with the first line of what is known about it.

    >>> lost(OSError("\\n\\nno memory\\nat all"))
    RunError('its worker was lost: no memory')
    """
    lines = str(error).strip().splitlines()
    return RunError("its worker was lost" + (f": {lines[0]}" if lines else ""))


def _on_ray(jobs: Jobs, on: str, address: Address | None) -> Iterator[tuple[str, Result]]:
    with connected(on) as ray:
        by_value = cloudpickle.list_registry_pickle_by_value()  # as joblib's workers get them
        for name in by_value & sys.modules.keys():
            ray.cloudpickle.register_pickle_by_value(sys.modules[name])
        task = ray.remote(num_cpus=1, max_retries=TRIES)(play_job)
        here = address and (ray.util.get_node_ip_address(), address[1])
        pending = {task.remote(key, job, here): key for key, job in jobs.items()}
        try:
            while pending:
                (done,), _ = ray.wait(list(pending))
                try:
                    result = ray.get(done)[1]
                except ray.exceptions.RayTaskError as error:
                    result = RunError(describe_error(error.cause))
                except ray.exceptions.RayError as error:
                    result = lost(error)
                yield pending.pop(done), result
        finally:
            for reference in pending:
                ray.cancel(reference, force=True)


def play_job(key: str, job: Job, address: Address | None) -> tuple[str, Result]:
    """Play a job in a worker."""
    try:
        with reporter(key, address) as report:
            return key, job.play(report)
    except (FileNotFoundError, RunError) as error:
        return key, error
    except Exception as error:  # whatever it is, the other jobs go on
        return key, RunError(describe_error(error))


def describe_error(error: Exception) -> str:
    """Return an exception in words, with its type."""
    return f"{type(error).__name__}: {error}"


@contextmanager
def reporter(key: str, address: Address | None) -> Iterator[OnProgress]:
    """Give a function that sends how far a run is to an address, if there is one, now and then."""
    began = last = 0.0
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as channel:

        def report(rounds: int, correct: int, of: int) -> None:
            nonlocal began, last
            began = began or time.process_time()  # kernels are compiled before round one
            if address and time.monotonic() - last >= SEND_EVERY:
                last = time.monotonic()
                content = [key, rounds, correct, time.process_time() - began, of]
                with suppress(OSError):
                    channel.sendto(json.dumps(content).encode(), address)

        yield report


class Listener:
    """Receives what reporters send, from `beyond` this machine too; use it in a `with`.

    `receive(key, rounds, correct, seconds, of)` is called in a thread.
    """

    def __init__(self, receive: Callable[..., Any], beyond: bool = False) -> None:
        self.receive = receive
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.settimeout(TIMEOUT)
        self.socket.bind(("" if beyond else "127.0.0.1", 0))
        self.address: Address = ("127.0.0.1", self.socket.getsockname()[1])

    def __enter__(self) -> "Listener":
        threading.Thread(target=self._listen, daemon=True).start()
        return self

    def __exit__(self, *_: Any) -> None:
        self.socket.close()

    def _listen(self) -> None:
        while self.socket.fileno() >= 0:
            try:
                key, *numbers = json.loads(self.socket.recv(1000))
                rounds, correct, seconds, of = map(float, numbers)
            except (OSError, ValueError, TypeError):  # closed, silent, or not from a reporter
                continue
            self.receive(str(key), rounds, correct, seconds, of)
