"""Boosting: many weak learners, each trained on what the vote of the others gets wrong."""
