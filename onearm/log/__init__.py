"""Logs: choices with their propensities and outcomes, in memory and in files."""
