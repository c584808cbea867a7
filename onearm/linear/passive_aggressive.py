"""The passive-aggressive step: as far as needed to classify x with margin 1, and no further.

K. Crammer, O. Dekel, J. Keshet, S. Shalev-Shwartz, Y. Singer. Online passive-aggressive
algorithms. JMLR 7, 2006.
"""

from onearm.core.kernels import kernel

SHORTEST = 1e-200  # ‖x‖² of a row that moves w: the step stays finite
VARIANTS = ("PA", "PA-I", "PA-II")
VARIANT_DOC = '"PA" steps as far as needed, "PA-I" at most C, "PA-II" dampens with C.'
C_DOC = "Aggressiveness C; 1 is for rows of norm 1."


@kernel
def step(f, b, sqnorm, variant, C):
    """τ·b, by which w moves along x when w·x = f and the label is b = ±1."""
    loss = 1.0 - b * f
    if loss <= 0.0 or sqnorm < SHORTEST:
        return 0.0
    if variant == 0:
        return b * loss / sqnorm
    if variant == 1:
        return b * min(C, loss / sqnorm)
    return b * loss / (sqnorm + 0.5 / C)
