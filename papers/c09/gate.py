"""A candidate reading of C09: steps -1 only where the score is not negative already.

The printed Algorithm 2 makes a step whenever the margin is below 1, so after each right answer the
other classes are pushed to a score of -1 on that row. On texts a class whose score is pushed down
by shared words is never chosen again. `gate` of ConservativeOVA leaves such steps out: those after
a right answer, or all. That contradicts the printed algorithm; it is played here because errors
come closer to the paper's, and on other data to see what it costs.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

import onearm
from onearm import Stream, SynNonSep
from onearm.experiments.identity import learner_identity
from onearm.experiments.job import OnProgress, Record
from onearm.linear.conservative import GATES
from onearm.streams import datasets
from papers.c09.paper import METHODS, OVA, printed
from papers.c09.runs import ALL_ROUNDS, MAIN, stream
from papers.claims import percent
from papers.markdown import table
from papers.records import grouped
from papers.replication import Options, Replication, Request
from papers.trial import Trial

PRINTED = ("newsgroups", "usps", "mnist")
PREPARED = {  # entries of the catalogue, played with the rows that learners get by default
    "letter": "letter", "pendigits": "pendigits", "covtype": "covtype",
    "newsgroups-tfidf": "newsgroups",
}  # fmt: skip
SYNTHETIC = "synnonsep"
DATA_SETS = (*PRINTED, *PREPARED, SYNTHETIC)
ROUNDS, QUICK_ROUNDS = 100_000, 2000  # at most, of rows without a number of the paper
RUNS = 5


@dataclass(frozen=True, order=True)
class Job(Trial):
    """What is to be played."""

    data: str
    method: str
    gate: str
    seed: int
    rounds: int

    def make(self, rows: Stream) -> Any:
        """Return a new learner."""
        _, parameters = METHODS[self.method]
        more: dict[str, Any] = {**parameters, "gate": self.gate, "seed": self.seed}
        return rows.learner(onearm.ConservativeOVA, raw=self.data not in PREPARED, **more)

    def configuration(self) -> Record:
        """Return everything that decides the results."""
        sizes = onearm.ConservativeOVA(2, 2, **METHODS[self.method][1], gate=self.gate)
        return self.values() | learner_identity(sizes)

    def play(self, progress: OnProgress) -> Record:
        """Play to the end; `starved` labels are never chosen in the second half."""
        stream = rows(self.data, self.seed, self.rounds)
        trace = self.make(stream).play(stream)
        half = len(trace.label) // 2
        return {
            "played": len(trace.label),
            "error": round(float((~trace.correct).mean()), 6),
            "n_classes": stream.n_classes,
            "starved": stream.n_classes - len(np.unique(trace.label[half:])),
        }


@lru_cache(maxsize=1)
def rows(data: str, seed: int, rounds: int) -> Stream:
    """Return the rows in the order in which the run with this seed plays them."""
    if data in PRINTED:
        return stream(data, MAIN, seed, rounds)
    if data == SYNTHETIC:
        return SynNonSep(min(rounds, ROUNDS), unit=True, seed=seed)
    return datasets.load(PREPARED[data]).shuffled(seed).first(min(rounds, ROUNDS))


def jobs(request: Request, _: list[Record]) -> list[Job]:
    """Return all forms where the paper has numbers, and PA-I elsewhere."""
    rounds = QUICK_ROUNDS if request.options.quick else ALL_ROUNDS
    return [
        Job(data, method, gate, seed, rounds)
        for data in DATA_SETS
        for seed in range(max(request.options.runs or RUNS, RUNS))
        for method in (OVA if data in PRINTED else ("OVA PA-I",))
        for gate in GATES
    ]


def text(records: list[Record], _: Options) -> list[str]:
    """Return both tables in Markdown."""
    cells = grouped(records, "data", "method", "gate")
    notes = """\
Error in percent; ± half the width of a 95 % interval. `gate` = "none" is the printed algorithm.
"right" leaves out steps -1 after a right answer where the score is negative already, "all" also
those after a wrong one. In brackets: how many labels are never chosen in the second half of a run,
its mean. A gate is a candidate reading that contradicts the printed Algorithm 2, not the paper's.\
"""
    others = f"""\
Other data, PA-I with C = 1: at most {ROUNDS:,} rounds, rows as a learner prepares them by default
(SynNonSep: norm 1)."""
    return [notes, _table(cells, True), others, _table(cells, False)]


def _cut(records: list[Record], options: Options) -> list[str]:
    runs = sorted({len(cell) for cell in grouped(records, "data", "method", "gate").values()})
    first = [f"first {QUICK_ROUNDS:,} rounds"] * options.quick
    return [f"{', '.join(map(str, runs))} runs", *first]


def _table(cells: dict, named: bool) -> str:
    lines = []
    for data, method in dict.fromkeys(cell[:2] for cell in cells if (cell[0] in PRINTED) == named):
        shown = [_shown(cells.get((data, method, gate), [])) for gate in GATES]
        paper = [f"{100 * printed(data, method):.2f}"] if named else []
        lines.append([data, method, *paper, *shown])
    head = ["data", "method", *["the paper's"] * named]
    return table([*head, *(f'"{gate}"' for gate in GATES)], lines)


def _shown(runs: list[Record]) -> str:
    if not runs:
        return ""
    starved = np.mean([run["starved"] for run in runs])
    errors = percent([run["error"] for run in runs])
    return f"{errors} ({starved:.1f} of {runs[0]['n_classes']})"


REPLICATION = Replication(
    stages=(jobs,), title="Conservative one-vs-all with a gate", report="gate.md", text=text,
    cut=_cut, ledger="gate.jsonl",
    names=(DATA_SETS, OVA, GATES), defaults=Options(runs=RUNS), quick=Options(runs=2),
)  # fmt: skip
