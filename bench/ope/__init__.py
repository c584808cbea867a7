"""Off-policy evaluation beside vw-estimators, pybandits and Vowpal Wabbit."""
