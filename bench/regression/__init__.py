"""Regression from noisy losses: speed, and the pricing example."""
