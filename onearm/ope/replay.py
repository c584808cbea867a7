"""Replay: a policy is run on the events of a log whose label it would have chosen, too.

An event is kept with probability π(a|x)/(p M), where M is at least the largest ratio π/p: then the
kept events are those that the policy would have seen, each choice with its own probability. With
uniform logging over k labels M is k, and an event is kept where the policy draws the logged label.
A policy that learns sees kept events only: so its rewards are those of choosing for itself, on
fewer events.

L. Li, W. Chu, J. Langford, X. Wang. Unbiased offline evaluation of contextual-bandit-based news
article recommendation algorithms. WSDM 2011.
"""

from typing import NamedTuple

import numpy as np

from onearm.core.rng import seeded, uniform
from onearm.log.events import Events
from onearm.log.log import Log
from onearm.ope.policies import Learning, Policy
from onearm.ope.weighing import Progress, weight

DRAWS = 4  # the generator of a seed: learners and streams have those before


class Replayed(NamedTuple):
    """The rewards of the events that were kept, and how many there were."""

    reward: np.ndarray
    n_events: int
    most: float  # M


def replay(
    log: Log, policy: Policy, max_weight: float | None = None, seed: int = 0,
    advance: Progress | None = None,
) -> Replayed:  # fmt: skip
    """Return what the policy earned on the events that it would have seen.

    `max_weight` is M; by default 1 over the least chance in the log.
    """
    policy.start(log)
    most = _largest_ratio(log) if max_weight is None else max_weight
    rng, kept, done, n = seeded(seed, DRAWS), [], log.start, 0
    for events in log.chunks():
        places = np.arange(done, done + len(events))
        done += len(events)
        fine = events.is_judged & policy.can_judge(events, places)
        some, places = events.part(fine), places[fine]
        n += len(some)
        draws = np.array([uniform(rng) for _ in range(len(some))])
        kept.append(_kept(policy, some, places, draws, most))
        if advance:
            advance(len(events))
    return Replayed(np.concatenate(kept) if kept else np.empty(0), n, most)


def _kept(
    policy: Policy, events: Events, places: np.ndarray, draws: np.ndarray, most: float
) -> np.ndarray:
    p = events.logged_chance
    if not isinstance(policy, Learning):
        ratio = weight(policy.chances(events, places), events.label, p)
        _require_bound(ratio, most)
        return events.reward[draws * most < ratio]
    rewards = []
    for t in range(len(events)):
        event = events.part(slice(t, t + 1))
        ratio = policy.of_event(event)[events.label[t]] / p[t]
        _require_bound(np.array([ratio]), most)
        if draws[t] * most < ratio:
            policy.learn(event)
            rewards.append(events.reward[t])
    return np.array(rewards, float)


def _require_bound(ratio: np.ndarray, most: float) -> None:
    if (ratio > most * (1 + 1e-9)).any():
        raise ValueError(f"max_weight must be at least {ratio.max():g}, got {most:g}")


def _largest_ratio(log: Log) -> float:
    least = 1.0
    for events in log.judged():
        if len(events):
            least = min(least, float(events.logged_chance.min()))
            if events.chances is not None:
                positive = events.chances[events.chances > 0]
                least = min(least, float(positive.min(initial=1.0)))
    return 1 / least
