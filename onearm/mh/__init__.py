"""AdaBoost.MH in batch, where a bandit decides which features are searched."""
