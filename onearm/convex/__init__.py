"""Decisions in convex sets, learnt from losses: optimisation and boosting for regression."""
