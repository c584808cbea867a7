"""Warming up: kernels are compiled before the first request, which would wait for them."""

from typing import TYPE_CHECKING

from onearm.agent.rows import chances_row, choose_row
from onearm.service.models import new_agent

if TYPE_CHECKING:
    from onearm.service.core import Core


def warm_up(core: "Core") -> None:
    """Decide and learn once with copies of the policies that have learnt nothing."""
    settings = core.settings
    for name, learner in settings["policies"].items():
        agent = new_agent(settings, learner)
        x = agent.schema.encode({agent.schema.names[0]: None})
        choice = choose_row(agent, x, None, "").choice
        agent.learner.update(x, choice, 1.0 if agent.feedback == "reward" else True)
        if name != settings["champion"]:
            chances_row(agent, x, None)
            other = (choice.label, None, choice.propensity)
            agent.learner.update(x, other, 1.0 if agent.feedback == "reward" else True)
