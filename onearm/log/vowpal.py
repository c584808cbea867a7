"""Vowpal Wabbit's text: `action:cost:probability | features`, the actions being the labels.

Where only some actions were allowed, the others among these stand beside the chosen one without a
cost: `1 2:0.5:0.25 4 | …`. A tag is the event id. Features are hashed as `onearm.read` does.

Events of several lines begin with `shared | features`, whose features are the context; line j
after it is action j, and the chosen one begins with `action:cost:probability`. Blank lines stand
between events. The number of lines may vary: those that are there were allowed.

Written: a line for each event, with features by name where the log has columns by name
(`named_features`), which are read with the same `schema`; else they are called f0, f1, …, read with
`hashed=False`, and missing numbers become 0. Action j is the j-th label of the schema. Names of
labels, greedy labels, chances, policies, versions and times are not stored; nor are events without
a reward, of which is warned, nor the outcome "default", which becomes "reported".
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from onearm.log.actions import ActionFeatures, Stated, action_log, as_action, encoded
from onearm.log.log import Log
from onearm.log.named_features import context_of
from onearm.log.rows import Rows
from onearm.log.text import Fields, Numbered, number_in
from onearm.schema.schema import Schema
from onearm.streams.text_lines import lines
from onearm.streams.vowpal import features, split_head, split_line

Lines = list[tuple[int, str]]  # with their numbers


def read_vowpal(
    path: Path, *, schema: Schema | None = None, costs: tuple[float, float] = (0.0, 1.0),
    feedback: str = "reward", n_classes: int | None = None, n_features: int | None = None,
    hashed: bool = True, ignore_action_features: bool = False, chances: str | None = None,
    name: str | None = None,
) -> Log:  # fmt: skip
    """Return the log in a file of Vowpal Wabbit's text; rewards are minus the costs."""
    stated = Stated(
        costs, feedback, n_classes, n_features, hashed, ignore_action_features, schema, chances
    )
    first = next((line for line in lines(path) if line.strip()), "")
    events = _several_lines if _is_shared(first) else _single_lines
    return action_log(path, stated, partial(events, path, stated), name)


def _is_shared(line: str) -> bool:
    return line.split("|")[0].split()[:1] == ["shared"]


def _single_lines(path: Path, stated: Stated, rows: Rows) -> Numbered:
    for at, line in enumerate(lines(path), 1):
        if line.strip():
            try:
                yield at, _event(line, stated, rows)
            except ValueError as error:
                yield at, str(error)


def _event(line: str, stated: Stated, rows: Rows) -> Fields:
    head, rest = split_line(line)
    words, tag = split_head(head)
    chosen = [word for word in words if ":" in word]
    if len(chosen) != 1:
        got = head.strip()[:80]
        raise ValueError(f"must have one action:cost:probability before the bar, got {got!r}")
    event = _choice(chosen[0], stated)
    event["label"] = as_action(chosen[0].partition(":")[0])
    if len(words) > 1:
        event["allowed"] = [as_action(word.partition(":")[0]) for word in words]
    event["event_id"] = tag or None
    event["x"] = _row(rest, stated, rows)
    return event


def _choice(word: str, stated: Stated) -> Fields:
    """Return the reward and the propensity of `action:cost:probability`."""
    parts = word.split(":")
    if len(parts) != 3:
        raise ValueError(f"must be action:cost:probability, got {word!r}")
    cost, probability = number_in(parts[1]), number_in(parts[2])
    if cost != cost:
        raise ValueError(f"the cost must be a number, got {word!r}")
    return {"reward": stated.reward(cost), "propensity": probability}


def _row(text: str, stated: Stated, rows: Rows) -> object:
    if stated.schema is not None and stated.schema.columns:
        return encoded(context_of(text, stated.schema), stated.schema, rows)
    total = features(text, stated.column())
    return rows.of_pairs(list(total), list(total.values()))


def _several_lines(path: Path, stated: Stated, rows: Rows) -> Numbered:
    own = ActionFeatures(path.name, stated.ignore_action_features)
    for block in _blocks(path):
        at = next((n for n, line in block if ":" in line.partition("|")[0]), block[0][0])
        try:
            event = _block_event(block, stated, rows)
        except ValueError as error:
            yield at, str(error)
            continue
        for action, (n, line) in enumerate(block[1:], 1):
            own.require_same(str(action), " ".join(line.partition("|")[2].split()), n)
        yield at, event


def _blocks(path: Path) -> Iterator[Lines]:
    """Yield lines between blank ones."""
    block: Lines = []
    for at, line in enumerate(lines(path), 1):
        if line.strip():
            block.append((at, line))
        elif block:
            yield block
            block = []
    if block:
        yield block


def _block_event(block: Lines, stated: Stated, rows: Rows) -> Fields:
    (_, shared), *actions = block
    if not _is_shared(shared) or not actions:
        raise ValueError("an event must be a line `shared |`, then a line for each action")
    heads = [split_head(split_line(line)[0])[0] for _, line in actions]
    chosen = [j for j, words in enumerate(heads) if words]
    if len(chosen) != 1 or len(heads[chosen[0]]) != 1:
        raise ValueError(f"one action must have action:cost:probability, got {len(chosen)}")
    event = _choice(heads[chosen[0]][0], stated)
    event["label"] = as_action(chosen[0] + 1)
    event["allowed"] = [as_action(j) for j in range(1, len(actions) + 1)]
    event["event_id"] = split_head(split_line(shared)[0])[1]
    event["x"] = _row(split_line(shared)[1], stated, rows)
    return event
