"""What BH20 prints: N. Brukhim, E. Hazan. Online boosting with bandit feedback. ALT 2021."""

PRINTED = ("ogd", "full", "nfkm", "bandit")  # methods of Table 2
LOSSES = {  # their losses, each with its standard deviation
    "abalone": ((3.708, 0.027), (3.71, 0.006), (12.21, 0.210), (11.68, 0.154)),
    "adult": ((0.154, 0.003), (0.151, 0.002), (0.161, 0.003), (0.150, 0.001)),
    "census": ((0.160, 0.002), (0.032, 0.001), (0.163, 0.001), (0.105, 0.020)),
    "letter": ((0.507, 0.008), (0.498, 0.002), (0.522, 0.006), (0.517, 0.003)),
}
BOUNDS = {  # Table 1: regret and its power of T, cost of a round, feedback, guarantee
    "Online-FW": ("O(T^3/4)", 0.75, "O(1)", "full", "deterministic"),
    "Meta-FW": ("O(√T)", 0.5, "O(T^3/2)", "stochastic", "in expectation"),
    "MORGFW": ("Õ(√T)", 0.5, "O(T)", "stochastic", "w.h.p."),
    "Algorithm 1": ("Õ(√T)", 0.5, "O(√T)", "stochastic", "w.h.p."),
}
