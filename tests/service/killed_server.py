"""The crash loop through HTTP: `onearm serve` is killed again and again under clients that retry.

Clients (`onearm.Client`) decide, give feedback, repeat themselves and come late; while the program
is down their retries go on, and the next one answers them. After each SIGKILL the files are copied
to a fresh folder, and all that was acknowledged until then must be there, once, as it was answered.
After the last round the program is ended by SIGTERM, and the same is checked.

    python -m tests.service.killed_server --rounds 8 --seed 1
"""

import argparse
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.request import Request, urlopen

import onearm
from onearm.service.exchange import ServiceError
from tests.service.acknowledged import violations

CLIENTS, ROUNDS_OF_A_FILE, WAIT = 16, 4, 0.5
LINGER = 0.03  # seconds that clients have to note what left the process before it was killed
SHORTEST, LONGEST = 0.2, 1.2  # seconds that a program lives
TOML = f"""
name = "news"
labels = ["a", "b", "c"]
seed = 7
wait = {WAIT}

[schema]
age = "number"
device = ["phone", "desktop"]

[learner]
name = "InverseGap"
policy = "first"

[server]
port = """
PROGRAM = (
    "import sys\n"
    "from tests.service.planted import BUGS\n"
    "bug = sys.argv.pop(1)\n"
    "planted = BUGS[bug].planted() if bug else None\n"
    "planted and planted.__enter__()\n"
    "from onearm.cli.program import app\n"
    "app()\n"
)


@dataclass
class Result:
    """What the rounds have shown."""

    rounds: int = 0
    decisions: int = 0
    rewards: int = 0
    retried: int = 0
    violations: list = field(default_factory=list)


def killed(rounds, seed=0, bug=""):
    """Run rounds until one shows a violation; `bug` is planted into the programs."""
    result, rng = Result(), random.Random(seed)
    while result.rounds < rounds and not result.violations:
        with TemporaryDirectory() as folder:
            run = Run(Path(folder), rng.random(), bug)
            some = min(ROUNDS_OF_A_FILE, rounds - result.rounds)
            result.rounds += run.play(some, rng)
            result.violations += run.wrong
            kinds = Counter(line[0] for line in run.acknowledged)
            result.decisions += kinds["decided"]
            result.rewards += kinds["applied"]
            result.retried += run.retried
    return result


class Run:
    """Programs over one file, one after the other, and clients that live longer than these."""

    def __init__(self, folder, seed, bug):
        self.folder, self.seed, self.bug = folder, seed, bug
        (folder / "live").mkdir()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        (folder / "live" / "app.toml").write_text(f"{TOML}{self.port}\n")
        self.acknowledged, self.wrong, self.retried = [], [], 0
        self.ending = threading.Event()

    def play(self, rounds, rng):
        """Kill so many programs; return how many rounds there were."""
        clients = [
            threading.Thread(target=self._client, args=(i,), daemon=True) for i in range(CLIENTS)
        ]
        process, n = self._started(), 0
        for client in clients:
            client.start()
        while n < rounds and not self.wrong:
            time.sleep(rng.uniform(SHORTEST, LONGEST))
            self._kill(process, rng.random() < 0.5)
            self._check(f"fresh{n}")
            process, n = self._started(), n + 1
        self.ending.set()
        for client in clients:
            client.join(0.1 if self.wrong else None)  # they may wait for who comes no more
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=120)
        if process.returncode != 0:
            self.wrong.append(f"the program ended with {process.returncode}: {errors[-500:]}")
        self._check("end")
        return n

    def _kill(self, process, is_asked):
        """Kill a program, perhaps while it stores a snapshot."""
        if is_asked and process.poll() is None:
            self._operator()
        if process.poll() is not None:
            self.wrong.append(f"the program ended by itself with {process.returncode}")
        process.kill()
        process.communicate()
        time.sleep(LINGER)

    def _started(self):
        words = [
            sys.executable,
            "-c",
            PROGRAM,
            self.bug,
            "serve",
            str(self.folder / "live/app.toml"),
        ]
        process = subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT
        )
        if not process.stdout.readline().startswith("listening"):
            self.wrong.append("the program did not start")
        return process

    def _check(self, name):
        """Compare a copy of the files with what was acknowledged until now."""
        fresh, acknowledged = self.folder / name, [*self.acknowledged]
        fresh.mkdir()
        for path in (self.folder / "live").glob("news.db*"):
            if not path.name.endswith("-lock"):
                shutil.copy(path, fresh)
        self.wrong += violations(fresh / "news.db", acknowledged)

    def _operator(self):
        """Note the state, and want a snapshot."""
        url, headers = f"http://127.0.0.1:{self.port}/v1/news", {"content-type": "application/json"}
        try:
            with urlopen(f"{url}/state", timeout=60) as response:
                state = json.load(response)
            self.acknowledged.append(["state", state["seq"], state["sha256"]])
            with urlopen(Request(f"{url}/snapshot", b"{}", headers), timeout=60) as response:
                response.read()
        except OSError as error:
            self.wrong.append(f"the program did not answer: {error!r}")

    def _client(self, i):
        rng, n = random.Random(f"{self.seed} {i}"), 0
        with onearm.Client(f"http://127.0.0.1:{self.port}", "news", retries=20) as client:
            while not self.ending.is_set():
                n += 1
                try:
                    self._visit(client, f"{self.seed}-{i}-{n}", rng)
                except ServiceError as error:
                    self.wrong.append(f"client {i} was refused: {error}")

    def _visit(self, client, event, rng):
        """Decide for a visitor and give the reward, with what may go wrong on the way."""
        context = {"age": rng.randrange(20, 60), "device": rng.choice(["phone", "desktop"])}
        decided = client.decide(context, event_id=event)
        names = ("event_id", "label", "propensity", "seq", "model_seq", "policy")
        self.acknowledged.append(["decided", *(getattr(decided, name) for name in names)])
        if rng.random() < 0.2 and client.decide(context, event_id=event) != decided:
            self.wrong.append(f"I2: {event} was decided twice")
        if rng.random() < 0.1:
            return  # the default reward comes
        if rng.random() < 0.05:
            time.sleep(1.5 * WAIT)
        reward = rng.randrange(2)
        settled = client.feedback(event, reward)
        if settled.status != "late":
            self.retried += settled.status == "duplicate"  # an answer was lost, not the reward
            self.acknowledged.append(["applied", event, float(reward), settled.seq])
            again = client.feedback(event, reward)
            if again.status != "duplicate":
                self.wrong.append(f"I2: the reward of {event} was {again.status} twice")


ENVIRONMENT = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}


def main():
    parser = argparse.ArgumentParser(description="Kill a server and check what it keeps.")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--bug", default="", help="a planted bug; default: none")
    given = parser.parse_args()
    print(json.dumps(vars(killed(given.rounds, given.seed, given.bug))))


if __name__ == "__main__":
    main()
