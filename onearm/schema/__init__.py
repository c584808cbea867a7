"""Columns and label names, and the numbers that they become."""
