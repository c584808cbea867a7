"""How often each label is right, whatever the row: all that can be known where labels are noise.

m_r = (how often r was right + ρ) / (how often r was chosen + 1), old answers counting less. ρ is
how often any label was right: a label that was not tried is expected to be right as often as
others.
"""

from onearm.core.kernels import kernel

CHOSEN, RIGHT = range(2)
MEMORY = 0.999  # what is left of an answer at the next


@kernel
def rates(labelled, m):
    """Put the rate of every label into m."""
    chosen, right = 0.0, 0.0
    for r in range(len(labelled)):
        chosen += labelled[r, CHOSEN]
        right += labelled[r, RIGHT]
    mean = right / (chosen + 1.0)
    for r in range(len(m)):
        m[r] = (labelled[r, RIGHT] + mean) / (labelled[r, CHOSEN] + 1.0)


@kernel
def answered(label, reward, labelled):
    """Count an answer."""
    for r in range(len(labelled)):
        labelled[r, CHOSEN] *= MEMORY
        labelled[r, RIGHT] *= MEMORY
    labelled[label, CHOSEN] += 1.0
    labelled[label, RIGHT] += reward
