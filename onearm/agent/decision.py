"""Decision: what an agent chose, by name, as an object or as JSON."""

import json
from collections.abc import Mapping
from numbers import Real
from typing import Any, NamedTuple

from onearm.schema.names import listed
from onearm.schema.values import shown

Label = str | int  # the name of a label


class Decision(NamedTuple):
    """What an agent chose, with all that must come back for it to learn from the reward.

    Examples
    --------
    >>> decision = Decision("tech", "sports", 0.01, ("sports", "tech"), 12)
    >>> decision.to_json()
    '{"label": "tech", "greedy": "sports", "propensity": 0.01, "among": ["sports", "tech"], ...}'
    >>> Decision.from_json(decision.to_json()) == decision
    True
    """

    label: Label  # the chosen label
    greedy: Label | None  # the label without exploration; None if another policy chose
    propensity: float  # the probability with which `label` was chosen
    among: tuple[Label, ...] = ()  # the labels that were allowed
    version: int = 0  # how many updates the model had had

    def to_json(self) -> str:
        """Return the decision as JSON."""
        return json.dumps(self._asdict(), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> "Decision":
        """Return the decision that `to_json` wrote; any other text gets a ValueError."""
        try:
            content = json.loads(text)
        except (ValueError, RecursionError) as error:
            reason = str(error) or "nested too deeply"
            raise ValueError(f"a choice must be JSON: {reason}, got {shown(text)}") from None
        return as_decision(content)


REQUIRED = ("label", "greedy", "propensity")


def as_decision(choice: Any) -> Decision:
    """Return a choice given as an object, a dict, JSON or (label, greedy, propensity).

    What names a dict has besides is left out: a log may have more to tell.
    """
    if type(choice) is Decision:
        return choice
    if isinstance(choice, str | bytes | bytearray):
        return Decision.from_json(bytes(choice) if isinstance(choice, bytearray) else choice)
    if isinstance(choice, Mapping):
        missing = [name for name in REQUIRED if name not in choice]
        if missing:
            got = f"only {listed(choice)}" if choice else "nothing"
            raise ValueError(f"a choice must have {listed(REQUIRED)}, got {got}")
        choice = [choice[name] for name in Decision._fields if name in choice]
    if not isinstance(choice, list | tuple) or not 3 <= len(choice) <= 5:
        raise ValueError(
            "a choice must be what `choose` returned, as it is, as a dict or as JSON, got "
            f"{shown(choice)}"
        )
    decision = Decision(*choice)
    propensity: Any = decision.propensity
    if not isinstance(propensity, Real):
        raise ValueError(f"propensity must be a number, got {shown(propensity)}")
    if not isinstance(decision.among, list | tuple):
        raise ValueError(f"among of a choice must be labels, got {shown(decision.among)}")
    return decision._replace(among=tuple(decision.among))
