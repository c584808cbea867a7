"""Vowpal Wabbit: from a file, and from Python."""

import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from bench.speed.streams import ERROR_ROWS, Rows, features, lines
from bench.timing import Timing, child, format_command

EXPLORERS = {"VW epsilon": ("--epsilon", "0.05"), "VW squarecb": ("--cb_explore_adf", "--squarecb")}


@dataclass
class FromFile:
    """A stream read from a binary cache that was made before, which is its fastest way.

    The time of starting, measured on a file of one row, is subtracted.
    """

    folder: Path
    rows: Rows
    name: str
    whole: Timing = field(init=False)
    start: Timing = field(default_factory=Timing)

    def __post_init__(self) -> None:
        self.whole = Timing(len(self.rows.y))
        for stem, n in ((self.rows.name, len(self.rows.y)), ("one", 1)):
            text = self.folder / f"{stem}.txt"
            text.write_text("\n".join(lines(self.rows, n)) + "\n")
            child(self.command(stem), cwd=self.folder)  # leaves the cache behind
        self.whole.error = self.error()

    def command(self, stem: str, *more: str) -> list[str]:
        """Return the command line; `one` is the file of one row."""
        cache = f"{stem}-{self.name.split()[-1]}-{self.rows.k}.cache"
        files = ("--cache_file", cache, "-d", f"{stem}.txt")
        explorer = ("--cbify", str(self.rows.k), *EXPLORERS[self.name])
        return [sys.executable, "-m", "vowpalwabbit", *explorer, *files, *(more or ("--quiet",))]

    def error(self) -> float:
        """Return the progressive error over as many rows as the known errors are for."""
        n = min(len(self.rows.y), ERROR_ROWS[self.rows.name])
        command = self.command(self.rows.name, "--examples", str(n))
        printed = child(command, cwd=self.folder)
        loss = re.search(r"average loss = ([\d.]+)", printed)
        if loss is None or "using cache_file" not in printed:
            raise RuntimeError(f"{format_command(command)} read no cache or gave no average loss")
        return float(loss[1])

    def run(self) -> None:
        child(self.command("one"), self.start, cwd=self.folder, free=True)
        child(self.command(self.rows.name), self.whole, cwd=self.folder, free=True)

    def record(self) -> dict:
        command = format_command(self.command(self.rows.name))
        return {"command": command, **self.net().record(), "start": self.start.record()}

    def net(self) -> Timing:
        return self.whole.less(self.start)


def workspace(*options: str):
    from vowpalwabbit import Workspace

    return Workspace(arg_list=[*options, "--quiet"])


def cbify(model, texts: Iterable[str], y: list[int]) -> int:
    """Predict and learn in one call, its fastest way from Python; return the number of errors.

    The line contains the true label and --cbify hides it. `get_multiclass_prediction` is half as
    long as `get_prediction`, which looks up the type first.
    """
    wrong = 0
    for text, truth in zip(texts, y, strict=True):
        example = model.example(text)
        model.learn(example)
        wrong += example.get_multiclass_prediction() != truth + 1
        model.finish_example(example)
    return wrong


def cbify_rows(model, rows: list, y: list[int]) -> int:
    """Do the same from NumPy rows, whose lines are made here."""
    texts = (f"{truth + 1} {features(x)}" for x, truth in zip(rows, y, strict=True))
    return cbify(model, texts, y)


def cb_explore(model, texts: list[str], y: list[int]) -> int:
    """Predict, sample, get feedback, then learn, as where nobody knows the true label."""
    random, wrong = Random(0), 0
    for text, truth in zip(texts, y, strict=True):
        example = model.example(text)
        chances = model.predict(example)
        model.finish_example(example)
        (label,) = random.choices(range(len(chances)), chances)
        answer = f"{label + 1}:{int(label != truth)}:{chances[label]} {text}"
        example = model.example(answer)
        model.learn(example)
        model.finish_example(example)
        wrong += label != truth
    return wrong
