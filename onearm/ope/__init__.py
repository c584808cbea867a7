"""Off-policy evaluation: what another policy would have earned, estimated from a log."""
