"""What every estimator is made of: parameters, state, locks, files."""
