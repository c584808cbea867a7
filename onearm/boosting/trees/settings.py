"""The parameters of Hoeffding trees, stated once for a tree and for boosters over trees."""

from functools import partial

from onearm.core.parameters import option, whole, wholes

GRACE_PERIOD = "Weight that a leaf must gather between two attempts to split."
DELTA = "Probability δ of a wrong split."
TAU = "Bound τ below which two columns count as equal, and the best is taken."
LEAF_PREDICTIONS = ("majority", "bayes", "adaptive")

nominal_field = partial(
    wholes, (), 0,
    doc="Number of values of each nominal column, 0 for a numeric one; empty if none. Values are "
    "0, 1, …; any other counts as one more.",
)  # fmt: skip
leaf_prediction_field = partial(
    option, "adaptive", *LEAF_PREDICTIONS, fixed=True,
    doc="'majority' class, naive 'bayes', or 'adaptive': the more accurate of the two.",
)  # fmt: skip
splitter_field = partial(
    option, "gaussian", "gaussian", "histogram", fixed=True,
    doc="Statistics of numeric columns: a 'gaussian' or a 'histogram' per class.",
)  # fmt: skip
max_bytes_field = partial(whole, 2**28, 1, 2**50, doc="Memory for all trees together, in bytes.")
