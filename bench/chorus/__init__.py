"""Chorus beside every other learner and Vowpal Wabbit, and without each of its parts."""
