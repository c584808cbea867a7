"""Words of an evaluation, as its tables and its page say them."""

import math

from onearm.ope.checks import Finding
from onearm.ope.estimating import FEW
from onearm.ope.evaluation import Estimate, Evaluation
from onearm.page.text import UNKNOWN, decimals_for

INTERVALS = {
    "gaussian": "Gaussian",
    "bootstrap": "bootstrap",
    "empirical_bernstein": "empirical Bernstein",
    "clopper_pearson": "Clopper–Pearson",
    "betting": "betting",
    "confidence_sequence": "confidence sequence",
}


def kind_of(estimate: Estimate) -> str:
    """Return the kind of an interval, and of which estimator it is if that is another."""
    if estimate.interval is None:
        return UNKNOWN
    other = estimate.interval_of not in (None, estimate.estimator)
    return INTERVALS[estimate.interval] + f" of {estimate.interval_of}" * other


YES_OR_NO = {True: "yes", False: "no", None: "–"}


def decimals_of(evaluation: Evaluation) -> int:
    """Return how many decimals values in the units of the log's rewards have."""
    low, high = evaluation.log.rewards
    return decimals_for(high - low)


def is_decided(difference: Estimate) -> bool:
    """Return whether the interval of a difference excludes 0."""
    return difference.low > 0 or difference.high < 0


def verdict(difference: Estimate) -> str:
    """Return "better", "worse" or "not decided"."""
    if not is_decided(difference):
        return "not decided"
    return "better" if difference.low > 0 else "worse"


def what_would_decide(difference: Estimate, effective: float) -> str:
    """Return how many more events would decide a difference; nothing where it is decided.

    `effective` is the effective number of events that it rests on.
    """
    if is_decided(difference) or difference.n_more is None:
        return ""
    if effective < FEW:
        return "too few effective events to tell how many more would decide it"
    if math.isinf(difference.n_more):
        return "more events like these would not decide it"
    if math.isnan(difference.n_more):
        return "too noisy yet to tell how many more would"
    return f"about {about(difference.n_more)} more events would decide it"


def about(n: float) -> str:
    """Return a number of events to three digits.

    >>> about(46_871), about(999), about(1_234_567)
    ('46,900', '999', '1,230,000')
    """
    return f"{float(f'{n:.3g}'):,.0f}"


def effective_of(evaluation: Evaluation, policy: str) -> float:
    """Return the effective number of events of a policy."""
    return next(w.effective for w in evaluation.weights if w.policy == policy)


def outcome(finding: Finding) -> str:
    """Return "passed", "failed" or "doubtful"."""
    if not finding.passed:
        return "failed"
    return "doubtful" if finding.doubtful else "passed"


def meanings(evaluation: Evaluation) -> list[str]:
    """Return what is estimated, once for all policies of which it is the same."""
    by_text: dict[str, list[str]] = {}
    for estimate in evaluation.estimates:
        names = by_text.setdefault(estimate.estimates, [])
        if estimate.policy not in names:
            names.append(estimate.policy)
    return [f"{', '.join(names)}: {text}" for text, names in by_text.items()]


def levels(evaluation: Evaluation) -> str:
    """Return the level of the differences, each and together."""
    n, level = len(evaluation.differences), evaluation.settings["level"]
    if n == 1:
        return f"{100 * level:g} %"
    each = evaluation.differences[0].level
    return f"{100 * each:.4g} % each, {100 * level:g} % together"


def against(evaluation: Evaluation) -> str:
    """Return the name of the policy that all are compared with."""
    name = str(evaluation.settings["against"])
    return "the logged policy" if name == "logged" else name
