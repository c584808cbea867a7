"""Adapters: learners as estimators of scikit-learn and of River."""
