"""What holds between the arrays of every Chorus: checked before kernels use those from a file."""

import numpy as np

from onearm.chorus.voices import VARIANCE
from onearm.core.vectors import LARGEST


def require_sound(saved: dict[str, np.ndarray]) -> None:
    """Refuse variances, moments and covariances that are none."""
    if not (saved["weights"][:, VARIANCE] > 0.0).all():
        raise ValueError("saved array weights of Chorus must have variances above 0")
    if not (saved["moments"][::2] >= 0.0).all():
        raise ValueError("saved array moments of Chorus must have counts and squares from 0 on")
    if not (abs(saved["moments"][1]) <= LARGEST).all():
        raise ValueError(f"saved array moments of Chorus must have means within ±{LARGEST:g}")
    C, S = np.tril(saved["scatter"]), saved["lead_products"]
    if len(C) and np.linalg.eigvalsh(C)[0] < -1e-6 * (1.0 + np.trace(C)):
        raise ValueError("saved array scatter of Chorus must be positive definite")
    if not np.array_equal(S, S.T) or np.linalg.eigvalsh(S)[0] <= 0.0:
        raise ValueError(
            "saved array lead_products of Chorus must be symmetric and positive definite"
        )
