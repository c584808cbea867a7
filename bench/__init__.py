"""Measurements: ours beside what users would pick instead."""
