"""Who races in tests, and for how long: plain Python is slow."""

from onearm.core.kernels import COMPILED

ROUNDS = 2000 if COMPILED else 60
NAMES = ["Perceptron", "Banditron", "SOBA"]
