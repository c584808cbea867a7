"""A job of a table: fields that decide what is played, and how it is printed."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from onearm.experiments.identity import learner_identity
from onearm.experiments.job import OnProgress, Record


@dataclass(frozen=True, order=True)
class Trial:
    """A job that is its fields, and the code of the learner that it makes, if it makes one."""

    def values(self) -> Record:
        """Return the fields by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def constants(self) -> Record:
        """Return what decides the results, too, and is the same for all jobs of its kind."""
        return {}

    def make(self) -> Any:
        """Return a new learner, if that is what is played."""

    def configuration(self) -> Record:
        """Return everything that decides the results."""
        learner = self.make()
        identity = {} if learner is None else learner_identity(learner)
        return self.values() | self.constants() | identity

    def play(self, progress: OnProgress) -> Record:
        """Play to the end."""
        raise NotImplementedError  # every table has its own

    def summary(self, record: Record) -> str:
        """Return the fields and the numbers of a run in a line, of lists the means."""
        given = " ".join(str(value) for value in self.values().values() if value is not None)
        shown = [f"{name} {np.mean(v):.4g}" for name, v in record.items() if _is_numeric(v)]
        return f"{given}: {', '.join(shown)}"


def _is_numeric(value: Any) -> bool:
    numbers = value if isinstance(value, list) else [value]
    return bool(numbers) and all(type(number) in (int, float) for number in numbers)
