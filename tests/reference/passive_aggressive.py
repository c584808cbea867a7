"""Passive-aggressive steps: Crammer, Dekel, Keshet, Shalev-Shwartz, Singer, JMLR 2006."""


def passive_aggressive(w, x, side, variant, C):
    """The weights after learning that x is on this side (+1 or -1)."""
    loss = max(0.0, 1 - side * (w @ x))
    norm2 = x @ x
    if loss == 0 or norm2 == 0:
        return w
    tau = {
        "PA": loss / norm2,
        "PA-I": min(C, loss / norm2),
        "PA-II": loss / (norm2 + 1 / (2 * C)),
    }[variant]
    return w + tau * side * x
