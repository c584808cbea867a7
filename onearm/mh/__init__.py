"""AdaBoost.MH in batch, where a bandit decides which features are searched."""

from importlib.util import find_spec

if find_spec("sklearn") is None:
    raise ImportError("AdaBoostMH needs scikit-learn: pip install 'onearm[mh]'")
