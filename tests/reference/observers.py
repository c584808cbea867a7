"""What a leaf of a Hoeffding tree observes in a column, and the splits that it offers."""

import math

FLOOR = 1e-6  # of a standard deviation
LEAST_BRANCH = 0.01  # share of the mass that at least two branches of a split must exceed
WAIT, BINS = 100, 32  # a histogram sets its bins at the 100th value


def total(values):
    """The sum, from first to last (the built-in one compensates rounding since Python 3.12)."""
    result = 0.0
    for value in values:
        result += value
    return result


def lowest_argmax(values):
    return list(values).index(max(values))


def code(v, m):
    """The number of a nominal value: itself, or the spare one."""
    return int(v) if v in range(m) else m


def entropy(masses):
    """In bits."""
    whole = total(masses)
    shares = [mass / whole for mass in masses if mass > 0]
    return -total(p * math.log2(p) for p in shares)


def merit(branches):
    """The information that a split into these branches (class masses each) gains."""
    together = [total(masses) for masses in zip(*branches, strict=True)]
    W = total(together)
    if sum(total(branch) > LEAST_BRANCH * W for branch in branches) < 2:
        return -math.inf
    after = total(total(b) / W * entropy(b) for b in branches if total(b) > 0)
    return entropy(together) - after


class Candidate:
    """A way to split a leaf: by threshold, or (threshold None) one branch for each value."""

    def __init__(self, threshold, branches):
        self.threshold = threshold
        self.branches = branches
        self.merit = merit(branches)


class Gaussian:
    """What one leaf observed in one numeric column: a weighted normal distribution per class."""

    def __init__(self, k, n_splits):
        self.k = k
        self.n_splits = n_splits
        self.W = [0.0] * k
        self.mu = [0.0] * k
        self.S = [0.0] * k
        self.low = [math.inf] * k
        self.high = [-math.inf] * k

    def hear(self, v, y, w):
        self.W[y] += w
        dl = v - self.mu[y]
        self.mu[y] += w * dl / self.W[y]
        self.S[y] += w * dl * (v - self.mu[y])
        self.low[y] = min(self.low[y], v)
        self.high[y] = max(self.high[y], v)

    def knows(self):
        return any(W > 0 for W in self.W)

    def sd(self, c):
        return math.sqrt(max(self.S[c] / self.W[c], FLOOR**2))

    def log_likelihood(self, v, c):
        if self.W[c] == 0:
            return -math.inf
        return -math.log(self.sd(c)) - (v - self.mu[c]) ** 2 / (2 * self.sd(c) ** 2)

    def left(self, t, c):
        """The mass of class c at or below t."""
        if self.W[c] == 0 or t < self.low[c]:
            return 0.0
        if t >= self.high[c]:
            return self.W[c]
        z = (t - self.mu[c]) / self.sd(c)
        return self.W[c] * (0.5 * (1 + math.erf(z / math.sqrt(2))))

    def candidates(self):
        low, high = min(self.low), max(self.high)
        if high <= low:
            return []
        result = []
        for i in range(1, self.n_splits + 1):
            t = low + i * (high - low) / (self.n_splits + 1)
            left = [self.left(t, c) for c in range(self.k)]
            right = [self.W[c] - left[c] for c in range(self.k)]
            result.append(Candidate(t, [left, right]))
        return result


class Histogram:
    """What one leaf observed in one numeric column: class masses in 32 bins between quantiles."""

    def __init__(self, k):
        self.k = k
        self.early = []  # (value, class, weight), until there are 100
        self.edges = None
        self.bins = [[0.0] * k for _ in range(BINS)]

    def hear(self, v, y, w):
        if self.edges is not None:
            self.count(v, y, w)
            return
        self.early.append((v, y, w))
        if len(self.early) == WAIT:
            values = sorted(value for value, _, _ in self.early)
            self.edges = [values[(b + 1) * WAIT // BINS] for b in range(BINS - 1)]
            for value, label, weight in self.early:
                self.count(value, label, weight)

    def bin_of(self, v):
        return sum(edge < v for edge in self.edges)

    def count(self, v, y, w):
        self.bins[self.bin_of(v)][y] += w

    def knows(self):
        return self.edges is not None

    def log_likelihood(self, v, c):
        W = total(masses[c] for masses in self.bins)
        return math.log((self.bins[self.bin_of(v)][c] + 1) / (W + BINS))

    def candidates(self):
        if self.edges is None:
            return []
        result = []
        for b, edge in enumerate(self.edges):
            left = [total(masses[c] for masses in self.bins[: b + 1]) for c in range(self.k)]
            right = [total(masses[c] for masses in self.bins[b + 1 :]) for c in range(self.k)]
            result.append(Candidate(edge, [left, right]))
        return result


class Nominal:
    """What one leaf observed in one nominal column: class masses by value, the spare one last."""

    def __init__(self, k, m):
        self.m = m
        self.table = [[0.0] * k for _ in range(m + 1)]

    def hear(self, v, y, w):
        self.table[code(v, self.m)][y] += w

    def values_seen(self):
        return sum(total(masses) > 0 for masses in self.table)

    def knows(self):
        return self.values_seen() > 0

    def log_likelihood(self, v, c):
        W = total(masses[c] for masses in self.table)
        return math.log((self.table[code(v, self.m)][c] + 1) / (W + self.m + 1))

    def candidates(self):
        if self.values_seen() < 2:
            return []
        return [Candidate(None, [list(masses) for masses in self.table])]
