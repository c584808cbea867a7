"""Streams of examples (X, y) in chunks: synthetic ones, data sets, and files."""
