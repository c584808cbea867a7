"""Warming up: kernels are compiled before the first request, which would wait for them."""

import json
from typing import TYPE_CHECKING

import numpy as np

from onearm.agent.rows import chances_row, choose_row
from onearm.ope.sequences import Running
from onearm.service.models import new_agent

if TYPE_CHECKING:
    from onearm.service.app import App
    from onearm.service.core import Core


def warm_up(core: "Core") -> None:
    """Decide and learn once with copies of the policies that have learnt nothing."""
    settings = core.settings
    for name, learner in settings["policies"].items():
        agent = new_agent(settings, learner)
        x = agent.schema.encode({agent.schema.names[0]: None})
        choice = choose_row(agent, x, None, "").choice
        agent.learner.update(x, choice, 1.0 if agent.feedback == "reward" else True)
        if name != settings["champion"] or settings.get("apprentice"):
            chances_row(agent, x, None)
            other = (choice.label, None, choice.propensity)
            agent.learner.update(x, other, 1.0 if agent.feedback == "reward" else True)
    Running(0.0).add(np.array([0.5]))  # of the watcher, which would hold up decisions


def warm_app(app: "App") -> None:
    """Let a service of these settings decide, learn and replay once, in memory."""
    from onearm.service import replay
    from onearm.service.clock import Clock
    from onearm.service.core import Core
    from onearm.service.memory import MemoryStore
    from onearm.service.requests import Decide, Feedback

    core = Core(MemoryStore(), app.settings, Clock())
    context = json.dumps({core.models.agent.schema.names[0]: None}).encode()
    first = Decide("warm", context, baseline=app.settings["labels"][0])
    for request in (first, Feedback("warm", 1.0)):
        (answer,) = core.handle([request])
        assert answer.status == 200, answer.body
    warm_up(core)
    replay.replayed(core.store, 0, None, core.seq)
