"""A demonstration: an app on a real data set, whose visitors come by chance and answer late.

A visitor is a row of `letter`: 16 numbers about the picture of a capital letter. The service
guesses the letter, and some seconds later hears whether it was right; from one in ten, never.
"""

import asyncio
import random
import threading
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from onearm.service.app import App, parse
from onearm.service.async_client import AsyncClient
from onearm.service.exchange import ServiceError
from onearm.streams.datasets import load

PER_SECOND = 40  # visitors, on average
DELAY = 2.0  # seconds until feedback, on average
SILENT = 0.1  # share of visitors who never answer
MOST = 1000  # visitors at a time


def demo_app(folder: Path, port: int = 0) -> App:
    """Return the app of the demonstration, with its file in a folder."""
    columns = dict.fromkeys(load("letter").feature_names, "number")
    return parse(
        {
            "name": "demo", "labels": list(ascii_uppercase), "schema": columns, "wait": "10s",
            "learner": {"name": "Chorus"}, "challengers": {"linear": {"name": "InverseGap"}},
            "server": {"port": port, "file": "demo.db"},
        },
        folder,
    )  # fmt: skip


class Visitors:
    """Simulated visitors of a service, in a thread of their own."""

    def __init__(self, seed: int = 0) -> None:
        self.random = random.Random(seed)
        letters = load("letter")
        X, y = letters.shuffled(seed).arrays()
        self.rows = [dict(zip(letters.feature_names, x, strict=True)) for x in X.tolist()]
        self.letters = [ascii_uppercase[label] for label in y]
        self.tasks: set[asyncio.Task] = set()

    def start(self, address: str) -> None:
        """Begin to visit."""
        threading.Thread(target=lambda: asyncio.run(self._come(address)), daemon=True).start()

    async def _come(self, address: str) -> None:
        client = AsyncClient(address, "demo", retries=1)
        number = 0
        while True:
            await asyncio.sleep(self.random.expovariate(PER_SECOND))
            if len(self.tasks) < MOST:
                task = asyncio.ensure_future(self._visit(client, number % len(self.rows)))
                self.tasks.add(task)
                task.add_done_callback(self.tasks.discard)
                number += 1

    async def _visit(self, client: Any, row: int) -> None:
        try:
            decision = await client.decide(self.rows[row])
            if self.random.random() >= SILENT:
                await asyncio.sleep(self.random.expovariate(1 / DELAY))
                await client.feedback(decision.event_id, float(decision.label == self.letters[row]))
        except ServiceError:
            pass  # the service is ending
