"""Chorus without one of its parts.

A base model (voice) is silenced by an infinite amount of evidence for a stacking weight of 0; the
others are then weighted as if it did not exist. Other parts are replaced by binding other kernels.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from onearm.chorus import rounds
from onearm.chorus.chorus import Chorus
from onearm.chorus.conductor import PRIOR
from onearm.chorus.features import features
from onearm.chorus.memory import recall, remember
from onearm.chorus.rounds import begin
from onearm.chorus.rows import scaled
from onearm.chorus.voices import teach
from onearm.core.kernels import bind, kernel
from onearm.streams.stream import Stream

ENDLESS = 1e300  # evidence for a weight: no amount of other evidence moves it
INLINED = {"forceinline": True}
WAVES = {"256 waves": 256, "4096 waves": 4096}


@kernel
def never(sure, reward, change):
    """Replace `alarmed`: no change is ever detected."""
    return False


@kernel
def always(sure, top):
    """Replace `doubt`: explore regardless of the confidence."""
    return 1.0


@kernel
def error(sure, top):
    """Replace `doubt`: explore by the expected error."""
    return 1.0 - sure


@kernel
def begin_again(voices, memory, scatter, labelled, conductor):
    """Replace `begin`: fixed weights stay as they are."""
    S, b, c, _, _, _, _ = conductor
    before = c.copy()
    fixed = np.diag(S) > math.sqrt(ENDLESS)
    begin(voices, memory, scatter, labelled, conductor)
    for i in range(len(c)):
        if fixed[i]:
            S[i, i], b[i], c[i] = ENDLESS, ENDLESS * before[i], before[i]


def with_kernels(name: str, **kernels: Any) -> type[Chorus]:
    defaults = {n: getattr(rounds, n) for n in ("look", "scores", "chances", "choose")}
    return type(name, (Chorus,), {}, **(defaults | {"update": rounds.update} | kernels))


def with_constants(name: str, **constants: float) -> type[Chorus]:
    """Return Chorus whose base models learn with other constants."""
    learn = bind(teach, f"{name}.teach", **constants)
    return with_kernels(name, update=bind(rounds.update, f"{name}.update", teach=learn))


def with_doubt(name: str, doubt: Any) -> type[Chorus]:
    """Return Chorus with another rule of exploration."""
    bound = bind(rounds.hopeful, f"{name}.hopeful", INLINED, doubt=doubt)
    kernels = {
        part: bind(getattr(rounds, part), f"{name}.{part}", INLINED, hopeful=bound)
        for part in ("choose", "chances")
    }
    return with_kernels(name, **kernels)


@kernel
def recall_all(u, rows, Y, q, m):
    """Replace `recall`: wrong labels count in full."""
    recall(u, rows, Y, 1.0, m)


@kernel
def teach_all(at, phi, first, last, label, reward, right, q, own, bold, W, P):
    """Replace `teach`: wrong labels count in full."""
    teach(at, phi, first, last, label, reward, right, 1.0, own, bold, W, P)


SURE = with_kernels(
    "Sure",
    look=bind(rounds.look, "Sure.look", INLINED, recall=recall_all),
    update=bind(rounds.update, "Sure.update", teach=teach_all),
)
REACHING = bind(scaled, "Far.scaled", INLINED, FARTHEST=4.0)
FAR = with_kernels(
    "Far",
    look=bind(rounds.look, "Far.look", INLINED,
              features=bind(features, "Far.features", INLINED, scaled=REACHING)),
)  # fmt: skip
KEEPING_ALL = bind(remember, "Hoarding.remember", KNOWN=np.inf, RULED_OUT=-np.inf)
SILENCED = with_kernels(
    "Silenced", update=bind(rounds.update, "Silenced.update", begin=begin_again)
)
CLASSES = {
    "every row is kept": with_kernels(
        "Hoarding", update=bind(rounds.update, "Hoarding.update", remember=KEEPING_ALL)
    ),
    "widths everywhere": with_doubt("Wide", always),
    "widths by 1 - p": with_doubt("Wider", error),
    "bold is not bold": with_constants("Tame", WRONG=0.0, ANGER=1.0),
    "wrong counts in full": SURE,
    "far values": FAR,
    "no forgetting": with_constants("Keeping", KEEP=1.0),
    "without echo": with_kernels("Deaf", update=bind(rounds.update, "Deaf.update", alarmed=never)),
}
SILENT: dict[str, Callable[[str, str], bool]] = {  # by the kind of a base model and its features
    "without own": lambda kind, over: kind == "own",
    "without bold": lambda kind, over: kind == "bold",
    "without waves": lambda kind, over: over == "waves",
    "without numbers": lambda kind, over: over == "numbers",
    "without memory": lambda kind, over: kind == "memory",
    "memory by A only": lambda kind, over: over == "as it is",
    "memory without A": lambda kind, over: over == "by A",
    "equal weights": lambda kind, over: False,
}
PARAMETERS = {"no exploration": {"alpha": 0.0}} | {n: {"n_components": F} for n, F in WAVES.items()}
NOT_FOR_TEXTS = (  # texts have none of these parts
    "without waves", "without numbers", "without memory", "memory by A only", "memory without A",
)  # fmt: skip
VARIANTS = ("whole", *SILENT, *PARAMETERS, *CLASSES)


def voices(learner: Chorus) -> list[tuple[str, str]]:
    """Return the kind of each base model and its features; the frozen model is the last."""
    if not len(learner.edges):
        return [("own", "text"), ("bold", "text"), ("echo", "")]
    over = [(kind, group) for group in ("waves", "numbers") for kind in ("own", "bold")]
    near = [("memory", "as it is"), ("memory", "by A")]
    return [*over, *near, ("rates", ""), ("forest", ""), ("echo", "")]


def make(variant: str, rows: Stream, seed: int) -> Chorus:
    """Return a variant for a stream; there is none where the stream has no such part."""
    cls = SILENCED if variant in SILENT else CLASSES.get(variant, Chorus)
    learner = rows.learner(cls, raw=True, seed=seed, **PARAMETERS.get(variant, {}))
    if variant not in SILENT:
        return learner
    silent = np.array([SILENT[variant](*voice) for voice in voices(learner)])
    left = len(silent) - 1 - silent.sum()  # besides the echo
    if left == 0 or not (silent.any() or variant == "equal weights"):
        raise ValueError(f"variant must be of a part that {rows.name} has, got {variant!r}")
    c = learner.stacking_weights[:-1]
    c[:] = np.where(silent, 0.0, 1.0 / left)
    certain = np.where(silent | (variant == "equal weights"), ENDLESS, PRIOR)
    np.fill_diagonal(learner.lead_products[:-1, :-1], certain)
    learner.lead_rewards[:-1] = certain * c
    return learner
