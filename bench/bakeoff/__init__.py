"""The bake-off: learners from bandit feedback on sixty data sets, one pass over shuffled rows."""
