"""Races: learners on the same rows in the same order, many times over, and what came of it."""
