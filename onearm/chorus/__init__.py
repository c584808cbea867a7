"""Chorus: the recommended learner."""
