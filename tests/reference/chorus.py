"""Chorus, with one dense vector for the features of a row, all rows stored, all else as defined."""

from typing import ClassVar

import numpy as np
from scipy.linalg import hadamard

from .chorus_forest import Forest
from .chorus_rows import FEW, Rows
from .neighbours import Neighbours
from .twin import Twin

OWN, BOLD, REWARDS = 0.01, 0.1, 30.0  # ridges
KEEP, KEPT_JUDGE, PRIOR = 0.9995, 0.999, 10.0
SLACK, ALARM, GUESS = 0.1, 20.0, 0.2
FOLDED = 128


class Chorus(Rows, Neighbours, Twin):
    def __init__(
        self, k, d, nominal, n_components, n_trees, alpha, floor, signs, scale, shift, updating
    ):
        self.k, self.alpha, self.floor, self.updating = k, alpha, floor, updating
        self.forest = Forest(k, nominal or (0,) * d, 0 if d > FEW else n_trees, n_components)
        nominal = np.array(nominal or (0,) * d)
        self.apart = self.columns_apart(nominal) if d <= FEW else []
        self.apart_sizes = nominal[self.apart]
        nominal[self.apart] = 1  # a number that is never there
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
        else:
            n = max(32, 2 ** int(np.ceil(np.log2(self.N))))
            m = max(1, round(n_components / n))
            assert signs.shape == (3, n, m)
            assert shift.shape == (n, m)
            self.H = hadamard(n).astype(float)
            self.constant = n * m + self.N  # where it is among the features
            self.groups = [
                slice(0, n * m),
                slice(n * m, self.constant + 1 + self.apart_sizes.sum()),
            ]
            self.folded = min(self.N, FOLDED)
            self.room = n_components * min(16, max(4, 256 // self.folded))  # rows remembered
            self.A, self.due = np.eye(self.folded, dtype=np.float32), 20
        self.F = self.groups[-1].stop
        self.n_voices, self.n_frozen = (3, 0) if self.text else (9, 3)
        self.echo = None  # (E, G, memory), what was known when an alarm rang
        self.table = np.zeros((2, k, k))  # tries and hits
        self.change = 0.0
        self.alarms = 0
        self.earned = []  # all rewards, once there are any: right and wrong are none
        self.begin()

    tolerances: ClassVar = {
        "weights": (1e-7, 1e-9), "variances": (1e-7, 1e-9), "top_confidence": (1e-7, 1e-9),
        "frozen_outcomes": (1e-12, 0.0), "label_counts": (0.0, 0.0), "label_means": (1e-6, 1e-9),
        "scatter": (1e-9, 1e-9), "metric": (1e-6, 1e-7), "memory_counts": (0.0, 0.0),
        "memory_labels": (0.0, 0.0), "memory_rows": (1e-5, 1e-6), "forest_answers": (0.0, 0.0),
        "forest_votes": (0.0, 0.0), "forest_rows": (0.0, 0.0),
    }  # fmt: skip

    @classmethod
    def resolved(cls, learner):
        """What is random; test_chorus shows what it is good for."""
        random = {"signs": learner.signs, "scale": learner.scale, "shift": learner.shift}
        return random | {"updating": learner.updating.copy()}

    @property
    def tolerance(self):
        """What is remembered is rounded to seven digits."""
        return (1e-7, 1e-9) if self.text else (1e-5, 1e-7)

    def state(self):
        E, G, before = self.echo or (np.zeros((self.F, self.k)), np.zeros(self.n_frozen), [])
        stacked = np.stack([self.own, self.bold, self.var], axis=1)
        arrays = {
            "mean_reward": [len(self.earned), self.mean_reward()],
            "weights": stacked, "variances": self.P, "top_confidence": [self.top],
            "lead_products": self.S, "lead_rewards": self.b, "stacking_weights": self.c,
            "change": [self.change, self.alarms], "frozen_weights": E, "frozen_memory_weights": G,
            "frozen_outcomes": self.table.transpose(1, 2, 0),
            "label_rates": self.rates.T,
        }  # fmt: skip
        if self.text:
            return arrays
        solved = [self.ridge(r) for r in range(self.k)]
        arrays["ridge_weights"] = np.array([b for b, _ in solved]).T
        arrays["ridge_matrices"] = [np.eye(len(A)) - REWARDS * np.linalg.inv(A) for _, A in solved]
        if self.forest.room:
            arrays |= self.forest.state()
        return arrays | self.memory_state(before)

    def begin(self):
        k, n = self.k, self.n_voices
        self.own, self.var = np.zeros((self.F, k)), np.full((self.F, k), 1 / OWN)
        self.bold, self.P = np.zeros((self.F, k)), np.full(self.F, 1 / BOLD)
        self.memory, self.remembered = [], 0  # (u, label, whether it was right) of rows; how many
        self.right = [[] for _ in range(k)]  # u of all rows of which a label was right
        self.top = 1.0
        self.rates = np.zeros((2, k))  # how often each label was chosen, and right
        self.taught = [([], []) for _ in range(k)]  # of each label: rows x, and what they earned
        self.S = PRIOR * np.eye(n + 1)
        self.c = np.append(np.full(n, 1 / n), 0.0)
        self.b = PRIOR * self.c

    # Voices

    def outputs(self, phi, u, x):
        """The scores of every base model, and the squared widths of own in every group."""
        outputs, widths = [], []
        for at in self.groups:
            f = phi[at, None]
            outputs.append(self.mean_reward() + (f * self.own[at]).sum(axis=0))
            outputs.append(1 / self.k + (f * self.bold[at]).sum(axis=0))
            widths.append((f**2 * self.var[at]).sum(axis=0))
        if self.earned and not self.text:
            z = self.regressed(phi)
            outputs[2] = self.mean_reward() + np.array(
                [self.ridge(r)[0] @ z for r in range(self.k)]
            )
        if not self.text:
            outputs.extend(self.recall(self.memory, u))
            chosen, right = (sum(counts.tolist()) for counts in self.rates)
            outputs.append((self.rates[1] + right / (chosen + 1)) / (self.rates[0] + 1))
            outputs.append(self.forest.vote(self.forest.trees, x, self.top))
        elif not self.earned:
            outputs[0] = np.zeros(self.k)
        if self.alarms:
            e = self.echoed(phi, u, x)
            tries, hits = self.table[:, e]
            others = np.delete(self.table, e, axis=1)
            taken = (others[1] / (others[0] + 1)).max(axis=0)
            outputs.append((hits + (1 - taken) / self.k) / (tries + 1))
        else:
            outputs.append(np.zeros(self.k))
        return np.array(outputs), np.array(widths)

    def mean_reward(self):
        return float(np.mean(self.earned)) if self.earned else 0.0

    def regressed(self, phi):
        """The numbers and a constant, before they were scaled to norm 1."""
        first = self.constant - self.N
        return phi[first : self.constant + 1] / phi[self.constant]

    def ridge(self, label):
        """The weights of a ridge regression of what a label earned beyond the mean, and A."""
        X, y = (np.array(part) for part in self.taught[label])
        X = X.reshape(-1, self.N + 1)
        A = REWARDS * np.eye(self.N + 1) + X.T @ X
        return np.linalg.solve(A, X.T @ y), A

    def echoed(self, phi, u, x):
        if not self.alarms:
            return 0
        E, G, memory = self.echo
        scores = (phi[:, None] * E).sum(axis=0)
        if not self.text:
            trees = self.forest.vote(self.forest.before, x, self.top)
            scores = scores + G @ np.vstack([self.recall(memory, u), trees])
        return int(np.argmax(scores))

    def leads(self, outputs, label):
        return outputs[:, label] - np.delete(outputs, label, axis=1).max(axis=1)

    def weights(self):
        w = np.maximum(0, self.c[:-1])
        return w if w.any() else np.full(self.n_voices, 1 / self.n_voices)

    def judged(self, outputs):
        """The scores, and how sure the chorus is of the best."""
        w = self.weights()
        scores = (w[:, None] * outputs).sum(axis=0)
        sure = self.c[-1] + w @ self.leads(outputs, np.argmax(scores))
        return scores, np.clip(sure, 0, 1)

    def scores(self, x):
        phi, _, u = self.features(x)
        return self.judged(self.outputs(phi, u, x)[0])[0]

    def chances(self, x, among=None):
        phi, _, u = self.features(x)
        outputs, widths = self.outputs(phi, u, x)
        if among is not None:  # as if there were no other labels
            outputs, widths = outputs[:, among], widths[:, among]
        scores, sure = self.judged(outputs)
        own = self.weights()[0 : 2 * len(self.groups) : 2]
        share = own / own.sum() if own.sum() > 0 else np.full(len(own), 1 / len(own))
        width = (share[:, None] * np.sqrt(widths)).sum(axis=0)
        much = self.alpha * max(0, self.top - sure)
        if self.text:
            much = 0.25 * self.alpha * (1 - sure)
        best = np.argmax(scores + much * width)
        if among is not None:
            return np.eye(self.k)[among[best]]
        return self.floored(np.eye(self.k)[best])

    # Answers

    def update(self, x, label, greedy, propensity, reward, truth):
        phi, there, u = self.features(x)
        outputs, widths = self.outputs(phi, u, x)
        scores, sure = self.judged(outputs)
        right = reward == 1 or reward > self.top
        if label == np.argmax(scores):
            self.change = max(0.0, self.change + sure - reward - SLACK)
        if self.change > ALARM:
            self.ring()
        else:
            e = self.echoed(phi, u, x)
            self.table[:, e, label] += 1.0, reward
            self.judge(outputs, label, reward)
            if self.earned and not self.text:
                rows, earned = self.taught[label]
                rows.append(self.regressed(phi))
                earned.append(reward - self.mean_reward())
            for g, at in enumerate(self.groups):
                now = np.flatnonzero(there[at] & (phi[at] != 0.0)) + at.start
                self.teach_own(phi, now, label, reward - outputs[2 * g, label], widths[g, label])
                self.teach_bold(phi, now, label, right, outputs[2 * g + 1])
            self.top = np.clip(self.top + 0.01 * (0.9 if sure > self.top else -0.1), 0, 1)
            if not self.text:
                self.remember(u, label, right, outputs[4:6, label].mean())
            self.rates *= 0.999
            self.rates[:, label] += 1.0, reward
            if self.forest.room:
                self.forest.store(x, label, right, scores)
                self.forest.grow(self.updating)
        if truth is None and (reward > 0 or self.earned):
            self.earned.append(reward)
        self.rows.append(x)
        if self.text:
            self.counts += there

    def ring(self):
        w = self.weights()
        E = np.zeros((self.F, self.k))
        for g, at in enumerate(self.groups):
            E[at] = w[2 * g] * self.own[at] + w[2 * g + 1] * self.bold[at]
        self.echo = E, w[[4, 5, 7]] if len(w) > 3 else w[:0], self.memory
        self.forest.drift()
        self.table = np.array([GUESS * np.eye(self.k)] * 2)
        self.change = 0.0
        self.alarms += 1
        self.begin()

    def judge(self, outputs, label, reward):
        z = np.append(self.leads(outputs, label), 1.0)
        fresh = (1 - KEPT_JUDGE) * PRIOR
        start = np.append(np.full(self.n_voices, 1 / self.n_voices), 0.0)
        if self.earned and not self.text:  # the ridge regression of rewards
            start = np.eye(self.n_voices + 1)[2]
        self.S = KEPT_JUDGE * self.S + np.outer(z, z) + fresh * np.eye(len(z))
        self.b = KEPT_JUDGE * self.b + reward * z + fresh * start
        self.c = np.linalg.solve(self.S, self.b)

    def teach_own(self, phi, now, label, missed, width):
        f, var = phi[now], self.var[now, label]
        self.own[now, label] += missed / (1 + width) * f * var
        self.var[now, label] = var / (KEEP + f**2 * var)

    def teach_bold(self, phi, now, label, right, outputs):
        f, P = phi[now], self.P[now]
        p = f**2 @ P
        if right:
            step = (np.eye(self.k)[label] - outputs) / (1 + p)
            self.bold[now] += np.outer(f * P, step)
            self.P[now] = P / (KEEP + f**2 * P)
        else:
            anger = 1 + 9 * self.top
            missed = -0.3 * self.top - outputs[label]
            self.bold[now, label] += missed * anger / (1 + anger * p) * f * P
