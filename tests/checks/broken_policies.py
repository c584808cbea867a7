"""Learners with a defect each in what they make of the choices of other policies."""

from dataclasses import dataclass

from tests.checks.broken_plain import GOOD, Plain


@dataclass
class Provincial(Plain, **GOOD):
    """Takes the label of another policy for its own greedy one."""

    def update(self, x, choice, correct, truth=None):
        label, greedy, p = choice
        super().update(x, (label, label if greedy is None else greedy, p), correct, truth)


@dataclass
class Careful(Plain, **GOOD):
    """Refuses the choices of other policies without a reason."""

    off_policy = False

    def update(self, x, choice, correct, truth=None):
        if choice[1] is None:
            raise ValueError("no")
        super().update(x, choice, correct, truth)
