"""The two base models of Chorus that compare a row with those stored: all rows stored."""

import numpy as np

NEAREST_RIGHT, NEAREST_WRONG = 5, 20


class Neighbours:
    """Needs k, room, folded, top, A, due, memory, remembered and right of the Chorus it is in."""

    def measured(self, U):
        """A u for every row u of U."""
        V = np.zeros_like(U)
        for j in range(self.folded):
            V += U[:, j, None] * self.A[:, j]
        return V

    def recall(self, memory, u):
        """What remembered rows say of every label, as they are and measured by A."""
        if not memory:
            return np.zeros((2, self.k))
        U, labels, right = (np.array(part) for part in zip(*memory, strict=True))
        as_it_is = squared_distances(U, u)
        by_A = squared_distances(self.measured(U), self.measured(u[None])[0])
        return np.array([self.weighed(D, labels, right) for D in (as_it_is, by_A)])

    def weighed(self, D, labels, right):
        pro, con = np.zeros(self.k), np.zeros(self.k)
        for sums, among, n in ((pro, right, NEAREST_RIGHT), (con, ~right, NEAREST_WRONG)):
            places = np.flatnonzero(among)
            for i in places[np.argsort(D[places], kind="stable")[:n]]:
                sums[labels[i]] += 1 / (float(D[i]) + 0.001) ** 2
        con = self.top * con
        below = pro.sum() + con
        return np.where(below > 0, (pro - con) / np.where(below > 0, below, 1), 0.0)

    def remember(self, u, label, right, output):
        if output < 0.7 if right else output > -0.5:
            place = self.remembered % self.room
            self.memory[place : place + 1] = [(u, label, right)]
            self.remembered += 1
        if right:
            self.right[label].append(u.astype(float))
            self.measure()

    def scatter(self):
        """Numbers and means of the rows that were right, by labels, and how they differ within."""
        n, d = np.array([len(rows) for rows in self.right]), self.folded
        means = np.array([np.mean(rows, 0) if rows else np.zeros(d) for rows in self.right])
        away = [u - mean for rows, mean in zip(self.right, means, strict=True) for u in rows]
        away = np.array(away).reshape(-1, d)
        return n, means, away.T @ away

    def measure(self):
        n = sum(map(len, self.right))
        if n >= self.due:
            self.due = int(1.3 * n) + 10
            C = self.scatter()[2]
            Sigma = (C + 50 * np.eye(len(C))) / (n + 50) + 0.2 * np.eye(len(C))
            self.A = np.linalg.inv(np.linalg.cholesky(Sigma)).astype(np.float32)

    def memory_state(self, before):
        n, means, C = self.scatter()
        rows = np.full((2, 2, self.folded, self.room), np.nan)
        labels = np.zeros((2, self.room))
        for i, ring in enumerate((self.memory, before)):
            labels[i, : len(ring)] = [label + 1 if r else -(label + 1) for _, label, r in ring]
            if ring:
                U = np.array([u for u, _, _ in ring])
                rows[i, 0, :, : len(ring)], rows[i, 1, :, : len(ring)] = U.T, self.measured(U).T
        return {
            "label_counts": n, "label_means": means, "scatter": np.tril(C), "metric": self.A.T,
            "memory_counts": [self.remembered, self.due], "memory_labels": labels,
            "memory_rows": rows,
        }  # fmt: skip


def squared_distances(U, u):
    D = np.zeros(len(U), np.float32)
    for column, number in zip(U.T, u, strict=True):
        D += (column - number) ** 2
    return D
