"""Chorus without one of its parts.

A voice falls silent by endless answers that speak for a weight of 0: the conductor then judges the
others as if it were not there. Other parts are kernels in which a name is bound otherwise.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from onearm.chorus import chorus
from onearm.chorus.chorus import Chorus, begin, features
from onearm.chorus.conductor import DRAW
from onearm.chorus.memory import recall, remember
from onearm.chorus.rows import scaled
from onearm.chorus.voices import teach
from onearm.core.kernels import bind, kernel
from onearm.streams.stream import Stream

ENDLESS = 1e300  # answers that speak for a weight: no number of others moves it
INLINED = {"forceinline": True}
WAVES = {"256 waves": 256, "4096 waves": 4096}


@kernel
def never(sure, reward, change):
    """In place of `alarmed`: the world does not change."""
    return False


@kernel
def always(sure, top):
    """In place of `doubt`: however sure it is."""
    return 1.0


@kernel
def error(sure, top):
    """In place of `doubt`: how often it must expect to be wrong."""
    return 1.0 - sure


@kernel
def begin_again(W, P, S, b, c, top, Y, kept, C, M, N):
    """In place of `begin`: weights that are settled stay what they are."""
    before = c.copy()
    settled = np.diag(S) > math.sqrt(ENDLESS)
    begin(W, P, S, b, c, top, Y, kept, C, M, N)
    for i in range(len(c)):
        if settled[i]:
            S[i, i], b[i], c[i] = ENDLESS, ENDLESS * before[i], before[i]


def other(name: str, **kernels: Any) -> type[Chorus]:
    """Return Chorus with other kernels."""
    usual = {n: getattr(chorus, n) for n in ("look", "scores", "chances", "choose")}
    return type(name, (Chorus,), {}, **(usual | {"update": chorus.update} | kernels))


def taught(name: str, **constants: float) -> type[Chorus]:
    """Return Chorus whose own and bold learn with other constants."""
    learn = bind(teach, f"{name}.teach", **constants)
    return other(name, update=bind(chorus.update, f"{name}.update", teach=learn))


def doubting(name: str, doubt: Any) -> type[Chorus]:
    """Return Chorus that explores otherwise."""
    return other(name, look=bind(chorus.look, f"{name}.look", INLINED, doubt=doubt))


@kernel
def recall_all(u, rows, Y, q, said):
    """In place of `recall`: wrong answers count in full."""
    recall(u, rows, Y, 1.0, said)


@kernel
def teach_all(at, phi, first, last, label, right, q, own, bold, W, P):
    """In place of `teach`: the same."""
    teach(at, phi, first, last, label, right, 1.0, own, bold, W, P)


SURE = other(
    "Sure",
    look=bind(chorus.look, "Sure.look", INLINED, recall=recall_all),
    update=bind(chorus.update, "Sure.update", teach=teach_all),
)
REACHING = bind(scaled, "Far.scaled", INLINED, FARTHEST=4.0)
FAR = other(
    "Far",
    look=bind(chorus.look, "Far.look", INLINED,
              features=bind(features, "Far.features", INLINED, scaled=REACHING)),
)  # fmt: skip
KEEPING_ALL = bind(remember, "Hoarding.remember", KNOWN=np.inf, RULED_OUT=-np.inf)
SILENCED = other("Silenced", update=bind(chorus.update, "Silenced.update", begin=begin_again))
CLASSES = {
    "every row is kept": other(
        "Hoarding", update=bind(chorus.update, "Hoarding.update", remember=KEEPING_ALL)
    ),
    "widths everywhere": doubting("Wide", always),
    "widths by 1 - p": doubting("Wider", error),
    "bold is not bold": taught("Tame", WRONG=0.0, ANGER=1.0),
    "wrong counts in full": SURE,
    "far values": FAR,
    "no forgetting": taught("Keeping", KEEP=1.0),
    "without echo": other("Deaf", update=bind(chorus.update, "Deaf.update", alarmed=never)),
}
SILENT: dict[str, Callable[[str, str], bool]] = {  # by the kind of a voice, and what it is over
    "without own": lambda kind, over: kind == "own",
    "without bold": lambda kind, over: kind == "bold",
    "without waves": lambda kind, over: over == "waves",
    "without numbers": lambda kind, over: over == "numbers",
    "without memory": lambda kind, over: kind == "memory",
    "memory by A only": lambda kind, over: over == "as it is",
    "memory without A": lambda kind, over: over == "by A",
    "equal weights": lambda kind, over: False,
}
PARAMETERS = {"no exploration": {"alpha": 0.0}} | {n: {"waves": F} for n, F in WAVES.items()}
VARIANTS = ("whole", *SILENT, *PARAMETERS, *CLASSES)


def voices(learner: Chorus) -> list[tuple[str, str]]:
    """Return the kind of each voice, and what it is over: the echo is the last."""
    if not len(learner.edges):
        return [("own", "text"), ("bold", "text"), ("echo", "")]
    over = [(kind, group) for group in ("waves", "numbers") for kind in ("own", "bold")]
    return [*over, ("memory", "as it is"), ("memory", "by A"), ("echo", "")]


def made(variant: str, rows: Stream, seed: int) -> Chorus | None:
    """Return a variant for a stream, or nothing where it has no such part."""
    cls = SILENCED if variant in SILENT else CLASSES.get(variant, Chorus)
    learner = rows.learner(cls, seed=seed, **PARAMETERS.get(variant, {}))
    if variant not in SILENT:
        return learner
    silent = np.array([SILENT[variant](*voice) for voice in voices(learner)])
    left = len(silent) - 1 - silent.sum()  # besides the echo
    if left == 0 or not (silent.any() or variant == "equal weights"):
        return None
    c = learner.c[:-1]
    c[:] = np.where(silent, 0.0, 1.0 / left)
    certain = np.where(silent | (variant == "equal weights"), ENDLESS, DRAW)
    np.fill_diagonal(learner.S[:-1, :-1], certain)
    learner.b[:-1] = certain * c
    return learner
