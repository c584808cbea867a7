"""The floor of an agent: each of the m labels that are allowed has a chance of at least 0.02/m.

A floor is a parameter, and compiled calls are bound to parameters. So for another number of allowed
labels there is a view of the learner, with a floor and calls of its own and everything else shared:
arrays, generators and lock.
"""

from typing import Any

from onearm.core.estimator import CALLS

SHARE = 0.02  # of the choices, which is spread over the allowed labels


class Floors:
    """Views of an agent's learner, by the number of allowed labels."""

    def __init__(self) -> None:
        self.views: dict[int, Any] = {}
        self.parameters: dict[str, Any] = {}  # of the learner that is viewed

    def view(self, learner: Any, m: int) -> Any:
        """Return the learner as it chooses among m labels."""
        parameters = learner.params()
        if parameters != self.parameters:  # one was set, or there are more labels
            self.views, self.parameters = {}, parameters
        if m not in self.views:
            self.views[m] = with_floor(learner, SHARE / m)
        return self.views[m]


def with_floor(learner: Any, floor: float) -> Any:
    """Return a learner that shares all with another except its floor."""
    view = object.__new__(type(learner))
    content = {name: value for name, value in vars(learner).items() if name not in CALLS}
    if "inner" in content:  # of Prepared
        content["inner"] = with_floor(content["inner"], floor)
    else:
        content["floor"] = floor
    vars(view).update(content)
    return view
