"""The settings of all trees, and the names of ours and River's."""

GRACE_PERIOD, DELTA, TAU, SPLITS = 200, 1e-7, 0.05, 10
OURS, RIVER = "onearm", "River"
