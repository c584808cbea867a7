"""Policies by name: what a user gives as a policy, turned into one.

"logged", "uniform", "always LABEL"
"soba", "inversegap scale=40"       a new learner, with parameters, that learns along the log
"model.safetensors"                 a saved learner or agent, frozen
a learner, an agent                 frozen; `ope.Greedy(learner)`, `ope.Learning(learner)` otherwise
a class of learners                 a new one that learns along the log
an array, a function of the rows    probabilities or labels
"""

from collections.abc import Iterable, Mapping
from copy import copy
from pathlib import Path
from typing import Any

import numpy as np

import onearm
from onearm.core.choice import class_name
from onearm.core.learner import Learner
from onearm.core.parameters import from_texts, parameters
from onearm.log.log import Log
from onearm.ope.given import Column, Function
from onearm.ope.policies import (
    Constant,
    Frozen,
    Learning,
    Logged,
    Policy,
    Uniform,
)
from onearm.schema.names import did_you_mean

MADE = ("n_classes", "n_features", "nominal")  # parameters that follow from the log


def as_policies(given: Any, log: Log, unseen: bool = False) -> list[Policy]:
    """Return policies of a list, of a dict by name, or of a single one."""
    if isinstance(given, Mapping) and given:
        return [_called(as_policy(spec, log, unseen), str(name)) for name, spec in given.items()]
    single = isinstance(given, str | Policy | np.ndarray) or not isinstance(given, Iterable)
    policies = [as_policy(spec, log, unseen) for spec in ([given] if single else given)]
    if not policies:
        raise ValueError("policies must be at least one, got none")
    names = [policy.name for policy in policies]
    for policy in policies:
        if names.count(policy.name) > 1:
            raise ValueError(f"policies must have different names, got {policy.name!r} again")
    return policies


def _called(policy: Policy, name: str) -> Policy:
    if name == Logged.name and not isinstance(policy, Logged):
        raise ValueError(f"{name!r} is the policy that wrote the log: call another otherwise")
    policy.name = name
    return policy


def as_policy(spec: Any, log: Log, unseen: bool = False) -> Policy:
    """Return the policy that is meant; `unseen`: if it is a model, it has not seen the log."""
    if isinstance(spec, Policy):
        policy = copy(spec)
        policy.unseen = spec.unseen or unseen
        return policy
    if isinstance(spec, str | Path):
        return _named(str(spec), log, unseen)
    if isinstance(spec, type) and issubclass(spec, Learner):
        return Learning(log.learner(spec), spec.__name__)
    if isinstance(spec, Learner | onearm.Agent):
        return Frozen(spec, unseen=unseen)
    if isinstance(spec, np.ndarray | list):
        return Column(spec)
    if callable(spec):
        return Function(spec)
    allowed = "a name, a learner, an agent, a class of learners, an array or a function"
    raise ValueError(f"a policy must be {allowed}, got {spec!r}")


def _named(text: str, log: Log, unseen: bool) -> Policy:
    if text == "logged":
        return Logged()
    if text == "uniform":
        return Uniform()
    if text.startswith("always "):
        return Constant(text.removeprefix("always ").strip())
    if text.endswith(".safetensors"):
        model = onearm.load(text)
        if not isinstance(model, Learner | onearm.Agent):
            wrong = f"{Path(text).name} is a {class_name(model)}"
            raise ValueError(f"a saved policy must be a learner or an agent: {wrong}")
        return Frozen(model, Path(text).name, unseen)
    name, *settings = text.split() or [""]
    known = {learner.lower(): learner for learner in onearm.LEARNERS}
    if name.lower() not in known:
        hint = did_you_mean(name, [*known.values(), "logged", "uniform"])
        allowed = "logged, uniform, always LABEL, a learner or a saved model (.safetensors)"
        raise ValueError(f"a policy must be {allowed}, got {text!r}{hint}")
    cls = getattr(onearm, known[name.lower()])
    free = [p.name for p in parameters(cls) if p.name not in MADE]
    given = from_texts(settings, free, f"a parameter of {cls.__name__}")
    return Learning(log.learner(cls, **given), text)
