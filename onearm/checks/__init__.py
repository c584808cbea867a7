"""check_learner: every contract of a learner, as a small named check.

There is no skip list. A contract does not apply to a learner if a property of its class exempts it:
`exemption` gives the reason, and the table in the docs is made from it.
"""

from collections.abc import Callable
from typing import Any

from onearm.checks.choosing import (
    among_is_respected,
    choose_is_pure,
    hidden_labels_are_not_used,
    predict_is_greedy,
    propensities_are_frequencies,
)
from onearm.checks.input_types import dense_equals_sparse, errors_are_clear, input_types_agree
from onearm.checks.replay import (
    beats_chance,
    chunked_equals_whole,
    compiled_equals_plain,
    late_feedback_is_accepted,
    learn_equals_play,
    off_policy_learning,
    rewards_are_accepted,
    same_seed_same_bits,
    save_load_resumes,
    state_shapes_are_fixed,
    stepwise_equals_play,
)
from onearm.checks.trial import CheckError

__all__ = ["CHECKS", "CheckError", "check_learner", "exemption", "run"]

CHECKS: list[Callable[[Any], None]] = [
    stepwise_equals_play, learn_equals_play, chunked_equals_whole, save_load_resumes,
    same_seed_same_bits, choose_is_pure, hidden_labels_are_not_used, propensities_are_frequencies,
    among_is_respected, late_feedback_is_accepted, dense_equals_sparse, input_types_agree,
    state_shapes_are_fixed, errors_are_clear, beats_chance, predict_is_greedy, rewards_are_accepted,
    compiled_equals_plain, off_policy_learning,
]  # fmt: skip


def exemption(check: Callable[[Any], None], learner: Any) -> str | None:
    """Return why a contract does not apply to a learner (or its class), or None."""
    if check is hidden_labels_are_not_used and learner.full_information:
        return "learns with full information"
    if check is rewards_are_accepted and not learner.real_rewards:
        return "learns from right or wrong only"
    return None


def check_learner(learner: Any, show: Callable[[str], Any] = print) -> None:
    """Check every contract of a learner, or of a class with its default parameters.

    Prints the checks that passed; raises CheckError, naming the contract, at the first that fails.
    """
    if isinstance(learner, type):
        learner = learner(n_classes=4, n_features=6)
    show(f"{learner}")
    for check in CHECKS:
        reason = exemption(check, learner)
        if reason is None:
            run(check, learner)
        show(
            f"  {check.__name__:30s} {'passed' if reason is None else f'does not apply: {reason}'}"
        )


def run(check: Callable[[Any], None], learner: Any) -> None:
    """Run one check; its failure names learner and check."""
    try:
        check(learner)
    except Exception as failure:
        message = f"{failure}" if isinstance(failure, CheckError) else f"{failure!r}"
        raise CheckError(f"{type(learner).__name__}: {check.__name__}: {message}") from failure
