"""Meanings: what a start has changed since the one before, in words for who has started it."""

from collections.abc import Iterator, Sequence
from typing import Any

from onearm.service.requests import Change

UNTOLD = ("start", "given")  # records of what the other ones say


def meanings(changed: Sequence[Change], champion: str) -> Iterator[tuple[str, str]]:
    """Return the changes of a start with what each of them means."""
    for what, body, _ in changed:
        if what not in UNTOLD:
            yield what, _meaning(what, body, champion)


def _meaning(what: str, body: dict[str, Any], champion: str) -> str:
    if what == "add_policy":
        policy, name = body["policy"], body["learner"]["name"]
        learnt = "it has learnt from the log and goes on learning, but decides nothing"
        return f"{policy!r} ({name}) is a challenger: {learnt}; {_decides(champion)}"
    if what == "remove_policy":
        return f"{body['policy']!r} is gone: it learns and is compared no more"
    if what == "add_label":
        return f"{body['label']!r} can be chosen from now on"
    if what == "retire_label":
        return f"{body['label']!r} is chosen no more; feedback for earlier choices still counts"
    if what == "settings":
        values = ", ".join(f"{name} = {value}" for name, value in body.items())
        return f"{values} from now on; decisions that wait keep the time that they were given"
    if what == "schema":
        return "the columns are others: all policies have learnt anew from the stored contexts"
    return (
        "the code, a library or the processor is another one: a snapshot was stored, and "
        "`onearm verify` compares earlier records to 1e-9"
    )


def not_deciding(given: str, champion: str) -> str | None:
    """Return what to know if the [learner] of the file is not the policy that decides."""
    if given == champion:
        return None
    return f"[learner] of the file is {given!r}, but {_decides(champion)}"


def _decides(champion: str) -> str:
    return f"{champion!r} decides, as the log says, until another is promoted by POST .../promote"
