"""Estimator: what learners and regressors share, and AdaBoostMH as far as it is not scikit-learn's.

An estimator is a dataclass of parameters and state. It is made in three steps: `validate` checks
the parameters, `plan` derives what all sizes depend on, and only then arrays are made. So a file is
compared with its parameters before it can ask for memory. Afterwards sizes and arrays stay: a
parameter may be changed if it is not fixed, and is checked as at first.
"""

import copy
from dataclasses import MISSING, dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from onearm.core import saving
from onearm.core.locking import Lock
from onearm.core.memory import Shapes, require_room
from onearm.core.parameters import checked, document, parameters
from onearm.core.state import allocate, require_ranges, require_shapes, shapes, state_fields

TRANSIENT = ("lock", "dense_calls", "sparse_calls")  # attributes that copies and files leave out


class Shared(saving.Saveable):
    """What many threads may use at once, one after the other; a copy is one moment's state."""

    lock: Lock

    def __getstate__(self) -> dict[str, Any]:
        kept = {name: value for name, value in vars(self).items() if name not in TRANSIENT}
        return self.lock.run(copy.deepcopy, kept)

    def __setstate__(self, kept: dict[str, Any]) -> None:
        vars(self).update(kept)
        vars(self)["lock"] = self._new_lock()

    def __copy__(self) -> Self:
        return copy.deepcopy(self)  # two estimators over the same arrays would need one lock

    def _new_lock(self) -> Lock:
        return Lock()


@dataclass(eq=False)
class Estimator(Shared):
    """Parameters and state, checked, locked and saved."""

    marks: ClassVar[tuple[str, ...]] = ()  # class variables that say what it can do
    way_out: ClassVar[str] = "use fewer features or classes, or set onearm.max_bytes"

    def __init_subclass__(cls) -> None:
        document(cls)

    def __post_init__(self) -> None:
        self._prepare()
        self._build()

    def _prepare(self) -> None:
        for parameter in parameters(self):
            setattr(self, parameter.name, checked(parameter, getattr(self, parameter.name)))
        self.parts: tuple = ()  # what else holds arrays that learning changes, as trees
        self.validate()
        self.plan()
        require_room(f"{self}", self.shapes() | self.scratch(), self.way_out)

    def _build(self) -> None:
        allocate(self)
        for part in self.parts:
            part.allocate()
        self.start()
        self.lock = self._new_lock()
        self._sealed = frozenset({*vars(self), *self.marks, "_sealed"})

    def validate(self) -> None:
        """Refuse parameters that do not go together."""

    def plan(self) -> None:
        """Derive what sizes depend on and set `parts`; nothing large is made yet."""

    def scratch(self) -> Shapes:
        """Return shape and type of large arrays besides the state."""
        return {}

    def start(self) -> None:
        """Set what the fields of the state do not say by themselves."""

    def require_sound(self, saved: dict[str, np.ndarray]) -> None:
        """Refuse saved state whose arrays do not go together, each within its range."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name in vars(self).get("_sealed", ()):
            self._change(name, value)
        else:
            super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        if name in vars(self).get("_sealed", ()):
            raise AttributeError(f"{name} of {type(self).__name__} cannot be deleted")
        super().__delattr__(name)

    def _change(self, name: str, value: Any) -> None:
        """Change a parameter that is not fixed; refuse all else that was there from the start."""
        known = {parameter.name: parameter for parameter in parameters(self)}
        mine = type(self).__name__
        if name not in known:
            raise AttributeError(f"{name} of {mine} cannot be replaced once it is made")
        if known[name].metadata["fixed"]:
            raise AttributeError(f"{name} of {mine} is fixed once it is made: make another {mine}")
        self.lock.run(self._store, name, checked(known[name], value))

    def _store(self, name: str, value: Any) -> None:
        before, vars(self)[name] = vars(self)[name], value
        try:
            self.validate()
        except ValueError:
            vars(self)[name] = before
            raise
        for prepared in TRANSIENT[1:]:
            vars(self).pop(prepared, None)

    def params(self) -> dict[str, Any]:
        """Return the parameters that make an estimator like this one."""
        return {p.name: getattr(self, p.name) for p in parameters(self)}

    def shapes(self) -> Shapes:
        """Return shape and type of every array that learning changes, by name."""
        all_shapes = shapes(self)
        for part in self.parts:
            all_shapes |= part.shapes()
        return all_shapes

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays that learning changes, by name."""
        own = {f.name: getattr(self, f.name) for f in state_fields(self)}
        return own | {name: a for part in self.parts for name, a in part.arrays().items()}

    def content(self) -> dict[str, np.ndarray]:
        """Return the arrays without room that is still unused: what is saved and compared."""
        return self.arrays() | {n: a for part in self.parts for n, a in part.content().items()}

    def save(self, path: str | Path) -> None:
        """Write the estimator, as it is at one moment, to a file for `onearm.load`."""
        saving.save(type(self), path, *self.lock.run(self._moment))

    def _moment(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        return self.params(), {name: array.copy() for name, array in self.content().items()}

    @classmethod
    def loaded(cls, given: dict[str, Any], saved: dict[str, np.ndarray]) -> Self:
        """Return an estimator from what was saved of it."""
        made = cls._planned(given)
        expected = shapes(made)
        for part in made.parts:
            expected |= part.content_shapes(saved)
        require_shapes(saved, expected, cls.__name__)
        require_ranges(saved, made)
        for owner in (made, *made.parts):
            owner.require_sound(saved)
        made._build()
        for part in made.parts:
            part.make_room(saved)
        for name, array in made.content().items():
            array[...] = saved[name]
        return made

    @classmethod
    def _planned(cls, given: dict[str, Any]) -> Self:
        """Return an estimator with these parameters, its arrays not yet made."""
        known = {parameter.name: parameter for parameter in parameters(cls)}
        for name in given.keys() - known.keys():
            raise ValueError(f"{cls.__name__} has no parameter {name!r}")
        made = cls.__new__(cls)
        for name, parameter in known.items():
            if name not in given and parameter.default is MISSING:
                raise ValueError(f"{name} must be {parameter.metadata['allowed']}, got nothing")
            setattr(made, name, given.get(name, parameter.default))
        made._prepare()
        return made
