"""The parameters of Hoeffding trees, stated once for a tree and for boosters over trees."""

from typing import Any

from onearm.core.parameters import option, whole, wholes

GRACE_PERIOD = "Weight that a leaf must gather between two attempts to split."
DELTA = "Probability δ of a wrong split."
TAU = "Bound τ below which two columns count as equal, and the best is taken."
LEAF_PREDICTIONS = ("majority", "bayes", "adaptive")


def nominal_field() -> Any:
    """Return the field for nominal columns."""
    doc = "Number of values of each nominal column, 0 for a numeric one; empty if none. Values are "
    return wholes((), 0, doc=doc + "0, 1, …; any other counts as one more.")


def leaf_prediction_field() -> Any:
    """Return the field for how a leaf predicts."""
    doc = "'majority' class, naive 'bayes', or 'adaptive': the more accurate of the two."
    return option("adaptive", *LEAF_PREDICTIONS, fixed=True, doc=doc)


def splitter_field() -> Any:
    """Return the field for what a leaf stores of a numeric column."""
    doc = "Statistics of numeric columns: a 'gaussian' or a 'histogram' per class."
    return option("gaussian", "gaussian", "histogram", fixed=True, doc=doc)


def max_bytes_field() -> Any:
    """Return the field for the memory of all trees together."""
    return whole(2**28, 1, 2**50, doc="Memory for all trees together, in bytes.")
