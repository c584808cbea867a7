"""Regressors that learn from the answer, or from a few noisy losses a round."""
