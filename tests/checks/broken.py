"""Learners with one defect each, to show that every check can fail."""

import math
from dataclasses import dataclass

import numpy as np

from onearm import EpsilonGreedy
from onearm.core.explore import best, runner_up, uniformly
from onearm.core.kernels import kernel
from onearm.core.learner import state
from onearm.core.rng import uniform
from onearm.core.vectors import add, size
from onearm.linear.banditron import update
from tests.checks.broken_plain import GOOD, Plain
from tests.checks.broken_policies import Careful, Provincial


@kernel
def counting_choose(s, among, rng, W, gamma):
    W[0, 0] += 1e-3  # choosing must not learn
    return uniformly(best(s, among), among, gamma, rng)


@kernel
def boastful_choose(s, among, rng, W, gamma):
    label, greedy, p = uniformly(best(s, among), among, gamma, rng)
    return label, greedy, math.sqrt(p)  # more than the truth


@kernel
def deaf_choose(s, among, rng, W, gamma):
    return uniformly(np.argmax(s), np.arange(len(s)), gamma, rng)  # whatever is allowed


@kernel
def contrary_choose(s, among, rng, W, gamma):
    label, greedy, p = uniformly(best(s, among), among, gamma, rng)
    return label, among[(greedy + 1) % len(among)], p


@kernel
def fickle_choose(s, among, rng, W, gamma):
    greedy = best(s, among)
    if uniform(rng) < 0.3:
        greedy = among[(greedy + 1) % len(among)]
    return uniformly(greedy, among, gamma, rng)


@kernel
def wayward_choose(s, among, rng, W, gamma):
    greedy = best(s, among)
    if len(among) == len(s) and uniform(rng) < 0.8:
        greedy = runner_up(s, greedy)
    return uniformly(greedy, among, gamma, rng)


@kernel
def backward_update(x, s, label, greedy, propensity, reward, truth, rng, W, gamma):
    if label == truth:
        add(-1.0 / propensity, x, W, label)
    add(1.0, x, W, greedy)


@kernel
def storing_update(x, s, label, greedy, propensity, reward, truth, rng, W, gamma):
    update(x, s, label, greedy, propensity, reward, truth, rng, W, gamma)
    W[0, 0] += 1e-3 * size(x)  # how much is stored differs between dense and sparse


@kernel
def careless_update(x, s, label, greedy, propensity, reward, truth, rng, W, gamma):
    # in double precision when compiled, in single when not
    add(np.float32(0.1) * 3.0, x, W, label if label == truth else greedy)


@dataclass
class Forgetful(Plain, **GOOD):
    """Stepwise: update forgets what choose returned, and takes the greedy label for it."""

    def update(self, x, choice, correct, truth=None):
        super().update(x, (choice[1], choice[1], 1.0), correct and choice[0] == choice[1], truth)


@dataclass
class BulkForgetful(Plain, **GOOD):
    def learn(self, X, trace, y=None):
        super().learn(X, trace._replace(correct=np.zeros(len(trace.label), bool)), y)


@dataclass
class Restarting(Plain, **GOOD):
    """Every play begins with new weights."""

    def play(self, X, y=None, **options):
        self.weights[...] = 0
        return super().play(X, y, **options)


@dataclass
class Leaky(Plain, **GOOD):
    """Saves one array as it was in the beginning."""

    def save(self, path):
        before = self.weights.copy()
        self.weights[...] = 0.0
        super().save(path)
        self.weights[...] = before


@dataclass
class Seedless(Plain, **GOOD):
    made = 0

    def start(self):
        super().start()
        Seedless.made += 1
        self.choosing[0] += np.uint64(Seedless.made)


@dataclass
class Impure(Plain, **{**GOOD, "choose": counting_choose}):
    pass


@dataclass
class Peeking(Plain, **GOOD):
    """Learns from the hidden labels."""

    def play(self, X, y=None, **options):
        trace = super().play(X, y, **options)
        for x, label in zip(X, y, strict=True):
            self.weights[:, label] += 1e-3 * x
        return trace


@dataclass
class Boastful(Plain, **{**GOOD, "choose": boastful_choose}):
    pass


@dataclass
class Fickle(Plain, **{**GOOD, "choose": fickle_choose}):
    """Draws the greedy label too, but its chances know nothing of that draw."""

    random_greedy = True


@dataclass
class Wayward(Plain, **{**GOOD, "choose": wayward_choose}):
    """Draws the greedy label, and mostly another one than it predicts."""

    random_greedy = True


@dataclass
class Deaf(Plain, **{**GOOD, "choose": deaf_choose}):
    pass


@dataclass
class Remembering(Plain, **GOOD):
    """Learns from the row that it chose for last, not from the one of the feedback."""

    def choose(self, x, among=None, rng=None):
        self.last = x
        return super().choose(x, among, rng)

    def update(self, x, choice, correct, truth=None):
        super().update(getattr(self, "last", x), choice, correct, truth)


@dataclass
class Storing(Plain, **{**GOOD, "update": storing_update}):
    pass


@dataclass
class Choosy(Plain, **GOOD):
    """Rounds what does not come as float64."""

    def scores(self, X):
        return super().scores(
            X if isinstance(X, np.ndarray) and X.itemsize == 8 else np.round(X, 3)
        )


@dataclass
class Growing(Plain, **GOOD):
    def play(self, X, y=None, **options):
        trace = super().play(X, y, **options)
        vars(self)["weights"] = self.weights.copy()  # past the guard
        return trace


@dataclass
class Gullible(Plain, **GOOD):
    """Takes propensities that no policy has."""

    def update(self, x, choice, correct, truth=None):
        fine = isinstance(choice, tuple) and len(choice) == 3 and choice[2] == 0.0
        super().update(x, (*choice[:2], 1.0) if fine else choice, correct, truth)


@dataclass
class Hasty(Plain, **GOOD):
    """Refuses, but has already learnt."""

    def update(self, x, choice, correct, truth=None):
        self.weights += 1.0
        super().update(x, choice, correct, truth)


@dataclass
class Mute(Plain, **GOOD):
    """Fails without a reason."""

    def choose(self, x, among=None, rng=None):
        try:
            return super().choose(x, among, rng)
        except ValueError:
            raise ValueError from None


@dataclass
class Backward(Plain, **{**GOOD, "update": backward_update}):
    pass


@dataclass
class Contrary(Plain, **{**GOOD, "choose": contrary_choose}):
    pass


@dataclass
class Rounding(EpsilonGreedy):
    """Takes a reward one by one, but only as right or wrong."""

    def update(self, x, choice, correct, truth=None):
        super().update(x, choice, correct >= 0.5, truth)


@dataclass
class Careless(Plain, **{**GOOD, "update": careless_update}):
    pass


@dataclass
class Mixing(Plain, **GOOD):
    """Gives new labels the places of old ones."""

    def with_labels(self, n_classes):
        grown = super().with_labels(n_classes)
        grown.weights[...] = np.roll(grown.weights, 1, axis=1)
        return grown


@dataclass
class Vague(Plain, **GOOD):
    """Does not say which axis of its weights is that of the labels."""

    weights: np.ndarray = state(lambda self: (self.n_features, self.n_classes))


BROKEN = {
    "labels_can_be_added": [Mixing, Vague],
    "same_seed_same_bits": [Seedless],
    "stepwise_equals_play": [Forgetful],
    "learn_equals_play": [BulkForgetful],
    "chunked_equals_whole": [Restarting],
    "compiled_equals_plain": [Careless],
    "save_load_resumes": [Leaky],
    "late_feedback_is_accepted": [Remembering],
    "rewards_are_accepted": [Rounding],
    "state_shapes_are_fixed": [Growing],
    "beats_chance": [Backward],
    "choose_is_pure": [Impure],
    "hidden_labels_are_not_used": [Peeking],
    "propensities_are_frequencies": [Boastful, Fickle],
    "among_is_respected": [Deaf],
    "predict_is_greedy": [Contrary, Wayward],
    "dense_equals_sparse": [Storing],
    "input_types_agree": [Choosy],
    "errors_are_clear": [Gullible, Hasty, Mute],
    "off_policy_learning": [Provincial, Careful],
}
