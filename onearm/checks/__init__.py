"""check_learner: every contract of a learner, as a small named check.

There is no skip list. A contract does not apply to a learner if a property of its class exempts it:
`exemption` gives the reason, and the table in the docs is made from it.
"""

from collections.abc import Callable
from typing import Any

from onearm.checks import choosing, input_types, labels, replay
from onearm.checks.trial import Check, CheckError, run, run_all

__all__ = ["CHECKS", "CheckError", "check_learner", "exemption", "run"]

CHECKS: list[Check] = [
    replay.stepwise_equals_play, replay.learn_equals_play, replay.chunked_equals_whole,
    replay.save_load_resumes, replay.same_seed_same_bits, choosing.choose_is_pure,
    choosing.hidden_labels_are_not_used, choosing.propensities_are_frequencies,
    choosing.among_is_respected, replay.late_feedback_is_accepted, input_types.dense_equals_sparse,
    input_types.input_types_agree, replay.state_shapes_are_fixed, input_types.errors_are_clear,
    replay.beats_chance, choosing.predict_is_greedy, replay.rewards_are_accepted,
    replay.compiled_equals_plain, replay.off_policy_learning, labels.labels_can_be_added,
]  # fmt: skip


def exemption(check: Check, learner: Any) -> str | None:
    """Return why a contract does not apply to a learner (or its class), or None."""
    if check is choosing.hidden_labels_are_not_used and learner.full_information:
        return "learns with full information"
    if check is replay.rewards_are_accepted and not learner.real_rewards:
        return "learns from right or wrong only"
    return None


def check_learner(learner: Any, show: Callable[[str], Any] = print) -> None:
    """Check every contract of a learner, or of a class with its default parameters.

    Prints the checks that passed; raises CheckError, naming the contract, at the first that fails.
    """
    if isinstance(learner, type):
        learner = learner(n_classes=4, n_features=6)
    run_all(CHECKS, learner, show, exemption)
