"""Off-policy evaluation: what other policies would have earned, from the log of one."""

from onearm.ope.given import Column, Function
from onearm.ope.policies import Constant, Frozen, Greedy, Learning, Uniform

__all__ = ["Column", "Constant", "Frozen", "Function", "Greedy", "Learning", "Uniform"]
