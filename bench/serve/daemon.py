"""A Vowpal Wabbit daemon and a small client of it: one process, one connection, nothing is logged.

It runs in an environment of its own, which is made first. `python daemon.py OPTIONS` is that
process: the wheel's daemon waits until `run_parser` is called. One child, since each has a model of
its own. Features are named by texts; the answer is pairs action:probability, the likeliest first.
"""

import random
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

INSTALLED = ("vowpalwabbit==9.11.*",)
K, ROWS = 10, 1000
OPTIONS = {  # how it explores, by name
    "--cb_explore, epsilon 0.05": ("--cb_explore", str(K), "--epsilon", "0.05"),
    "--cb_explore_adf --squarecb": ("--cb_explore_adf", "--squarecb", "-q", "ca"),
}
ALONE = ("--daemon", "--foreground", "--num_children", "1", "--quiet")


def environment(folder: Path) -> str:
    """Return the interpreter of an environment with it, which is made if there is none."""
    from bench.timing import child

    python = folder / "bin" / "python"
    if not (folder / "ready").exists():
        child([sys.executable, "-m", "venv", str(folder)])
        child([str(python), "-m", "pip", "install", "-q", *INSTALLED])
        (folder / "ready").touch()
    return str(python)


def beside(python: str, seconds: float) -> dict[str, Any]:
    """Return what it did: predictions alone, and decisions that are learnt from at once."""
    code = "import importlib.metadata as m; print(m.version('vowpalwabbit'))"
    version = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    runs = []
    for name, options in OPTIONS.items():
        lines = _lines("adf" in name)
        for what, at_once in (("predict", 1), ("predict", 64), ("decide + learn", 1)):
            with _running(python, options) as (process, stream):
                run = _learnt if what == "decide + learn" else _predicted
                run(stream, lines, at_once, 0.2 * seconds, lambda: 0.0)  # it warms up
                taken = run(stream, lines, at_once, seconds, lambda p=process: _cpu(p))
            runs.append({"options": name, "what": what, "at_once": at_once, **taken})
    return {"version": version.stdout.strip(), "runs": runs}


Line = Callable[
    [tuple[int, float] | None], bytes
]  # of a row: with an action and its chance, or not


def _lines(is_adf: bool) -> list[Line]:
    """Return for each row what makes a request of it."""
    import json

    from bench.serve.program import contexts

    rows = [" ".join(f"{k}:{v}" for k, v in json.loads(x).items()) for x in contexts(ROWS)]
    make = _adf if is_adf else _plain
    return [lambda chosen, text=text: make(text, chosen) for text in rows]


def _plain(text: str, chosen: tuple[int, float] | None) -> bytes:
    label = f"{chosen[0] + 1}:0:{chosen[1]} " if chosen else ""
    return f"{label}|f {text}\n".encode()


def _adf(text: str, chosen: tuple[int, float] | None) -> bytes:
    actions = [f"|a a{i}" for i in range(K)]
    if chosen:
        actions[chosen[0]] = f"0:0:{chosen[1]} {actions[chosen[0]]}"
    return "\n".join([f"shared |c {text}", *actions, "", ""]).encode()


@contextmanager
def _running(python: str, options: tuple[str, ...]) -> Iterator[tuple[subprocess.Popen, Any]]:
    """Have a daemon run, with a connection to it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [python, __file__, *options, *ALONE, "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        with _connected(port) as connection, connection.makefile("rwb") as stream:
            yield process, stream
    finally:
        children = _children(process)
        process.kill()  # first: it starts a child anew that ends
        process.wait()
        for child in children:
            child.kill()


def _children(process: subprocess.Popen) -> list[Any]:
    """Return the processes that answer: the daemon itself only starts them."""
    import psutil

    return psutil.Process(process.pid).children(recursive=True)


def _connected(port: int) -> socket.socket:
    for _ in range(100):
        try:
            connection = socket.create_connection(("127.0.0.1", port), timeout=30)
        except OSError:
            time.sleep(0.1)
        else:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return connection
    raise RuntimeError("the daemon of Vowpal Wabbit did not start")


def _cpu(process: subprocess.Popen) -> float:
    times = [child.cpu_times() for child in _children(process)]
    return sum(time.user + time.system for time in times)


def _answer(stream: Any) -> bytes:
    """Return a distribution, which ends in an empty line."""
    first, last = stream.readline(), stream.readline()
    if b":" not in first or last != b"\n":
        raise RuntimeError(f"Vowpal Wabbit's answer was {first!r}, {last!r}")
    return first


def _predicted(
    stream: Any, lines: list[Line], at_once: int, seconds: float, cpu: Callable[[], float]
) -> dict[str, float]:
    """Send rows, `at_once` of them before their answers are read, for some seconds."""
    requests = [line(None) for line in lines]
    waits, n, begin, used = [], 0, time.perf_counter(), cpu()
    while (sent := time.perf_counter()) - begin < seconds:
        some = [requests[(n + i) % len(requests)] for i in range(at_once)]
        stream.write(b"".join(some))
        stream.flush()
        for _ in some:
            _answer(stream)
            waits.append(time.perf_counter() - sent)
        n += at_once
    return _taken(waits, n, time.perf_counter() - begin, cpu() - used)


def _learnt(
    stream: Any, lines: list[Line], at_once: int, seconds: float, cpu: Callable[[], float]
) -> dict[str, float]:
    """Ask for a distribution, sample an action, send the row again with its cost, and so on."""
    rng, waits, n, begin, used = random.Random(0), [], 0, time.perf_counter(), cpu()
    while (sent := time.perf_counter()) - begin < seconds:
        line = lines[n % len(lines)]
        stream.write(line(None))
        stream.flush()
        pairs = [pair.split(b":") for pair in _answer(stream).strip().split(b",")]
        chances = [float(p) for _, p in pairs]
        ((action, p),) = rng.choices(pairs, chances)
        waits.append(time.perf_counter() - sent)
        stream.write(line((int(action), float(p))))
        stream.flush()
        _answer(stream)
        n += 1
    return _taken(waits, n, time.perf_counter() - begin, cpu() - used)


def _taken(waits: list[float], n: int, seconds: float, cpu: float) -> dict[str, float]:
    waits.sort()
    p50, p99 = (1000 * waits[int(q * len(waits))] for q in (0.5, 0.99))
    return {"n": n, "seconds": seconds, "cpu_seconds": cpu, "p50_ms": p50, "p99_ms": p99}


if __name__ == "__main__":
    from vowpalwabbit import Workspace

    Workspace(arg_list=sys.argv[1:]).run_parser()
