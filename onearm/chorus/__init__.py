"""Chorus: the learner to pick first."""
