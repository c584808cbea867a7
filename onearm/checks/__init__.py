"""check_learner: every contract that a learner must keep, as a small named check.

There is no skip list. Where a contract does not apply, a property of the class says so: `exemption`
turns the property into words, and the table in the docs is made from it.
"""

from collections.abc import Callable
from typing import Any

from onearm.checks.choosing import (
    among_is_kept,
    choose_is_pure,
    nothing_peeked,
    predict_is_greedy,
    propensities_are_frequencies,
)
from onearm.checks.forms import dense_equals_sparse, errors_are_clear, input_forms_agree
from onearm.checks.replay import (
    beats_chance,
    chunks_do_not_matter,
    compiled_equals_plain,
    late_feedback_is_taken,
    learn_equals_play,
    other_policies_teach,
    rewards_are_taken,
    same_seed_same_bits,
    save_load_resumes,
    shapes_are_fixed,
    stepwise_equals_play,
)
from onearm.checks.trial import CheckError

__all__ = ["CHECKS", "CheckError", "check_learner", "exemption", "run"]

CHECKS: list[Callable[[Any], None]] = [
    stepwise_equals_play, learn_equals_play, chunks_do_not_matter, save_load_resumes,
    same_seed_same_bits, choose_is_pure, nothing_peeked, propensities_are_frequencies,
    among_is_kept, late_feedback_is_taken, dense_equals_sparse, input_forms_agree,
    shapes_are_fixed, errors_are_clear, beats_chance, predict_is_greedy, rewards_are_taken,
    compiled_equals_plain, other_policies_teach,
]  # fmt: skip


def exemption(check: Callable[[Any], None], learner: Any) -> str | None:
    """Say why a contract does not apply to a learner (or its class), or None."""
    if check is nothing_peeked and learner.full_information:
        return "is shown every label"
    if check is rewards_are_taken and not learner.real_rewards:
        return "gets only right or wrong as feedback"
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
    """Run one check and let its failure name learner and check."""
    try:
        check(learner)
    except Exception as failure:
        what = f"{failure}" if isinstance(failure, CheckError) else f"{failure!r}"
        raise CheckError(f"{type(learner).__name__}: {check.__name__}: {what}") from failure
