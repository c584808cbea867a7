"""Planted bugs of models, replay and snapshots."""

import json
import time
from zlib import crc32

import numpy as np

from onearm.core import saving
from onearm.service import models as models_module
from onearm.service import replay, snapshots
from onearm.service.models import Models

learn, learn_all, choose_row = Models.learn, Models.learn_all, Models.choose_row
follow_row = Models.follow_row


def skip_first(models, pairs):
    """Begin the replay of a tail one outcome too late."""
    pairs = list(pairs)
    learn_all(models, pairs[1:] if models.loaded_from else pairs)


def clock_in_update(models, outcome, decision):
    """Weigh a reward by the time at which it is learnt."""
    weight = 1.0 - 1e-6 * (time.perf_counter() % 1.0)
    learn(models, outcome._replace(reward=outcome.reward * weight), decision)


def keep_agent(store, settings, policy, control):
    """Roll back to the record before the rollback."""
    return replay.recover(store, control.seq - 1)[1].agents[policy]


def forget_rollback(settings, control):
    new = changed_settings(settings, control)
    return settings if control.what == "rollback" else new


def unchecked(store, seq):
    """Load a snapshot without any check of its digests."""
    data, _ = store.snapshot(seq)
    header, _, rest = data.partition(b"\n")
    about, agents, begin = json.loads(header), {}, 0
    for name, size in about["sizes"].items():
        part = rest[begin : begin + size]
        _, parameters, arrays = saving._parsed(part)
        agents[name] = models_module.Agent.loaded(parameters, arrays)
        begin += size
    loaded = Models(agents, about["champion"], about["seq"])
    loaded.loaded_from = seq
    return loaded


def round_propensity(models, x, among, event_id):
    """Recompute the propensity from the probabilities of the others."""
    chosen = choose_row(models, x, among, event_id)
    pmf = np.frombuffer(chosen.pmf)
    chosen.propensity = float(1.0 - (pmf.sum() - pmf[chosen.label]))
    return chosen


def stale_propensity(models, x, among, event_id):
    """Log the probabilities of the state of before."""
    chosen = choose_row(models, x, among, event_id)
    before = getattr(models, "before", None)
    if before is not None and len(before) == len(chosen.pmf) and among is None:
        chosen.pmf, models.before = before, chosen.pmf
    else:
        models.before = chosen.pmf
    return chosen


def uniform_label(models, x, among, event_id):
    """Log probabilities, but choose uniformly, one time in two."""
    chosen = choose_row(models, x, among, event_id)
    ids, number = models.agent._labels.active_ids, crc32(event_id.encode())
    if among is None and number % 2:
        chosen.label = int(ids[number // 2 % len(ids)])
        chosen.propensity = float(np.frombuffer(chosen.pmf)[chosen.label])
    return chosen


def scaled_pmf(models, x, among, event_id):
    """Log probabilities that do not sum up to 1."""
    chosen = choose_row(models, x, among, event_id)
    chosen.pmf = (1.01 * np.frombuffer(chosen.pmf)).tobytes()
    return chosen


def model_of_baseline(models, x, among, event_id, baseline):
    """Log the probabilities of the champion, though it did not choose."""
    chosen = follow_row(models, x, among, event_id, baseline)
    chosen.pmf = choose_row(models, x, among, event_id).pmf
    chosen.propensity = float(np.frombuffer(chosen.pmf)[chosen.label])
    return chosen


def unmarked_baseline(models, x, among, event_id, baseline):
    """Log decisions of a baseline as those of the champion."""
    chosen = follow_row(models, x, among, event_id, baseline)
    chosen.policy = models.champion
    return chosen


changed_settings = replay.changed_settings
MACHINE, VERIFY = "state machine", "verify"
BUGS = (
    ("recovery off by one", "I3", "the first outcome after a snapshot is not replayed",
     ((Models, "learn_all", skip_first),), (MACHINE, "crash loop")),
    ("clock in the update", "I3", "what is learnt depends on when",
     ((Models, "learn", clock_in_update),), (MACHINE, VERIFY, "crash loop")),
    ("rollback learns what is in between", "I8", "a rollback changes nothing",
     ((replay, "_rolled_back", keep_agent),), (MACHINE,)),
    ("snapshot without a check of its hash", "I3", "a damaged snapshot is loaded",
     ((replay, "load_snapshot", unchecked), (snapshots, "load_snapshot", unchecked)), (MACHINE,)),
    ("propensity recomputed", "I4", "the propensity is 1 minus the others, after sampling",
     ((Models, "choose_row", round_propensity),), (MACHINE, VERIFY)),
    ("stale probabilities", "I4", "the probabilities of the decision before are logged",
     ((Models, "choose_row", stale_propensity),), (MACHINE, VERIFY)),
    ("label not sampled as logged", "I11", "half of the labels are sampled uniformly",
     ((Models, "choose_row", uniform_label),), ("long run",)),
    ("probabilities that do not sum to 1", "I11", "probabilities are logged 1 % too large",
     ((Models, "choose_row", scaled_pmf),), ("long run", MACHINE)),
    ("baseline with the model's chances", "I11", "a baseline decides, the champion's are logged",
     ((Models, "follow_row", model_of_baseline),), (MACHINE, VERIFY)),
    ("baseline not marked", "I11", "a baseline's decision is logged as the champion's",
     ((Models, "follow_row", unmarked_baseline),), (MACHINE, VERIFY)),
)  # fmt: skip
