"""Boosting: many weak learners, each told what the vote of the others leaves to be won."""
