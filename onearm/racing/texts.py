"""What the parameters of a race mean: of `onearm.Plan`, and as options of the command.

A file that imports nothing, so that the program starts fast.
"""

REPEATS = "How often each learner plays each stream, in another order or on other rows each time."
ROUNDS = "Rounds of a run; by default all rows. Where there are fewer rows, they are played again."
SEED = "Random seed of rows and learners in the first repeat; repeat i has seed + i."
IN_ORDER = "Keep rows in the order of their source in every repeat; else they are shuffled."
RAW = "Do not prepare rows for linear learners: all see them unscaled."
