"""Decisions in convex sets, learnt from losses, without projections."""
