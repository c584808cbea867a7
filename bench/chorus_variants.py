"""Chorus without one of its parts.

A voice falls silent by endless answers that speak for a weight of 0: the conductor then judges the
others as if it were not there. Other parts are kernels in which a name is bound otherwise.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from onearm.chorus import chorus
from onearm.chorus.chorus import Chorus
from onearm.chorus.conductor import DRAW
from onearm.chorus.voices import teach
from onearm.kernels import bind, kernel
from onearm.streams.stream import Stream

ENDLESS = 1e300  # answers that speak for a weight: no number of others moves it
BUDGETS = {"budget 50,000": 50_000, "budget 800,000": 800_000}
WAVES = ("short", "long")


@kernel
def never(sure, reward, change):
    """In place of `alarmed`: the world does not change."""
    return False


@kernel
def hopeless(said, label):
    """In place of `lead`: the chorus must always expect to be wrong."""
    return -1e9


def other(name: str, **kernels: Any) -> type[Chorus]:
    """Return Chorus with other kernels."""
    usual = {n: getattr(chorus, n) for n in ("look", "scores", "chances", "choose", "possible")}
    return type(name, (Chorus,), {}, **(usual | {"update": chorus.update} | kernels))


def taught(name: str, **constants: float) -> type[Chorus]:
    """Return Chorus whose own and bold learn with other constants."""
    learn = bind(teach, f"{name}.teach", **constants)
    return other(name, update=bind(chorus.update, f"{name}.update", teach=learn))


CLASSES = {
    "widths everywhere": other(
        "Wide", look=bind(chorus.look, "Wide.look", {"forceinline": True}, lead=hopeless)
    ),
    "bold is not bold": taught("Tame", WRONG=0.0, ANGER=1.0),
    "no forgetting": taught("Keeping", KEEP=1.0),
    "without echo": other("Deaf", update=bind(chorus.update, "Deaf.update", alarmed=never)),
}
SILENT: dict[str, Callable[[str, str], bool]] = {  # by the kind of a voice, and what it is over
    "without own": lambda kind, over: kind == "own",
    "without bold": lambda kind, over: kind == "bold",
    "without exact": lambda kind, over: kind == "exact",
    "without waves": lambda kind, over: over in WAVES or kind == "exact",
    "without numbers": lambda kind, over: over == "numbers",
    "short waves only": lambda kind, over: over == "long",
    "long waves only": lambda kind, over: over == "short",
    "equal weights": lambda kind, over: False,
}
PARAMETERS = {"no exploration": {"alpha": 0.0}} | {n: {"budget": b} for n, b in BUDGETS.items()}
VARIANTS = ("whole", *SILENT, *PARAMETERS, *CLASSES)


def voices(learner: Chorus) -> list[tuple[str, str]]:
    """Return the kind of each voice, and what it is over: the echo is the last."""
    if not len(learner.edges):
        return [("own", "text"), ("bold", "text"), ("echo", "")]
    over = [(kind, group) for group in (*WAVES, "numbers") for kind in ("own", "bold")]
    return [*over, ("exact", "some of all"), ("echo", "")]


def made(variant: str, rows: Stream, seed: int) -> Chorus | None:
    """Return a variant for a stream, or nothing where it has no such part."""
    learner = rows.learner(CLASSES.get(variant, Chorus), seed=seed, **PARAMETERS.get(variant, {}))
    if variant not in SILENT:
        return learner
    all_of_them = voices(learner)
    silent = np.array([SILENT[variant](*voice) or voice[0] == "echo" for voice in all_of_them])
    if silent.all() or (silent.sum() == 1 and variant != "equal weights"):
        return None
    c = learner.c[:-1]
    c[:] = np.where(silent, 0.0, 1.0 / (~silent).sum())
    certain = np.where(silent | (variant == "equal weights"), ENDLESS, DRAW)
    np.fill_diagonal(learner.S[:-1, :-1], certain)
    learner.b[:-1] = certain * c
    return learner
