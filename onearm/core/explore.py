"""From scores to (label, greedy, propensity).

`among` holds the labels that are allowed this round, in ascending order; m is their number. The
greedy label, the exploration and the propensities are over them; every other label has chance 0.
"""

import math

import numpy as np

from onearm.core.kernels import kernel, kernel_without_refcounts
from onearm.core.rng import below, draw, uniform

FLOOR_DOC = (
    "Least probability f of every allowed label, so that logged choices can be evaluated; of m "
    "labels at most 1/(2m). 0 does not randomise."
)


GAMMA_DOC = "Exploration rate γ: the chance of a random label; 0: k/64, at most 1/4."


def usual_rate(k: int) -> float:
    """Return a rate of uniform exploration that finds each of k labels soon enough."""
    return min(k / 64, 0.25)


@kernel_without_refcounts
def best(s, among):
    """The allowed label with the largest score; the lowest of several."""
    top = among[0]
    for r in among:
        if s[r] > s[top]:
            top = r
    return top


@kernel
def one_of_best(s, among, rng):
    """Choose an allowed label with the largest score, uniformly if there are several."""
    top = label = best(s, among)
    several = 0
    for r in among:
        several += s[r] == s[top]
    if several != 1:
        skip = below(several, rng)
        for r in among:
            if s[r] == s[top]:
                if skip == 0:
                    label = r
                skip -= 1
    return label, top, 1.0 / several


@kernel
def add_best_chances(s, among, p, q):
    """Add the chances of `one_of_best` to q, times p."""
    top = s[best(s, among)]
    several = 0
    for r in among:
        several += s[r] == top
    for r in among:
        q[r] += p / several if s[r] == top else 0.0


@kernel
def runner_up(s, label):
    """The label with the largest score besides `label`; the lowest of several."""
    top = 1 if label == 0 else 0
    for r in range(len(s)):
        if r != label and s[r] > s[top]:
            top = r
    return top


@kernel
def certain(label, k):
    """All the chance on one label."""
    p = np.zeros(k)
    p[label] = 1.0
    return p


@kernel
def uniformly(greedy, among, gamma, rng):
    """Choose `greedy`, but with probability γ any allowed label: P(r) = (1-γ)·1[r=ŷ] + γ/m."""
    m = len(among)
    u = uniform(rng)
    label = among[min(int(u / gamma * m), m - 1)] if u < gamma else greedy
    p = gamma / m
    return label, greedy, 1.0 - gamma + p if label == greedy else p


@kernel
def uniform_chances(greedy, among, gamma, k):
    """The chances of `uniformly`."""
    p = np.zeros(k)
    for r in among:
        p[r] = gamma / len(among)
    p[greedy] += 1.0 - gamma
    return p


@kernel
def elsewhere(greedy, among, rho, rng):
    """Choose `greedy`, but with probability ρ one of the other allowed labels (Z19)."""
    m = len(among)
    u = uniform(rng)
    if u >= rho or m == 1:
        return greedy, greedy, 1.0 - rho if m > 1 else 1.0
    other = min(int(u / rho * (m - 1)), m - 2)
    label = among[other] if among[other] < greedy else among[other + 1]
    return label, greedy, rho / (m - 1)


@kernel
def elsewhere_chances(q, among, rho):
    """The chances of `elsewhere` where the greedy label has chances q, in place."""
    m = len(among)
    for r in among:
        if m > 1:
            q[r] = (1.0 - rho) * q[r] + rho / (m - 1) * (1.0 - q[r])
    return q


@kernel
def sample_label(p, greedy, rng):
    """A label drawn with the chances `p`."""
    label = draw(p, rng)
    return label, greedy, p[label]


@kernel
def at_least(floor, q, among):
    """f' + (1 - m·f')·q_r over the allowed labels, f' = min(f, 1/(2m)), in place."""
    m = len(among)
    f = min(floor, 0.5 / m)
    for r in among:
        q[r] = f + (1.0 - m * f) * q[r]
    return q


@kernel
def softmax(s, among, scale):
    """P(r) ∝ exp(scale·s_r) over the allowed labels."""
    p = np.zeros(len(s))
    top = s[best(s, among)]
    total = 0.0
    for r in among:
        p[r] = math.exp(scale * (s[r] - top))
        total += p[r]
    for r in among:
        p[r] = p[r] / total if total >= 1.0 else 1.0 / len(among)  # of scores that are no numbers
    return p


@kernel
def mixed(p, among, gamma):
    """(1-γ)·p + γ/m over the allowed labels, in place."""
    for r in among:
        p[r] = (1.0 - gamma) * p[r] + gamma / len(among)
    return p


@kernel
def inverse_gap(cost, top, among, g, fast):
    """P(r) = 1/(m + g·(c_r - c_b)), the rest on the best label b; `fast`: with c_b (FastCB)."""
    p = np.zeros(len(cost))
    scale = cost[top] if fast else 1.0
    rest = 1.0
    for r in among:
        if r != top:
            p[r] = scale / (len(among) * scale + g * (cost[r] - cost[top]))
            rest -= p[r]
    p[top] = rest
    return p
