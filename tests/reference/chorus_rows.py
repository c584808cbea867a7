"""The rows of Chorus: numbers, random Fourier features, values left out of the numbers, texts."""

import numpy as np

FEW = 1000  # numbers: a row of more is a text


class Rows:
    """Needs the sizes, signs and stored rows of the Chorus it is in."""

    def columns_apart(self, nominal):
        """The nominal columns with the most values, if there are too many in all."""
        apart = []
        while np.maximum(1, np.delete(nominal, apart)).sum() + len(apart) > FEW:
            left = [j for j in range(len(nominal)) if j not in apart]
            apart.append(max(left, key=lambda j: nominal[j]))
        return apart

    def numbers(self, x):
        """One number for a numeric column, one for each value of a nominal one."""
        values = x[self.column]
        there = (np.floor(values) == self.code) & ~np.isin(self.column, self.apart)
        return np.where(self.coded, there, values)

    def scaled(self, x):
        z = np.sqrt(2) * self.numbers(x)
        rows = np.array(self.rows).reshape(-1, len(x))
        for i in np.flatnonzero(~self.coded):
            j = self.column[i]
            seen = rows[~np.isnan(rows[:, j]), j]
            if np.isnan(x[j]) or len(seen) == 0 or seen.min() == seen.max():
                z[i] = 0.0
            else:
                z[i] = np.clip((x[j] - seen.mean()) / seen.std(), -2, 2)
        return z

    def waves(self, z):
        padded = np.append(z, np.zeros(len(self.H) - len(z)))
        Y = np.repeat(padded[:, None], self.shift.shape[1], axis=1)
        for S in self.signs:
            Y = self.H @ (S * Y)
        turns = (Y * self.scale + self.shift).ravel()
        height = 0.25 - abs(turns - np.floor(turns + 0.5))
        return np.sqrt(2 / len(turns)) * 8 * height * (1 - 2 * abs(height))

    def fold(self, z):
        u = np.zeros(self.folded, np.float32)
        for j in range(self.N):
            u[j % self.folded] += self.signs[0, j, 0] * z[j]  # a double to a float32: rounded once
        return u

    def features(self, x):
        """φ, which of its entries are there, and u, the numbers that are remembered."""
        if self.text:
            v = np.where(x[self.column] == 0, 0.0, np.nan_to_num(self.numbers(x)))
            rarity = (1 + np.log((2 + len(self.rows)) / (1 + self.counts))) ** 0.5
            phi = np.where(self.coded, v, np.sign(v) * np.log1p(abs(v))) * rarity
            return phi / (np.linalg.norm(phi) or 1), v != 0, None
        z = self.scaled(x)
        plain = np.append(z, 1.0) / np.sqrt(1 + z @ z)
        phi = np.zeros(self.F)
        phi[: self.constant + 1] = np.append(self.waves(z), plain)
        end = self.constant + 1
        for j, size in sorted(zip(self.apart, self.apart_sizes, strict=True)):
            if 0 <= x[j] < size:
                phi[end + int(x[j])] = 0.3
            end += size
        there = (np.arange(self.F) <= self.constant) | (phi != 0)
        return phi, there, self.fold(z)
