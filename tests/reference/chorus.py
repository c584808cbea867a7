"""Chorus, with one dense vector for the features of a row and everything else as it is defined."""

import numpy as np
from scipy.linalg import hadamard

FEW = 1000  # numbers: a row of more is a text
OWN, BOLD, EXACT = 0.01, 0.1, 0.1  # ridges
KEEP, KEPT_JUDGE, PRIOR = 0.9995, 0.999, 10.0
NEAR, SLACK, ALARM, GUESS = 0.1, 0.1, 20.0, 0.2


class Chorus:
    def __init__(self, k, d, nominal, waves, alpha, signs, scale, shift):
        self.k, self.alpha = k, alpha
        nominal = np.array(nominal or (0,) * d)
        sizes = np.maximum(1, nominal)
        self.N = sizes.sum()  # how many numbers there are; of each:
        self.column = np.repeat(np.arange(d), sizes)
        self.coded = np.repeat(nominal > 0, sizes)
        self.code = np.concatenate([np.arange(size) for size in sizes])
        self.text = self.N > FEW
        self.signs, self.scale, self.shift = signs, scale, shift
        self.rows = []  # of all updates
        self.counts = np.zeros(self.N)  # in how many of them a number was there
        if self.text:
            self.groups = [slice(0, self.N)]
            h = 0
        else:
            n = max(32, 2 ** int(np.ceil(np.log2(self.N))))
            self.m = max(1, round(waves / 2 / n))
            assert signs.shape == (3, n, 2 * self.m)
            self.H = hadamard(n).astype(float)
            size = n * self.m
            ends = (0, size, 2 * size, 2 * size + self.N + 1)
            self.groups = [slice(*ends[g : g + 2]) for g in range(3)]
            self.heard = min(size // 4, int(np.sqrt(2**23 / k)))
            h = self.heard + (self.N + 1 if self.N <= 64 else 1)
        self.h, self.F = h, self.groups[-1].stop
        self.n_voices = 2 * len(self.groups) + (not self.text) + 1
        self.echo = None  # (E, G), what was known when an alarm rang
        self.table = np.zeros((2, k, k))  # tries and hits
        self.change = 0.0
        self.alarms = 0
        self.begin()

    def begin(self):
        k, n = self.k, self.n_voices
        self.own, self.var = np.zeros((self.F, k)), np.full((self.F, k), 1 / OWN)
        self.bold, self.P = np.zeros((self.F, k)), np.full(self.F, 1 / BOLD)
        self.A = np.array([EXACT * np.eye(self.h)] * k)
        self.v = np.zeros((self.h, k))
        self.S = PRIOR * np.eye(n + 1)
        self.c = np.append(np.full(n, 1 / n), 0.0)
        self.b = PRIOR * self.c

    # Rows

    def numbers(self, x):
        """One number for a numeric column, one for each value of a nominal one."""
        values = x[self.column]
        return np.where(self.coded, np.floor(values) == self.code, values)

    def scaled(self, x):
        z = np.sqrt(2) * self.numbers(x)
        for i in np.flatnonzero(~self.coded):
            j = self.column[i]
            seen = np.array([row[j] for row in self.rows])
            seen = seen[~np.isnan(seen)]
            if np.isnan(x[j]) or len(seen) == 0 or seen.min() == seen.max():
                z[i] = 0.0
            else:
                z[i] = np.clip((x[j] - seen.mean()) / seen.std(), -4, 4)
        return z

    def waves(self, z):
        n = len(self.H)
        padded = np.append(z, np.zeros(n - len(z)))
        Y = np.repeat(padded[:, None], 2 * self.m, axis=1)
        for S in self.signs:
            Y = self.H @ (S * Y)
        groups = []
        for g in range(2):
            turns = (Y[:, g * self.m : (g + 1) * self.m] * self.scale[g]).ravel()
            turns = turns + self.shift[g * n * self.m : (g + 1) * n * self.m]
            height = 0.25 - abs(turns - np.floor(turns + 0.5))
            groups.append(np.sqrt(2 / (n * self.m)) * 8 * height * (1 - 2 * abs(height)))
        return groups

    def features(self, x):
        """φ, which of its entries are there, and ψ."""
        if self.text:
            v = np.where(x[self.column] == 0, 0.0, np.nan_to_num(self.numbers(x)))
            rarity = np.log((2 + len(self.rows)) / (1 + self.counts)) + 1
            phi = np.where(self.coded, v, np.sign(v) * np.log1p(abs(v))) * rarity
            return phi / (np.linalg.norm(phi) or 1), v != 0, np.zeros(0)
        z = self.scaled(x)
        short, long = self.waves(z)
        plain = np.append(z, 1.0) / np.sqrt(1 + z @ z)
        some = np.sqrt(len(long) / self.heard) * long[: self.heard]
        psi = np.append(some, plain if self.N <= 64 else 1.0)
        phi = np.concatenate([short, long, plain])
        return phi, np.ones(self.F, bool), psi

    # Voices

    def say(self, phi, psi):
        """What every voice says of every label, and the squared widths of own in every group."""
        said, widths = [], []
        for at in self.groups:
            f = phi[at, None]
            said.append((f * self.own[at]).sum(axis=0))
            said.append(1 / self.k + (f * self.bold[at]).sum(axis=0))
            widths.append((f**2 * self.var[at]).sum(axis=0))
        if not self.text:
            said.append((psi[:, None] * self.v).sum(axis=0))
        if self.alarms:
            tries, hits = self.table[:, self.echoed(phi, psi)]
            said.append((hits + 1 / self.k) / (tries + 1))
        else:
            said.append(np.zeros(self.k))
        return np.array(said), np.array(widths)

    def echoed(self, phi, psi):
        if not self.alarms:
            return 0
        E, G = self.echo
        return int(np.argmax((phi[:, None] * E).sum(axis=0) + (psi[:, None] * G).sum(axis=0)))

    def leads(self, said, label):
        return said[:, label] - np.delete(said, label, axis=1).max(axis=1)

    def weights(self):
        w = np.maximum(0, self.c[:-1])
        return w if w.any() else np.full(self.n_voices, 1 / self.n_voices)

    def judged(self, said):
        """The scores, and how sure the chorus is of the best."""
        w = self.weights()
        scores = (w[:, None] * said).sum(axis=0)
        sure = self.c[-1] + w @ self.leads(said, np.argmax(scores))
        return scores, np.clip(sure, 0, 1)

    def scores(self, x):
        phi, _, psi = self.features(x)
        return self.judged(self.say(phi, psi)[0])[0]

    def chances(self, x):
        phi, _, psi = self.features(x)
        said, widths = self.say(phi, psi)
        scores, sure = self.judged(said)
        own = self.weights()[0 : 2 * len(self.groups) : 2]
        share = own / own.sum() if own.sum() > 0 else np.full(len(own), 1 / len(own))
        width = (share[:, None] * np.sqrt(widths)).sum(axis=0)
        return np.eye(self.k)[np.argmax(scores + self.alpha * (1 - sure) * width)]

    # Answers

    def update(self, x, label, greedy, propensity, reward, truth):
        phi, there, psi = self.features(x)
        said, widths = self.say(phi, psi)
        scores, sure = self.judged(said)
        if label == np.argmax(scores):
            self.change = max(0.0, self.change + sure - reward - SLACK)
        if self.change > ALARM:
            self.ring()
        else:
            e = self.echoed(phi, psi)
            self.table[:, e, label] += 1.0, reward
            self.judge(said, label, reward)
            for g, at in enumerate(self.groups):
                now = np.flatnonzero(there[at] & (phi[at] != 0.0)) + at.start
                self.teach_own(phi, now, label, reward - said[2 * g, label], widths[g, label])
                self.teach_bold(phi, now, label, reward, said[2 * g + 1])
            if not self.text and abs(reward - said[-2, label]) >= NEAR:
                self.regress(psi, label, reward)
        self.rows.append(x)
        if self.text:
            self.counts += there

    def ring(self):
        w = self.weights()
        E = np.zeros((self.F, self.k))
        for g, at in enumerate(self.groups):
            E[at] = w[2 * g] * self.own[at] + w[2 * g + 1] * self.bold[at]
        self.echo = E, 0.0 * self.v if self.text else w[-2] * self.v
        self.table = np.array([GUESS * np.eye(self.k)] * 2)
        self.change = 0.0
        self.alarms += 1
        self.begin()

    def judge(self, said, label, reward):
        z = np.append(self.leads(said, label), 1.0)
        fresh = (1 - KEPT_JUDGE) * PRIOR
        start = np.append(np.full(self.n_voices, 1 / self.n_voices), 0.0)
        self.S = KEPT_JUDGE * self.S + np.outer(z, z) + fresh * np.eye(len(z))
        self.b = KEPT_JUDGE * self.b + reward * z + fresh * start
        self.c = np.linalg.solve(self.S, self.b)

    def teach_own(self, phi, now, label, missed, width):
        f, var = phi[now], self.var[now, label]
        self.own[now, label] += missed / (1 + width) * f * var
        self.var[now, label] = var / (KEEP + f**2 * var)

    def teach_bold(self, phi, now, label, reward, said):
        f, P = phi[now], self.P[now]
        p = f**2 @ P
        if reward:
            step = (np.eye(self.k)[label] - said) / (1 + p)
            self.bold[now] += np.outer(f * P, step)
            self.P[now] = P / (KEEP + f**2 * P)
        else:
            self.bold[now, label] += (-0.3 - said[label]) * 10 / (1 + 10 * p) * f * P

    def regress(self, psi, label, reward):
        """Ridge regression of the rewards: v moves by what is missed, as A v = Σ reward ψ says."""
        missed = reward - psi @ self.v[:, label]
        self.A[label] += np.outer(psi, psi)
        self.v[:, label] += np.linalg.solve(self.A[label], psi) * missed
