"""Chorus with other constants: changes that were tried, each on the same orders of the rows.

Stores each run in results/chorus/trials.jsonl and writes trials.md there; re-running plays what is
missing. Seed s is that of the order and of the features.
"""

import math
from collections import defaultdict
from typing import NamedTuple

import numpy as np

from bench.bakeoff import sets
from bench.benchmark import PlayedBenchmark, last_run, run_record
from bench.chorus.variants import with_doubt, with_kernels
from onearm import Chorus, datasets
from onearm.chorus import rounds
from onearm.chorus.features import features
from onearm.chorus.memory import remember
from onearm.chorus.rows import weighed
from onearm.chorus.voices import VARIANCE
from onearm.core.kernels import bind, kernel
from onearm.experiments.job import OnProgress, Record
from papers.markdown import table
from papers.playing import play_timed

INLINED = {"forceinline": True}
REPEATS = 8


@kernel
def idf(count, rounds):
    """Replace `rarity`: its square."""
    return 1.0 + math.log((2.0 + rounds) / (1.0 + count))


@kernel
def equal(count, rounds):
    """Replace `rarity`: rare words count as frequent ones."""
    return 1.0


@kernel
def squared(sure, top):
    """Replace `doubt`: its square, which is small where the learner is nearly as sure as ever."""
    return max(0.0, top[0] - sure) ** 2


class Narrow(Chorus):
    """Chorus whose widths start at less than a third; after a drift they start as usual."""

    def start(self) -> None:
        super().start()
        self.weights[:, VARIANCE] /= 10.0


def with_rarity(name: str, rarity: object) -> type[Chorus]:
    weights = bind(weighed, f"{name}.weighed", INLINED, rarity=rarity)
    inputs = bind(features, f"{name}.features", INLINED, weighed=weights)
    return with_kernels(name, look=bind(rounds.look, f"{name}.look", INLINED, features=inputs))


STORING = bind(remember, "Storing.remember", RULED_OUT=-0.8)
CLASSES = {
    "idf in place of its root": with_rarity("Idf", idf),
    "no idf": with_rarity("Unweighted", equal),
    "wrong rows stored above -0.8": with_kernels(
        "Storing", update=bind(rounds.update, "Storing.update", remember=STORING)
    ),
    "ridge of own 0.1": Narrow,
    "(q - p)² and α = 0.3": with_doubt("Squared", squared),
}
ALPHAS = {"α = 0.4": 0.4, "(q - p)² and α = 0.3": 0.3}
TEXTS = ("newsgroups", "reuters", "rcv1-sample")
NUMBERS = ("letter", "pendigits", "usps", "digits")
ON_TEXTS = ("idf in place of its root", "no idf", "α = 0.4")
SMALL = (  # of the bake-off's development half; labels are noise in many, or most are the same
    "ecoli", "analcatdata_marketing", "brazil_tourism", "spectrometer", "cylinder_bands",
    "credit_approval", "eucalyptus", "pima", "authorship", "anneal", "pc1", "hall_of_fame",
    "contraceptive", "wine_red", "cjs",
)  # fmt: skip
EARLY = ("ridge of own 0.1", "(q - p)² and α = 0.3")
ON_NUMBERS = ("wrong rows stored above -0.8", "α = 0.4", *EARLY)
PLAN = (
    dict.fromkeys(TEXTS, ("as it is", *ON_TEXTS))
    | dict.fromkeys(NUMBERS, ("as it is", *ON_NUMBERS))
    | dict.fromkeys(SMALL, ("as it is", *EARLY))
)


class Job(NamedTuple):
    """A run of a variant on a shuffled data set."""

    stream: str
    variant: str
    seed: int

    def configuration(self) -> Record:
        """Return what identifies the run; other code is no other run."""
        return self._asdict()

    def play(self, progress: OnProgress) -> Record:
        if self.stream in SMALL:
            rows = sets.repeat(self.stream, self.seed)
        else:
            rows = datasets.load(self.stream).shuffled(self.seed)
        given = {"alpha": ALPHAS[self.variant]} if self.variant in ALPHAS else {}
        learner = rows.learner(CLASSES.get(self.variant, Chorus), seed=self.seed, **given)
        return run_record(*play_timed(learner, rows))

    def summary(self, record: Record) -> str:
        run = f"{self.variant} on {self.stream}, seed {self.seed}"
        return f"{run}: {record['error']:.4f} in {record['cpu_seconds']:.1f} s"


def jobs() -> list[Job]:
    seeds = range(1, REPEATS + 1)
    return [Job(name, variant, s) for name in PLAN for variant in PLAN[name] for s in seeds]


def report(records: list[Record]) -> str:
    errors: dict[tuple[str, str], dict[int, float]] = defaultdict(dict)
    for record in records:
        errors[record["stream"], record["variant"]][record["seed"]] = record["error"]
    lines, ratios = [], defaultdict(list)
    for name in PLAN:
        whole = np.array([errors[name, "as it is"][s] for s in range(1, REPEATS + 1)])
        lines.append([name, "as it is", f"{100 * whole.mean():.2f}", "", ""])
        for variant in PLAN[name][1:]:
            other = np.array([errors[name, variant][s] for s in range(1, REPEATS + 1)])
            ratio = other.mean() / whole.mean()
            lower = f"{(other < whole).sum()} of {REPEATS}"
            lines.append(
                [name, variant, f"{100 * other.mean():.2f}", f"{100 * (ratio - 1):+.1f}", lower]
            )
            if name in SMALL:
                ratios[variant].append(ratio)
    for variant, all_ratios in ratios.items():
        change = 100 * (math.exp(np.log(all_ratios).mean()) - 1)
        lower = f"{sum(ratio < 1 for ratio in all_ratios)} of {len(SMALL)} sets"
        lines.append([f"the last {len(SMALL)}", variant, "", f"{change:+.1f}", lower])
    head = ["data set", "variant", "error, %", "change, %", "lower in"]
    return f"""# Chorus with other constants

{last_run("chorus.trials", records)}
Total error in %, mean of {REPEATS} orders of the rows; its change; in how many orders it is lower.
At the end the geometric mean of the change over the small sets of the bake-off's development half.

{table(head, lines)}
"""


main = PlayedBenchmark("chorus.trials", __doc__, "chorus/trials.jsonl", jobs, report).main
