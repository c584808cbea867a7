"""Hoeffding trees, any number of them in a few arrays, addressed by i."""
