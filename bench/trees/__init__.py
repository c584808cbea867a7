"""Hoeffding trees beside those of MOA and River."""
